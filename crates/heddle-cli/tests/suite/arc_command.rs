//! `heddle arc`: results, exit codes, bad input.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;

use crate::binary::{Heddle, assert_refused, error_text};

fn text(output: &std::process::Output) -> String {
    assert!(output.status.success(), "{}", error_text(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const MIRRORED: &str = "def solve_mine(I):
    O = vmirror(I)
    return O
";

const TASK: &str = r#"{"train": [{"input": [[1, 2]], "output": [[2, 1]]}],
"test": [{"input": [[3, 0]], "output": [[0, 3]]}]}"#;

/// A folder with a program and a task it solves.
fn small() -> Heddle {
    let heddle = Heddle::new();
    fs::write(heddle.home.path().join("mine.py"), MIRRORED).unwrap();
    fs::write(heddle.home.path().join("mine.json"), TASK).unwrap();
    heddle
}

#[test]
fn without_arguments_the_built_in_tasks_are_solved() {
    let heddle = Heddle::new();
    let object = heddle.json(&["arc", "eval", "--json"]);
    let count = |key: &str| object[key].as_u64().unwrap();
    assert!(count("tasks") >= 40);
    assert_eq!(count("solved"), count("tasks"));
    assert_eq!((count("wrong"), count("undefined")), (0, 0));
    assert_eq!(object["by_device"]["cpu"], object["evaluations"]);
    assert!(object["evaluations_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(
        object["results"].as_array().unwrap().len() as u64,
        count("tasks")
    );
    let shown = text(&heddle.run(&["arc", "eval"]));
    assert!(shown.contains("largest_alone"), "{shown}");
    assert!(shown.contains(" 0 wrong, 0 undefined"), "{shown}");
}

#[test]
fn results_say_what_is_wrong_and_where() {
    let heddle = small();
    let path = heddle.home.path().join("mine.py");
    let mut programs = MIRRORED.replace("vmirror(I)", "rot180(I)");
    programs.push_str("\ndef solve_other(I):\n    O = first(ZERO)\n    return O\n");
    programs.push_str("\ndef solve_broken(I):\n    O = rot45(I)\n    return O\n");
    fs::write(&path, programs).unwrap();
    let arguments = [
        "arc",
        "eval",
        "--programs",
        "mine.py",
        "--data",
        "mine.json",
        "--json",
    ];
    let own = heddle.json(&arguments);
    // One row upside down is one row; turned by half, it is mirrored.
    assert_eq!(own["solved"], 1);
    assert_eq!(own["programs_not_read"], 1);
    let all = heddle.json(&[&arguments[..], &["--all-pairs"]].concat());
    assert_eq!(all["evaluations"], 4);
    assert_eq!(all["results"][0]["attempts"]["undefined"], 1);
    assert_eq!(all["results"][0]["programs"][0]["program"], "solve_mine");
    let output = heddle.run(&arguments[..6]);
    assert!(
        error_text(&output).contains("mine.py:10:9"),
        "{}",
        error_text(&output)
    );
    fs::write(&path, MIRRORED.replace("vmirror(I)", "rot90(I)")).unwrap();
    let wrong = heddle.json(&arguments);
    assert_eq!(wrong["wrong"], 1);
    assert!(
        wrong["results"][0]["reason"]
            .as_str()
            .unwrap()
            .starts_with("train 1")
    );
    fs::write(&path, MIRRORED.replace("vmirror(I)", "rot90(S)")).unwrap();
    assert_refused(&heddle.run(&arguments), 1, "no program could be read");
}

#[test]
fn a_missing_gpu_is_refused() {
    let output = Heddle::new().run(&["arc", "eval", "--device", "cuda:0"]);
    assert_refused(&output, 2, "no GPU was found");
}

#[test]
fn budgets_and_tasks_are_chosen() {
    let heddle = Heddle::new();
    let object = heddle.json(&[
        "arc",
        "eval",
        "--json",
        "--tasks",
        "quarter_turn",
        "squeezed",
        "--budget",
        "steps=1",
    ]);
    assert_eq!(object["tasks"], 2);
    assert_eq!(object["undefined"], 2);
    let reason = object["results"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("budget (steps)"), "{reason}");
    let output = heddle.run(&["arc", "eval", "--budget", "cells=5"]);
    assert_refused(&output, 2, "steps=N, bytes=N and time=T");
    let output = heddle.run(&["arc", "eval", "--tasks", "nothing"]);
    assert_refused(&output, 2, "no task is called nothing");
    let output = heddle.run(&["arc", "eval", "--data", "nowhere"]);
    assert_refused(&output, 1, "cannot read nowhere");
}

#[test]
fn tasks_are_drawn_on_the_terminal_and_on_a_page() {
    let heddle = small();
    let arguments = [
        "arc",
        "eval",
        "--programs",
        "mine.py",
        "--data",
        "mine.json",
        "--show",
        "mine",
        "--html",
        "page.html",
    ];
    let shown = text(&heddle.run(&arguments));
    assert!(shown.contains("input   expected   output"), "{shown}");
    assert!(shown.contains("1 2     2 1        2 1"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours outside a terminal");
    let page = fs::read_to_string(heddle.home.path().join("page.html")).unwrap();
    assert!(page.contains(r#""input":"12""#) && page.contains(r#""output":"21""#));
    assert!(!page.contains("HEDDLE-DATA"));
    assert!(
        !page.contains("http:") && !page.contains("https:"),
        "the page stands alone"
    );
    let output = heddle.run(&["arc", "eval", "--show", "nothing"]);
    assert_refused(&output, 2, "no task is called nothing");
}

#[test]
fn vectors_are_checked_and_a_wrong_one_exits_1() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("few.jsonl");
    let right = r#"{"fn": "add", "args": [1, 2], "out": 3}"#;
    fs::write(&file, format!("{right}\n{right}\n")).unwrap();
    let arguments = ["arc", "check", "--vectors", "few.jsonl", "--json"];
    let object = heddle.json(&arguments);
    assert_eq!(
        (&object["passed"], &object["failed"]),
        (&2.into(), &0.into())
    );
    assert_eq!(object["by_primitive"]["add"]["passed"], 2);
    fs::write(
        &file,
        format!("{right}\n{}\n", right.replace("\"out\": 3", "\"out\": 4")),
    )
    .unwrap();
    let output = heddle.run(&arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("expected 4, found 3"));
    assert!(error_text(&output).contains("1 of 2 vectors failed"));
    assert_refused(
        &heddle.run(&["arc", "check", "--vectors", "none"]),
        1,
        "cannot read none",
    );
    assert_refused(&heddle.run(&["arc", "check"]), 2, "--vectors");
}

#[test]
fn merged_plans_are_written_and_chosen_by_seed() {
    let heddle = small();
    let more = format!("{MIRRORED}\n{}", MIRRORED.replace("mine", "also"));
    fs::write(heddle.home.path().join("mine.py"), more).unwrap();
    let arguments = [
        "arc",
        "merge",
        "--programs",
        "mine.py",
        "-o",
        "plan.txt",
        "--json",
    ];
    let object = heddle.json(&arguments);
    assert_eq!(object["programs"], 2);
    assert_eq!(
        (&object["calls"], &object["distinct_calls"]),
        (&2.into(), &1.into())
    );
    let plan = fs::read_to_string(heddle.home.path().join("plan.txt")).unwrap();
    assert!(plan.contains("t1 = vmirror(I)"), "{plan}");
    assert!(plan.contains("solve_also = program(I, t1)"), "{plan}");
    let one = |seed: &str| {
        heddle.json(&[&arguments[..], &["-c", "1", "--seed", seed]].concat());
        fs::read_to_string(heddle.home.path().join("plan.txt")).unwrap()
    };
    assert_eq!(one("5"), one("5"));
    let output = heddle.run(&[&arguments[..6], &["-c", "9"]].concat());
    assert_refused(&output, 2, "9 programs were requested, but 2 were read");
}

#[test]
fn generated_programs_are_the_same_for_a_seed_and_run() {
    let heddle = small();
    let make = |seed: &str| text(&heddle.run(&["arc", "generate", "--count", "5", "--seed", seed]));
    assert_eq!(make("1"), make("1"));
    assert_ne!(make("1"), make("2"));
    assert_eq!(make("1").matches("def solve_random_1_").count(), 5);
    fs::write(heddle.home.path().join("random.py"), make("3")).unwrap();
    let run = heddle.json(&[
        "arc",
        "eval",
        "--programs",
        "random.py",
        "--all-pairs",
        "--json",
    ]);
    assert_eq!(run["programs"], 5);
    assert_eq!(run["programs_not_read"], 0);
    let mutants = heddle.json(&[
        "arc",
        "generate",
        "--programs",
        "mine.py",
        "--count",
        "3",
        "--json",
    ]);
    assert_eq!(mutants["count"], 3);
}

#[test]
fn numbers_beyond_the_limits_are_refused() {
    let heddle = Heddle::new();
    let most = usize::MAX.to_string();
    for arguments in [
        ["arc", "generate", "--count", "1000001"],
        ["arc", "generate", "--count", &most],
        ["arc", "bench", "--generated", &most],
    ] {
        let output = heddle.run(&arguments);
        assert_refused(&output, 2, "is more than 1,000,000, the limit of one run");
    }
    // A time beyond the clock's range is no limit.
    let forever = ["arc", "eval", "--budget", "time=9223372036854775807s"];
    assert!(text(&heddle.run(&forever)).contains("46 solved"));
}

#[test]
fn files_without_an_end_are_refused() {
    let heddle = small();
    for arguments in [
        ["arc", "eval", "--programs", "/dev/zero"],
        ["arc", "eval", "--data", "/dev/zero"],
        ["arc", "check", "--vectors", "/dev/zero"],
    ] {
        assert_refused(&heddle.run(&arguments), 1, " MiB, the limit of ");
    }
}

#[test]
fn the_bench_measures_three_ways() {
    let heddle = Heddle::new();
    let object = heddle.json(&[
        "arc",
        "bench",
        "--json",
        "--examples",
        "5",
        "--rounds",
        "1",
        "--tasks",
        "squeezed",
    ]);
    let rows = object["rows"].as_array().unwrap();
    let ways: Vec<&str> = rows
        .iter()
        .map(|row| row["way"].as_str().unwrap())
        .collect();
    assert_eq!(ways, ["sequential", "merged", "merged, all cores"]);
    assert!(
        rows.iter()
            .all(|row| row["samples_per_second"].as_f64().unwrap() > 0.0)
    );
    assert_eq!(object["device_shares"]["cpu"], 1.0);
    assert!(!object["hottest_primitives"].as_array().unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    let heddle = Heddle::new();
    // A million calls for each result.
    let slow = |name: &str| {
        format!(
            "def solve_{name}(I):\n    x1 = multiply(TEN, TEN)\n    x2 = multiply(x1, x1)\n    \
             x3 = multiply(x1, x2)\n    x4 = add(x3, {name})\n    x5 = power(increment, x4)\n    \
             x6 = height(I)\n    x7 = x5(x6)\n    O = canvas(x7, UNITY)\n    return O\n"
        )
    };
    let programs = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX"].map(slow);
    fs::write(heddle.home.path().join("slow.py"), programs.concat()).unwrap();
    let eval = [
        "arc",
        "eval",
        "--all-pairs",
        "--programs",
        "slow.py",
        "--budget",
        "steps=100M",
        "--json",
    ];
    let running = heddle
        .command(&eval)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // All of it takes many times as long.
    thread::sleep(Duration::from_secs(2));
    let process = running.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.unwrap().success());
    let output = running.wait_with_output().unwrap();
    let error = error_text(&output);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("interrupted after "), "{error}");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = object["results"].as_array().unwrap();
    assert_eq!(object["tasks"], results.len());
    assert!(results.len() < 40, "{} tasks", results.len());
}
