//! Numbers at the ends of their types: a result or an error, never a panic or an abort.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;

use crate::binary::{Heddle, assert_refused, error_text};
use heddle::profile::{Profiler, Span};

const MOST: &str = "18446744073709551615";

#[test]
fn sizes_beyond_the_memory_are_refused() {
    let heddle = Heddle::new();
    for case in [
        "matmul:1000000000",
        "matmul:18446744073709551615",
        "xor/u8:18446744073709551615",
        "xor:1000000000000",
        "sum:18446744073709551615",
        "transpose:18446744073709551615",
        "random:18446744073709551615",
        "batch-matmul:18446744073709551615",
        "xor-batch:18446744073709551615",
    ] {
        let output = heddle.run(&["bench", "ops", "--time", "1", "--case", case]);
        let code = output.status.code();
        let text = error_text(&output);
        assert!(matches!(code, Some(1 | 2)), "{case}: {code:?} {text}");
        assert!(text.starts_with("error: "), "{case}: {text}");
    }
}

#[test]
fn options_take_the_largest_number() {
    let heddle = Heddle::new();
    let folder = heddle.home.path();
    let profiler = Profiler::new(10);
    {
        let _outer = profiler.scope("outer");
        profiler.record(Span {
            operation: "xor",
            total_ns: 1,
            ..Span::default()
        });
    }
    profiler.recording().write(folder.join("run.json")).unwrap();
    fs::write(
        folder.join("log.jsonl"),
        "{\"heddle_allocation_log\":1,\"device\":\"simt:0\",\"capacity\":1024}\n",
    )
    .unwrap();
    for line in [
        "profile show run.json --top",
        "profile show run.json --csv out --cap",
        "profile trace run.json -o out --cap",
        "profile flame run.json -o out --cap",
        "memory replay log.jsonl --limit",
        "memory replay log.jsonl --pool-idle",
        "lattice centrality --top",
        "lattice analyze --most-pairs",
        "explain xor --size",
        "explain matmul --size",
    ] {
        let arguments: Vec<&str> = line.split(' ').chain([MOST]).collect();
        let output = heddle.run(&arguments);
        assert!(output.status.success(), "{line}: {}", error_text(&output));
    }
}

#[test]
fn the_host_limit_bounds_what_no_runtime_admits() {
    let heddle = Heddle::new();
    let program = "def solve_a(I):\n    O = rot90(I)\n    return O\n";
    fs::write(heddle.home.path().join("many.py"), program.repeat(100_000)).unwrap();
    for line in [
        "bench ops --time 1 --case xor/u8:200000000",
        "bench ops --time 1 --case sum:50000000",
        "arc merge --programs many.py -o out",
        "arc eval --programs many.py",
    ] {
        let output = heddle
            .command(&line.split(' ').collect::<Vec<_>>())
            .env("HEDDLE_MEMORY_HOST_LIMIT", "64MiB")
            .output()
            .unwrap();
        let text = error_text(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {text}");
        assert!(text.contains("memory.host_limit"), "{line}: {text}");
    }
}

#[test]
fn a_log_without_line_ends_is_refused() {
    let output = Heddle::new().run(&["memory", "replay", "/dev/zero"]);
    assert_refused(&output, 1, "no allocation log");
}
