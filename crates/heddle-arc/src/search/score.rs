//! Scores of candidates on a task.

use crate::assess::Grade;
use crate::data::Task;
use crate::engine::{Example, Grid, Tile};
use crate::operations::{EvaluationSettings, evaluate_all};
use crate::plan::Plan;
use crate::program::Program;
use heddle_runtime::{Error, Runtime};

/// The score of a candidate; greater is better. Scores compare by exactly right examples
/// first, then by right cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score {
    /// The number of examples with every cell right.
    pub examples: usize,
    /// The number of right cells in outputs of the right shape.
    pub cells: usize,
}

impl Score {
    /// The score with the grade of one more example.
    #[must_use]
    pub fn and(self, graded: &Grade, wanted: &Grid) -> Self {
        let (examples, cells) = match graded {
            Grade::Right => (1, wanted.cells().len()),
            Grade::Wrong { cells } => (0, *cells as usize),
            Grade::Undefined(_) => (0, 0),
        };
        Score {
            examples: self.examples + examples,
            cells: self.cells + cells,
        }
    }
}

/// The scores of candidates on the training pairs of a task, in order. Test pairs are not
/// used.
pub fn scores(
    runtime: &Runtime,
    candidates: &[Program],
    task: &Task,
    settings: &EvaluationSettings<'_>,
) -> Result<Vec<Score>, Error> {
    let plan = Plan::new(candidates);
    let examples: Vec<Example<'_>> = task.examples().take(task.train.len()).collect();
    let tile = Tile {
        plan: &plan,
        examples: &examples,
    };
    let rows = evaluate_all(runtime, &[tile], settings, |part, _, evaluation| {
        Grade::of(&evaluation, &task.train[part.example].1)
    })?;
    let mut scores = vec![Score::default(); candidates.len()];
    for (part, row) in rows {
        let wanted = &task.train[part.example].1;
        for (score, graded) in scores.iter_mut().zip(row.into_iter().flatten()) {
            *score = score.and(&graded, wanted);
        }
    }
    Ok(scores)
}
