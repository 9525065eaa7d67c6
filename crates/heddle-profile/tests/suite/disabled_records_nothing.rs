//! A disabled profiler records and counts nothing, and keeps earlier spans.

use heddle_profile::{Profiler, Span, Summary};

fn record(profiler: &Profiler) {
    profiler.record(Span {
        operation: "xor",
        start_ns: 1,
        total_ns: 2,
        ..Span::default()
    });
    drop(profiler.scope("append_rows"));
    drop(profiler.scope_named("count_rows"));
    profiler.time("throw", || ());
}

#[test]
fn nothing_is_recorded_while_disabled() {
    let profiler = Profiler::new(16);
    profiler.set_enabled(false);
    for _ in 0..1_000 {
        record(&profiler);
    }
    assert!(!profiler.enabled());
    assert_eq!(profiler.recorded(), 0);
    assert_eq!(profiler.overwritten(), 0);
    assert!(profiler.spans().is_empty());
    assert_eq!(profiler.summary(), Summary::default());
}

#[test]
fn disabling_keeps_what_was_recorded_and_enabling_goes_on() {
    let profiler = Profiler::new(16);
    assert!(profiler.enabled());
    record(&profiler);
    profiler.set_enabled(false);
    record(&profiler);
    assert_eq!(profiler.spans().len(), 4);
    profiler.set_enabled(true);
    record(&profiler);
    assert_eq!(profiler.recorded(), 8);
}

#[test]
fn a_scope_open_while_the_profiler_is_turned_off_is_whole() {
    let profiler = Profiler::new(16);
    {
        let _outer = profiler.scope("outer");
        profiler.set_enabled(false);
        let _passed = profiler.scope("passed over");
        profiler.set_enabled(true);
        let _inner = profiler.scope("inner");
    }
    let spans = profiler.spans();
    assert_eq!(spans.len(), 2);
    assert_eq!(
        (spans[0].operation.as_str(), spans[0].parent),
        ("outer", None)
    );
    assert_eq!(
        (spans[1].operation.as_str(), spans[1].parent),
        ("inner", Some(0))
    );
}
