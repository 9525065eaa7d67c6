//! A log of one stack can be replayed on another, and a truncated log is reported with its
//! position.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::{
    AllocationLog, LogWriter, ManualClock, Memory, MemoryPool, MemorySettings, PoolSettings,
    ReplayError, SimulatedStorage, Storage, StreamIndex, StreamSet, replay, replay_in_time,
};
use heddle_runtime::units::Bytes;
use proptest::prelude::*;

const CAPACITY: Bytes = Bytes(64 << 20);

/// A file in memory.
#[derive(Clone, Default)]
struct MemoryFile(Arc<Mutex<Vec<u8>>>);

impl MemoryFile {
    fn text(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::default())
}

fn pool() -> MemoryPool<SimulatedStorage> {
    MemoryPool::new(
        SimulatedStorage::new(CAPACITY),
        PoolSettings::default(),
        clock(),
    )
}

/// Returns the log of a small workload: 60 blocks, one refusal, two never freed.
fn logged() -> Vec<u8> {
    let file = MemoryFile::default();
    let settings = MemorySettings::new(DeviceId::simt(3), CAPACITY);
    let memory = Memory::new(SimulatedStorage::new(CAPACITY), settings, clock());
    assert!(memory.log_to(file.clone()));
    assert!(!memory.log_to(file.clone()), "one log at a time");
    for round in 0..20 {
        let blocks = [1000, 50_000, 3_000_000 + round].map(|bytes| {
            let bytes = Bytes(bytes);
            memory.allocate(bytes, StreamIndex::new(1)).unwrap()
        });
        let [first, second, third] = blocks;
        if round != 7 {
            memory.free(first, StreamSet(0b10));
            memory.free(second, StreamSet::NONE);
        }
        memory.free(third, StreamSet(0b10));
        memory.synchronized(StreamSet(0b10));
    }
    assert!(memory.allocate(Bytes(1 << 40), None).is_err());
    memory.trim();
    memory.log().unwrap().finish().unwrap();
    file.text()
}

#[test]
fn a_log_can_be_replayed_on_another_stack() {
    let log = logged();
    let pool = pool();
    let report = replay(log.as_slice(), &pool).unwrap();
    assert_eq!((report.allocations, report.refusals), (60, 0));
    assert_eq!((report.refusals_logged, report.blocks_left), (1, 2));
    assert!(report.hit_rate > 0.9 && report.peak_used > Bytes(3_000_000));
    assert!(report.peak_held >= report.peak_used && report.fragmentation < 1.0);
    assert_eq!(pool.reading().used, Bytes(0));
    let small = SimulatedStorage::new(Bytes(1 << 20));
    let report = replay(log.as_slice(), &small).unwrap();
    assert_eq!((report.refusals, report.hit_rate), (20, 0.0));
    assert_eq!(small.reading().used, Bytes(0));
}

#[test]
fn a_replay_advances_time_as_recorded() {
    let file = MemoryFile::default();
    let settings = MemorySettings::new(DeviceId::simt(0), CAPACITY);
    let then = clock();
    let memory = Memory::new(
        SimulatedStorage::new(CAPACITY),
        settings,
        Arc::clone(&then) as _,
    );
    memory.log_to(file.clone());
    for _ in 0..10 {
        let block = memory.allocate(Bytes(5 << 20), None).unwrap();
        memory.free(block, StreamSet::NONE);
        then.advance(Duration::from_mins(11));
    }
    let log = file.text();
    let now = clock();
    let host = SimulatedStorage::new(CAPACITY);
    let pool = MemoryPool::new(host, PoolSettings::default(), Arc::clone(&now) as _);
    let report = replay_in_time(log.as_slice(), &pool, &now).unwrap();
    assert_eq!(
        (report.allocations, report.hit_rate),
        (10, 0.0),
        "all idle in between"
    );
    let report = replay(log.as_slice(), &self::pool()).unwrap();
    assert!(report.hit_rate > 0.89, "no time, no idleness");
}

#[test]
fn a_log_can_be_at_any_level_of_the_stack() {
    let file = MemoryFile::default();
    let writer = LogWriter::new(file.clone(), DeviceId::simt(0), CAPACITY, clock());
    let host = AllocationLog::new(SimulatedStorage::new(CAPACITY), Arc::new(writer));
    let pool = MemoryPool::new(host, PoolSettings::default(), clock());
    for _ in 0..10 {
        let block = pool.allocate(Bytes(1000), None).unwrap();
        pool.free(block, StreamSet::NONE);
    }
    drop(pool);
    let log = file.text();
    let report = replay(log.as_slice(), &SimulatedStorage::new(CAPACITY)).unwrap();
    assert_eq!((report.allocations, report.blocks_left), (1, 0));
}

#[test]
fn a_file_that_is_not_a_log_is_refused() {
    let refused = |text: &str| replay(text.as_bytes(), &pool()).unwrap_err().to_string();
    assert!(refused("").contains("no allocation log"));
    assert!(refused("hello\n").contains("\"hello\""));
    let header = r#"{"heddle_allocation_log":99,"device":"cpu","capacity":1}"#;
    assert!(refused(header).contains("version 1"));
    let header = header.replace("99", "1");
    let text = format!("{header}\n{{\"at\":1,\"event\":\"dance\"}}\n");
    assert!(refused(&text).contains("line 2"), "{}", refused(&text));
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn a_truncated_log_is_reported_with_its_position(cut in 0.0..1.0_f64) {
        let log = logged();
        let cut = &log[..(log.len() as f64 * cut) as usize];
        let whole_lines = cut.split(|&byte| byte == b'\n').count() as u64 - 1;
        let pool = pool();
        match replay(cut, &pool) {
            // Truncated between two lines, or just before the end of one.
            Ok(report) => prop_assert!(report.events + 1 >= whole_lines),
            Err(ReplayError::Truncated { line, report }) => {
                prop_assert_eq!(line, whole_lines + 1);
                prop_assert_eq!(report.events + 1, whole_lines);
            }
            Err(ReplayError::NotALog { .. }) => prop_assert_eq!(whole_lines, 0),
            Err(other) => prop_assert!(false, "{other}"),
        }
        prop_assert_eq!(pool.reading().used, Bytes(0));
    }
}
