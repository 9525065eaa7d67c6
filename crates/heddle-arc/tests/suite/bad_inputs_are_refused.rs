//! Inputs that are too large, endless or cut are refused with the limit and a hint, in little
//! memory and time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::data::{self, DataError, DataLimit};
use heddle_arc::golden;
use heddle_arc::limits::{
    JSON_VALUE_BYTES, MAX_ARCHIVE_MEMBERS, MAX_DATA_BYTES, MAX_PLAN_CALLS, MAX_PROGRAM_BYTES,
    MAX_PROGRAM_ERRORS,
};
use heddle_arc::plan::{self, CallGraph, PatternKind, PlanTextError, patterns};
use heddle_arc::program::{self, Dialect, ProgramFileError, load};
use heddle_arc::reading::Cells;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const TASK: &str = r#"{"train": [{"input": [[1]], "output": [[2]]}],
    "test": [{"input": [[3]], "output": [[4]]}]}"#;

/// A file that has a size and no blocks on the disk.
fn sparse(path: &Path, bytes: u64) {
    File::create(path).unwrap().set_len(bytes).unwrap();
}

fn archive(folder: &TempDir, members: impl Iterator<Item = (String, Vec<u8>)>) -> PathBuf {
    let path = folder.path().join("tasks.zip");
    let mut archive = ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in members {
        let options = SimpleFileOptions::default();
        archive.start_file(name, options).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap();
    path
}

fn data_limit(path: &Path) -> DataLimit {
    match data::load(path) {
        Err(DataError::TooLarge { limit, .. }) => limit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn archives_are_bounded_by_ratio_and_number_of_members() {
    let folder = TempDir::new().unwrap();
    let blanks = (0..3).map(|number| (format!("{number}.json"), vec![b' '; 8 << 20]));
    assert_eq!(data_limit(&archive(&folder, blanks)), DataLimit::Ratio);
    let asked = MAX_ARCHIVE_MEMBERS + 1;
    let many = (0..asked).map(|number| (format!("{number}.txt"), Vec::new()));
    let many = archive(&folder, many);
    assert_eq!(data_limit(&many), DataLimit::Members { asked });
    let few = (0..20).map(|number| (format!("{number}.json"), TASK.into()));
    assert_eq!(data::load(&archive(&folder, few)).unwrap().tasks.len(), 20);
}

#[test]
fn the_values_of_all_files_are_bounded_together() {
    let folder = TempDir::new().unwrap();
    // Each takes a little more than a third of the limit.
    let zeros = "0,".repeat((MAX_DATA_BYTES / JSON_VALUE_BYTES) as usize * 35 / 100);
    for name in ["a", "b"] {
        fs::write(
            folder.path().join(name).with_extension("json"),
            format!("[{zeros}0]"),
        )
        .unwrap();
    }
    fs::write(folder.path().join("task.json"), TASK).unwrap();
    let found = data::load(folder.path()).unwrap();
    assert_eq!((found.tasks.len(), found.notes.len()), (1, 2));
    fs::write(folder.path().join("c.json"), format!("[{zeros}0]")).unwrap();
    assert_eq!(data_limit(folder.path()), DataLimit::Bytes);
}

#[test]
fn large_and_endless_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("large");
    sparse(&file, MAX_DATA_BYTES + 1);
    assert_eq!(data_limit(&file), DataLimit::Bytes);
    sparse(&file, MAX_PROGRAM_BYTES + 1);
    for path in [&*file, Path::new("/dev/zero")] {
        let error = program::read(path, Dialect::Auto, Cells::Triple).unwrap_err();
        assert!(
            matches!(error, ProgramFileError::TooLarge { .. }),
            "{error}"
        );
        let error = golden::read(path).unwrap_err();
        assert!(
            matches!(error, golden::GoldenError::TooLarge { .. }),
            "{error}"
        );
    }
}

#[test]
fn pipes_in_folders_are_left_out() {
    let folder = TempDir::new().unwrap();
    for name in ["a.json", "a.vectors", "a.py"] {
        let made = Command::new("mkfifo")
            .arg(folder.path().join(name))
            .status();
        assert!(made.unwrap().success());
    }
    fs::write(folder.path().join("task.json"), TASK).unwrap();
    fs::write(folder.path().join("b.vectors"), "add 1 1 -> 2").unwrap();
    let found = data::load(folder.path()).unwrap();
    assert_eq!(found.tasks.len(), 1);
    assert!(
        found.notes[0].ends_with("a.json: left out, no regular file"),
        "{:?}",
        found.notes
    );
    assert_eq!(golden::read(folder.path()).unwrap().len(), 1);
    assert!(program::files(folder.path()).unwrap().is_empty());
}

#[test]
fn errors_of_a_program_file_are_bounded() {
    let loaded = load(&")\n".repeat(2 * MAX_PROGRAM_ERRORS), "bad.py");
    assert_eq!(loaded.errors.len(), MAX_PROGRAM_ERRORS);
    let last = loaded.errors.last().unwrap();
    assert_eq!(last.line as usize, MAX_PROGRAM_ERRORS);
    assert!(last.hint.ends_with("the rest is not read"), "{last}");
    // A line of NULs, and a name as long as the file: few tokens, and a short message.
    for text in ["\0".repeat(1 << 20), "x".repeat(1 << 20)] {
        let text = format!("def solve_a(I):\n    y = {text}(I)\n    return y\n");
        let [error] = &load(&text, "bad.py").errors[..] else {
            panic!("one error was expected");
        };
        assert!(error.to_string().len() < 1_000);
    }
}

/// A chain of transforms, and transforms that branch off it.
fn chain(lines: usize, branches: usize) -> CallGraph {
    let mut text = "def solve_chain(I):\n    x0 = rot90(I)\n".to_owned();
    for line in 1..lines {
        let _ = writeln!(text, "    x{line} = rot90(x{})", line - 1);
    }
    let _ = writeln!(text, "    return x{}", lines - 1);
    for branch in 0..branches {
        let from = lines - 1 - branch;
        let _ = write!(text, "def solve_{branch}(I):\n    x0 = rot90(I)\n");
        for line in 1..=from {
            let _ = writeln!(text, "    x{line} = rot90(x{})", line - 1);
        }
        let _ = write!(text, "    y = hmirror(x{from})\n    return y\n");
    }
    let loaded = load(&text, "chain.py");
    assert_eq!(loaded.errors, []);
    CallGraph::merge(&loaded.programs)
}

#[test]
fn runs_of_transforms_are_in_proportion_to_the_plan() {
    let graph = chain(300, 100);
    assert_eq!(graph.nodes.len(), 400);
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for pattern in patterns(&graph) {
        assert_eq!(pattern.kind, PatternKind::TransformRun);
        runs.push(pattern.nodes);
    }
    // The last node of the chain is continued by one branch, the others have a run of their own.
    assert_eq!(runs.len(), 100);
    assert_eq!(runs[0].len(), 301);
    assert!(runs[1..].iter().all(|run| run.len() == 2));
    // Time and memory that grow with the square would not end.
    let long = patterns(&chain(200_000, 0));
    assert_eq!((long.len(), long[0].nodes.len()), (1, 200_000));
}

#[test]
fn a_plan_cut_at_any_line_is_refused() {
    let text = heddle_testing::programs(&["largest", "largest_turned", "modes", "samples"]);
    let programs = load(&text, "ours.py").programs;
    let text = plan::write(&CallGraph::merge(&programs));
    assert!(text.contains("# object-modes: "), "{text}");
    plan::read(&text, "plan.py").unwrap();
    let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end + 1).collect();
    for end in &ends[..ends.len() - 1] {
        let error = plan::read(&text[..*end], "plan.py").unwrap_err();
        assert!(!error.to_string().is_empty(), "{error}");
        assert!(matches!(error, PlanTextError::Counts { .. }), "{error}");
    }
    let lines: Vec<&str> = text.lines().collect();
    for dropped in 0..lines.len() {
        let mut rest = lines.clone();
        rest.remove(dropped);
        assert!(
            plan::read(&rest.join("\n"), "plan.py").is_err(),
            "{}",
            lines[dropped]
        );
    }
    let counts = "# heddle plan 1: 1 program, 1 call, 1 distinct";
    let one = "def plan(S, I, C):\n    t1 = rot90(I)\n    solve_a = program(I, t1)\n";
    let read = |text: String| plan::read(&text, "plan.py").map_err(|error| error.to_string());
    assert!(read(format!("{counts}\n{one}    return solve_a\n")).is_ok());
    let hint = "the plan was cut or changed: merge its programs again with `heddle arc merge`";
    assert_eq!(
        read(format!("{counts}\n{one}    return solve_b\n")).unwrap_err(),
        format!("plan.py:5: `return` does not name the programs above in their order; {hint}")
    );
    assert_eq!(
        read(format!("# heddle plan 1\n{one}    return solve_a\n")).unwrap_err(),
        format!("plan.py:1: the counts of its lines are missing; {hint}")
    );
    let many = counts.replace("1 call", &format!("{} calls", MAX_PLAN_CALLS + 1));
    let error = read(format!("{many}\n{one}    return solve_a\n")).unwrap_err();
    assert!(
        error.contains("merge fewer programs into one plan"),
        "{error}"
    );
}
