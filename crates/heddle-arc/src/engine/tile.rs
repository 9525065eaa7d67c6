//! A unit of work whose cost can be predicted.

use super::{EvaluationRef, Example, Worker};
use crate::plan::Plan;

/// A plan over some examples.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The examples.
    pub examples: &'a [Example<'a>],
}

impl Tile<'_> {
    /// The number of evaluations: one for each program and example.
    #[must_use]
    pub fn evaluations(&self) -> usize {
        self.plan.len() * self.examples.len()
    }

    /// Its work: the number of steps of the plan times the number of examples.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.plan.sharing().distinct_steps * self.examples.len()
    }

    /// The bytes of the grids it reads.
    #[must_use]
    pub fn bytes_in(&self) -> usize {
        let example = |example: &Example<'_>| {
            let mut bytes = example.input.cells().len();
            if self.plan.takes.examples {
                let pairs = example.pairs.iter();
                bytes += pairs
                    .map(|(input, output)| input.cells().len() + output.cells().len())
                    .sum::<usize>();
            }
            if let (true, Some(candidate)) = (self.plan.takes.candidate, example.candidate) {
                bytes += candidate.cells().len();
            }
            bytes
        };
        self.examples.iter().map(example).sum()
    }

    /// Runs the tile; see [`Worker::run`].
    pub fn run(&self, worker: &mut Worker, report: impl FnMut(usize, usize, EvaluationRef<'_>)) {
        worker.run(self.plan, self.examples, report);
    }
}
