//! The `heddle` command: results, exit codes, bad input.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::binary::{Heddle, assert_refused, error_text};
use serde_json::Value;

#[test]
fn calibration_is_kept_and_found_again() {
    let heddle = Heddle::new();
    let object = heddle.json(&["calibrate", "--budget", "0.5", "--json"]);
    let file = object["files"][0].as_str().unwrap();
    assert!(Path::new(file).starts_with(heddle.cache()));
    let saved: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert!(saved.is_object());
    let devices = heddle.json(&["devices", "--json"]);
    assert_eq!(devices["devices"][0]["measured"], true);
}

#[test]
fn a_truncated_model_file_is_set_aside_and_rebuilt() {
    let heddle = Heddle::new();
    let object = heddle.json(&["calibrate", "--budget", "0.3", "--json"]);
    let file = object["files"][0].as_str().unwrap();
    let whole = fs::read(file).unwrap();
    fs::write(file, &whole[..whole.len() / 2]).unwrap();

    let output = heddle.run(&["devices"]);
    assert!(output.status.success());
    assert!(
        error_text(&output).contains("note: "),
        "{}",
        error_text(&output)
    );
    let kept: Vec<_> = fs::read_dir(heddle.cache().join("models"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(
        kept.iter()
            .any(|path| fs::read(path).unwrap() == whole[..whole.len() / 2]),
        "nothing is lost: {kept:?}"
    );
    heddle.json(&["calibrate", "--budget", "0.3", "--json"]);
    assert!(serde_json::from_slice::<Value>(&fs::read(file).unwrap()).is_ok());
}

#[test]
fn explain_lists_each_operation_once_for_an_unknown_name() {
    let output = Heddle::new().run(&["explain", "nosuch", "--size", "5"]);
    assert_eq!(output.status.code(), Some(2));
    let printed = error_text(&output);
    assert_eq!(printed.matches("batch-matmul").count(), 1, "{printed}");
    assert_eq!(printed.matches("transpose").count(), 1, "{printed}");
}

#[test]
fn explain_predicts_the_operation_and_says_there_is_one_device() {
    let heddle = Heddle::new();
    let output = heddle.run(&["explain", "matmul", "--size", "256"]);
    assert!(output.status.success(), "{}", error_text(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("only device"), "{text}");
    let object = heddle.json(&["explain", "xor", "--size", "64k", "--json"]);
    let cost = &object["candidates"][0]["cost"];
    assert!(cost["work_ns"].as_f64().unwrap() > 0.0, "{object}");
}

#[test]
fn bench_rows_have_the_documented_fields() {
    let heddle = Heddle::new();
    let object = heddle.json(&[
        "bench",
        "ops",
        "--case",
        "xor:5,matmul:64",
        "--time",
        "5",
        "--json",
    ]);
    assert_eq!(object["suite"], "ops");
    assert!(object["machine"].is_object());
    let rows = object["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        for field in [
            "size",
            "median_ns",
            "p10_ns",
            "p90_ns",
            "samples",
            "rate",
            "share",
        ] {
            assert!(row[field].as_f64().unwrap() > 0.0, "{field}: {row}");
        }
        assert_eq!(row["device"], "cpu");
    }
    let object = heddle.json(&["bench", "route", "--time", "2", "--json"]);
    assert!(object["rows"].as_array().unwrap().len() >= 5);
}

#[test]
fn run_shows_devices_and_reasons() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("spans.json");
    let object = heddle.json(&[
        "run",
        "--rounds",
        "1",
        "--json",
        "--profile",
        file.to_str().unwrap(),
    ]);
    assert_eq!(object["calibrated"], true);
    assert_eq!(object["lanes"].as_array().unwrap().len(), 2);
    let evaluations = object["arc_evaluations_per_round"].as_u64().unwrap();
    assert!(evaluations > 10_000, "{evaluations}");
    assert_eq!(object["lattices_per_round"], 100);
    // All three workloads: arrays, lattices, programs on grids.
    let rows = object["report"]["summary"]["rows"].as_array().unwrap();
    for operation in ["matmul", "lattice-paths", "arc-evaluate"] {
        assert!(
            rows.iter().any(|row| row["operation"] == operation),
            "{operation}: {rows:?}"
        );
    }
    let reasons = object["reasons"].as_array().unwrap();
    let arc = |reason: &&Value| reason["operation"] == "arc-evaluate";
    assert_eq!(reasons.iter().filter(arc).count(), 1);
    assert!(
        object["report"]["summary"]["rows"]
            .as_array()
            .unwrap()
            .len()
            >= 5
    );
    assert!(file.exists());
    // The second run loads the models of the first.
    let output = heddle.run(&["run", "--rounds", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("always cpu"), "{text}");
    assert!(!text.contains("measured first"), "{text}");
}

#[test]
fn bad_arguments_are_usage_errors() {
    let heddle = Heddle::new();
    for (arguments, expected) in [
        (&["explain", "xor", "--size", "NaN"][..], "whole number"),
        (&["explain", "xor", "--size", "-5"], "size"),
        (&["explain", "warp", "--size", "5"], "xor"),
        (&["devices", "--device", "gpu"], "not a device name"),
        (&["devices", "--device", "cuda:7"], "not available"),
        (&["bench", "ops", "--case", "nothing:5"], "no case"),
        (&["bench", "ops", "--case", "xor:NaN"], "no readable size"),
        (&["calibrate", "--budget", "NaN"], "seconds"),
        (&["devices", "--threads", "0"], "threads"),
        (&["selftest", "--quick", "--thorough"], "--thorough"),
        (&["selftest", "--device", "cuda:0"], "not available"),
        (&["frobnicate"], "frobnicate"),
    ] {
        assert_refused(&heddle.run(arguments), 2, expected);
    }
}

#[test]
fn unknown_keys_name_the_nearest_one() {
    let heddle = Heddle::new();
    fs::write(
        heddle.home.path().join("heddle.toml"),
        "[route]\nexplore_shaer = 0.5\n",
    )
    .unwrap();
    let output = heddle.run(&["devices"]);
    assert_refused(&output, 2, "explore_share");
}

#[test]
fn an_unknown_variable_is_one_warning_and_stops_no_command() {
    let heddle = Heddle::new();
    let cube: &[&str] = &["lattice", "analyze", "--sizes", "3,3"];
    for arguments in [&["devices"], cube] {
        let output = heddle
            .command(arguments)
            .env("HEDDLE_THRAEDS", "2")
            .env("HEDDLE_WORKER_RANK", "0")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", error_text(&output));
        let printed = error_text(&output);
        let warnings: Vec<&str> = printed
            .lines()
            .filter(|line| line.contains("no setting"))
            .collect();
        assert_eq!(
            warnings,
            [
                "warning: HEDDLE_THRAEDS is no setting and was ignored; did you mean `HEDDLE_THREADS`?",
                "warning: HEDDLE_WORKER_RANK is no setting and was ignored",
            ]
        );
    }
}

#[test]
fn a_missing_configuration_file_is_named() {
    let heddle = Heddle::new();
    let output = heddle.run(&["devices", "--config", "nowhere.toml"]);
    assert_ne!(output.status.code(), Some(0));
    assert!(error_text(&output).contains("nowhere.toml"));
}

#[test]
fn a_closed_pipe_is_success() {
    let heddle = Heddle::new();
    let mut child = heddle
        .command(&["bench", "route", "--time", "1", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Closing our end before it writes breaks the pipe.
    drop(child.stdout.take());
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}
