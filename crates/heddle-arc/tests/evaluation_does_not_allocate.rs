//! A worker allocates nothing once it has allocated what its plan needs.
//!
//! The committed programs need ARC tasks: `HEDDLE_ARC_DATA` names them.
//!
//! This is a test binary of its own because it counts the allocations of the process.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::data::{Task, load as load_data};
use heddle_arc::engine::{EvaluationRef, Example, Grid, Tile, Worker};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::{Program, load};
use heddle_arc::solvers::FILES;

#[test]
fn evaluations_do_not_allocate() {
    let text = heddle_testing::programs(&["objects", "shapes", "rays", "faulty"]);
    let loaded = load(&text, "ours.py");
    assert_eq!(loaded.errors, []);
    let plan = Plan::new(&loaded.programs);
    let grids: Vec<Grid> = (0..20_i8)
        .map(|n| {
            let rows: Vec<Vec<i8>> = (0..6 + n % 5)
                .map(|i| (0..5 + n % 7).map(|j| (i * j + n) % 4).collect())
                .collect();
            Grid::new(&rows).unwrap()
        })
        .collect();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let work = Tile {
        plan: &plan,
        examples: &examples,
    };
    assert_eq!(work.evaluations(), 80);
    assert_eq!(
        work.bytes_in(),
        grids.iter().map(|grid| grid.cells().len()).sum::<usize>()
    );
    let mut worker = Worker::new(Budget::default());
    let tile = |worker: &mut Worker| {
        let mut defined = 0;
        work.run(worker, |_, _, evaluation| {
            defined += usize::from(matches!(evaluation, EvaluationRef::Defined { .. }));
        });
        defined
    };
    let warm = tile(&mut worker);
    assert_eq!(warm, 60, "the faulty program fails on all of 20");
    let held = worker.held_bytes();
    let info = allocation_counter::measure(|| {
        for _ in 0..50 {
            assert_eq!(tile(&mut worker), warm);
        }
    });
    assert_eq!(info.count_total, 0);
    assert_eq!(worker.held_bytes(), held);
}

/// Every 23rd example is run: other tasks of all sizes, where one in a few hundred
/// evaluations meets rows that are not a grid or an outline that no mask can hold.
const EVERY: usize = 23;

#[test]
#[ignore = "needs ARC tasks: HEDDLE_ARC_DATA"]
fn programs_on_other_arc_tasks_do_not_allocate() {
    let data = load_data(&heddle_testing::arc_tasks()).unwrap();
    let programs: Vec<Program> = FILES
        .iter()
        .flat_map(|(file, text)| load(text, file).programs)
        .collect();
    let examples: Vec<Example<'_>> = data
        .tasks
        .iter()
        .filter(|task| programs.iter().any(|program| program.task() == &*task.id))
        .flat_map(Task::examples)
        .step_by(EVERY)
        .collect();
    assert!(examples.len() >= 60, "only {} examples", examples.len());
    let merged = Plan::new(&programs);
    let mut worker = Worker::new(Budget::default());
    let mut tile = || {
        let mut defined = 0;
        worker.run(&merged, &examples, |_, _, evaluation| {
            defined += usize::from(matches!(evaluation, EvaluationRef::Defined { .. }));
        });
        defined
    };
    // The first runs find out which programs are slow, and list their evaluations.
    let warm = [tile(), tile(), tile(), tile()];
    assert!(warm[0] > merged.len() * examples.len() / 2);
    let info = allocation_counter::measure(|| assert_eq!([tile(), tile()], warm[2..]));
    assert_eq!(info.count_total, 0);
}
