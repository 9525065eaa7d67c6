//! The behaviour of a device's memory when it fills up, and its error when nothing could be freed.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::PressureLevel::{Critical, High, Low, Moderate};
use heddle_runtime::memory::{
    AllocateError, Allocation, AllocationSite, Cleanup, CleanupCause, ManualClock, Memory,
    MemorySettings, Shortage, SimulatedStorage, StreamSet,
};
use heddle_runtime::units::Bytes;

const MIB: u64 = 1 << 20;
const CAPACITY: Bytes = Bytes(100 * MIB);

type Device = Memory<SimulatedStorage>;

fn device(change: impl FnOnce(&mut MemorySettings)) -> (Arc<Device>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let mut settings = MemorySettings::new(DeviceId::simt(0), CAPACITY);
    change(&mut settings);
    let host = SimulatedStorage::new(CAPACITY);
    let memory = Memory::new(host, settings, Arc::clone(&clock) as _);
    (Arc::new(memory), clock)
}

fn mib(memory: &Device, count: u64) -> Allocation {
    memory.allocate(Bytes(count * MIB), None).unwrap()
}

fn short(memory: &Device, bytes: Bytes) -> Shortage {
    match memory.allocate(bytes, None) {
        Err(AllocateError::Short(shortage)) => *shortage,
        other => panic!("{other:?}"),
    }
}

/// Adds copies that can be dropped when memory is short.
fn cache(memory: &Arc<Device>, blocks: Vec<Allocation>) -> Arc<Mutex<Vec<Allocation>>> {
    let cached = Arc::new(Mutex::new(blocks));
    let offered = Arc::clone(&cached);
    let device = Arc::downgrade(memory);
    memory.on_cleanup(Cleanup::CACHED_COPIES, "copies", move |wanted| {
        let device = device.upgrade().unwrap();
        let mut freed = Bytes(0);
        while freed < wanted
            && let Some(block) = offered.lock().unwrap().pop()
        {
            freed = freed + block.granted();
            device.free(block, StreamSet::NONE);
        }
        freed
    });
    cached
}

#[test]
fn a_request_that_does_not_fit_evicts_cached_copies() {
    let (memory, _) = device(|settings| settings.cleanup_at = 1.0);
    let copies = (0..9).map(|_| mib(&memory, 10)).collect();
    let cached = cache(&memory, copies);
    let large = mib(&memory, 40);
    assert_eq!(cached.lock().unwrap().len(), 6, "no more than had to go");
    let reading = memory.reading();
    assert_eq!((reading.rescued, reading.shortages), (1, 0));
    let report = memory.cleanups().pop().unwrap();
    assert_eq!(report.cause, CleanupCause::Shortage);
    assert_eq!(
        (report.wanted, report.freed()),
        (Bytes(30 * MIB), Bytes(30 * MIB))
    );
    memory.free(large, StreamSet::NONE);
    let admission = memory.reserve(CAPACITY).unwrap();
    assert!(cached.lock().unwrap().is_empty());
    drop(admission);
}

#[test]
fn automatic_clean_up_starts_once_per_crossing() {
    let (memory, _) = device(|_| {});
    let mut live: Vec<_> = (0..8).map(|_| mib(&memory, 10)).collect();
    assert_eq!(memory.reading().cleanups.automatic, 0);
    live.extend((0..6).map(|_| mib(&memory, 1)));
    assert_eq!(memory.reading().cleanups.automatic, 1, "86 %");
    live.extend((0..3).map(|_| mib(&memory, 1)));
    assert_eq!(memory.reading().cleanups.automatic, 1, "nothing new");
    let cached = cache(&memory, live);
    let more = mib(&memory, 10);
    assert_eq!(memory.reading().cleanups.automatic, 1);
    let report = memory.cleanup().unwrap();
    assert!(cached.lock().unwrap().is_empty());
    assert_eq!(report.cause, CleanupCause::Manual);
    assert_eq!(memory.level(), Low);
    let again: Vec<_> = (0..8).map(|_| mib(&memory, 10)).collect();
    assert_eq!(
        memory.reading().cleanups.automatic,
        2,
        "it was below between"
    );
    for allocation in again.into_iter().chain([more]) {
        memory.free(allocation, StreamSet::NONE);
    }
}

#[test]
fn pressure_levels_are_reported_as_they_change() {
    let (memory, _) = device(|settings| settings.cleanup_at = 1.0);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&seen);
    memory.on_pressure(move |change| notes.lock().unwrap().push(change.to));
    memory.on_pressure(|_| panic!("on purpose"));
    let live: Vec<_> = (0..10).map(|_| mib(&memory, 10)).collect();
    for allocation in live {
        memory.free(allocation, StreamSet::NONE);
    }
    let expected = [Moderate, High, Critical, High, Moderate, Low];
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(memory.reading().levels_entered, [1, 2, 2, 1]);
    let levels: Vec<_> = memory.snapshots().iter().map(|it| it.level).collect();
    assert!(levels.ends_with(&expected), "{levels:?}");
}

#[test]
fn admission_and_queries_use_the_same_ledger() {
    let (memory, _) = device(|_| {});
    let held = mib(&memory, 50);
    assert!(memory.can_allocate(Bytes(40 * MIB), 0.2));
    assert!(!memory.can_allocate(Bytes(42 * MIB), 0.2));
    assert!(memory.is_low_memory(0.51) && !memory.is_low_memory(0.5));
    let admission = memory.reserve(Bytes(40 * MIB)).unwrap();
    assert!(!memory.can_allocate(Bytes(20 * MIB), 0.0), "it is reserved");
    let inside = admission.enter();
    assert!(memory.can_allocate(Bytes(50 * MIB), 0.0), "by ourselves");
    let drawn = mib(&memory, 40);
    assert_eq!(memory.reading().free(), Bytes(10 * MIB));
    drop((inside, admission));
    memory.free(held, StreamSet::NONE);
    memory.free(drawn, StreamSet::NONE);
    assert_eq!(memory.reading().free(), CAPACITY);
}

#[test]
fn memory_of_other_processes_counts_as_used() {
    let (memory, clock) = device(|_| {});
    memory.base_storage().set_taken_by_others(Bytes(70 * MIB));
    assert!(
        memory.can_allocate(Bytes(50 * MIB), 0.0),
        "the driver was not read yet"
    );
    clock.advance(Duration::from_secs(1));
    memory.tick();
    assert!(!memory.can_allocate(Bytes(50 * MIB), 0.0));
    assert_eq!(memory.level(), Moderate);
    assert_eq!(memory.reading().taken_by_others, Bytes(70 * MIB));
    let refused = memory.reserve(Bytes(50 * MIB)).unwrap_err();
    assert_eq!(refused.free, Bytes(30 * MIB));
    assert!(refused.advice().contains("other processes"), "{refused}");
    memory.base_storage().set_taken_by_others(Bytes(0));
    drop(memory.reserve(Bytes(50 * MIB)).unwrap());
    memory.base_storage().set_taken_by_others(Bytes(95 * MIB));
    let text = short(&memory, Bytes(20 * MIB)).to_string();
    assert!(text.contains("5 MiB left by the driver"), "{text}");
    clock.advance(Duration::from_secs(1));
    memory.base_storage().set_taken_by_others(Bytes(0));
    memory.tick();
    assert_eq!(memory.level(), Low);
}

#[test]
fn a_shortage_names_the_holders_of_the_memory() {
    let (memory, _) = device(|_| {});
    let matmul = {
        let _site = AllocationSite::of_caller("matmul").enter();
        mib(&memory, 60)
    };
    let xor = {
        let _site = AllocationSite::of_caller("xor").enter();
        mib(&memory, 20)
    };
    let shortage = short(&memory, Bytes(40 * MIB));
    assert_eq!(
        (shortage.asked, shortage.free),
        (Bytes(40 * MIB), Bytes(20 * MIB))
    );
    let names: Vec<_> = shortage.holders.iter().map(|it| it.site.kind).collect();
    assert_eq!(names, ["matmul", "xor"]);
    assert!(
        shortage.to_string().contains("free what matmul at"),
        "{shortage}"
    );
    let _admission = memory.reserve(Bytes(20 * MIB)).unwrap();
    let advice = short(&memory, Bytes(20 * MIB)).advice();
    assert!(
        advice.starts_with("wait for the running operations"),
        "{advice}"
    );
    assert_eq!(memory.reading().shortages, 2);
    memory.free(matmul, StreamSet::NONE);
    memory.free(xor, StreamSet::NONE);
}

#[test]
fn fragmentation_is_distinguished_from_full_memory() {
    let (memory, _) = device(|settings| settings.cleanup_at = 1.0);
    // Fills fifty regions with two blocks each, then frees half of each region.
    let blocks: Vec<_> = (0..100).map(|_| mib(&memory, 1)).collect();
    let (kept, freed): (Vec<_>, Vec<_>) = blocks
        .into_iter()
        .partition(|block| (block.address() / MIB).is_multiple_of(2));
    for allocation in freed {
        memory.free(allocation, StreamSet::NONE);
    }
    let shortage = short(&memory, Bytes(20 * MIB));
    assert_eq!(shortage.largest_free_block, Bytes(MIB));
    assert!(shortage.free >= shortage.asked);
    assert!(shortage.advice().contains("in pieces"), "{shortage}");
    for allocation in kept {
        memory.free(allocation, StreamSet::NONE);
    }
    let whole = memory.allocate(Bytes(100 * MIB), None).unwrap();
    memory.free(whole, StreamSet::NONE);
}

#[test]
fn a_callback_may_run_out_of_memory_itself() {
    let (memory, _) = device(|settings| settings.cleanup_at = 1.0);
    let held = mib(&memory, 90);
    let device = Arc::downgrade(&memory);
    memory.on_cleanup(5, "greedy", move |_| {
        let device = device.upgrade().unwrap();
        assert!(device.allocate(Bytes(50 * MIB), None).is_err());
        let small = mib(&device, 1);
        device.free(small, StreamSet::NONE);
        Bytes(0)
    });
    short(&memory, Bytes(20 * MIB));
    let report = memory.cleanups().pop().unwrap();
    assert!(report.steps.iter().all(|step| !step.panicked), "{report:?}");
    memory.free(held, StreamSet::NONE);
}

#[test]
fn a_reading_can_be_serialised() {
    let (memory, _) = device(|_| {});
    let held = mib(&memory, 1);
    let json = serde_json::to_value(memory.reading()).unwrap();
    assert_eq!(json["device"], "simt:0");
    assert_eq!(json["limit"]["allocated"], MIB);
    assert_eq!(json["level"], "low");
    assert!(
        serde_json::to_string(&memory.holders(5))
            .unwrap()
            .contains("unknown at")
    );
    memory.free(held, StreamSet::NONE);
}
