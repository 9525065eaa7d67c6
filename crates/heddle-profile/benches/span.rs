//! The cost of recording one span, beside two peers in the same run.
//!
//! Every figure is the time of one span: opened and closed, with both clock
//! readings. `puffin` runs as its manual says, inside a frame with an outermost
//! scope. `tracing` runs with a minimal subscriber that times a span: it reads the
//! clock when the span is entered and left and keeps both times in a thread-local
//! ring.

use std::cell::RefCell;
use std::hint::black_box;
use std::num::NonZeroU64;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use heddle_profile::{DeviceTag, Profiler, Span, global, span};

/// 3 to 9 MiB of records: larger than the inner caches, as in a real run.
const CAPACITY_SPANS: usize = 65_536;

/// Scopes inside one outermost scope.
const FRAME: u64 = 1_000;

fn operation(start_ns: u64) -> Span {
    Span {
        operation: "xor",
        element: "u8",
        device: DeviceTag::CPU,
        backend: "native",
        start_ns,
        total_ns: 850,
        overhead_ns: 120,
        bytes_in: 2_048,
        bytes_out: 1_024,
        work: 1_024,
        ..Span::default()
    }
}

fn finished_spans(profiler: &Profiler, count: u64) {
    for start_ns in 0..count {
        // The runtime does the same: a span is built only if the profiler is
        // enabled.
        if black_box(profiler).enabled() {
            profiler.record(black_box(operation(start_ns)));
        }
    }
}

fn scopes(count: u64) {
    for _ in 0..count {
        let _span = span!("append_rows");
    }
}

fn sized_scopes(count: u64) {
    for size in 0..count {
        let _span = span!("append_rows", device = DeviceTag::CPU, size = size);
    }
}

fn nested_scopes(count: u64) {
    for _ in 0..count / 4 {
        let _one = span!("one");
        let _two = span!("two");
        let _three = span!("three");
        let _four = span!("four");
    }
}

fn puffin_scopes(count: u64) {
    for _ in 0..count.div_ceil(FRAME) {
        puffin::profile_scope!("frame");
        for _ in 0..FRAME.min(count) {
            puffin::profile_scope!("append_rows");
        }
    }
    puffin::GlobalProfiler::lock().new_frame();
}

fn tracing_scopes(count: u64) {
    for _ in 0..count {
        let _span = tracing::info_span!("append_rows").entered();
    }
}

/// A minimal subscriber that times a span.
struct Stopwatch;

#[derive(Default)]
struct Ring {
    opened: Vec<Instant>,
    times: Vec<(Instant, Instant)>,
    next: usize,
}

thread_local! {
    static RING: RefCell<Ring> = RefCell::default();
}

impl tracing::Subscriber for Stopwatch {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::Id {
        tracing::Id::from_non_zero_u64(NonZeroU64::MIN)
    }

    fn record(&self, _: &tracing::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::Id, _: &tracing::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &tracing::Id) {
        RING.with_borrow_mut(|ring| ring.opened.push(Instant::now()));
    }

    fn exit(&self, _: &tracing::Id) {
        let end = Instant::now();
        RING.with_borrow_mut(|ring| {
            if let Some(start) = ring.opened.pop() {
                if ring.times.len() < CAPACITY_SPANS {
                    ring.times.push((start, end));
                } else {
                    let next = ring.next % CAPACITY_SPANS;
                    ring.times[next] = (start, end);
                    ring.next += 1;
                }
            }
        });
    }
}

/// The slowest thread's time for `count` spans each, every core recording.
fn on_every_core(count: u64, record: impl Fn(u64) + Sync) -> Duration {
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let together = Barrier::new(threads);
    let work = || {
        together.wait();
        let start = Instant::now();
        record(count);
        start.elapsed()
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let here = work();
        others
            .into_iter()
            .filter_map(|other| other.join().ok())
            .fold(here, Duration::max)
    })
}

type Group<'a> = BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn bench(group: &mut Group<'_>, name: &str, record: impl Fn(u64)) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|count| {
            let start = Instant::now();
            record(count);
            start.elapsed()
        });
    });
}

fn bench_every_core(group: &mut Group<'_>, name: &str, record: impl Fn(u64) + Sync) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|count| on_every_core(count, &record));
    });
}

fn disabled(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("disabled/cpu");
    global().set_enabled(false);
    let profiler = Profiler::new(CAPACITY_SPANS);
    profiler.set_enabled(false);
    bench(&mut group, "heddle span!", scopes);
    bench(
        &mut group,
        "heddle span! with device and size",
        sized_scopes,
    );
    bench(&mut group, "heddle finished span", |count| {
        finished_spans(&profiler, count);
    });
    puffin::set_scopes_on(false);
    bench(&mut group, "puffin", |count| {
        for _ in 0..count {
            puffin::profile_scope!("append_rows");
        }
    });
    // No subscriber is set yet.
    bench(&mut group, "tracing", tracing_scopes);
    group.finish();
}

fn enabled(criterion: &mut Criterion) {
    let profiler = Profiler::new(CAPACITY_SPANS);
    global().set_enabled(true);
    // The steady state: full, every chunk allocated.
    finished_spans(&profiler, 2 * CAPACITY_SPANS as u64);
    scopes(2 * CAPACITY_SPANS as u64);
    puffin::set_scopes_on(true);
    // A second call in one process fails and leaves the first subscriber set.
    let _ = tracing::subscriber::set_global_default(Stopwatch);

    let mut group = criterion.benchmark_group("enabled/cpu");
    bench(&mut group, "heddle span!", scopes);
    bench(
        &mut group,
        "heddle span! with device and size",
        sized_scopes,
    );
    bench(&mut group, "heddle span! four deep", nested_scopes);
    bench(&mut group, "heddle finished span", |count| {
        finished_spans(&profiler, count);
    });
    bench(&mut group, "puffin", puffin_scopes);
    bench(&mut group, "tracing", tracing_scopes);
    bench(&mut group, "two readings of Instant alone", |count| {
        for _ in 0..count {
            black_box((Instant::now(), Instant::now()));
        }
    });
    group.finish();

    let mut group = criterion.benchmark_group("enabled, every core/cpu");
    bench_every_core(&mut group, "heddle span!", scopes);
    bench_every_core(&mut group, "heddle finished span", |count| {
        finished_spans(&profiler, count);
    });
    bench_every_core(&mut group, "puffin", puffin_scopes);
    bench_every_core(&mut group, "tracing", tracing_scopes);
    group.finish();

    let mut group = criterion.benchmark_group("sampled 1 in 100/cpu");
    global().sample_one_in(100);
    bench(&mut group, "heddle span!", scopes);
    global().sample_one_in(1);
    group.finish();
}

criterion_group!(benches, disabled, enabled);
criterion_main!(benches);
