//! How near a candidate is to a task.

use crate::assess::Grade;
use crate::data::Task;
use crate::engine::{Example, Grid, Tile};
use crate::operations::{EvaluationSettings, evaluate_all};
use crate::plan::Plan;
use crate::program::Program;
use heddle_runtime::{Error, Runtime};

/// What a candidate is worth; the greater is better. First the examples it gets
/// exactly right count, then the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score {
    /// Examples whose every cell is right.
    pub examples: usize,
    /// Cells that are right, in outputs of the right shape.
    pub cells: usize,
}

impl Score {
    /// The score with one more example judged.
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

/// The scores of candidates on the examples of a task, in order. Its test pairs
/// are not looked at.
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
