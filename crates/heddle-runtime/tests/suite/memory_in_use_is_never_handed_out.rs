//! Random steps, with faults, checked against a simple model of the memory in use.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::Arc;
use std::time::Duration;

use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::{
    Admission, Allocation, ManualClock, Memory, MemorySettings, SimulatedStorage, Storage,
    StreamIndex, StreamSet,
};
use heddle_runtime::units::Bytes;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const CAPACITY: Bytes = Bytes(24 << 20);

#[derive(Clone, Debug)]
enum Step {
    Allocate {
        bytes: u64,
        stream: Option<u8>,
        inside: bool,
    },
    Free {
        which: usize,
        busy: u64,
        inside: bool,
    },
    Synchronize(u64),
    Queue(u64),
    Reserve(u64),
    Unreserve(usize),
    Pass(u64),
    Trim,
    Cleanup,
    Fail(u64),
}

fn bytes() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 0..4096_u64,
        3 => 4096..300_000_u64,
        2 => 300_000..3_000_000_u64,
        1 => 3_000_000..20_000_000_u64,
        // A few sizes, as a real workload repeats them.
        3 => prop::sample::select(vec![1024_u64, 65_536, 1_000_000]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let stream = prop::option::of(0..4_u8);
    prop_oneof![
        20 => (bytes(), stream, any::<bool>())
            .prop_map(|(bytes, stream, inside)| Step::Allocate { bytes, stream, inside }),
        20 => (any::<usize>(), 0..16_u64, any::<bool>())
            .prop_map(|(which, busy, inside)| Step::Free { which, busy, inside }),
        6 => (0..16_u64).prop_map(Step::Synchronize),
        6 => (0..16_u64).prop_map(Step::Queue),
        3 => bytes().prop_map(Step::Reserve),
        3 => any::<usize>().prop_map(Step::Unreserve),
        2 => (0..200_u64).prop_map(Step::Pass),
        1 => Just(Step::Trim),
        1 => Just(Step::Cleanup),
        2 => (1..4_u64).prop_map(Step::Fail),
    ]
}

/// Work on a stream that was not waited for, and the addresses it may write.
struct QueuedWork {
    stream: u8,
    from: u64,
    to: u64,
}

struct ReferenceModel {
    memory: Memory<Arc<SimulatedStorage>>,
    host: Arc<SimulatedStorage>,
    clock: Arc<ManualClock>,
    tracks_queued_work: bool,
    live: Vec<Allocation>,
    work: Vec<QueuedWork>,
    /// The streams announced as busy, if the memory tracks that.
    queued: u64,
    admissions: Vec<(Admission, u64, u64)>,
    faults: u64,
}

impl ReferenceModel {
    fn new(pooled: bool, tracks_queued_work: bool) -> Self {
        let host = Arc::new(SimulatedStorage::new(CAPACITY));
        let clock = Arc::new(ManualClock::default());
        let mut settings = MemorySettings::new(DeviceId::simt(0), CAPACITY);
        settings.tracks_queued_work = tracks_queued_work;
        if !pooled {
            settings.pool = None;
        }
        Self {
            memory: Memory::new(Arc::clone(&host), settings, Arc::clone(&clock) as _),
            host,
            clock,
            tracks_queued_work,
            live: Vec::new(),
            work: Vec::new(),
            queued: 0,
            admissions: Vec::new(),
            faults: 0,
        }
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Allocate {
                bytes,
                stream,
                inside,
            } => self.allocate(bytes, stream, inside),
            Step::Free {
                which,
                busy,
                inside,
            } => self.free(which, busy, inside),
            Step::Synchronize(streams) => {
                self.work.retain(|work| streams >> work.stream & 1 == 0);
                self.queued &= !streams;
                self.memory.synchronized(StreamSet(streams));
            }
            Step::Queue(streams) => {
                self.queued |= streams;
                self.memory.queued(StreamSet(streams));
            }
            Step::Reserve(bytes) => {
                if let Ok(admission) = self.memory.reserve(Bytes(bytes)) {
                    self.admissions.push((admission, bytes, bytes));
                }
            }
            Step::Unreserve(which) => {
                if !self.admissions.is_empty() {
                    let which = which % self.admissions.len();
                    drop(self.admissions.swap_remove(which));
                }
            }
            Step::Pass(seconds) => {
                self.clock.advance(Duration::from_secs(seconds));
                self.memory.tick();
            }
            Step::Trim => {
                self.memory.trim();
            }
            Step::Cleanup => {
                self.memory.cleanup().unwrap();
            }
            Step::Fail(nth) => {
                self.faults += 1;
                self.host.fail_allocation(nth);
            }
        }
    }

    fn allocate(&mut self, bytes: u64, stream: Option<u8>, inside: bool) {
        let admission = self.admissions.last_mut().filter(|_| inside);
        let entered = admission.as_ref().map(|(admission, ..)| admission.enter());
        let granted = self
            .memory
            .allocate(Bytes(bytes), stream.and_then(StreamIndex::new));
        drop(entered);
        let Ok(allocation) = granted else { return };
        let size = allocation.granted().0;
        if let Some((_, _, left)) = admission {
            *left -= size.min(*left);
        }
        let (from, to) = (allocation.address(), allocation.address() + size);
        assert!(
            size >= bytes && size - bytes <= (bytes / 8).max(256),
            "waste"
        );
        for other in &self.live {
            let end = other.address() + other.granted().0;
            assert!(
                to <= other.address() || end <= from,
                "two live blocks overlap"
            );
        }
        for work in &self.work {
            let apart = to <= work.from || work.to <= from;
            assert!(
                apart || stream == Some(work.stream),
                "busy on {}",
                work.stream
            );
        }
        self.live.push(allocation);
    }

    fn free(&mut self, which: usize, touched: u64, inside: bool) {
        if self.live.is_empty() {
            return;
        }
        let allocation = self.live.swap_remove(which % self.live.len());
        let size = allocation.granted().0;
        let busy = if self.tracks_queued_work {
            touched & self.queued
        } else {
            touched
        };
        for stream in (0..4).filter(|stream| busy >> stream & 1 == 1) {
            self.work.push(QueuedWork {
                stream,
                from: allocation.address(),
                to: allocation.address() + size,
            });
        }
        let admission = self.admissions.last_mut().filter(|_| inside);
        let _entered = admission.as_ref().map(|(admission, ..)| admission.enter());
        self.memory.free(allocation, StreamSet(touched));
        if let Some((_, all, left)) = admission {
            *left = (*left + size).min(*all);
        }
    }

    fn check(&self) {
        let reading = self.memory.reading();
        let live: Bytes = self.live.iter().map(Allocation::granted).sum();
        assert_eq!(reading.statistics.allocated, live);
        assert_eq!(reading.statistics.live, self.live.len() as u64);
        assert_eq!(reading.limit.allocated, live);
        assert_eq!(reading.storage.used, live);
        let reserved: u64 = self.admissions.iter().map(|(_, _, left)| left).sum();
        assert_eq!(reading.limit.reserved, Bytes(reserved));
        assert!(live + Bytes(reserved) <= CAPACITY);
        assert!(reading.limit.peak <= CAPACITY);
        assert_eq!(reading.storage.held, self.host.reading().used);
        assert!(reading.storage.held <= CAPACITY);
        assert_eq!(self.host.misuses(), 0);
    }

    fn end(mut self) {
        self.admissions.clear();
        for allocation in self.live.drain(..) {
            self.memory.free(allocation, StreamSet::ALL);
        }
        self.memory.synchronized(StreamSet::ALL);
        self.memory.trim();
        self.check();
        let reading = self.memory.reading();
        assert_eq!(reading.storage.held, Bytes(0));
        assert_eq!(reading.storage.waiting, Bytes(0));
        let statistics = reading.statistics;
        assert_eq!(statistics.allocations, statistics.frees);
        assert!(self.memory.holders(1).is_empty());
    }
}

fn run(steps: &[Step], pooled: bool, tracks_queued_work: bool) -> ReferenceModel {
    let mut model = ReferenceModel::new(pooled, tracks_queued_work);
    for step in steps {
        model.take(step);
        model.check();
    }
    model
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(48))]

    #[test]
    fn memory_in_use_is_not_handed_out_in_any_order_of_steps(
        steps in prop::collection::vec(step(), 1..300),
        pooled in prop::bool::weighted(0.8),
        tracks_queued_work: bool,
    ) {
        run(&steps, pooled, tracks_queued_work).end();
    }
}

#[test]
fn memory_in_use_is_not_handed_out_in_ten_thousand_steps_with_faults() {
    let mut runner = TestRunner::deterministic();
    let steps = prop::collection::vec(step(), 10_000);
    let steps = steps.new_tree(&mut runner).unwrap().current();
    for tracks_queued_work in [false, true] {
        let model = run(&steps, true, tracks_queued_work);
        let reading = model.memory.reading();
        assert!(model.faults > 100);
        assert!(reading.statistics.allocations > 1000, "{reading:?}");
        assert!(reading.rescued > 0 && reading.shortages > 0, "{reading:?}");
        model.end();
    }
}
