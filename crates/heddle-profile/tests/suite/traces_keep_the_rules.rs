//! A trace of any recording follows the format's published rules, and the check detects
//! violations.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use heddle_profile::{
    DeviceTag, MemorySample, Name, Profiler, RecordedSpan, Recording, Span, ThreadName,
};
use heddle_testing::recorded::name;
use heddle_testing::trace_rules::check;
use proptest::prelude::*;

fn device() -> impl Strategy<Value = Name> {
    prop_oneof![
        Just(Name::from("cpu")),
        Just(Name::from("cuda:0")),
        Just(Name::from("simt:1")),
        Just(Name::from("")),
    ]
}

/// Times within days, with any overlap.
fn ns() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..2_000, 0_u64..1 << 45]
}

prop_compose! {
    fn span()(
        operation in name(),
        device in device(),
        (start_ns, total_ns) in (ns(), ns()),
        (device_ns, device_start_ns) in (prop::option::of(ns()), prop::option::of(ns())),
        stream in prop::option::of(0_u32..3),
        thread in 0_u32..4,
    ) -> RecordedSpan {
        RecordedSpan::default().with(|it| { it.operation = operation.into(); it.device = device; it.start_ns = start_ns; it.total_ns = total_ns; it.device_ns = device_ns; it.device_start_ns = device_start_ns; it.stream = stream; it.thread = thread; })
    }
}

prop_compose! {
    fn recording()(
        label in name(),
        thread in name(),
        spans in prop::collection::vec(span(), 0..40),
        samples in prop::collection::vec((ns(), device(), any::<u64>()), 0..10),
    ) -> Recording {
        Recording::default().with(|it| { it.label = label; it.threads = vec![ThreadName { id: 1, name: thread.into() }]; it.spans = spans; it.memory = samples
                .into_iter()
                .map(|(at_ns, device, allocated)| MemorySample::default().with(|it| { it.at_ns = at_ns; it.device = device; it.allocated = allocated; }))
                .collect(); })
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(128))]

    #[test]
    fn any_recording_makes_a_trace_that_keeps_the_rules(recording in recording()) {
        let contents = check(&recording.trace()).map_err(TestCaseError::fail)?;
        let kernels = recording
            .spans
            .iter()
            .filter(|span| span.is_on_gpu() && span.device_ns.is_some())
            .count();
        let count = |category: &str| contents.slices.get(category).copied().unwrap_or(0);
        prop_assert_eq!(count("operation") + count("scope"), recording.spans.len());
        prop_assert_eq!(count("kernel"), kernels);
        prop_assert_eq!(contents.arrows, kernels);
        prop_assert_eq!(contents.counters, 2 * recording.memory.len());
        // Microseconds with three decimals lose nothing.
        let total_ns: u64 = recording.spans.iter().map(|span| span.total_ns).sum();
        prop_assert_eq!(contents.slice_ns.get("operation").copied().unwrap_or(0), total_ns);
        for span in &recording.spans {
            let shown = if span.operation.is_empty() { "(no name)" } else { &span.operation };
            prop_assert!(contents.names["operation"].contains(shown), "{shown:?} is missing");
        }
    }

    #[test]
    fn a_capped_trace_is_below_its_cap_and_keeps_the_rules(
        recording in recording(),
        cap_bytes in 10_000_u64..60_000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.trace.json");
        let written = recording.write_trace(&path, cap_bytes).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        check(&text).map_err(TestCaseError::fail)?;
        prop_assert_eq!(text.len() as u64, written.bytes);
        prop_assert!(written.bytes <= cap_bytes, "{} of {}", written.bytes, cap_bytes);
        prop_assert_eq!(written.spans + written.left_out, recording.spans.len() as u64);
    }

    #[test]
    fn times_beyond_reason_still_make_json(
        times in any::<[u64; 4]>(), device in device(),
    ) {
        let recording = Recording::default().with(|it| it.spans = vec![RecordedSpan::default().with(|it| { it.device = device; it.start_ns = times[0]; it.total_ns = times[1]; it.device_ns = Some(times[2]); it.device_start_ns = Some(times[3]); })]);
        let trace: serde_json::Value = serde_json::from_str(&recording.trace()).unwrap();
        prop_assert!(trace["traceEvents"].is_array());
    }
}

#[test]
fn a_real_run_on_many_threads_keeps_the_rules() {
    const THREADS: usize = 8;
    let profiler = Profiler::new(100_000);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..50 {
                    let _frame = profiler.scope("frame \"\n🧵");
                    for _ in 0..5 {
                        let start = std::time::Instant::now();
                        let _inner = profiler.scope("inner").size(16_u64);
                        profiler.record(Span {
                            operation: "xor",
                            device: DeviceTag {
                                kind: "cuda",
                                index: Some(0),
                            },
                            start_ns: profiler.since_epoch_ns(start),
                            total_ns: start.elapsed().as_nanos() as u64,
                            device_ns: Some(20),
                            stream: Some(0),
                            ..Span::default()
                        });
                    }
                }
            });
        }
    });
    profiler.record_memory(MemorySample::default().with(|it| it.device = "cuda:0".into()));
    let contents = check(&profiler.recording().trace()).unwrap();
    let slices = BTreeMap::from([
        ("scope".to_owned(), THREADS * 50 * 6),
        ("operation".to_owned(), THREADS * 50 * 5),
        ("kernel".to_owned(), THREADS * 50 * 5),
    ]);
    assert_eq!(contents.slices, slices);
    assert_eq!(contents.arrows, THREADS * 50 * 5);
    assert_eq!(contents.counters, 2);
}

/// Violates each rule in an otherwise valid trace.
#[test]
fn the_check_detects_violations() {
    let span = |operation: &str, start_ns, total_ns| {
        RecordedSpan::default().with(|it| {
            it.operation = operation.into();
            it.device = "cuda:0".into();
            it.device_ns = Some(3);
            it.device_start_ns = Some(start_ns + 1);
            it.start_ns = start_ns;
            it.total_ns = total_ns;
        })
    };
    let recording = Recording::default().with(|it| {
        it.spans = vec![span("outer", 1_000, 9_000), span("inner", 2_000, 3_000)];
        it.memory = vec![MemorySample::default().with(|it| it.device = "cuda:0".into())];
    });
    let good = recording.trace();
    check(&good).unwrap();
    for (from, to) in [
        // It ends after the enclosing event.
        ("\"ts\":2.000,\"dur\":3.000", "\"ts\":2.000,\"dur\":9.000"),
        // A time that is no number.
        ("\"dur\":3.000", "\"dur\":\"3\""),
        ("\"dur\":3.000", "\"dur\":-3"),
        ("\"ts\":2.000,\"dur\"", "\"dur\""),
        // A flow event without its other end, or bound to the wrong slice.
        ("\"ph\":\"s\"", "\"ph\":\"f\",\"bp\":\"e\""),
        ("\"bp\":\"e\",", ""),
        ("\"id\":1", "\"id\":7"),
        // A counter without a value.
        ("{\"level\":0}", "{}"),
        ("{\"level\":0}", "{\"level\":\"low\"}"),
        // Tracks without a name, names without a text.
        ("\"name\":\"thread_name\"", "\"name\":\"process_labels\""),
        ("\"name\":\"inner\"", "\"name\":7"),
        // An unknown phase, and invalid JSON.
        ("\"ph\":\"X\"", "\"ph\":\"Z\""),
        ("inner", "in\nner"),
        ("\"displayTimeUnit\":\"ns\"", "\"displayTimeUnit\":\"s\""),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from} is not in the trace");
        assert!(check(&bad).is_err(), "{from} -> {to} was not noticed");
    }
}
