//! `memory.host_limit` bounds what a command takes for its input: what does not fit is an error
//! that says what was asked, what is free and what to do.
//!
//! The peaks themselves are measured by `tests/torture.py`.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fmt::Write;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::binary::{Heddle, assert_refused, error_text};

const LIMIT: &str = "96MiB";

fn limited(heddle: &Heddle, line: &str) -> Output {
    let arguments: Vec<&str> = line.split(' ').collect();
    let mut command = heddle.command(&arguments);
    command
        .env("HEDDLE_MEMORY_HOST_LIMIT", LIMIT)
        .output()
        .unwrap()
}

fn assert_does_not_fit(heddle: &Heddle, line: &str, what: &str) {
    let output = limited(heddle, line);
    let text = error_text(&output);
    assert_refused(&output, 1, what);
    for part in [
        "left by `memory.host_limit`",
        "of 96 MiB",
        "hint: choose a smaller size",
    ] {
        assert!(text.contains(part), "{line}: {text}");
    }
}

#[test]
fn recordings_of_very_many_spans_are_refused() {
    let heddle = Heddle::new();
    let spans = "0,".repeat(999_999) + "0";
    let json = format!(
        "{{\"format\": \"heddle-profile\", \"version\": 2, \"counts\": {{}}, \"strings\": [\"\"], \
         \"spans\": {{\"count\": 1000000, \"start_ns\": [{spans}]}}}}"
    );
    fs::write(heddle.home.path().join("run.json"), json).unwrap();
    for line in [
        "profile show run.json",
        "profile trace run.json -o out",
        "profile compare run.json run.json",
        "profile report run.json -o out",
        "serve-metrics --once run.json",
    ] {
        assert_does_not_fit(&heddle, line, "a recorded run needs");
    }
}

#[test]
fn allocation_logs_of_very_many_blocks_are_refused() {
    let heddle = Heddle::new();
    let mut log =
        "{\"heddle_allocation_log\":1,\"device\":\"simt:0\",\"capacity\":1152921504606846976}\n"
            .to_owned();
    for block in 1..600_000_u64 {
        let address = block * 512;
        writeln!(
            log,
            "{{\"at\":1,\"event\":\"allocate\",\"bytes\":1,\"stream\":1,\"address\":{address},\"site\":\"a\"}}"
        )
        .unwrap();
    }
    fs::write(heddle.home.path().join("log.jsonl"), log).unwrap();
    let line = "memory replay log.jsonl";
    assert_does_not_fit(&heddle, line, "the blocks of an allocation log needs");
}

#[test]
fn tasks_are_refused_before_their_file_is_in_memory() {
    let heddle = Heddle::new();
    let blanks = " ".repeat(100 << 20);
    fs::write(heddle.home.path().join("task.json"), blanks).unwrap();
    let line = "arc eval --data task.json";
    assert_does_not_fit(&heddle, line, "the bytes of a file needs");
    // Many values in a few bytes.
    let values = format!("{{\"a\": [{}0]}}", "{},".repeat(2_000_000));
    fs::write(heddle.home.path().join("task.json"), values).unwrap();
    assert_does_not_fit(&heddle, line, "the tasks of a file needs");
}

#[test]
fn generated_programs_are_refused_before_the_first() {
    let heddle = Heddle::new();
    let what = "the generated programs needs";
    assert_does_not_fit(&heddle, "arc generate --count 1000000", what);
    assert_does_not_fit(&heddle, "arc bench --generated 1000000 --rounds 1", what);
}

#[test]
fn programs_of_hours_are_refused() {
    let heddle = Heddle::new();
    let output = heddle.run(&["arc", "generate", "--lines", "200", "--count", "1000000"]);
    assert_refused(
        &output,
        2,
        "more than 10,000,000 lines, the limit of one run",
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_generation_and_writes_nothing() {
    let heddle = Heddle::new();
    let line = "arc generate --lines 200 --count 20000 -o out.py";
    let mut child = heddle
        .command(&line.split(' ').collect::<Vec<_>>())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The handler is set before the first program.
    thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "it takes minutes");
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_refused(&output, 130, "of 20000 programs; none was written");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(!heddle.home.path().join("out.py").exists());
}

#[test]
fn a_lattice_of_as_many_distances_as_sites_is_binned() {
    let heddle = Heddle::new();
    let output = limited(&heddle, "lattice distances --dims 1 --size 4000000");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", error_text(&output));
    assert!(text.contains("farthest 3999999, mean 1999999.5"), "{text}");
}
