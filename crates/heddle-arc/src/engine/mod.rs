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

mod example;
mod pace;
mod slots;
mod tile;
mod times;
mod verdict;
mod worker;

pub use example::{Example, Grid, GridError};
pub use tile::Tile;
pub use times::PrimTimes;
pub use verdict::{Undefined, Verdict};
pub use worker::Worker;

pub(crate) use self::worker::BLOCK;

use self::pace::Pace;
use self::worker::{Later, PutOff};
use crate::meter::Budget;
use crate::plain::Plain;
use crate::plan::Plan;
use crate::road::Crew;
use heddle_runtime::cpu::Pool;
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
struct Looked<T> {
    tile: usize,
    /// Judgements by example and program.
    judged: Vec<(usize, usize, T)>,
    put_off: Vec<PutOff>,
}

/// Evaluations that were put off and are caught up with by one thread at a time.
const LATE_TOGETHER: usize = 64;

/// Runs a plan over examples on the threads of [`Pool::shared`] and keeps what
/// `judge` makes of each verdict. The result has one row for each example, in
/// order, and in it one judgement for each program.
///
/// Values stay in memory only while they are judged: comparing one with what
/// was expected costs nothing, keeping it costs a copy.
pub fn evaluate_with<T: Send>(
    plan: &Plan,
    examples: &[Example<'_>],
    budget: Budget,
    judge: impl Fn(usize, usize, Verdict<'_>) -> T + Sync,
) -> Vec<Vec<T>> {
    let pool = Pool::shared();
    let crew = Crew::new(budget);
    let new_paces = || -> Vec<Pace> { (0..plan.len()).map(|_| Pace::default()).collect() };
    let length = tile_length(examples.len(), pool.threads());
    let tiles: Vec<&[Example<'_>]> = examples.chunks(length).collect();
    let paces = new_paces();
    // What a program costs is not known before it ran; threads are worth it.
    let cost = Bytes(u64::MAX);
    let looked = pool.map(cost, tiles.iter().enumerate(), |(tile, examples)| {
        let mut judged = Vec::with_capacity(plan.len() * examples.len());
        let mut later = Later {
            put_off: Vec::new(),
            paces: &paces,
        };
        let mut sink = |place: usize, program: usize, verdict: Verdict<'_>| {
            let example = tile * length + place;
            judged.push((example, program, judge(example, program, verdict)));
        };
        let mut worker = crew.take();
        worker.first_look(plan, examples, &mut later, &mut sink);
        crew.give_back(worker);
        Looked {
            tile,
            judged,
            put_off: later.put_off,
        }
    });
    let paces = new_paces();
    let again = |looked: &[Looked<T>], last: bool| -> Vec<Looked<T>> {
        let few: Vec<(usize, &[PutOff])> = looked
            .iter()
            .flat_map(|looked| {
                let few = looked.put_off.chunks(LATE_TOGETHER);
                few.map(|few| (looked.tile, few))
            })
            .collect();
        pool.map(cost, few.into_iter(), |(tile, put_off)| {
            let mut judged = Vec::with_capacity(put_off.len());
            let mut later = Later {
                put_off: Vec::new(),
                paces: &paces,
            };
            let mut sink = |place: usize, program: usize, verdict: Verdict<'_>| {
                let example = tile * length + place;
                judged.push((example, program, judge(example, program, verdict)));
            };
            let mut worker = crew.take();
            if last {
                worker.catch_up(plan, tiles[tile], put_off, &mut sink);
            } else {
                worker.second_look(plan, tiles[tile], put_off, &mut later, &mut sink);
            }
            crew.give_back(worker);
            Looked {
                tile,
                judged,
                put_off: later.put_off,
            }
        })
    };
    let looked_again = again(&looked, false);
    let caught_up = again(&looked_again, true);
    let mut rows: Vec<Vec<Option<T>>> = examples
        .iter()
        .map(|_| (0..plan.len()).map(|_| None).collect())
        .collect();
    for looked in [looked, looked_again, caught_up].into_iter().flatten() {
        for (example, program, judgement) in looked.judged {
            rows[example][program] = Some(judgement);
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
    evaluate_with(plan, examples, budget, |_, _, verdict| {
        verdict.to_evaluation()
    })
}
