//! Typed programs on the command line: `heddle arc eval`, `merge --as batt` and `batt`.

use std::fmt::Write;
use std::fs;

use crate::binary::{Heddle, assert_refused, error_text};

const TYPED: &str = "def solve_mine(S, I, C):
    O = vmirror_t(I)
    return O
def solve_other(S, I, C):
    x1 = palette_t(I)
    O = get_rank(x1, F0)
    return O
def differ_size(S, I, C):
    x1 = palette_t(I)
    x2 = size_f(x1)
    x3 = astuple(x2, F0)
    return x3
";

const CLASSIC: &str = "def solve_mine(I):\n    O = vmirror(I)\n    return O\n";

const TASK: &str = r#"{"train": [{"input": [[1, 2]], "output": [[2, 1]]}],
"test": [{"input": [[3, 0]], "output": [[0, 3]]}]}"#;

fn folder() -> Heddle {
    let heddle = Heddle::new();
    for (name, text) in [
        ("typed.py", TYPED),
        ("classic.py", CLASSIC),
        ("mine.json", TASK),
    ] {
        fs::write(heddle.home.path().join(name), text).unwrap();
    }
    heddle
}

#[test]
fn files_of_both_dialects_are_in_one_command_and_can_be_forced() {
    let heddle = folder();
    let eval = [
        "arc",
        "eval",
        "--programs",
        "typed.py",
        "classic.py",
        "--data",
        "mine.json",
    ];
    let object = heddle.json(&[&eval[..], &["--json"]].concat());
    assert_eq!(object["programs"], 4);
    assert_eq!(object["results"][0]["attempts"]["solved"], 2);
    let forced = heddle.json(&[&eval[..], &["--json", "--dialect", "classic"]].concat());
    assert_eq!(
        (&forced["programs"], &forced["programs_not_read"]),
        (&1.into(), &3.into())
    );
    fs::write(
        heddle.home.path().join("heddle.toml"),
        "[arc]\ndialect = \"classic\"\n",
    )
    .unwrap();
    assert_eq!(
        heddle.json(&[&eval[..], &["--json"]].concat())["programs"],
        1
    );
    let refused = heddle.run(&[&eval[..], &["--dialect", "typd"]].concat());
    assert_refused(&refused, 2, "auto, typed or classic");
    let batt = "def batt(task_id, S, I, C, log_path):\n    t1 = size_f(I)\n";
    fs::write(heddle.home.path().join("batt.py"), batt).unwrap();
    let refused = heddle.run(&["arc", "eval", "--programs", "batt.py"]);
    assert!(
        error_text(&refused).contains("heddle arc batt FILE"),
        "{}",
        error_text(&refused)
    );
}

#[test]
fn a_merged_file_that_was_written_is_run_and_its_solvers_are_cut_out() {
    let heddle = folder();
    let merge = [
        "arc",
        "merge",
        "--programs",
        "typed.py",
        "--as",
        "batt",
        "-o",
        "merged.py",
    ];
    assert!(heddle.run(&merge).status.success());
    let batt = ["arc", "batt", "merged.py", "--data", "mine.json"];
    let more = [
        "--calls",
        "merged_call.py",
        "-o",
        "cut.py",
        "--json",
        "--entries",
    ];
    let object = heddle.json(&[&batt[..], &more].concat());
    let task = &object["tasks"][0];
    assert_eq!(task["o"], serde_json::json!({"mine": 2000, "other": 0}));
    assert_eq!(task["s"]["differ_size"]["None"], 4000);
    assert_eq!(
        task["entries"][0]["none"]["o"][0],
        serde_json::json!([4, false, "mine", "[21]"])
    );
    assert_eq!(
        (&object["runs"], &object["candidates"][1]["solver"]),
        (&4.into(), &"other".into())
    );
    let eval = [
        "arc",
        "eval",
        "--programs",
        "cut.py",
        "--data",
        "mine.json",
        "--json",
    ];
    assert_eq!(heddle.json(&eval)["solved"], 1);
    let shown = heddle.run(&batt);
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(
        shown.contains("4 runs on 1 tasks") && shown.contains("2 candidates"),
        "{shown}"
    );
}

#[test]
fn a_call_table_is_written_beside_a_file_alone() {
    let heddle = folder();
    let home = heddle.home.path();
    let merge = [
        "arc",
        "merge",
        "--programs",
        "typed.py",
        "--as",
        "batt",
        "-o",
    ];
    std::os::unix::fs::symlink("/dev/null", home.join("null")).unwrap();
    for out in ["-", "/dev/stdout", "null"] {
        let output = heddle.run(&[&merge[..], &[out]].concat());
        let text = error_text(&output);
        assert!(output.status.success(), "{out}: {text}");
        assert!(text.contains("the call table is not written"), "{text}");
    }
    for made in ["-_call.py", "null_call.py", "/dev/stdout_call.py"] {
        assert!(!home.join(made).exists(), "{made}");
    }
    assert!(
        heddle
            .run(&[&merge[..], &["out.py"]].concat())
            .status
            .success()
    );
    assert!(home.join("out_call.py").exists());
}

#[test]
fn a_merged_file_of_very_many_lines_is_refused() {
    let heddle = folder();
    let mut text = String::new();
    for number in 0..1100 {
        for name in ["solve", "differ"] {
            writeln!(
                text,
                "def {name}_{number}(S, I, C):\n    O = vmirror_t(I)\n    return O"
            )
            .unwrap();
        }
    }
    fs::write(heddle.home.path().join("many.py"), text).unwrap();
    let merge = ["arc", "merge", "--programs", "many.py", "--as", "batt"];
    let output = heddle.run(&[&merge[..], &["-o", "out.py"]].concat());
    assert_refused(&output, 2, "1,100 solvers and 1,100 differs");
    assert!(!heddle.home.path().join("out.py").exists());
}

#[test]
fn values_that_would_fill_memory_are_not_printed() {
    let heddle = folder();
    let mut text = "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n    \
                    t1 = interval(ZERO, THOUSAND, ONE)\n    t2 = repeat(t1, HUNDRED)\n"
        .to_owned();
    for number in 3..103 {
        writeln!(text, "    o.append(({number}, False, 'a{number}', t2))").unwrap();
    }
    fs::write(
        heddle.home.path().join("batt.py"),
        text + "    return o, s\n",
    )
    .unwrap();
    let batt = ["arc", "batt", "batt.py", "--data", "mine.json", "--json"];
    assert_eq!(heddle.json(&batt)["runs"], 4);
    let refused = heddle.run(&[&batt[..], &["--entries"]].concat());
    assert_refused(&refused, 1, "more than 16,777,216 parts");
}

#[test]
fn a_merged_file_has_one_dialect_and_vectors_of_the_soft_reading_are_named() {
    let heddle = folder();
    let refused = heddle.run(&["arc", "batt", "typed.py", "--dialect", "classic"]);
    assert_refused(&refused, 2, "--dialect");
    let vectors = "get_nth_t 3 0 -> nan\nsize {} -> 0\n";
    fs::write(heddle.home.path().join("soft.vectors"), vectors).unwrap();
    let check = ["arc", "check", "--vectors", "soft.vectors"];
    let failed = heddle.run(&check);
    let text = error_text(&failed);
    assert!(text.contains("add --reading soft"), "{text}");
    assert_eq!(failed.status.code(), Some(1));
    let passed = heddle.run(&[&check[..], &["--reading", "soft"]].concat());
    assert!(passed.status.success(), "{}", error_text(&passed));
}

#[test]
fn classic_calls_that_differ_are_noted_where_they_are_merged() {
    let heddle = folder();
    let crops = "def solve_a(I):\n    O = crop(I, ORIGIN, UNITY)\n    return O\n";
    fs::write(heddle.home.path().join("crops.py"), crops).unwrap();
    let written = heddle.run(&[
        "arc",
        "merge",
        "--programs",
        "crops.py",
        "--as",
        "batt",
        "-o",
        "b.py",
    ]);
    let text = error_text(&written);
    assert!(
        text.contains("another result in the typed dialect: 1 (crop 1)"),
        "{text}"
    );
}
