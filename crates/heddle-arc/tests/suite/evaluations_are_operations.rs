//! Evaluations are operations of the runtime: they record the device they ran on, report
//! progress, and stop between blocks of examples when cancelled.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::engine::{EvaluationRef, Example, Grid, Tile, evaluate_with};
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EVALUATE, EvaluationSettings, WorkerPool, by_device, evaluate_all};
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use heddle_arc::tasks::{PROGRAMS, dataset};
use heddle_runtime::batch::CancelToken;
use heddle_runtime::{Config, Runtime};
use std::sync::atomic::{AtomicU64, Ordering};

fn inputs() -> Vec<Grid> {
    let tasks = dataset(3).tasks;
    let pairs = tasks.iter().flat_map(|task| task.pairs().cloned());
    pairs.map(|(input, _)| input).collect()
}

fn is_defined(evaluation: &EvaluationRef<'_>) -> bool {
    matches!(evaluation, EvaluationRef::Defined { .. })
}

#[test]
fn pipeline_equals_engine_for_any_thread_count() {
    let plan = Plan::new(&load(PROGRAMS, "programs.py").programs);
    let inputs = inputs();
    let examples: Vec<Example<'_>> = inputs.iter().map(Example::new).collect();
    let budget = Budget::default();
    let expected = evaluate_with(&plan, &examples, budget, |_, _, v| v.to_evaluation());
    let tiles = [Tile {
        plan: &plan,
        examples: &examples,
    }];
    for threads in [1, 2, 5] {
        let config = Config::default().with(|it| it.threads = Some(threads));
        let runtime = Runtime::builder().config(config).build().unwrap();
        let worker_pool = WorkerPool::new(budget);
        let rows = evaluate_all(
            &runtime,
            &tiles,
            &EvaluationSettings::of(&worker_pool),
            |_, _, evaluation| evaluation.to_evaluation(),
        )
        .unwrap();
        let found: Vec<_> = rows.into_iter().map(|(_, row)| row.unwrap()).collect();
        assert_eq!(found, expected, "{threads} threads");
    }
}

#[test]
fn spans_record_device_and_evaluation_count() {
    let programs = load(PROGRAMS, "programs.py").programs;
    let plan = Plan::new(&programs);
    let inputs = inputs();
    let examples: Vec<Example<'_>> = inputs.iter().map(Example::new).collect();
    let tiles = [Tile {
        plan: &plan,
        examples: &examples,
    }; 12];
    let runtime = Runtime::builder().build().unwrap();
    assert!(by_device(&runtime).is_empty());
    let worker_pool = WorkerPool::new(Budget::default());
    let shown = AtomicU64::new(0);
    let progress = |count| {
        shown.fetch_add(count, Ordering::Relaxed);
    };
    let settings = EvaluationSettings::of(&worker_pool).with(|it| it.progress = &progress);
    let rows = evaluate_all(&runtime, &tiles, &settings, |_, _, v| is_defined(&v)).unwrap();
    let made: usize = rows.iter().flat_map(|(_, row)| row).map(Vec::len).sum();
    assert_eq!(made, 12 * programs.len() * examples.len());
    assert_eq!(shown.into_inner(), made as u64);
    assert_eq!(by_device(&runtime)["cpu"], made as u64);
    // The job is large enough for several operations, each with a span in the report.
    let report = runtime.report();
    let row = report
        .summary
        .rows
        .iter()
        .find(|row| row.operation == EVALUATE.name())
        .unwrap();
    assert!(row.totals.count > 1, "{row:?}");
}

#[test]
fn cancelled_jobs_start_nothing() {
    let plan = Plan::new(&load(PROGRAMS, "programs.py").programs);
    let inputs = inputs();
    let examples: Vec<Example<'_>> = inputs.iter().map(Example::new).collect();
    let tiles = [Tile {
        plan: &plan,
        examples: &examples,
    }];
    let runtime = Runtime::builder().build().unwrap();
    let worker_pool = WorkerPool::new(Budget::default());
    let token = CancelToken::new();
    let stop = token.clone();
    let progress = |_| stop.cancel();
    let settings = EvaluationSettings::of(&worker_pool).with(|it| {
        it.token = token;
        it.progress = &progress;
    });
    let rows = evaluate_all(&runtime, &tiles, &settings, |_, _, v| is_defined(&v)).unwrap();
    assert_eq!(rows.len(), examples.len());
    let done = rows.iter().filter(|(_, row)| row.is_some()).count();
    // The first block cancels; blocks already running on other threads end.
    assert!(done >= 1 && done < examples.len(), "{done} done");
}
