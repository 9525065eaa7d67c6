//! In which order evaluations run: program by program on a block of examples, and
//! last what takes long.

use super::{BLOCK, Worker};
use crate::engine::speed::SpeedEstimate;
use crate::engine::{EvaluationRef, Example};
use crate::plan::Plan;

/// Steps the first evaluation of a program may take before it, and all others
/// of that program, are put off until the other programs are done: at first,
/// and among those put off. Of the evaluations of 399 solvers on the examples of
/// all their tasks 2.5 % need more than the first, 0.8 % more than the second.
const PASS_STEP_LIMITS: [u64; 2] = [5_000, 20_000];

/// An evaluation that was put off: the number of the example, then of the
/// program. They are listed block by block, in each program by program.
pub(in crate::engine) type Deferred = (usize, usize);

fn by_block(deferred: &[Deferred]) -> impl Iterator<Item = &[Deferred]> {
    deferred.chunk_by(|a, b| a.0 / BLOCK == b.0 / BLOCK)
}

/// What a look leaves for later and what it learnt of each program.
#[derive(Debug, Default)]
pub(in crate::engine) struct DeferredEvaluations<Paces> {
    pub deferred: Vec<Deferred>,
    pub speeds: Paces,
}

impl DeferredEvaluations<Vec<SpeedEstimate>> {
    /// Forgets what it knows and makes ready for a plan.
    fn begin(&mut self, plan: &Plan) {
        self.speeds.clear();
        self.speeds.resize_with(plan.len(), SpeedEstimate::default);
    }
}

impl Worker {
    /// Runs every program of a plan on every example. The sink gets the number
    /// of the example, that of the program, and what became of it: program by
    /// program for a few examples at a time, and last the evaluations that take
    /// long, so that they keep none of the others waiting.
    pub fn run(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        mut report: impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        let mut deferrals = std::mem::take(&mut self.deferrals);
        if self.deferrals_plan != Some(plan.number) {
            self.deferrals_plan = Some(plan.number);
            for deferrals in &mut deferrals {
                deferrals.begin(plan);
            }
        }
        let [first, second] = &mut deferrals;
        first.deferred.clear();
        self.first_pass(plan, examples, first, &mut report);
        second.deferred.clear();
        self.second_pass(plan, examples, &first.deferred, second, &mut report);
        self.last_pass(plan, examples, &second.deferred, &mut report);
        self.deferrals = deferrals;
    }

    /// Runs some evaluations to their end: the number of the example, then that of
    /// the program, in any order. Example by example, because they are few: a block
    /// has slots for every shared step of the plan on each of its examples.
    pub(crate) fn run_selected(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        some: &mut [(usize, usize)],
        mut report: impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        some.sort_unstable();
        self.set_step_limit(u64::MAX);
        for of_example in some.chunk_by(|a, b| a.0 == b.0) {
            let (example, _) = of_example[0];
            self.begin(plan, &examples[example..=example]);
            for (_, program) in of_example {
                self.evaluate(plan, 0, *program, |evaluation| {
                    report(example, *program, evaluation);
                });
            }
        }
    }

    /// Runs all evaluations but those that take long; these are only noted.
    pub(in crate::engine) fn first_pass(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        deferrals: &mut DeferredEvaluations<impl AsRef<[SpeedEstimate]>>,
        report: &mut impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        for (number, block) in examples.chunks(BLOCK).enumerate() {
            self.begin(plan, block);
            for program in 0..plan.len() {
                for place in 0..block.len() {
                    let example = number * BLOCK + place;
                    self.run_or_defer(
                        plan,
                        place,
                        (example, program),
                        PASS_STEP_LIMITS[0],
                        deferrals,
                        report,
                    );
                }
            }
        }
    }

    /// Runs those that were put off but need not be any longer.
    pub(in crate::engine) fn second_pass(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        deferred: &[Deferred],
        deferrals: &mut DeferredEvaluations<impl AsRef<[SpeedEstimate]>>,
        report: &mut impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        for in_block in by_block(deferred) {
            let first = self.import_block_of(plan, examples, in_block);
            for pair in in_block {
                self.run_or_defer(
                    plan,
                    pair.0 - first,
                    *pair,
                    PASS_STEP_LIMITS[1],
                    deferrals,
                    report,
                );
            }
        }
    }

    /// Runs the rest to their end.
    pub(in crate::engine) fn last_pass(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        deferred: &[Deferred],
        report: &mut impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        self.set_step_limit(u64::MAX);
        for in_block in by_block(deferred) {
            let first = self.import_block_of(plan, examples, in_block);
            for (example, program) in in_block {
                self.evaluate(plan, example - first, *program, |evaluation| {
                    report(*example, *program, evaluation);
                });
            }
        }
    }

    /// Takes in the block evaluations that were put off belong to; the number
    /// of its first example.
    fn import_block_of(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        in_block: &[Deferred],
    ) -> usize {
        let first = in_block[0].0 / BLOCK * BLOCK;
        let end = examples.len().min(first + BLOCK);
        self.begin(plan, &examples[first..end]);
        first
    }

    /// Runs an evaluation or puts it off. The first of a program may take only
    /// so many steps; a program alone keeps nobody waiting.
    fn run_or_defer(
        &mut self,
        plan: &Plan,
        place: usize,
        (example, program): Deferred,
        steps: u64,
        deferrals: &mut DeferredEvaluations<impl AsRef<[SpeedEstimate]>>,
        report: &mut impl FnMut(usize, usize, EvaluationRef<'_>),
    ) {
        let alone = plan.len() == 1;
        let speed = &deferrals.speeds.as_ref()[program];
        if speed.is_slow() && !alone {
            deferrals.deferred.push((example, program));
            return;
        }
        let all = alone || !speed.is_unknown();
        self.set_step_limit(if all { u64::MAX } else { steps });
        let mut slow = true;
        let done = self.evaluate(plan, place, program, |evaluation| {
            slow = evaluation.is_out_of_budget();
            report(example, program, evaluation);
        });
        speed.note(slow);
        if !done {
            deferrals.deferred.push((example, program));
        }
    }
}
