//! Programs over grids on one CPU core, alone and merged.

#![allow(missing_docs, reason = "criterion's macros write the entry points")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot start has failed")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle_arc::assess::{Grade, Pairing, assess};
use heddle_arc::data::Task;
use heddle_arc::engine::{EvaluationRef, Example, Grid, Worker};
use heddle_arc::gpu::LaunchSettings;
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use heddle_runtime::{Config, Runtime};
use std::hint::black_box;

fn grids() -> Vec<Grid> {
    (0..64_i32)
        .map(|n| {
            let rows: Vec<Vec<i8>> = (0..10 + n % 9)
                .map(|i| {
                    (0..9 + n % 11)
                        .map(|j| ((i / 3 * 7 + j / 4 * 5 + n) % 4) as i8)
                        .collect()
                })
                .collect();
            Grid::new(&rows).unwrap()
        })
        .collect()
}

fn evaluate(criterion: &mut Criterion) {
    let text = heddle_testing::programs(&["largest", "boxes", "closed", "cells"]);
    let programs = load(&text, "bench.py").programs;
    let grids = grids();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let alone: Vec<Plan> = programs
        .iter()
        .map(|program| Plan::new(std::slice::from_ref(program)))
        .collect();
    let merged = Plan::new(&programs);
    let mut worker = Worker::new(Budget::default());
    let mut group = criterion.benchmark_group("cpu/evaluate");
    group.throughput(Throughput::Elements(
        (programs.len() * examples.len()) as u64,
    ));
    group.bench_function("alone", |bencher| {
        bencher.iter(|| {
            for plan in &alone {
                worker.run(plan, &examples, |_, _, evaluation| {
                    black_box(matches!(evaluation, EvaluationRef::Defined { .. }));
                });
            }
        });
    });
    group.bench_function("merged", |bencher| {
        bencher.iter(|| {
            worker.run(&merged, &examples, |_, _, evaluation| {
                black_box(matches!(evaluation, EvaluationRef::Defined { .. }));
            });
        });
    });
    group.finish();
}

const MIRROR: &str = "
def solve_mirror(I):
    O = vmirror(I)
    return O
";

/// The number of pairs, and of pairs in a task where there are many tasks.
const PAIRS: usize = 20_000;
const PAIRS_OF_A_TASK: usize = 4;

/// Tasks of `pairs_of_a_task` pairs, with grids of 88 cells on average; every second output
/// is right.
fn tasks(pairs_of_a_task: usize) -> Vec<Task> {
    let grid = |n: usize, mirrored: bool| {
        let (height, width) = (5 + n % 9, 5 + n / 9 % 11);
        let rows: Vec<Vec<i8>> = (0..height)
            .map(|i| {
                let cells = (0..width).map(|j| ((i * 7 + j * 5 + n) % 10) as i8);
                if mirrored {
                    cells.rev().collect()
                } else {
                    cells.collect()
                }
            })
            .collect();
        Grid::new(&rows).unwrap()
    };
    let pair = |n: usize| (grid(n, false), grid(n, n.is_multiple_of(2)));
    (0..PAIRS / pairs_of_a_task)
        .map(|task| {
            let first = task * pairs_of_a_task;
            let last = first + pairs_of_a_task - 1;
            Task {
                id: format!("{task:06}").into(),
                train: (first..last).map(pair).collect(),
                test: vec![pair(last)],
            }
        })
        .collect()
}

/// The overhead of an evaluation: a very cheap program on very many grids.
fn overhead(criterion: &mut Criterion) {
    let programs = load(MIRROR, "bench.py").programs;
    let plan = Plan::new(&programs);
    let mut group = criterion.benchmark_group("cpu/one-program");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for (name, pairs_of_a_task) in [("one-task", PAIRS), ("many-tasks", PAIRS_OF_A_TASK)] {
        let tasks = tasks(pairs_of_a_task);
        let tasks: Vec<&Task> = tasks.iter().collect();
        let examples: Vec<Vec<Example<'_>>> =
            tasks.iter().map(|task| task.examples().collect()).collect();
        let outputs: Vec<Vec<&Grid>> = tasks
            .iter()
            .map(|task| task.pairs().map(|(_, output)| output).collect())
            .collect();
        let mut worker = Worker::new(Budget::default());
        group.bench_function(format!("engine/{name}"), |bencher| {
            bencher.iter(|| {
                for (examples, outputs) in examples.iter().zip(&outputs) {
                    worker.run(&plan, examples, |example, _, evaluation| {
                        black_box(Grade::of(&evaluation, outputs[example]));
                    });
                }
            });
        });
        let worker_pool = WorkerPool::new(Budget::default());
        for threads in [1, 2] {
            let config = Config::default().with(|it| it.threads = Some(threads));
            let runtime = Runtime::builder()
                .config(config)
                .without_model_cache()
                .build();
            let runtime = runtime.unwrap();
            let launch = LaunchSettings::default();
            group.bench_function(format!("assess/{name}/threads-{threads}"), |bencher| {
                bencher.iter(|| {
                    let settings = EvaluationSettings::of(&worker_pool);
                    let pairing = Pairing::All;
                    assess(&runtime, &programs, &tasks, pairing, &settings, launch).unwrap()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, evaluate, overhead);
criterion_main!(benches);
