//! Recorded scopes are right however code ends, is nested, runs on several threads or is
//! sampled.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use heddle_profile::{Profiler, RecordedSpan, Span};
use heddle_testing::recorded::{assert_sound, find, parent_of};

#[test]
fn a_panic_closes_the_scopes_it_leaves() {
    let profiler = Profiler::new(64);
    let broken = panic::catch_unwind(AssertUnwindSafe(|| {
        let _outer = profiler.scope("outer");
        profiler.time("inner", || panic::resume_unwind(Box::new("broken")));
    }));
    assert!(broken.is_err());
    drop(profiler.scope("after"));
    let spans = profiler.spans();
    assert_eq!(spans.len(), 3);
    assert_eq!(parent_of(&spans, find(&spans, "inner")), Some("outer"));
    assert_eq!(parent_of(&spans, find(&spans, "after")), None);
    assert_sound(&spans);
}

#[test]
fn a_thousand_deep_is_a_thousand_deep() {
    fn down(profiler: &Profiler, left: u32) {
        let _scope = profiler.scope("deeper");
        if left > 1 {
            down(profiler, left - 1);
        }
    }
    let profiler = Profiler::new(4_096);
    down(&profiler, 1_000);
    let recording = profiler.recording();
    assert_eq!(recording.spans.len(), 1_000);
    assert_sound(&recording.spans);
    for (row, span) in recording.spans.iter().enumerate() {
        assert_eq!(span.parent, (row as u32).checked_sub(1));
    }
    assert_eq!(recording.tree().nodes.len(), 1_000);
    assert_eq!(recording.tree().nodes[999].depth, 999);
    let own: u64 = recording.spans.iter().map(|span| span.self_ns).sum();
    let whole = recording.spans[0].total_ns;
    assert!(own.abs_diff(whole) <= 1_000, "{own} of {whole}");
    let deepest = recording.collapsed_stacks();
    assert!(deepest.iter().all(|line| line.matches(';').count() < 1_000));
}

#[test]
fn every_scope_of_64_threads_has_its_own_parent() {
    const EACH: usize = 200;
    let profiler = Profiler::new(100_000);
    let together = Barrier::new(64);
    thread::scope(|scope| {
        for number in 0..64 {
            let (profiler, together) = (&profiler, &together);
            thread::Builder::new()
                .name(format!("warp {number}"))
                .spawn_scoped(scope, move || {
                    together.wait();
                    for _ in 0..EACH {
                        let _outer = profiler.scope("outer");
                        let _inner = profiler.scope("inner");
                    }
                })
                .unwrap();
        }
    });
    let recording = profiler.recording();
    assert_eq!(recording.spans.len(), 64 * EACH * 2);
    assert_sound(&recording.spans);
    for span in &recording.spans {
        let expected = (span.operation == "inner").then_some("outer");
        assert_eq!(parent_of(&recording.spans, span), expected);
    }
    let names: BTreeSet<String> = recording
        .threads
        .iter()
        .map(|thread| thread.name.to_string())
        .collect();
    assert_eq!(names.len(), 64);
    assert!(names.iter().all(|name| name.starts_with("warp ")));
}

#[test]
fn guards_dropped_out_of_order_keep_their_parents() {
    let profiler = Profiler::new(64);
    let outer = profiler.scope("outer");
    let inner = profiler.scope("inner");
    drop(outer);
    let late = profiler.scope("late");
    drop(inner);
    drop(profiler.scope("last"));
    drop(late);
    drop(profiler.scope("free"));
    let spans = profiler.spans();
    let parents: Vec<_> = ["outer", "inner", "late", "last", "free"]
        .map(|name| parent_of(&spans, find(&spans, name)))
        .into();
    assert_eq!(
        parents,
        [None, Some("outer"), Some("inner"), Some("late"), None]
    );
}

#[test]
fn an_operation_belongs_to_the_scope_it_ran_in() {
    let profiler = Profiler::new(64);
    {
        let _frame = profiler.scope("frame");
        for _ in 0..20 {
            let start = Instant::now();
            profiler.record(Span {
                operation: "xor",
                backend: "native",
                start_ns: profiler.since_epoch_ns(start),
                total_ns: start.elapsed().as_nanos() as u64,
                ..Span::default()
            });
        }
    }
    profiler.record(Span {
        operation: "alone",
        start_ns: profiler.since_epoch_ns(Instant::now()),
        ..Span::default()
    });
    let spans = profiler.spans();
    assert_eq!(spans.len(), 22);
    assert_sound(&spans);
    assert_eq!(parent_of(&spans, find(&spans, "xor")), Some("frame"));
    assert_eq!(parent_of(&spans, find(&spans, "alone")), None);
}

#[test]
fn two_profilers_do_not_mix() {
    let (one, two) = (Profiler::new(16), Profiler::new(16));
    {
        let _a = one.scope("a");
        let _b = two.scope("b");
        let _c = one.scope("c");
    }
    assert_eq!(parent_of(&one.spans(), find(&one.spans(), "c")), Some("a"));
    assert_eq!(two.spans().len(), 1);
    assert_eq!(two.spans()[0].parent, None);
}

#[test]
fn sampling_takes_about_one_in_n_and_says_so() {
    let profiler = Profiler::new(100_000);
    profiler.sample_one_in(10);
    for _ in 0..20_000 {
        let _outer = profiler.scope("outer");
        drop(profiler.scope("inner"));
    }
    let recording = profiler.recording();
    assert_eq!(recording.sampled_one_in, 10);
    let kept = recording.spans.len();
    assert!((3_600..4_400).contains(&kept), "{kept} of 40,000");
    // A fixed step would always take the same one of the two.
    for operation in ["outer", "inner"] {
        let of = |span: &&RecordedSpan| span.operation == operation;
        let kept = recording.spans.iter().filter(of).count();
        assert!((1_700..2_300).contains(&kept), "{operation}: {kept}");
    }
    assert_sound(&recording.spans);
    profiler.sample_one_in(0);
    profiler.clear();
    drop(profiler.scope("all"));
    assert_eq!(profiler.recorded(), 1);
}

#[test]
fn times_are_wall_clock_times() {
    let profiler = Profiler::new(16);
    let start = Instant::now();
    profiler.time("rest", || thread::sleep(Duration::from_millis(30)));
    let wall_ns = start.elapsed().as_nanos() as u64;
    let rest = &profiler.spans()[0];
    assert!(rest.total_ns >= 29_900_000, "{} ns", rest.total_ns);
    // Within a thousandth, unless the thread was interrupted.
    assert!(
        rest.total_ns <= wall_ns + wall_ns / 1_000,
        "{} of {wall_ns} ns",
        rest.total_ns
    );
}
