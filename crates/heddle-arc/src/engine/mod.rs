//! The CPU engine: plans over examples.
//!
//! A [`Tile`] is a plan and some examples. A [`Worker`] runs a tile on one thread and
//! passes every evaluation to a sink as it is made. Once a worker has allocated what its
//! plans need, it allocates nothing more. [`evaluate_with`] splits examples among threads.
//!
//! Invariant: a result depends neither on the other programs of the plan nor on the order
//! of the work. A step that several programs need runs once for each example, with the
//! first of them; a step of one program runs with it, and its memory is freed when that
//! program is done. In both cases the steps and bytes charged to an evaluation are the
//! sums over the steps it needs. Programs run one after another on a block of examples,
//! slow evaluations last.

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

/// The outcome of one evaluation, as an owned value.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation {
    /// The value the program returned.
    Defined(Plain),
    /// Why it returned none.
    Undefined(Undefined),
}

/// The result of one pass over some examples.
struct PassResult<T> {
    tile: usize,
    /// Example, program and grade.
    graded: Vec<(usize, usize, T)>,
    deferred: Vec<Deferred>,
}

/// The number of deferred evaluations in one task of a thread.
const DEFERRED_PER_TASK: usize = 64;

/// Runs a plan over examples on the threads of [`CpuPool::shared`] and keeps what `grade`
/// returns for each evaluation. The result has one row for each example, in order, and in
/// each row one grade for each program.
///
/// Values stay in memory only while they are graded: comparing a value needs no copy,
/// keeping it does.
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
    // A program's cost is unknown before it has run; assume that threads pay.
    let cost = Bytes(u64::MAX);
    let passed = pool.map(cost, tiles.iter().enumerate(), |(tile, examples)| {
        let mut graded = Vec::with_capacity(plan.len() * examples.len());
        let mut deferrals = DeferredEvaluations {
            deferred: Vec::new(),
            speeds: &speeds,
        };
        let mut report = |index: usize, program: usize, evaluation: EvaluationRef<'_>| {
            let example = tile * length + index;
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
            let mut report = |index: usize, program: usize, evaluation: EvaluationRef<'_>| {
                let example = tile * length + index;
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
    // Every program was graded on every example, in one of the passes.
    rows.into_iter()
        .map(|row| row.into_iter().flatten().collect())
        .collect()
}

/// The number of examples in one tile. There are a few tiles for each thread, so that
/// threads wait little for the last one.
fn tile_length(examples: usize, threads: usize) -> usize {
    (examples / (4 * threads)).clamp(1, worker::BLOCK)
}

/// [`evaluate_with`] keeping a copy of every value or fault.
#[must_use]
pub fn evaluate(plan: &Plan, examples: &[Example<'_>], budget: Budget) -> Vec<Vec<Evaluation>> {
    evaluate_with(plan, examples, budget, |_, _, evaluation| {
        evaluation.to_evaluation()
    })
}
