//! Task files and archives. The first byte says how the rest is stored.
//!
//! What is read is a data set whose tasks are in order and whose grids are ARC's; anything
//! else is an error with a message.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use heddle_arc::data::{MAX_GRID_SIDE, Task, load};
use heddle_arc::engine::Grid;
use heddle_arc::tasks::dataset;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::scratch;

pub fn check(bytes: &[u8]) {
    let Some((storage, rest)) = bytes.split_first() else {
        return;
    };
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    match storage % 5 {
        0 => {
            write(&path("tasks.json"), rest);
            read(&path("tasks.json"));
        }
        1 => {
            write(&path("tasks.zip"), rest);
            read(&path("tasks.zip"));
            read(&path("tasks.zip/data"));
        }
        2 => {
            // A valid archive of a member that may be anything.
            let (name, content) = split(rest);
            let name = String::from_utf8_lossy(name);
            if let Some(archive) = archive(&name, content) {
                write(&path("tasks.zip"), &archive);
                read(&path("tasks.zip"));
            }
        }
        3 => {
            let (challenges, solutions) = split(rest);
            write(&path("a_challenges.json"), challenges);
            write(&path("a_solutions.json"), solutions);
            read(&path("a_challenges.json"));
            read(folder.path());
        }
        _ => {
            let (one, other) = split(rest);
            write(&path("one.json"), one);
            write(&path("other.json"), other);
            read(folder.path());
        }
    }
}

/// The parts before and after the first zero byte.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("the scratch folder can be written");
}

fn read(path: &Path) {
    match load(path) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(data) => {
            assert!(!data.tasks.is_empty());
            assert!(data.tasks.is_sorted_by(|a, b| a.id < b.id));
            for task in &data.tasks {
                assert_eq!(data.task(&task.id), Some(task));
                for (input, output) in task.pairs() {
                    assert_arc(input);
                    assert_arc(output);
                }
            }
        }
    }
}

fn assert_arc(grid: &Grid) {
    assert!((1..=MAX_GRID_SIDE).contains(&grid.height()));
    assert!((1..=MAX_GRID_SIDE).contains(&grid.width()));
    assert!(grid.cells().iter().all(|cell| (0..=9).contains(cell)));
}

/// An archive with one member; `None` for a name that no archive can hold.
fn archive(name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default()).ok()?;
    writer.write_all(content).ok()?;
    Some(writer.finish().ok()?.into_inner())
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut tasks = dataset(3).tasks;
    // Short seeds are changed in more places in the same time.
    tasks.retain(|task| task.pairs().all(|(input, _)| input.cells().len() < 60));
    tasks.truncate(8);
    let text = |value: Value| value.to_string().into_bytes();
    let file = |task: &Task| text(json(task, true));
    let mut seeds = Vec::new();
    for task in &tasks {
        let id = &*task.id;
        let whole = file(task);
        let set = text(json!({"train": {id: json(task, true)}, "eval": {id: json(task, true)}}));
        let tests = task.test.iter().map(|(_, output)| rows(output));
        let solutions = text(json!({id: tests.collect::<Vec<_>>()}));
        let challenges = text(json!({id: json(task, false)}));
        let packed = archive(&format!("data/{id}.json"), &whole).expect("the name is plain");
        seeds.push(stored(0, &[&whole]));
        seeds.push(stored(0, &[&set]));
        seeds.push(stored(1, &[&packed]));
        seeds.push(stored(2, &[format!("data/{id}.json").as_bytes(), &whole]));
        seeds.push(stored(3, &[&challenges, &solutions]));
        seeds.push(stored(4, &[&whole, &set]));
    }
    seeds
}

fn stored(storage: u8, parts: &[&[u8]]) -> Vec<u8> {
    [&[storage], parts.join(&0).as_slice()].concat()
}

fn json(task: &Task, with_answers: bool) -> Value {
    let pairs = |pairs: &[(Grid, Grid)], with_answers: bool| {
        let pair = |(input, output): &(Grid, Grid)| {
            if with_answers {
                json!({"input": rows(input), "output": rows(output)})
            } else {
                json!({"input": rows(input)})
            }
        };
        pairs.iter().map(pair).collect::<Value>()
    };
    json!({"train": pairs(&task.train, true), "test": pairs(&task.test, with_answers)})
}

fn rows(grid: &Grid) -> Value {
    grid.rows().map(<[_]>::to_vec).collect()
}
