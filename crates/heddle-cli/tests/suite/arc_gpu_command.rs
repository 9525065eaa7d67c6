//! `heddle arc` on an emulated GPU: evaluations, flags, and reasons for not using it.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use crate::binary::{Heddle, assert_refused, error_text};
use serde_json::Value;

fn text(output: &std::process::Output) -> String {
    assert!(output.status.success(), "{}", error_text(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn count(object: &Value, key: &str) -> u64 {
    object[key].as_u64().unwrap()
}

#[test]
fn evaluations_run_on_the_chosen_device_with_equal_results() {
    let heddle = Heddle::new();
    let eval = |device: &str| heddle.json(&["arc", "eval", "--json", "--device", device]);
    let (cpu, gpu) = (eval("cpu"), eval("simt:0"));
    assert_eq!(cpu["results"], gpu["results"]);
    assert_eq!(cpu["gpu"], Value::Null);
    assert_eq!(gpu["by_device"]["simt:0"], gpu["evaluations"]);
    let report = &gpu["gpu"];
    assert_eq!(report["used"], true);
    assert_eq!(report["devices"][0], "simt:0");
    assert_eq!(report["evaluations"], gpu["evaluations"]);
    assert!(count(report, "launches") >= 1);
    assert!(count(report, "device_time") > 0);
    assert!(report["transfer_time"].is_u64());
    assert!(report["evaluations_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(report["why_not"], Value::Null);
    let flagged = report["flagged"].as_object().unwrap();
    for reason in heddle::arc::gpu::Flag::ALL {
        assert!(flagged.contains_key(reason.name()), "{reason}");
    }
    let shown = text(&heddle.run(&["arc", "eval", "--device", "simt:0"]));
    for words in ["launch", "device time", "transfers", "GPU against CPU"] {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn evaluations_above_the_caps_run_again_on_the_cpu() {
    let heddle = Heddle::new();
    let arguments = ["arc", "eval", "--json", "--device", "simt:0"];
    let whole = heddle.json(&["arc", "eval", "--json", "--device", "cpu"]);
    let check = |object: &Value| {
        let rows = count(&object["gpu"]["flagged"], "rows");
        assert!(rows > 0, "{}", object["gpu"]);
        assert_eq!(count(&object["by_device"], "cpu"), rows);
        assert_eq!(object["by_device"]["simt:0"], object["evaluations"]);
        assert_eq!(object["results"], whole["results"]);
        let share = object["gpu"]["flagged_share"].as_f64().unwrap();
        assert!((share - rows as f64 / count(object, "evaluations") as f64).abs() < 1e-9);
    };
    check(&heddle.json(&[&arguments[..], &["--gpu-caps", "rows=16"]].concat()));
    let mut command = heddle.command(&arguments);
    let output = command
        .env("HEDDLE_ARC_GPU_CAPS", "rows=16")
        .output()
        .unwrap();
    check(&serde_json::from_slice(&output.stdout).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heddle.toml");
    std::fs::write(&file, "[arc]\ngpu_caps = \"rows=16\"").unwrap();
    let mut command = heddle.command(&arguments);
    let output = command.env("HEDDLE_CONFIG", &file).output().unwrap();
    check(&serde_json::from_slice(&output.stdout).unwrap());
    std::fs::write(&file, "[arc]\ngpu_caps = \"sells=16\"").unwrap();
    let mut command = heddle.command(&arguments);
    let refused = command.env("HEDDLE_CONFIG", &file).output().unwrap();
    assert_refused(
        &refused,
        2,
        "arc.gpu_caps = \"sells=16\": caps are cells, rows",
    );
    let shown = text(&heddle.run(&["arc", "eval", "--device", "simt:0", "--gpu-caps", "rows=16"]));
    assert!(shown.contains("evaluated again on the CPU"), "{shown}");
    assert!(shown.contains(" rows"), "{shown}");
    let refused = heddle.run(&["arc", "eval", "--gpu-caps", "sells=3"]);
    assert_refused(&refused, 2, "caps are cells, rows");
}

#[test]
fn an_unused_gpu_is_reported_with_the_reason() {
    let heddle = Heddle::new();
    let run = |arguments: &[&str]| {
        let mut command = heddle.command(arguments);
        let output = command.env("HEDDLE_ROUTE_ALLOW", "cpu,simt:0").output();
        text(&output.unwrap())
    };
    let shown = run(&["arc", "eval", "--tasks", "quarter_turn"]);
    assert!(shown.contains("simt:0: present and not used"), "{shown}");
    assert!(shown.contains("reason: cpu: "), "{shown}");
    let object: Value =
        serde_json::from_str(&run(&["arc", "eval", "--tasks", "quarter_turn", "--json"])).unwrap();
    assert_eq!(object["gpu"]["used"], false);
    assert!(
        object["gpu"]["why_not"]
            .as_str()
            .unwrap()
            .starts_with("cpu: ")
    );
    assert_eq!(object["by_device"]["cpu"], object["evaluations"]);
    // A kernel cannot keep a time limit.
    let timed = text(&heddle.run(&[
        "arc",
        "eval",
        "--device",
        "simt:0",
        "--budget",
        "time=1s",
        "--tasks",
        "quarter_turn",
    ]));
    assert!(
        timed.contains("the GPU kernel cannot read the clock"),
        "{timed}"
    );
}

#[test]
fn a_failing_gpu_changes_no_result_and_is_reported() {
    let heddle = Heddle::new();
    let arguments = ["arc", "eval", "--json", "--device"];
    let known = heddle.json(&[&arguments[..], &["cpu"]].concat());
    for (fault, value) in [
        ("HEDDLE_SIMT_LOST_AFTER", "5"),
        ("HEDDLE_SIMT_FAIL_LAUNCH", "1"),
        ("HEDDLE_SIMT_MEMORY", "256KiB"),
    ] {
        let mut command = heddle.command(&[&arguments[..], &["simt:0"]].concat());
        let output = command.env(fault, value).output().unwrap();
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["results"], known["results"], "{fault}");
        assert_eq!(object["by_device"], known["by_device"], "{fault}");
        let fallbacks = object["gpu"]["fallbacks"].as_array().unwrap();
        assert_eq!(fallbacks.len(), 1, "{fault}: {}", object["gpu"]);
    }
}

#[test]
fn the_bench_measures_the_gpu_a_search_and_the_break_even() {
    let heddle = Heddle::new();
    let arguments = [
        "arc",
        "bench",
        "--device",
        "simt:0",
        "--examples",
        "2",
        "--rounds",
        "1",
        "--tasks",
        "squeezed",
        "--generated",
        "20",
    ];
    let object = heddle.json(&[&arguments[..], &["--json"]].concat());
    let ways = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["way"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ways(&object["rows"]).last().unwrap(), "merged, simt:0");
    let search = &object["search"];
    assert_eq!(count(search, "evaluations"), 80);
    assert_eq!(
        ways(&search["rows"]),
        ["generated, all cores", "generated, simt:0"]
    );
    assert!(search["gpu_against_cpu"].as_f64().unwrap() > 0.0);
    for even in object["break_even"].as_array().unwrap() {
        let points = even["points"].as_array().unwrap();
        assert!(points.len() >= 2, "{even}");
        for point in points {
            assert!(
                point["cpu_s"].as_f64().unwrap() > 0.0 && point["gpu_s"].as_f64().unwrap() > 0.0
            );
        }
    }
    assert!(count(&object["gpu"], "launches") > 3);
    assert!(object["device_shares"]["simt:0"].as_f64().unwrap() > 0.0);
    let shown = text(&heddle.run(&arguments));
    for words in [
        "break-even",
        "worth it",
        "generated, simt:0",
        "GPU, all rounds",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn bytecode_is_listed() {
    let heddle = Heddle::new();
    let program = "def solve_mine(I):\n    x1 = vmirror(I)\n    O = rot90(x1)\n    return O\n";
    std::fs::write(heddle.home.path().join("mine.py"), program).unwrap();
    let arguments = ["arc", "merge", "--programs", "mine.py", "--bytecode"];
    let shown = text(&heddle.run(&arguments));
    assert!(shown.contains("solve_mine(I): 2 steps"), "{shown}");
    assert!(shown.contains("r0 = vmirror(I)"), "{shown}");
    assert!(!heddle.home.path().join("plan.txt").exists());
    let object = heddle.json(&[&arguments[..], &["--json", "-o", "plan.txt"]].concat());
    assert!(object["bytecode"][0].as_str().unwrap().contains("rot90"));
    assert!(heddle.home.path().join("plan.txt").exists());
    let refused = heddle.run(&["arc", "merge", "--programs", "mine.py"]);
    assert_refused(&refused, 2, "--out");
}
