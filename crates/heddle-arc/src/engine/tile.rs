//! A unit of work that can be priced before it is run.

use super::{EvaluationRef, Example, Worker};
use crate::plan::Plan;

/// A plan over some examples.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// What is run.
    pub plan: &'a Plan,
    /// On what.
    pub examples: &'a [Example<'a>],
}

impl Tile<'_> {
    /// Evaluations in it: one for each program and example.
    #[must_use]
    pub fn evaluations(&self) -> usize {
        self.plan.len() * self.examples.len()
    }

    /// Its work: steps of the plan, each once for every example.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.plan.sharing().distinct_steps * self.examples.len()
    }

    /// Bytes of grids it reads.
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

    /// Runs it; see [`Worker::run`].
    pub fn run(&self, worker: &mut Worker, report: impl FnMut(usize, usize, EvaluationRef<'_>)) {
        worker.run(self.plan, self.examples, report);
    }
}
