//! The `heddle` command without GPUs, with emulated ones and with ones that fail.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::process::Command;

use crate::binary::{Heddle, assert_refused, error_text};
use heddle::ops;
use serde_json::Value;

#[test]
fn devices_lists_the_cpu_and_says_in_one_line_why_there_is_no_gpu() {
    let heddle = Heddle::new();
    let output = heddle.run(&["devices"]);
    // A missing GPU is not a warning.
    assert_eq!(error_text(&output), "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cpu"), "{text}");
    let why: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("No GPU: "))
        .collect();
    assert_eq!(why, ["No GPU: CUDA_VISIBLE_DEVICES=\"-1\" hides every GPU"]);
    let object = heddle.json(&["devices", "--json"]);
    assert_eq!(object["devices"][0]["device"], "cpu");
    assert_eq!(object["gpus"], 0);
    assert!(object["why_no_gpu"].is_string());
    assert!(object["machine"]["threads"].as_u64().unwrap() >= 1);
}

#[test]
fn why_there_is_no_gpu_is_one_line_whatever_hides_it() {
    let heddle = Heddle::new();
    for (visible, expected) in [("", "hides every GPU"), ("bogus", "GPU")] {
        let run = |arguments: &[&str]| {
            let mut command = heddle.command(arguments);
            command.env("CUDA_VISIBLE_DEVICES", visible);
            command.output().unwrap()
        };
        let output = run(&["devices", "--json"]);
        assert!(output.status.success(), "{}", error_text(&output));
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["gpus"], 0);
        let why = object["why_no_gpu"].as_str().unwrap();
        assert!(why.contains(expected), "{why}");
        assert_eq!(why.lines().count(), 1, "{why}");
        let text = String::from_utf8(run(&["devices"]).stdout).unwrap();
        assert!(text.ends_with(&format!("No GPU: {why}\n")), "{text}");
        // A command that names a GPU reports the same reason.
        let refused = run(&["selftest", "--device", "cuda:0"]);
        assert_refused(&refused, 2, &format!("hint: no GPU was found: {why}"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_cuda_library_is_linked() {
    let listed = Command::new("ldd")
        .arg(env!("CARGO_BIN_EXE_heddle"))
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", error_text(&listed));
    let libraries = String::from_utf8(listed.stdout).unwrap().to_lowercase();
    assert!(libraries.contains("libc"), "{libraries}");
    for name in ["cuda", "cublas", "nvrtc", "nvidia", "nvml"] {
        assert!(!libraries.contains(name), "{libraries}");
    }
}

#[test]
fn an_emulated_gpu_exists_only_if_it_is_named() {
    let heddle = Heddle::new();
    let listed = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", error_text(&output));
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        let devices = object["devices"].as_array().unwrap().clone();
        let name = |row: &Value| row["device"].as_str().unwrap().to_owned();
        (devices.iter().map(name).collect::<Vec<_>>(), devices)
    };
    let devices = || heddle.command(&["devices", "--json"]);
    assert_eq!(listed(&mut devices()).0, ["cpu"]);
    let (names, rows) = listed(
        devices()
            .env("HEDDLE_DEVICE", "simt:0")
            .env("HEDDLE_SIMT_MEMORY", "64MiB"),
    );
    assert_eq!(names, ["cpu", "simt:0"]);
    assert_eq!(rows[1]["memory"], 64 << 20);
    let allowed = listed(devices().env("HEDDLE_ROUTE_ALLOW", "cpu,simt:1,simt:0"));
    assert_eq!(allowed.0, ["cpu", "simt:0", "simt:1"]);
    let flag = heddle.json(&["devices", "--device", "simt:3", "--json"]);
    assert_eq!(flag["devices"][1]["device"], "simt:3");
}

#[test]
fn selftest_without_a_gpu_tests_the_cpu_and_says_so() {
    let heddle = Heddle::new();
    let output = heddle.run(&["selftest", "--quick", "--seed", "5"]);
    assert!(output.status.success(), "{}", error_text(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("There is no GPU ("), "{text}");
    assert!(text.contains("cpu, seed 5"), "{text}");
    assert!(text.contains("cpu passed"), "{text}");
    for operation in [
        "xor-in-place",
        "normalize-unit",
        "batch-matmul",
        "transpose",
    ] {
        assert!(text.contains(operation), "{text}");
    }
}

#[test]
fn selftest_on_an_emulated_gpu_covers_every_operation() {
    let heddle = Heddle::new();
    let start = std::time::Instant::now();
    let output = heddle.run(&[
        "selftest", "--device", "simt:0", "--quick", "--seed", "7", "--json",
    ]);
    assert!(start.elapsed().as_secs() < 300, "{:?}", start.elapsed());
    assert!(output.status.success(), "{}", error_text(&output));
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["passed"], true);
    let report = &object["reports"][0];
    assert_eq!(
        (&report["device"], &report["seed"]),
        (&"simt:0".into(), &7.into())
    );
    assert_eq!(
        (&report["failed"], &report["absent"]),
        (&0.into(), &0.into())
    );
    let rows = report["kinds"].as_array().unwrap();
    for kind in ops::kinds() {
        let row = rows.iter().find(|row| row["operation"] == kind.name());
        let row = row.unwrap_or_else(|| panic!("{kind} has no cases"));
        assert!(row["cases"].as_u64().unwrap() >= 10, "{row}");
        // The emulated GPU's own clock.
        assert!(row["device_time"].as_u64().unwrap() > 0, "{row}");
    }
    let of = |name: &str| rows.iter().find(|row| row["operation"] == name).unwrap();
    let evaluations = of("arc-evaluate");
    assert!(evaluations["cases"].as_u64().unwrap() >= 10);
    assert!(evaluations["device_time"].as_u64().unwrap() > 0);
    let cases: u64 = rows.iter().map(|row| row["cases"].as_u64().unwrap()).sum();
    assert_eq!(report["passed"], cases);
}

#[test]
fn selftest_fails_on_a_gpu_that_fails_once() {
    let heddle = Heddle::new();
    let mut command = heddle.command(&["selftest", "--device", "simt:0", "--quick", "--seed", "8"]);
    command.env("HEDDLE_SIMT_FAIL_LAUNCH", "100");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("simt:0 FAILED"), "{text}");
    assert!(
        text.contains("failed\n") && text.contains("--seed 8 --quick"),
        "{text}"
    );
    assert!(error_text(&output).contains("simt:0 did not pass"));
}

#[test]
fn an_emulated_gpu_that_fails_ends_no_command() {
    let heddle = Heddle::new();
    let mut chains = 0;
    // The loss falls into the tiny operations, of some three calls each; into the chains
    // and products after them; and into a run with two GPUs.
    for (devices, lost_after) in [
        (("HEDDLE_DEVICE", "simt:0"), 3),
        (("HEDDLE_DEVICE", "simt:0"), 61_200),
        (("HEDDLE_DEVICE", "simt:0"), 63_000),
        (("HEDDLE_DEVICE", "simt:0"), 64_000),
        (("HEDDLE_ROUTE_ALLOW", "cpu,simt:0,simt:1"), 200),
    ] {
        let output = heddle
            .command(&["run", "--rounds", "1", "--json"])
            .env(devices.0, devices.1)
            .env("HEDDLE_SIMT_LOST_AFTER", lost_after.to_string())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", error_text(&output));
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        let report = &object["report"];
        let recomputed = report["recomputed"].as_array().unwrap();
        let again: u64 = recomputed
            .iter()
            .map(|row| row["count"].as_u64().unwrap())
            .sum();
        // Every failure was computed again and reported.
        assert_eq!(report["failures"], again);
        let notes = error_text(&output).matches("computed again").count();
        assert_eq!(notes, recomputed.len());
        assert!(object["operations_per_round"].as_u64().unwrap() > 20_000);
        chains += again;
    }
    assert!(chains > 0, "no loss fell between two operations of a chain");
}

#[test]
fn bench_gpu_moves_operands_exactly_where_its_rows_say_so() {
    let heddle = Heddle::new();
    let cases = "xor-resident:1024,xor-host-to-host:1024";
    let arguments = ["bench", "gpu", "--time", "2", "--case", cases, "--json"];
    let object = heddle.json(&[&arguments[..], &["--device", "simt:0"]].concat());
    let rows = object["rows"].as_array().unwrap();
    let moved: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["moved_bytes"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(moved, [("xor-resident", 0), ("xor-host-to-host", 2048)]);
    assert!(
        rows.iter()
            .all(|row| row["device_ns"].as_u64().unwrap() > 0)
    );
    assert_refused(&heddle.run(&arguments), 2, "no GPU to time");
}
