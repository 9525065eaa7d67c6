//! The cost of a host allocation served by the pool, with statistics, limit and pressure watch.
//! The bound is 150 ns.

#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot be set up has failed"
)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::{
    AllocationSite, Limit, Memory, MemoryPool, MemorySettings, PoolSettings, SimulatedStorage,
    Storage, StreamIndex, StreamSet, SystemClock,
};
use heddle_runtime::units::Bytes;

const CAPACITY: Bytes = Bytes(1 << 30);
const SIZE: Bytes = Bytes(100_000);

fn host() -> SimulatedStorage {
    SimulatedStorage::new(CAPACITY)
}

fn memory() -> Memory<SimulatedStorage> {
    let settings = MemorySettings::new(DeviceId::simt(0), CAPACITY);
    Memory::new(host(), settings, Arc::new(SystemClock::new()))
}

fn pair(storage: &impl Storage) {
    let block = storage.allocate(black_box(SIZE), None).unwrap();
    storage.free(block, StreamSet::NONE);
}

fn pair_of(memory: &Memory<SimulatedStorage>, stream: Option<StreamIndex>, busy: StreamSet) {
    let allocation = memory.allocate(black_box(SIZE), stream).unwrap();
    memory.free(allocation, busy);
}

fn one(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host");
    let clock = Arc::new(SystemClock::new());
    let pool = MemoryPool::new(host(), PoolSettings::default(), clock);
    group.bench_function("pool: allocate and free", |bencher| {
        bencher.iter(|| pair(&pool));
    });
    let limit = Limit::new(pool, CAPACITY);
    group.bench_function("limit on it: allocate and free", |bencher| {
        bencher.iter(|| pair(&limit));
    });
    let memory = memory();
    let _site = AllocationSite::of_caller("bench").enter();
    group.bench_function("memory: allocate and free", |bencher| {
        bencher.iter(|| pair_of(&memory, None, StreamSet::NONE));
    });
    group.bench_function("memory: allocate and free, busy", |bencher| {
        bencher.iter(|| pair_of(&memory, StreamIndex::new(3), StreamSet(1 << 3)));
    });
    group.bench_function("memory: reserve, enter, allocate and free", |bencher| {
        bencher.iter(|| {
            let admission = memory.reserve(memory.footprint(SIZE)).unwrap();
            let _inside = admission.enter();
            pair_of(&memory, None, StreamSet::NONE);
        });
    });
    group.finish();
}

/// A thousand live blocks of many sizes, more than the first-level cache holds.
fn many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host, 1000 live");
    group.throughput(Throughput::Elements(1000));
    let memory = memory();
    let mut live = Vec::with_capacity(1000);
    group.bench_function("memory: allocate and free", |bencher| {
        bencher.iter(|| {
            for index in 0..1000 {
                live.push(memory.allocate(Bytes(1 + index * 997), None).unwrap());
            }
            for allocation in live.drain(..) {
                memory.free(allocation, StreamSet::NONE);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, one, many);
criterion_main!(benches);
