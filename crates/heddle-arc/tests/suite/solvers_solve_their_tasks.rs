//! Every committed program solves every pair of its ARC task.
//!
//! The test needs ARC tasks, which `HEDDLE_ARC_DATA` names. `./test` sets the variable and
//! runs the tests that are ignored without it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::assess::{Pairing, Status, assess};
use heddle_arc::data::{Task, load as load_data};
use heddle_arc::gpu::LaunchSettings;
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool, by_device};
use heddle_arc::program::{Program, load};
use heddle_arc::solvers::FILES;
use heddle_arc::types::infer;
use heddle_runtime::Runtime;
use heddle_testing::arc_tasks;
use std::collections::BTreeSet;

fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for (file, text) in FILES {
        let loaded = load(text, file);
        assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
        programs.extend(loaded.programs);
    }
    programs
}

#[test]
#[ignore = "needs ARC tasks: HEDDLE_ARC_DATA"]
fn every_program_solves_its_arc_task() {
    let programs = programs();
    let data = load_data(&arc_tasks()).unwrap();
    let tasks: Vec<&Task> = data.tasks.iter().collect();
    let runtime = Runtime::builder().build().unwrap();
    let worker_pool = WorkerPool::new(Budget::default());
    let settings = EvaluationSettings::of(&worker_pool);
    let found = assess(
        &runtime,
        &programs,
        &tasks,
        Pairing::Own,
        &settings,
        LaunchSettings::default(),
    )
    .unwrap();
    assert_eq!(found.results.len(), programs.len(), "tasks are missing");
    let unsolved: Vec<&str> = found
        .results
        .iter()
        .filter(|result| result.status() != Some(Status::Solved))
        .map(|result| &*tasks[result.task].id)
        .collect();
    assert!(unsolved.is_empty(), "not solved: {unsolved:?}");
    assert_eq!(by_device(&runtime)["cpu"], found.evaluations);
}

#[test]
fn programs_are_well_typed_and_read_back() {
    let programs = programs();
    let names: BTreeSet<&str> = programs.iter().map(Program::task).collect();
    assert_eq!(names.len(), programs.len(), "two programs for one task");
    assert!(programs.len() >= 120);
    for program in programs {
        let warnings = infer(&program).warnings;
        assert!(warnings.is_empty(), "{warnings:?}");
        let again = load(&program.to_string(), "again.py");
        assert_eq!(again.programs, [program]);
    }
}
