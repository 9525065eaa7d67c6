//! The order of evaluations: program by program on a block of examples, slow evaluations
//! last.

use super::{BLOCK, Worker};
use crate::engine::speed::SpeedEstimate;
use crate::engine::{EvaluationRef, Example};
use crate::plan::Plan;

/// The most steps of a program's first evaluation in the first and second pass. If it needs
/// more, all evaluations of the program are deferred until the other programs are done. Of
/// the evaluations of 399 solvers on the examples of all their tasks, 2.5 % need more than
/// the first limit and 0.8 % more than the second.
const PASS_STEP_LIMITS: [u64; 2] = [5_000, 20_000];

/// A deferred evaluation: the number of the example, then of the program. Lists of them are
/// ordered by block, in each block by program.
pub(in crate::engine) type Deferred = (usize, usize);

fn by_block(deferred: &[Deferred]) -> impl Iterator<Item = &[Deferred]> {
    deferred.chunk_by(|a, b| a.0 / BLOCK == b.0 / BLOCK)
}

/// The evaluations deferred by a pass and its estimate of each program's speed.
#[derive(Debug, Default)]
pub(in crate::engine) struct DeferredEvaluations<Paces> {
    pub deferred: Vec<Deferred>,
    pub speeds: Paces,
}

impl DeferredEvaluations<Vec<SpeedEstimate>> {
    /// Resets the estimates for a plan.
    fn begin(&mut self, plan: &Plan) {
        self.speeds.clear();
        self.speeds.resize_with(plan.len(), SpeedEstimate::default);
    }
}

impl Worker {
    /// Runs every program of a plan on every example. `report` gets the number of the example,
    /// the number of the program and the outcome. Evaluations run program by program on a
    /// block of examples; slow ones run last, so that they do not delay the others.
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

    /// Runs selected evaluations, given as the number of the example, then of the program, in
    /// any order. They run example by example because they are few, and a block would need
    /// slots for every shared step of the plan on each of its examples.
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

    /// Runs all evaluations except slow ones, which it defers.
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
                for index in 0..block.len() {
                    let example = number * BLOCK + index;
                    self.run_or_defer(
                        plan,
                        index,
                        (example, program),
                        PASS_STEP_LIMITS[0],
                        deferrals,
                        report,
                    );
                }
            }
        }
    }

    /// Runs the deferred evaluations within the second limit, and defers the others again.
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

    /// Runs the remaining evaluations to their end.
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

    /// Imports the block of some deferred evaluations and returns the number of its first
    /// example.
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

    /// Runs an evaluation or defers it. The first evaluation of a program is limited to `steps`;
    /// there is no limit in a plan of one program, where no other program waits.
    fn run_or_defer(
        &mut self,
        plan: &Plan,
        index: usize,
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
        let done = self.evaluate(plan, index, program, |evaluation| {
            slow = evaluation.is_out_of_budget();
            report(example, program, evaluation);
        });
        speed.note(slow);
        if !done {
            deferrals.deferred.push((example, program));
        }
    }
}
