//! Text that the command did not write: no name, file or error moves the terminal's cursor.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::process::{Command, Output};

use crate::binary::Heddle;
use heddle::profile::{MemorySample, Profiler, Recording, RoutingRow, Span};

/// A title, a colour, a one-character control sequence and an override of direction.
const TRAP: &str = "a\x1b]0;title\x07\x1b[31mb\u{9b}2Jc\u{202e}d\x7f";

/// Commands with a file whose content is a trap, and the name of that file.
const COMMANDS: [(&str, &str, &str); 6] = [
    (
        "arc eval --programs trap.py --data task.json",
        "trap.py",
        "def solve_TRAP(I):\n    return I\n",
    ),
    (
        "arc merge -o out --programs trap.py",
        "trap.py",
        "def solve_a(I):\n    TRAP = I\n    return TRAP\n",
    ),
    ("arc eval --data trap.json", "trap.json", "{\"TRAP\": 1}"),
    ("memory replay trap.jsonl", "trap.jsonl", "TRAP\n"),
    ("--config trap.toml devices", "trap.toml", "TRAP = 1\n"),
    (
        "profile show trap.json",
        "trap.json",
        "{\"format\": \"TRAP\"}",
    ),
];

fn assert_harmless(output: &Output, what: &str) {
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(stream);
        // The command's own colours, which CLICOLOR_FORCE asks for.
        let text = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[36m"]
            .iter()
            .fold(text.into_owned(), |text, own| text.replace(own, ""));
        let obeyed = text
            .chars()
            .find(|&letter| letter != '\n' && (letter.is_control() || letter == '\u{202e}'));
        assert_eq!(obeyed, None, "{what}: {text:?}");
    }
}

fn recording() -> Recording {
    let profiler = Profiler::new(10);
    profiler.record(Span {
        operation: TRAP,
        element: TRAP,
        total_ns: 1_000,
        ..Span::default()
    });
    profiler.record_memory(MemorySample::default().with(|it| {
        it.device = TRAP.into();
        it.allocated = 1;
    }));
    let mut recording = profiler.recording();
    recording.label = TRAP.into();
    recording.machine.cpu = TRAP.into();
    recording.routing.push(RoutingRow {
        operation: TRAP.into(),
        device: TRAP.into(),
        reason: TRAP.into(),
        count: 1,
        ..RoutingRow::default()
    });
    recording
}

#[test]
fn control_characters_of_files_and_names_are_escaped() {
    let heddle = Heddle::new();
    let folder = heddle.home.path();
    for (line, file, content) in COMMANDS {
        fs::write(folder.join(file), content.replace("TRAP", TRAP)).unwrap();
        for json in [false, true] {
            let mut command = heddle.command(&line.split(' ').collect::<Vec<_>>());
            let output = command
                .args(json.then_some("--json"))
                .env("CLICOLOR_FORCE", "1")
                .output()
                .unwrap();
            assert_harmless(&output, line);
        }
    }
    // Names of files that are not there, and arguments that are none.
    for arguments in [
        &["profile", "show", TRAP][..],
        &["arc", "eval", "--data", TRAP],
        &["memory", "replay", TRAP],
        &["profile", "show", "one", TRAP],
    ] {
        let output = heddle
            .command(arguments)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        assert_harmless(&output, &arguments.join(" "));
    }
}

#[test]
fn a_recording_is_shown_without_its_control_characters() {
    let heddle = Heddle::new();
    recording()
        .write(heddle.home.path().join("run.json"))
        .unwrap();
    for line in [
        "profile show run.json",
        "profile suggest run.json",
        "profile compare run.json run.json",
        "profile show run.json --json",
        "serve-metrics --once run.json",
        "serve-metrics --once run.json --json",
    ] {
        let output = heddle
            .command(&line.split(' ').collect::<Vec<_>>())
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}");
        assert_harmless(&output, line);
    }
    // What the command says itself has its colours.
    let output = heddle
        .command(&["profile", "show", "run.json"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\x1b[1mOperations\x1b[0m"));
}

#[test]
fn files_that_are_written_to_a_terminal_are_escaped() {
    let heddle = Heddle::new();
    recording()
        .write(heddle.home.path().join("run.json"))
        .unwrap();
    for line in [
        "profile show run.json --csv -",
        "profile trace run.json -o -",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let plain = heddle.run(&arguments);
        assert!(plain.status.success(), "{line}");
        // A pipe gets the bytes.
        assert!(String::from_utf8_lossy(&plain.stdout).contains('\u{9b}'));
        let program = heddle.command(&[]).get_program().to_owned();
        let shown = heddle
            .command(&[])
            .get_envs()
            .fold(
                &mut Command::new("python3"),
                |python, (name, value)| match value {
                    Some(value) => python.env(name, value),
                    None => python.env_remove(name),
                },
            )
            .current_dir(heddle.home.path())
            .args(["-c", "import pty, sys; pty.spawn(sys.argv[1:])"])
            .arg(program)
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&shown.stdout).replace('\r', "");
        assert!(text.contains("\\u009b2Jc\\u202ed"), "{line}: {text:?}");
        assert!(
            !text.contains(['\u{9b}', '\u{202e}', '\x07']),
            "{line}: {text:?}"
        );
        assert!(!text.contains("\x1b]0;"), "{line}: {text:?}");
    }
}
