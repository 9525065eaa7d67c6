//! The CPU engine: plans over examples.
//!
//! A [`Tile`] of work is a plan and some examples; a [`Worker`] does one, on
//! one thread, and hands every evaluation to a sink as it is made. Nothing
//! is allocated once a worker has grown to what its plans need. [`evaluate_with`]
//! spreads examples over threads.
//!
//! The one thing to know: a step several programs need runs once for each
//! example, with the first of them that gets there; what only one program needs
//! runs with it, and its memory is taken back when that program is done. An
//! evaluation's steps and bytes are the sums of what its own steps cost, so a
//! result does not depend on what else was in the plan, nor on the order in
//! which the work is done: program by program on a few examples at a time, and
//! last what takes long.

mod evaluation;
mod example;
mod primitive_times;
mod slots;
mod speed;
mod tile;
mod worker;

pub use evaluation::{EvaluationRef, Undefined};
pub use example::{Example, Grid, GridError};
pub use primitive_times::PrimitiveTimes;
pub use tile::Tile;
pub use worker::Worker;

pub(crate) use self::worker::BLOCK;

use self::speed::SpeedEstimate;
use self::worker::{Deferred, DeferredEvaluations};
use crate::meter::Budget;
use crate::operations::WorkerPool;
use crate::plain::Plain;
use crate::plan::Plan;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;

/// What became of one evaluation, on its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation {
    /// The value the program returned.
    Defined(Plain),
    /// Why it returned none.
    Undefined(Undefined),
}

/// What a look at some examples of a tile has brought.
struct PassResult<T> {
    tile: usize,
    /// Judgements by example and program.
    graded: Vec<(usize, usize, T)>,
    deferred: Vec<Deferred>,
}

/// Evaluations that were put off and are caught up with by one thread at a time.
const DEFERRED_PER_TASK: usize = 64;

/// Runs a plan over examples on the threads of [`CpuPool::shared`] and keeps what
/// `grade` makes of each verdict. The result has one row for each example, in
/// order, and in it one judgement for each program.
///
/// Values stay in memory only while they are judged: comparing one with what
/// was expected costs nothing, keeping it costs a copy.
pub fn evaluate_with<T: Send>(
    plan: &Plan,
    examples: &[Example<'_>],
    budget: Budget,
    grade: impl Fn(usize, usize, EvaluationRef<'_>) -> T + Sync,
) -> Vec<Vec<T>> {
    let pool = CpuPool::shared();
    let worker_pool = WorkerPool::new(budget);
    let new_paces =
        || -> Vec<SpeedEstimate> { (0..plan.len()).map(|_| SpeedEstimate::default()).collect() };
    let length = tile_length(examples.len(), pool.threads());
    let tiles: Vec<&[Example<'_>]> = examples.chunks(length).collect();
    let speeds = new_paces();
    // What a program costs is not known before it ran; threads are worth it.
    let cost = Bytes(u64::MAX);
    let passed = pool.map(cost, tiles.iter().enumerate(), |(tile, examples)| {
        let mut graded = Vec::with_capacity(plan.len() * examples.len());
        let mut deferrals = DeferredEvaluations {
            deferred: Vec::new(),
            speeds: &speeds,
        };
        let mut report = |place: usize, program: usize, evaluation: EvaluationRef<'_>| {
            let example = tile * length + place;
            graded.push((example, program, grade(example, program, evaluation)));
        };
        let mut worker = worker_pool.take();
        worker.first_pass(plan, examples, &mut deferrals, &mut report);
        worker_pool.give_back(worker);
        PassResult {
            tile,
            graded,
            deferred: deferrals.deferred,
        }
    });
    let speeds = new_paces();
    let again = |passed: &[PassResult<T>], last: bool| -> Vec<PassResult<T>> {
        let few: Vec<(usize, &[Deferred])> = passed
            .iter()
            .flat_map(|passed| {
                let few = passed.deferred.chunks(DEFERRED_PER_TASK);
                few.map(|few| (passed.tile, few))
            })
            .collect();
        pool.map(cost, few.into_iter(), |(tile, deferred)| {
            let mut graded = Vec::with_capacity(deferred.len());
            let mut deferrals = DeferredEvaluations {
                deferred: Vec::new(),
                speeds: &speeds,
            };
            let mut report = |place: usize, program: usize, evaluation: EvaluationRef<'_>| {
                let example = tile * length + place;
                graded.push((example, program, grade(example, program, evaluation)));
            };
            let mut worker = worker_pool.take();
            if last {
                worker.last_pass(plan, tiles[tile], deferred, &mut report);
            } else {
                worker.second_pass(plan, tiles[tile], deferred, &mut deferrals, &mut report);
            }
            worker_pool.give_back(worker);
            PassResult {
                tile,
                graded,
                deferred: deferrals.deferred,
            }
        })
    };
    let second_passed = again(&passed, false);
    let last_passed = again(&second_passed, true);
    let mut rows: Vec<Vec<Option<T>>> = examples
        .iter()
        .map(|_| (0..plan.len()).map(|_| None).collect())
        .collect();
    for passed in [passed, second_passed, last_passed].into_iter().flatten() {
        for (example, program, grade) in passed.graded {
            rows[example][program] = Some(grade);
        }
    }
    // Every program was judged on every example, now or later.
    rows.into_iter()
        .map(|row| row.into_iter().flatten().collect())
        .collect()
}

/// Examples in one tile: a few tiles for each thread, so that none is left
/// waiting for the last.
fn tile_length(examples: usize, threads: usize) -> usize {
    (examples / (4 * threads)).clamp(1, worker::BLOCK)
}

/// [`evaluate_with`] a copy of every value or reason.
#[must_use]
pub fn evaluate(plan: &Plan, examples: &[Example<'_>], budget: Budget) -> Vec<Vec<Evaluation>> {
    evaluate_with(plan, examples, budget, |_, _, evaluation| {
        evaluation.to_evaluation()
    })
}
