//! No span is lost when its thread ends, and memory stays bounded for any number of
//! threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Barrier;
use std::thread;

use heddle_profile::Profiler;
use heddle_testing::recorded::span;

const THREADS: u64 = 64;

#[test]
fn every_span_of_64_ended_threads_is_there() {
    // Not a multiple of any chunk, so every thread leaves a partly filled one.
    const EACH: u64 = 333;
    let profiler = Profiler::new(100_000);
    let together = Barrier::new(64);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (profiler, together) = (&profiler, &together);
            scope.spawn(move || {
                together.wait();
                for index in 0..EACH {
                    profiler.record(span(number * EACH + index));
                }
            });
        }
    });

    let spans = profiler.spans();
    let starts: Vec<u64> = spans.iter().map(|span| span.start_ns).collect();
    assert_eq!(starts, (0..THREADS * EACH).collect::<Vec<_>>());

    // Each thread has its own number in its own spans, and only in those.
    let mut of_thread: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for span in &spans {
        of_thread
            .entry(span.thread)
            .or_default()
            .insert(span.start_ns / EACH);
    }
    assert_eq!(of_thread.len(), 64);
    assert!(of_thread.values().all(|numbers| numbers.len() == 1));
    assert_eq!(profiler.recorded(), THREADS * EACH);
    assert_eq!(profiler.overwritten(), 0);
}

#[test]
fn a_thousand_short_threads_stay_within_the_capacity() {
    const CAPACITY: usize = 700;
    let profiler = Profiler::new(CAPACITY);
    for number in 0..1_000 {
        let handle = profiler.clone();
        thread::spawn(move || {
            for index in 0..3 {
                handle.record(span(number * 3 + index));
            }
        })
        .join()
        .unwrap();
        assert!(profiler.spans().len() <= CAPACITY);
    }
    assert_eq!(profiler.spans().len(), CAPACITY);
    assert_eq!(profiler.recorded(), 3_000);
    assert_eq!(profiler.overwritten(), 3_000 - CAPACITY as u64);
    // The spans kept are recent. Open chunks may keep older spans, but no more
    // than they hold together.
    let oldest = profiler.spans()[0].start_ns;
    assert!(
        oldest >= 3_000 - 2 * CAPACITY as u64,
        "a span from {oldest} is still kept"
    );
}

#[test]
fn reading_while_threads_record_sees_complete_snapshots() {
    let profiler = Profiler::new(5_000);
    thread::scope(|scope| {
        for number in 0..4 {
            let profiler = &profiler;
            scope.spawn(move || {
                for index in 0..20_000 {
                    profiler.record(span(number * 20_000 + index));
                }
            });
        }
        for _ in 0..50 {
            let recording = profiler.recording();
            let kept = recording.spans.len() as u64;
            assert_eq!(kept, recording.recorded().min(5_000));
            assert!(recording.overwritten == 0 || kept == 5_000);
        }
    });
    assert_eq!(profiler.recorded(), 80_000);
    assert_eq!(profiler.spans().len(), 5_000);
}
