//! The built-in tasks are solved by their programs and cover the language.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::assess::{Pairing, Status, assess};
use heddle_arc::data::{MAX_GRID_SIDE, Task};
use heddle_arc::gpu::LaunchSettings;
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::prim::{Prim, PrimFamily};
use heddle_arc::program::{CallArgument, Callee, Program, load};
use heddle_arc::tasks::{PROGRAMS, dataset, generators};
use heddle_runtime::Runtime;
use std::collections::{BTreeMap, BTreeSet};

fn programs() -> Vec<Program> {
    let loaded = load(PROGRAMS, "programs.py");
    assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
    loaded.programs
}

#[test]
fn every_task_of_many_seeds_is_solved() {
    let runtime = Runtime::builder().build().unwrap();
    let worker_pool = WorkerPool::new(Budget::default());
    let programs = programs();
    for seed in 0..40 {
        let data = dataset(seed);
        let tasks: Vec<&Task> = data.tasks.iter().collect();
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
        assert_eq!(found.results.len(), tasks.len(), "a task has no program");
        for result in &found.results {
            let task = tasks[result.task];
            assert_eq!(
                result.status(),
                Some(Status::Solved),
                "{} of seed {seed}",
                task.id
            );
        }
    }
}

#[test]
fn equal_seeds_give_equal_tasks_and_other_seeds_other_tasks() {
    assert_eq!(dataset(5), dataset(5));
    let (a, b) = (dataset(5), dataset(6));
    let same = a.tasks.iter().zip(&b.tasks).filter(|(a, b)| a == b);
    assert_eq!(same.count(), 0);
    // The pairs of a task differ as well, and are valid ARC grids.
    for task in &a.tasks {
        assert_eq!((task.train.len(), task.test.len()), (4, 2), "{}", task.id);
        let inputs: BTreeSet<&[i8]> = task.pairs().map(|(input, _)| input.cells()).collect();
        assert!(inputs.len() >= 4, "{} repeats itself", task.id);
        for (input, output) in task.pairs() {
            for grid in [input, output] {
                assert!(grid.height() <= MAX_GRID_SIDE && grid.width() <= MAX_GRID_SIDE);
                assert!(grid.cells().iter().all(|cell| (0..=9).contains(cell)));
            }
        }
    }
}

fn primitives(program: &Program) -> BTreeSet<Prim> {
    let called = program.calls.iter().filter_map(|call| match call.callee {
        Callee::Prim(prim) => Some(prim),
        _ => None,
    });
    let passed = program.calls.iter().flat_map(|call| &call.arguments);
    let passed = passed.filter_map(|argument| match argument {
        CallArgument::Prim(prim) => Some(*prim),
        _ => None,
    });
    called.chain(passed).collect()
}

#[test]
fn forty_tasks_cover_every_family() {
    let programs: BTreeMap<String, Program> = programs()
        .into_iter()
        .map(|program| (program.task().to_owned(), program))
        .collect();
    let mut families: BTreeMap<PrimFamily, usize> = BTreeMap::new();
    for generator in generators() {
        *families.entry(generator.family).or_default() += 1;
        let used = primitives(&programs[generator.name]);
        assert!(
            used.iter().any(|prim| prim.family() == generator.family),
            "the program of {} has no primitive of its family",
            generator.name
        );
    }
    let all: BTreeSet<PrimFamily> = Prim::ALL.iter().map(|prim| prim.family()).collect();
    assert_eq!(families.keys().copied().collect::<BTreeSet<_>>(), all);
    assert!(families.values().all(|count| *count >= 4), "{families:?}");
    assert!(generators().count() >= 40);
}
