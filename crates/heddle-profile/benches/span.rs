//! What recording one span costs, beside the operation it records.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use heddle_profile::{DeviceTag, Profiler, Span};

/// 10 MiB of spans: larger than the inner caches, as in a real run.
const CAPACITY_SPANS: usize = 65_536;

fn span(start_ns: u64) -> Span {
    Span {
        operation: "xor",
        element: "u8",
        device: DeviceTag {
            kind: "cpu",
            index: None,
        },
        backend: "native",
        start_ns,
        total_ns: 850,
        device_ns: None,
        transfer_ns: 0,
        overhead_ns: 120,
        bytes_in: 2_048,
        bytes_out: 1_024,
        bytes_moved: 0,
        work: 1_024,
        thread: 0,
    }
}

/// A profiler in its steady state: full, every chunk allocated.
fn full() -> Profiler {
    let profiler = Profiler::new(CAPACITY_SPANS);
    for start_ns in 0..2 * CAPACITY_SPANS as u64 {
        profiler.record(span(start_ns));
    }
    profiler
}

fn record_all(profiler: &Profiler, count: u64) -> Duration {
    let start = Instant::now();
    for start_ns in 0..count {
        black_box(profiler).record(black_box(span(start_ns)));
    }
    start.elapsed()
}

/// The slower thread's time for `count` spans each.
fn record_all_on_two(profiler: &Profiler, count: u64) -> Duration {
    let together = Barrier::new(2);
    let work = || {
        together.wait();
        record_all(profiler, count)
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        let here = work();
        other.join().map_or(here, |there| there.max(here))
    })
}

fn record(criterion: &mut Criterion) {
    let profiler = full();
    let mut group = criterion.benchmark_group("record/cpu");
    profiler.set_enabled(false);
    group.bench_function("disabled", |bencher| {
        bencher.iter_custom(|count| record_all(&profiler, count));
    });
    profiler.set_enabled(true);
    group.bench_function("enabled", |bencher| {
        bencher.iter_custom(|count| record_all(&profiler, count));
    });
    group.bench_function("enabled, two threads", |bencher| {
        bencher.iter_custom(|count| record_all_on_two(&profiler, count));
    });
    group.finish();
}

criterion_group!(benches, record);
criterion_main!(benches);
