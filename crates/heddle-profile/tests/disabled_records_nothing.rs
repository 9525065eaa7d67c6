//! A disabled profiler keeps nothing and counts nothing, and forgets nothing.

use heddle_profile::{DeviceTag, Profiler, Span, Summary};

const SPAN: Span = Span {
    operation: "xor",
    element: "u8",
    device: DeviceTag {
        kind: "cpu",
        index: None,
    },
    backend: "native",
    start_ns: 1,
    total_ns: 2,
    device_ns: None,
    transfer_ns: 0,
    overhead_ns: 0,
    bytes_in: 0,
    bytes_out: 0,
    bytes_moved: 0,
    work: 0,
    thread: 0,
};

#[test]
fn nothing_is_recorded_while_disabled() {
    let profiler = Profiler::new(16);
    profiler.set_enabled(false);
    for _ in 0..1_000 {
        profiler.record(SPAN);
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
    profiler.record(SPAN);
    profiler.set_enabled(false);
    profiler.record(SPAN);
    assert_eq!(profiler.spans().len(), 1);
    profiler.set_enabled(true);
    profiler.record(SPAN);
    assert_eq!(profiler.recorded(), 2);
}
