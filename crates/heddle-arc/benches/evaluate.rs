//! Programs over grids on one core of the processor, alone and merged.

#![allow(missing_docs, reason = "criterion's macros write the entry points")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot start has failed")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle_arc::engine::{Example, Grid, Verdict, Worker};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use std::hint::black_box;

const PROGRAMS: &str = "
def solve_largest(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O

def solve_boxes(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(box, x1)
    O = underfill(I, FIVE, x2)
    return O

def solve_closed(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O

def solve_cells(I):
    x1 = asobject(I)
    x2 = compose(positive, first)
    x3 = sfilter(x1, x2)
    x4 = shift(x3, UNITY)
    O = paint(I, x4)
    return O
";

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
    let programs = load(PROGRAMS, "bench.py").programs;
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
                worker.run(plan, &examples, |_, _, verdict| {
                    black_box(matches!(verdict, Verdict::Defined { .. }));
                });
            }
        });
    });
    group.bench_function("merged", |bencher| {
        bencher.iter(|| {
            worker.run(&merged, &examples, |_, _, verdict| {
                black_box(matches!(verdict, Verdict::Defined { .. }));
            });
        });
    });
    group.finish();
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
