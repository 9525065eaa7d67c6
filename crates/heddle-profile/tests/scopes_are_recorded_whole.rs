//! However code ends, is nested, named, spread over threads or sampled: what was
//! recorded is right.

use std::collections::BTreeSet;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use heddle_profile::{DeviceTag, Profiler, RecordedSpan, Recording, Span, profiled, span};
use proptest::prelude::*;

fn find<'a>(spans: &'a [RecordedSpan], operation: &str) -> &'a RecordedSpan {
    spans
        .iter()
        .find(|span| span.operation == operation)
        .unwrap_or_else(|| panic!("{operation:?} was not recorded"))
}

fn parent_of<'a>(spans: &'a [RecordedSpan], span: &RecordedSpan) -> Option<&'a str> {
    span.parent
        .map(|row| spans[row as usize].operation.as_str())
}

/// Every parent comes first, is on the same thread here, and lasts longer.
fn assert_sound(spans: &[RecordedSpan]) {
    for (row, span) in spans.iter().enumerate() {
        let parts = span.gpu_ns + span.cpu_ns + span.transfer_ns + span.overhead_ns;
        assert_eq!(parts, span.self_ns, "{span:?}");
        let Some(parent) = span.parent else { continue };
        assert!((parent as usize) < row);
        let around = &spans[parent as usize];
        assert_eq!(around.thread, span.thread);
        assert!(around.start_ns <= span.start_ns, "{around:?} {span:?}");
        // Rounded from ticks each for itself.
        assert!(span.end_ns() <= around.end_ns() + 2, "{around:?} {span:?}");
    }
}

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
    // A fixed step would take only one of the two, for ever.
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
fn times_are_those_of_the_clock_on_the_wall() {
    let profiler = Profiler::new(16);
    let start = Instant::now();
    profiler.time("rest", || thread::sleep(Duration::from_millis(30)));
    let wall_ns = start.elapsed().as_nanos() as u64;
    let rest = &profiler.spans()[0];
    assert!(rest.total_ns >= 29_900_000, "{} ns", rest.total_ns);
    // Within a thousandth, or being interrupted.
    assert!(
        rest.total_ns <= wall_ns + wall_ns / 1_000,
        "{} of {wall_ns} ns",
        rest.total_ns
    );
}

struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Self>) {}
}

/// Ready when polled for the second time.
async fn rest() {
    let mut rested = false;
    std::future::poll_fn(move |_| {
        if std::mem::replace(&mut rested, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

#[test]
fn a_future_is_one_span_over_all_its_polls() {
    let profiler = Profiler::new(64);
    let waker = Waker::from(Arc::new(Idle));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(profiler.time_async("journey", async {
        drop(profiler.scope("first leg"));
        rest().await;
        drop(profiler.scope("second leg"));
        7
    }));
    let outer = profiler.scope("outer");
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    // While it rests, what runs here is not inside it.
    drop(profiler.scope("meanwhile"));
    drop(outer);
    drop(profiler.scope("between"));
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(7));
    let spans = profiler.spans();
    let parents: Vec<_> = ["journey", "first leg", "meanwhile", "between", "second leg"]
        .map(|name| parent_of(&spans, find(&spans, name)))
        .into();
    assert_eq!(
        parents,
        [
            Some("outer"),
            Some("journey"),
            Some("outer"),
            None,
            Some("journey")
        ]
    );
}

#[test]
fn a_future_that_is_dropped_on_the_way_is_recorded() {
    let profiler = Profiler::new(64);
    let waker = Waker::from(Arc::new(Idle));
    {
        let mut future = pin!(profiler.time_async("journey", rest()));
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        assert_eq!(polled, Poll::Pending);
        assert_eq!(profiler.recorded(), 0);
    }
    assert_eq!(profiler.recorded(), 1);
}

mod marked {
    use super::*;

    pub(super) struct Loom;

    impl Loom {
        #[profiled]
        pub(super) fn weave(&self, rows: &mut Vec<u32>) -> Result<usize, String> {
            rows.push(1);
            if rows.len() > 1 {
                return Err("too many".to_owned());
            }
            Ok(beat::<4>(rows))
        }
    }

    #[profiled(name = "beat \"hard\"\n🧵")]
    fn beat<const N: usize>(rows: &[u32]) -> usize {
        rows.len() * N
    }

    #[profiled(name = "pick")]
    pub(super) async fn pick(threads: &[u32]) -> u32 {
        rest().await;
        let _span = span!(
            "look",
            device = DeviceTag::CPU,
            size = threads.len(),
            element = "u32"
        );
        threads.iter().sum()
    }
}

/// An attribute must not get in the way of types
/// being inferred, borrowed or left open.
mod inferred {
    use super::*;

    #[derive(Debug)]
    pub(super) struct Torn;

    impl From<std::num::ParseIntError> for Torn {
        fn from(_: std::num::ParseIntError) -> Self {
            Self
        }
    }

    #[profiled]
    pub(super) async fn read(text: &str) -> Result<Vec<u32>, Torn> {
        let first = text.parse::<u32>()?;
        if first == 0 {
            return Err(Torn);
        }
        rest().await;
        Ok(vec![first])
    }

    #[profiled]
    pub(super) fn parse<'a, T>(text: &'a str) -> impl Iterator<Item = Result<T, Torn>> + use<'a, T>
    where
        T: std::str::FromStr<Err = std::num::ParseIntError>,
    {
        text.split(' ').map(|word| Ok(word.parse()?))
    }

    #[profiled]
    pub(super) async fn count(text: &str) -> impl Iterator<Item = usize> {
        0..text.len()
    }
}

fn check_inferred() {
    let waker = Waker::from(Arc::new(Idle));
    let mut context = Context::from_waker(&waker);
    let mut read = pin!(inferred::read("x"));
    assert!(matches!(
        read.as_mut().poll(&mut context),
        Poll::Ready(Err(inferred::Torn))
    ));
    assert_eq!(
        inferred::parse::<u8>("1 2 z")
            .filter_map(Result::ok)
            .sum::<u8>(),
        3
    );
    let mut count = pin!(inferred::count("four"));
    let Poll::Ready(numbers) = count.as_mut().poll(&mut context) else {
        panic!("it never rests");
    };
    assert_eq!(numbers.count(), 4);
}

/// The global profiler belongs to the process, so it has one test.
#[test]
fn marked_functions_record_to_the_global_profiler() {
    let own = Profiler::new(1_024);
    own.set_enabled(false);
    assert!(heddle_profile::install(&own));
    assert!(!heddle_profile::install(&Profiler::new(1)));
    let mut rows = Vec::new();
    assert_eq!(marked::Loom.weave(&mut rows), Ok(4));
    assert_eq!(own.recorded(), 0);

    own.set_enabled(true);
    assert!(heddle_profile::is_on());
    rows.clear();
    assert_eq!(marked::Loom.weave(&mut rows), Ok(4));
    assert!(marked::Loom.weave(&mut rows).is_err());
    let waker = Waker::from(Arc::new(Idle));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(marked::pick(&[1, 2]));
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(3));
    assert_eq!(heddle_profile::time("closure", || 5), 5);

    let spans = heddle_profile::global().spans();
    let names: Vec<&str> = spans.iter().map(|span| span.operation.as_str()).collect();
    assert_eq!(
        names,
        [
            "weave",
            "beat \"hard\"\n🧵",
            "weave",
            "pick",
            "look",
            "closure"
        ]
    );
    let parents: Vec<_> = spans.iter().map(|span| span.parent).collect();
    assert_eq!(parents, [None, Some(0), None, None, Some(3), None]);
    assert_eq!((spans[4].bytes_in, spans[4].element.as_str()), (2, "u32"));
    check_inferred();
    own.set_enabled(false);
    assert!(!heddle_profile::is_on());
}

/// What a thread may do, as a sequence of steps.
#[derive(Clone, Debug)]
enum Step {
    Open(usize),
    Close,
    Record(usize),
    Panic,
    Enable(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_usize..6).prop_map(Step::Open),
        4 => Just(Step::Close),
        2 => (0_usize..6).prop_map(Step::Record),
        1 => Just(Step::Panic),
        1 => any::<bool>().prop_map(Step::Enable),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The recording is the tree that a plain stack says it should be.
    #[test]
    fn any_sequence_of_steps_gives_the_tree_it_describes(
        steps in prop::collection::vec(step(), 0..60),
        names in prop::collection::vec(any::<String>(), 6),
    ) {
        let profiler = Profiler::new(4_096);
        let mut guards = Vec::new();
        // The model: open names, and what was recorded with its path.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut expected: Vec<Vec<String>> = Vec::new();
        let path = |open: &[Option<usize>]| -> Vec<String> {
            open.iter().flatten().map(|&name| names[name].clone()).collect()
        };
        let mut enabled = true;
        for step in steps {
            match step {
                Step::Open(name) => {
                    guards.push(profiler.scope_named(&names[name]));
                    open.push(enabled.then_some(name));
                }
                Step::Close => {
                    if let Some(Some(_)) = open.last() {
                        expected.push(path(&open));
                    }
                    open.pop();
                    drop(guards.pop());
                }
                Step::Record(name) => {
                    profiler.time("recorded", || ());
                    let _ = name;
                    if enabled {
                        let mut path = path(&open);
                        path.push("recorded".to_owned());
                        expected.push(path);
                    }
                }
                Step::Panic => {
                    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                        let _scope = profiler.scope("panics");
                        panic::resume_unwind(Box::new(()))
                    }));
                    prop_assert!(caught.is_err());
                    if enabled {
                        let mut path = path(&open);
                        path.push("panics".to_owned());
                        expected.push(path);
                    }
                }
                Step::Enable(on) => {
                    profiler.set_enabled(on);
                    enabled = on;
                }
            }
        }
        while let Some(guard) = guards.pop() {
            if let Some(Some(_)) = open.last() {
                expected.push(path(&open));
            }
            open.pop();
            drop(guard);
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        profiler.recording().write(&file).unwrap();
        let spans = Recording::read(&file).unwrap().spans;
        assert_sound(&spans);
        let mut found: Vec<Vec<String>> = spans
            .iter()
            .map(|span| {
                let mut path: Vec<String> = std::iter::successors(Some(span), |span| {
                    span.parent.map(|row| &spans[row as usize])
                })
                .map(|span| span.operation.to_string())
                .collect();
                path.reverse();
                path
            })
            .collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
