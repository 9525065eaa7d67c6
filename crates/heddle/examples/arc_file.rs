//! Writes tasks and programs to files, loads them, and counts the tasks that the programs
//! solve. With files of your own, only the second half is needed.
//!
//! `cargo run --release -p heddle --example arc_file`

use std::error::Error;
use std::path::Path;
use std::{env, fs, process};

use heddle::arc::assess::{Pairing, Status, assess};
use heddle::arc::data::{self, Task};
use heddle::arc::engine::Grid;
use heddle::arc::gpu::LaunchSettings;
use heddle::arc::meter::Budget;
use heddle::arc::operations::{EvaluationSettings, WorkerPool};
use heddle::arc::{program, tasks};

/// A task as ARC writes it: `{"train": [pairs], "test": [pairs]}`.
fn json(task: &Task) -> String {
    let rows = |grid: &Grid| format!("{:?}", grid.rows().collect::<Vec<_>>());
    let pairs = |pairs: &[(Grid, Grid)]| {
        let pairs = pairs.iter();
        let texts = pairs.map(|(input, output)| {
            format!(
                r#"{{"input": {}, "output": {}}}"#,
                rows(input),
                rows(output)
            )
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    let (train, test) = (pairs(&task.train), pairs(&task.test));
    format!(r#"{{"train": [{train}], "test": [{test}]}}"#)
}

/// Writes the built-in tasks, one file each, and the programs for them.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder.join("tasks"))?;
    for task in &tasks::dataset(1).tasks {
        fs::write(folder.join(format!("tasks/{}.json", task.id)), json(task))?;
    }
    fs::write(folder.join("programs.py"), tasks::PROGRAMS)?;
    Ok(())
}

// `pub(crate)` so that a test can call it; a program of your own writes `fn main`.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("heddle-arc-file-{}", process::id()));
    write(&folder)?;

    // A folder, a JSON file, or a zip of these.
    let dataset = data::load(&folder.join("tasks"))?;
    // A program that cannot be parsed is an error with file and line; the rest is loaded.
    let text = fs::read_to_string(folder.join("programs.py"))?;
    let loaded = program::load(&text, "programs.py");
    assert!(loaded.errors.is_empty());

    // Runs each program on the task it is named after; `Pairing::All` runs each on all.
    let runtime = heddle::open()?;
    let crew = WorkerPool::new(Budget::default());
    let chosen: Vec<&Task> = dataset.tasks.iter().collect();
    let assessment = assess(
        &runtime,
        &loaded.programs,
        &chosen,
        Pairing::Own,
        &EvaluationSettings::of(&crew),
        LaunchSettings::default(),
    )?;
    let results = assessment.results.iter();
    let solved = results.filter(|result| result.status() == Some(Status::Solved));
    let (solved, evaluations) = (solved.count(), assessment.evaluations);
    println!(
        "{solved} of {} tasks solved, {evaluations} evaluations",
        chosen.len()
    );
    assert_eq!(solved, chosen.len());
    fs::remove_dir_all(&folder)?;
    Ok(())
}
