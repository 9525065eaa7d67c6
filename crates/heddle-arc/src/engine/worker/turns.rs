//! In which order evaluations run: program by program on a block of examples, and
//! last what takes long.

use super::{BLOCK, Worker};
use crate::engine::pace::Pace;
use crate::engine::{Example, Verdict};
use crate::plan::Plan;

/// Steps the first evaluation of a program may take before it, and all others
/// of that program, are put off until the other programs are done: at first,
/// and among those put off. Of the evaluations of 399 solvers on the examples of
/// all their tasks 2.5 % need more than the first, 0.8 % more than the second.
const LOOKS: [u64; 2] = [5_000, 20_000];

/// An evaluation that was put off: the number of the example, then of the
/// program. They are listed block by block, in each program by program.
pub(in crate::engine) type PutOff = (usize, usize);

fn by_block(put_off: &[PutOff]) -> impl Iterator<Item = &[PutOff]> {
    put_off.chunk_by(|a, b| a.0 / BLOCK == b.0 / BLOCK)
}

/// What a look leaves for later and what it learnt of each program.
#[derive(Debug, Default)]
pub(in crate::engine) struct Later<Paces> {
    pub put_off: Vec<PutOff>,
    pub paces: Paces,
}

impl Later<Vec<Pace>> {
    /// Forgets what it knows and makes ready for a plan.
    fn begin(&mut self, plan: &Plan) {
        self.paces.clear();
        self.paces.resize_with(plan.len(), Pace::default);
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
        mut sink: impl FnMut(usize, usize, Verdict<'_>),
    ) {
        let mut later = std::mem::take(&mut self.later);
        if self.later_of != Some(plan.number) {
            self.later_of = Some(plan.number);
            for later in &mut later {
                later.begin(plan);
            }
        }
        let [first, second] = &mut later;
        first.put_off.clear();
        self.first_look(plan, examples, first, &mut sink);
        second.put_off.clear();
        self.second_look(plan, examples, &first.put_off, second, &mut sink);
        self.catch_up(plan, examples, &second.put_off, &mut sink);
        self.later = later;
    }

    /// Runs some evaluations to their end: the number of the example, then that of
    /// the program, in any order. Example by example, because they are few: a block
    /// has slots for every shared step of the plan on each of its examples.
    pub(crate) fn run_some(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        some: &mut [(usize, usize)],
        mut sink: impl FnMut(usize, usize, Verdict<'_>),
    ) {
        some.sort_unstable();
        self.allow(u64::MAX);
        for of_example in some.chunk_by(|a, b| a.0 == b.0) {
            let (example, _) = of_example[0];
            self.begin(plan, &examples[example..=example]);
            for (_, program) in of_example {
                self.evaluate(plan, 0, *program, |verdict| {
                    sink(example, *program, verdict);
                });
            }
        }
    }

    /// Runs all evaluations but those that take long; these are only noted.
    pub(in crate::engine) fn first_look(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        later: &mut Later<impl AsRef<[Pace]>>,
        sink: &mut impl FnMut(usize, usize, Verdict<'_>),
    ) {
        for (number, block) in examples.chunks(BLOCK).enumerate() {
            self.begin(plan, block);
            for program in 0..plan.len() {
                for place in 0..block.len() {
                    let example = number * BLOCK + place;
                    self.look(plan, place, (example, program), LOOKS[0], later, sink);
                }
            }
        }
    }

    /// Runs those that were put off but need not be any longer.
    pub(in crate::engine) fn second_look(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        put_off: &[PutOff],
        later: &mut Later<impl AsRef<[Pace]>>,
        sink: &mut impl FnMut(usize, usize, Verdict<'_>),
    ) {
        for together in by_block(put_off) {
            let first = self.begin_block_of(plan, examples, together);
            for pair in together {
                self.look(plan, pair.0 - first, *pair, LOOKS[1], later, sink);
            }
        }
    }

    /// Runs the rest to their end.
    pub(in crate::engine) fn catch_up(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        put_off: &[PutOff],
        sink: &mut impl FnMut(usize, usize, Verdict<'_>),
    ) {
        self.allow(u64::MAX);
        for together in by_block(put_off) {
            let first = self.begin_block_of(plan, examples, together);
            for (example, program) in together {
                self.evaluate(plan, example - first, *program, |verdict| {
                    sink(*example, *program, verdict);
                });
            }
        }
    }

    /// Takes in the block evaluations that were put off belong to; the number
    /// of its first example.
    fn begin_block_of(
        &mut self,
        plan: &Plan,
        examples: &[Example<'_>],
        together: &[PutOff],
    ) -> usize {
        let first = together[0].0 / BLOCK * BLOCK;
        let end = examples.len().min(first + BLOCK);
        self.begin(plan, &examples[first..end]);
        first
    }

    /// Runs an evaluation or puts it off. The first of a program may take only
    /// so many steps; a program alone keeps nobody waiting.
    fn look(
        &mut self,
        plan: &Plan,
        place: usize,
        (example, program): PutOff,
        steps: u64,
        later: &mut Later<impl AsRef<[Pace]>>,
        sink: &mut impl FnMut(usize, usize, Verdict<'_>),
    ) {
        let alone = plan.len() == 1;
        let pace = &later.paces.as_ref()[program];
        if pace.is_slow() && !alone {
            later.put_off.push((example, program));
            return;
        }
        let all = alone || !pace.is_unknown();
        self.allow(if all { u64::MAX } else { steps });
        let mut slow = true;
        let done = self.evaluate(plan, place, program, |verdict| {
            slow = verdict.is_out_of_budget();
            sink(example, program, verdict);
        });
        pace.note(slow);
        if !done {
            later.put_off.push((example, program));
        }
    }
}
