//! With eight threads at once, no block is lost, shared or counted twice; and a workload that
//! repeats itself is served from the pool.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use heddle_testing::Random;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::{
    Admission, Allocation, Memory, MemorySettings, SimulatedStorage, Storage, StreamIndex,
    StreamSet, SystemClock,
};
use heddle_runtime::units::Bytes;

const THREADS: u8 = 8;
const CAPACITY: Bytes = Bytes(32 << 20);

fn memory(host: &Arc<SimulatedStorage>) -> Memory<Arc<SimulatedStorage>> {
    let settings = MemorySettings::new(DeviceId::simt(0), CAPACITY);
    Memory::new(Arc::clone(host), settings, Arc::new(SystemClock::new()))
}

/// The state shared by all threads.
#[derive(Default)]
struct SharedModel {
    live: BTreeMap<u64, u64>,
    /// Work that was not waited for: stream, from, to.
    work: Vec<(u8, u64, u64)>,
}

impl SharedModel {
    fn begin(&mut self, allocation: &Allocation, stream: u8) {
        let from = allocation.address();
        let to = from + allocation.granted().0;
        let before = self.live.range(..to).next_back();
        assert!(before.is_none_or(|(_, &end)| end <= from), "overlap");
        for &(other, start, end) in &self.work {
            let apart = to <= start || end <= from;
            assert!(apart || other == stream, "busy on {other}");
        }
        self.live.insert(from, to);
    }

    fn end(&mut self, allocation: &Allocation, stream: u8) {
        let from = allocation.address();
        let to = self.live.remove(&from).unwrap();
        self.work.push((stream, from, to));
    }
}

#[test]
fn no_block_is_lost_or_shared_by_eight_threads() {
    let host = Arc::new(SimulatedStorage::new(CAPACITY));
    let memory = memory(&host);
    let model = Mutex::new(SharedModel::default());
    let refused = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (memory, model, refused) = (&memory, &model, &refused);
            scope.spawn(move || {
                let mut random = Random::seeded(u64::from(thread));
                let stream = StreamIndex::new(thread).unwrap();
                let mut live: Vec<Allocation> = Vec::new();
                for round in 0..2000 {
                    let bytes = Bytes(random.below(1 << 20));
                    let admission = memory.reserve(memory.footprint(bytes)).ok();
                    let _inside = admission.as_ref().map(Admission::enter);
                    if let Ok(allocation) = memory.allocate(bytes, Some(stream)) {
                        model.lock().unwrap().begin(&allocation, thread);
                        live.push(allocation);
                    } else {
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    while live.len() > random.index(8) {
                        let which = random.index(live.len());
                        let allocation = live.swap_remove(which);
                        model.lock().unwrap().end(&allocation, thread);
                        memory.free(allocation, stream.as_set());
                    }
                    if round % 5 == 0 {
                        let mut model = model.lock().unwrap();
                        model.work.retain(|&(other, ..)| other != thread);
                        drop(model);
                        memory.synchronized(stream.as_set());
                    }
                    if round % 97 == 0 {
                        memory.trim();
                    }
                }
                for allocation in live {
                    model.lock().unwrap().end(&allocation, thread);
                    memory.free(allocation, stream.as_set());
                }
            });
        }
    });
    memory.synchronized(StreamSet::ALL);
    memory.trim();
    let reading = memory.reading();
    assert_eq!(reading.limit.allocated, Bytes(0));
    assert_eq!(reading.limit.reserved, Bytes(0));
    assert!(reading.limit.peak <= CAPACITY);
    assert_eq!(reading.statistics.allocated, Bytes(0));
    assert_eq!(reading.statistics.allocations, reading.statistics.frees);
    let total = reading.statistics.allocations + refused.load(Ordering::Relaxed);
    assert_eq!(total, 2000 * u64::from(THREADS));
    assert_eq!((host.reading().used, host.misuses()), (Bytes(0), 0));
}

#[test]
fn a_repeating_workload_is_served_from_the_pool() {
    let host = Arc::new(SimulatedStorage::new(CAPACITY));
    let memory = memory(&host);
    let stream = StreamIndex::new(0);
    let round = |order: u64| {
        let mut live = Vec::new();
        for index in 0..50_u64 {
            let bytes = 100 + (index * 7 + order) % 50 * 9973;
            live.push(memory.allocate(Bytes(bytes), stream).unwrap());
            if live.len() > 12 {
                memory.free(live.swap_remove(3), StreamSet(1));
            }
        }
        for allocation in live {
            memory.free(allocation, StreamSet(1));
        }
        if order.is_multiple_of(4) {
            memory.synchronized(StreamSet(1));
        }
    };
    (0..10).for_each(round);
    let before = memory.reading().storage;
    (10..200).for_each(round);
    let after = memory.reading().storage;
    let hits = after.hits - before.hits;
    let misses = after.misses - before.misses;
    let rate = hits as f64 / (hits + misses) as f64;
    assert!(rate >= 0.99, "{rate}");
    assert!(host.requests() < 100);
}
