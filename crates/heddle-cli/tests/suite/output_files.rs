//! Files that the command writes: links, pipes, devices, standard output, and failures.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::binary::{Heddle, assert_refused, error_text};
use heddle::profile::{Profiler, Span};

const OLD: &str = "what was here before\n";
const PROGRAM: &str = "def solve_a(I):\n    O = rot90(I)\n    return O\n";

const TYPED: &str = "def solve_a(S, I, C):\n    O = vmirror_t(I)\n    return O\n";
const TASK: &str = r#"{"train": [{"input": [[1, 2]], "output": [[2, 1]]}],
"test": [{"input": [[3, 0]], "output": [[0, 3]]}]}"#;

/// Commands that write `out`, each with a text that only a whole file has.
const WRITERS: [(&str, &str); 16] = [
    ("arc eval --tasks as_large_as_yellow --html out", "</html>"),
    (
        "arc eval --tasks as_large_as_yellow --profile out",
        "heddle-profile",
    ),
    ("arc merge --programs program.py -o out", "return solve_a"),
    ("arc generate --count 20 -o out", "return O"),
    ("lattice show -o out", "</svg>"),
    ("profile report run.json -o out", "</html>"),
    ("profile trace run.json -o out", "traceEvents"),
    ("profile flame run.json -o out", "</svg>"),
    ("profile show run.json --csv out", "start_ns"),
    ("lattice transform scale --size 2 -o out", "\0\0\0"),
    (
        "lattice distances --format csv -o out",
        "x0,x1,value\n0,0,0,0\n",
    ),
    (
        "lattice distances --size 9 --format npy -o out",
        "'shape': (1, 9, 9)",
    ),
    (
        "lattice centrality --size 4 --format csv -o out",
        "x0,x1,value\n0,0,",
    ),
    ("arc batt merged.py --data a.json -o out", "return O"),
    (
        "arc evolve --programs merge.py --data a.json --rounds 1 --store store --html out",
        "</html>",
    ),
    ("run --rounds 1 --profile out", "heddle-profile"),
];

/// A folder with the files that the writers read.
fn prepared() -> Heddle {
    let heddle = Heddle::new();
    let folder = heddle.home.path();
    fs::write(folder.join("program.py"), PROGRAM).unwrap();
    fs::write(
        folder.join("task.json"),
        r#"{"train": [{"input": [[1]], "output": [[1]]}], "test": []}"#,
    )
    .unwrap();
    fs::write(folder.join("merge.py"), TYPED).unwrap();
    fs::write(folder.join("a.json"), TASK).unwrap();
    let merged = "arc merge --programs merge.py --as batt -o merged.py";
    let output = heddle.run(&words(merged));
    assert!(output.status.success(), "{}", error_text(&output));
    let profiler = Profiler::new(10);
    profiler.record(Span {
        operation: "xor",
        total_ns: 1_000,
        ..Span::default()
    });
    profiler.recording().write(folder.join("run.json")).unwrap();
    heddle
}

/// The text of a file that may be an array of numbers.
fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn a_link_stays_and_the_mode_of_its_target_too() {
    let heddle = prepared();
    let [out, real] = ["out", "real"].map(|name| heddle.home.path().join(name));
    symlink("real", &out).unwrap();
    for (line, mark) in WRITERS {
        fs::write(&real, OLD).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        let output = heddle.run(&words(line));
        assert!(output.status.success(), "{line}: {}", error_text(&output));
        assert!(fs::symlink_metadata(&out).unwrap().is_symlink(), "{line}");
        let text = text_of(&real);
        assert!(text.contains(mark), "{line}: {text}");
        let mode = fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{line}");
    }
}

#[test]
fn a_pipe_is_written_to() {
    let heddle = prepared();
    let [out, read] = ["out", "read"].map(|name| heddle.home.path().join(name));
    assert!(Command::new("mkfifo").arg(&out).status().unwrap().success());
    for (line, mark) in WRITERS {
        let mut reader = Command::new("timeout")
            .args(["30", "cat"])
            .arg(&out)
            .stdout(fs::File::create(&read).unwrap())
            .spawn()
            .unwrap();
        let output = heddle.run(&words(line));
        assert!(output.status.success(), "{line}: {}", error_text(&output));
        let kind = fs::symlink_metadata(&out).unwrap().file_type();
        assert!(kind.is_fifo(), "{line} replaced a pipe");
        assert!(reader.wait().unwrap().success(), "{line}");
        let text = text_of(&read);
        assert!(text.contains(mark), "{line}: {text}");
    }
}

#[test]
fn a_full_device_is_an_error_with_a_hint_that_fits() {
    let heddle = prepared();
    let out = heddle.home.path().join("out");
    symlink("/dev/full", &out).unwrap();
    for (line, _) in WRITERS {
        let output = heddle.run(&words(line));
        let text = error_text(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {text}");
        assert!(text.contains("No space left"), "{line}: {text}");
        assert!(text.contains("hint: free space"), "{line}: {text}");
        assert!(fs::symlink_metadata(&out).unwrap().is_symlink(), "{line}");
    }
}

#[test]
fn a_dash_is_standard_output_and_holds_nothing_else() {
    let heddle = prepared();
    for (line, mark) in WRITERS {
        for name in ["-", "/dev/stdout"] {
            let output = heddle.run(&words(&line.replace("out", name)));
            assert!(output.status.success(), "{line}: {}", error_text(&output));
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(mark), "{line}: {text}");
            // A summary would come last.
            let last = text.trim_end().lines().last().unwrap();
            for summary in [" bytes", "tasks drawn", "% shared)", "Open it at"] {
                assert!(
                    !last.ends_with(summary) && !last.starts_with(summary),
                    "{line} {name}: {text}"
                );
            }
            assert!(!heddle.home.path().join("-").exists(), "{line}");
        }
    }
}

#[test]
fn what_reads_a_written_file_may_stop_early() {
    let heddle = prepared();
    let mut child = heddle
        .command(&["arc", "generate", "--count", "2000", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", error_text(&output));
}

#[test]
fn a_file_that_cannot_be_replaced_stays() {
    let heddle = prepared();
    // The folder of the file is missing, or the file is a folder.
    for (name, hint) in [
        ("none/out", "does not exist"),
        ("cache", "this is a folder"),
    ] {
        fs::create_dir_all(heddle.cache()).unwrap();
        for (line, _) in WRITERS {
            let output = heddle.run(&words(&line.replace(" out", &format!(" {name}"))));
            let text = error_text(&output);
            assert_eq!(output.status.code(), Some(1), "{line}: {text}");
            assert!(text.contains(hint), "{line}: {text}");
        }
        assert!(heddle.cache().is_dir());
    }
}

#[test]
fn models_that_cannot_be_kept_fail_a_calibration() {
    let heddle = Heddle::new();
    // A file where the folder should be: not writable even for root.
    fs::write(heddle.cache(), OLD).unwrap();
    let output = heddle.run(&["calibrate", "--budget", "0.1"]);
    let text = error_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("not kept"), "{text}");
    assert!(!output.stdout.is_empty(), "the measurements are printed");
    assert_eq!(fs::read_to_string(heddle.cache()).unwrap(), OLD);
}

#[test]
fn run_says_which_files_it_leaves_out() {
    let heddle = Heddle::new();
    heddle.run(&["calibrate", "--budget", "0.1"]);
    let arguments = ["run", "--rounds", "1"];
    fs::create_dir(heddle.cache().join("last-run.json")).unwrap();
    let output = heddle.run(&arguments);
    let text = error_text(&output);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("note: the spans of this run are not kept"),
        "{text}"
    );
    // A file that was asked for.
    let output = heddle.run(&[&arguments[..], &["--profile", "none/run.json"]].concat());
    let text = error_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("none/run.json"), "{text}");
    assert!(!output.stdout.is_empty(), "the results are printed");
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let heddle = Heddle::new();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["help", "arc"],
        &["devices"],
    ] {
        let full = fs::File::create("/dev/full").unwrap();
        let output = heddle.command(arguments).stdout(full).output().unwrap();
        assert_refused(&output, 1, "error: cannot write the result: No space left");
        // A reader that has gone is none.
        let mut child = heddle
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", error_text(&output));
    }
}

#[test]
fn a_home_that_is_no_folder_is_no_error() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("file");
    fs::write(&file, "").unwrap();
    for home in [Path::new("/dev/null"), &file] {
        for arguments in [&["devices"][..], &["arc", "eval"], &["memory"]] {
            let output = heddle
                .command(arguments)
                .env("HOME", home)
                .env_remove("HEDDLE_CACHE_DIR")
                .env_remove("XDG_CACHE_HOME")
                .output()
                .unwrap();
            assert!(output.status.success(), "{home:?}: {}", error_text(&output));
        }
        let output = heddle
            .command(&["--config", "/dev/null/heddle.toml", "devices"])
            .env("HOME", home)
            .output()
            .unwrap();
        assert_refused(&output, 1, "cannot read /dev/null/heddle.toml");
    }
}
