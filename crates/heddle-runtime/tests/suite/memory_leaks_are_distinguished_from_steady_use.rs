//! A leak is reported; a sawtooth and a warm-up are not. Hours pass on a manual clock.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::Arc;
use std::time::Duration;

use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::{
    Allocation, AllocationSite, ManualClock, Memory, MemorySettings, SimulatedStorage, StreamSet,
};
use heddle_runtime::units::{Bytes, Nanos};
use proptest::prelude::*;

const BLOCK: Bytes = Bytes(64 << 10);

struct LeakFixture {
    memory: Memory<SimulatedStorage>,
    clock: Arc<ManualClock>,
    live: Vec<Allocation>,
}

impl LeakFixture {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let capacity = Bytes(16 << 30);
        let settings = MemorySettings::new(DeviceId::simt(0), capacity);
        Self {
            memory: Memory::new(
                SimulatedStorage::new(capacity),
                settings,
                Arc::clone(&clock) as _,
            ),
            clock,
            live: Vec::new(),
        }
    }

    /// Changes the number of held blocks to `blocks`.
    fn hold(&mut self, blocks: usize) {
        let _site = AllocationSite::of_caller("workload").enter();
        while self.live.len() < blocks {
            self.live.push(self.memory.allocate(BLOCK, None).unwrap());
        }
        for allocation in self.live.drain(blocks..) {
            self.memory.free(allocation, StreamSet::NONE);
        }
    }

    /// Advances the clock by a second.
    fn pass(&self) {
        self.clock.advance(Duration::from_secs(1));
        self.memory.tick();
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(24))]

    #[test]
    fn a_sawtooth_is_not_a_leak(period in 2_usize..270, base in 0_usize..100, step in 1_usize..4) {
        let mut bench = LeakFixture::new();
        for second in 0..1500 {
            bench.hold(base + second % period * step);
            bench.pass();
            prop_assert!(bench.memory.leaks().is_empty(), "at {second} s");
        }
    }

    #[test]
    fn a_warm_up_is_not_a_leak(lasts in 1_usize..240, begins in 0_usize..400, step in 1_usize..4) {
        let mut bench = LeakFixture::new();
        for second in 0..1200_usize {
            bench.hold(second.saturating_sub(begins).min(lasts) * step);
            bench.pass();
            prop_assert!(bench.memory.leaks().is_empty(), "at {second} s");
        }
    }

    #[test]
    fn steady_noise_is_not_a_leak(levels in prop::collection::vec(50_usize..80, 1200)) {
        let mut bench = LeakFixture::new();
        for (second, level) in levels.into_iter().enumerate() {
            bench.hold(level);
            bench.pass();
            prop_assert!(bench.memory.leaks().is_empty(), "at {second} s");
        }
    }

    #[test]
    fn a_leak_is_found_under_a_sawtooth(
        base in 0_usize..200,
        every in 1_usize..20,
        // Up to a twelfth of the window: a longer one hides a leak smaller than itself.
        period in 2_usize..25,
    ) {
        let mut bench = LeakFixture::new();
        // A leak of more than a fifth per window, under a sawtooth of the same height.
        let leaked = |second: usize| second / every * (1 + base * every / 500);
        for second in 0..700 {
            bench.hold(base + leaked(second) + second % period);
            bench.pass();
        }
        let leaks = bench.memory.leaks();
        prop_assert_eq!(leaks.len(), 1);
        let leak = leaks[0];
        prop_assert_eq!(leak.site.kind, "workload");
        prop_assert!(leak.bytes >= leak.growth && leak.growth > Bytes(0));
        prop_assert!(leak.oldest_age >= Nanos::from(Duration::from_mins(10)));
        prop_assert_eq!(leak.blocks, bench.live.len() as u64);
        let text = leak.to_string();
        prop_assert!(text.starts_with("workload at ") && text.contains(" more than a window ago"));
        bench.hold(0);
        bench.pass();
        prop_assert!(bench.memory.leaks().is_empty(), "it was freed after all");
    }
}

#[test]
fn slow_growth_is_not_a_leak_and_remaining_blocks_are_named() {
    let mut bench = LeakFixture::new();
    for second in 0..1200 {
        bench.hold(1000 + second / 10);
        bench.pass();
        assert!(bench.memory.leaks().is_empty(), "3 % in five minutes");
    }
    let live_allocations = bench.memory.live_allocations();
    assert_eq!(live_allocations.bytes(), Bytes(1119 * BLOCK.0));
    let text = live_allocations.to_string();
    let expected =
        "69.9 MiB in 1119 blocks still held on simt:0\n  69.9 MiB in 1119 blocks by workload at ";
    assert!(
        text.starts_with(expected) && text.ends_with("the oldest 1200 s old"),
        "{text}"
    );
    bench.hold(0);
    assert!(bench.memory.live_allocations().is_empty());
}
