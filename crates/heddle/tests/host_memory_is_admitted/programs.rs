//! Programs and their results.

use heddle::arc::assess::{Pairing, assess};
use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Tile};
use heddle::arc::gpu::LaunchSettings;
use heddle::arc::meter::Budget;
use heddle::arc::operations::{EvaluationSettings, WorkerPool, evaluate_all};
use heddle::arc::plan::Plan;
use heddle::arc::program::{Dialect, ProgramFileError, load, read};
use heddle::arc::reading::Cells;
use heddle::arc::tasks::dataset;
use heddle::memory::set_host_limit;
use heddle::units::Bytes;
use heddle::{Error, Runtime};
use std::fmt::Write;

use super::Turn;

fn assert_refused<T>(what: &str, result: Result<T, Error>) {
    match result {
        Err(Error::OutOfMemory { .. }) => {}
        Err(error) => panic!("{what}: another error: {error}"),
        Ok(_) => panic!("{what}: granted"),
    }
}

#[test]
fn programs_and_their_results_are_errors() {
    let _turn = Turn::take();
    let mut text = String::new();
    for number in 0..20_000 {
        writeln!(
            text,
            "def solve_{number}(I):\n    O = rot90(I)\n    return O"
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("programs.py");
    std::fs::write(&file, &text).unwrap();
    let programs = load(&text, "programs.py").programs;
    let tasks = dataset(1).tasks;
    let tasks: Vec<&Task> = tasks.iter().collect();
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let worker_pool = WorkerPool::new(Budget::default());
    let settings = EvaluationSettings::of(&worker_pool);
    let plan = Plan::new(&programs);
    let examples: Vec<Example<'_>> = tasks.iter().flat_map(|task| task.examples()).collect();
    let tiles = [Tile {
        plan: &plan,
        examples: &examples,
    }];
    // Whatever is a megabyte or more is more than this.
    set_host_limit(Bytes(1));
    let launch = LaunchSettings::default();
    let assessed = assess(&runtime, &programs, &tasks, Pairing::All, &settings, launch);
    assert_refused("attempts", assessed);
    assert_refused(
        "grades",
        evaluate_all(&runtime, &tiles, &settings, |_, _, _| 0_u64),
    );
    match read(&file, Dialect::Classic, Cells::Triple) {
        Err(ProgramFileError::Memory { source, .. }) => assert_refused::<()>("file", Err(source)),
        Err(error) => panic!("file: another error: {error}"),
        Ok(_) => panic!("file: granted"),
    }
}
