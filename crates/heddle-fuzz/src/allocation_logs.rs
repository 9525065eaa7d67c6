//! Allocation logs, replayed with a pool and without: the figures of a replay are possible
//! ones, and everything is freed at its end.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use heddle_runtime::memory::{
    AllocationEvent, LOG_VERSION, Limit, LogHeader, LogLine, ManualClock, MemoryPool, PoolSettings,
    ReplayError, ReplayReport, Reuse, SimulatedStorage, Storage as _, TimeSource, Unpooled,
    replay_in_time,
};
use heddle_runtime::units::{Bytes, Nanos};

const LIMIT: Bytes = Bytes(1 << 20);

pub fn check(bytes: &[u8]) {
    for pooled in [true, false] {
        let clock = Arc::new(ManualClock::default());
        let storage = SimulatedStorage::new(LIMIT);
        let reuse = if pooled {
            let settings = PoolSettings::default().with(|it| {
                it.maximum = LIMIT;
                it.idle = Duration::from_mins(5);
                it.tracks_queued_work = true;
            });
            let clock: Arc<dyn TimeSource> = Arc::<ManualClock>::clone(&clock);
            Reuse::Pooled(MemoryPool::new(storage, settings, clock))
        } else {
            Reuse::Unpooled(Unpooled::new(storage, true))
        };
        let stack = Limit::new(reuse, LIMIT);
        match replay_in_time(bytes, &stack, &clock) {
            Ok(report) => check_report(&report),
            Err(ReplayError::Truncated { report, .. }) => check_report(&report),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        assert_eq!(stack.reading().used, Bytes(0));
        assert_eq!(stack.upstream().upstream().misuses(), 0);
    }
}

fn check_report(report: &ReplayReport) {
    assert!(report.allocations <= report.events);
    assert!(report.refusals <= report.allocations);
    assert!(report.peak_used <= LIMIT, "{report:?}");
    assert!(report.peak_held <= LIMIT, "{report:?}");
    for share in [report.hit_rate, report.fragmentation] {
        assert!((0.0..=1.0).contains(&share), "{report:?}");
    }
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let allocate = |at: u64, bytes: u64, address: Option<u64>| LogLine {
        at: Nanos(at),
        event: AllocationEvent::Allocate {
            bytes: Bytes(bytes),
            stream: bytes.is_multiple_of(2).then_some(1),
            address,
            site: Cow::Borrowed("fuzz.rs:1"),
        },
    };
    let free = |at: u64, address: u64, busy: u64| LogLine {
        at: Nanos(at),
        event: AllocationEvent::Free { address, busy },
    };
    let line = |at: u64, event| LogLine {
        at: Nanos(at),
        event,
    };
    let lines = [
        allocate(1, 1000, Some(4096)),
        allocate(2, 50_001, Some(8192)),
        free(3, 4096, 2),
        line(4, AllocationEvent::Queued { streams: 2 }),
        allocate(5, 900, Some(4096)),
        line(6, AllocationEvent::Synchronized { streams: 2 }),
        free(400_000_000_000, 8192, 0),
        allocate(400_000_000_001, 1 << 40, None),
        allocate(400_000_000_002, 300_000, Some(16_384)),
        line(400_000_000_003, AllocationEvent::Trim),
    ];
    let header = LogHeader {
        heddle_allocation_log: LOG_VERSION,
        device: "simt:0".to_owned(),
        capacity: LIMIT,
    };
    let text = |count: usize| {
        let header = serde_json::to_string(&header);
        let rest = lines[..count].iter().map(serde_json::to_string);
        let all: Vec<String> = std::iter::once(header)
            .chain(rest)
            .collect::<Result<_, _>>()
            .expect("a line of a log is JSON");
        all.join("\n") + "\n"
    };
    (0..=lines.len())
        .map(|count| text(count).into_bytes())
        .collect()
}
