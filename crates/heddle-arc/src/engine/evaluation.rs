//! The outcome of an evaluation.

use super::{Evaluation, Grid};
use crate::fault::{BudgetLimit, Fault};
use crate::plain::Plain;
use crate::prim::Prim;
use crate::value::{Space, Value};
use std::fmt;

/// Why an evaluation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The fault.
    pub fault: Fault,
    /// The primitive that failed.
    pub primitive: Option<Prim>,
    /// The line in the program's file, counted from 1; 0 if there is none.
    pub line: u32,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if let Some(primitive) = self.primitive {
            write!(f, "{primitive}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}

/// The most parts of a value that can be copied out. Values share their parts and copies
/// do not: eight lines of `repeat` make a hundred million parts in a few bytes.
const MAX_PARTS_COPIED: usize = 1 << 18;

/// Subtracts the parts of a value from `left`; a fault if there are too many.
fn count_parts(space: &Space, value: Value, left: &mut usize) -> Result<(), Fault> {
    let parts = match value {
        Value::Grid { height, width, .. } => usize::from(height) * usize::from(width),
        Value::Tuple { len, .. } | Value::Set { len, .. } => len as usize,
        Value::Built { prim, .. } => prim.arity(),
        // Every other value has no shared parts.
        _ => 1,
    };
    *left = left
        .checked_sub(parts)
        .ok_or(Fault::Budget(BudgetLimit::Bytes))?;
    match value {
        Value::Tuple { .. } | Value::Set { .. } => {
            for part in space.elements(value)? {
                count_parts(space, part, left)?;
            }
        }
        Value::Built { prim, at, .. } => {
            let at = at as usize;
            for part in &space.values[at..at + prim.arity()] {
                count_parts(space, *part, left)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The outcome of one evaluation, while its values are still in memory.
#[derive(Clone, Copy, Debug)]
pub enum EvaluationRef<'a> {
    /// The program returned a value.
    Defined {
        /// The value.
        value: Value,
        /// The space that holds its parts.
        space: &'a Space,
        /// The steps of the evaluation.
        steps: u64,
    },
    /// The program returned no value.
    Undefined(Undefined),
}

impl EvaluationRef<'_> {
    /// Whether the program returned this grid.
    #[must_use]
    pub fn is(&self, expected: &Grid) -> bool {
        match self.grid() {
            Some((height, width, cells)) => {
                (height, width) == (expected.height(), expected.width())
                    && cells == expected.cells()
            }
            None => false,
        }
    }

    /// Whether the evaluation ran out of its budget.
    #[must_use]
    pub fn is_out_of_budget(&self) -> bool {
        let fault = |undefined: &Undefined| matches!(undefined.fault, Fault::Budget(_));
        matches!(self, EvaluationRef::Undefined(undefined) if fault(undefined))
    }

    /// The number of cells equal to those of `expected`; 0 if the shapes differ or the value
    /// is not a grid.
    #[must_use]
    pub fn cells_matched(&self, expected: &Grid) -> usize {
        match self.grid() {
            Some((height, width, cells))
                if (height, width) == (expected.height(), expected.width()) =>
            {
                // Counted in bytes, as many as a byte can count: 16 cells at a time.
                let most = usize::from(u8::MAX);
                let parts = cells.chunks(most).zip(expected.cells().chunks(most));
                let matched = |(found, wanted): (&[i8], &[i8])| {
                    let cells = found.iter().zip(wanted);
                    usize::from(cells.map(|(a, b)| u8::from(a == b)).sum::<u8>())
                };
                parts.map(matched).sum()
            }
            _ => 0,
        }
    }

    /// The height, width and cells of the returned value, if it is a grid.
    #[must_use]
    pub fn grid(&self) -> Option<(usize, usize, &[i8])> {
        match self {
            EvaluationRef::Defined { value, space, .. } => {
                let grid = value.as_grid()?;
                let cells = &space.cells[grid.at..grid.at + grid.area()];
                Some((grid.height, grid.width, cells))
            }
            EvaluationRef::Undefined(_) => None,
        }
    }

    /// A copy of the value; a fault if there is no value, if it is a function that cannot
    /// leave its plan, or if the copy would have too many parts.
    pub fn to_plain(&self) -> Result<Plain, Undefined> {
        match self {
            EvaluationRef::Defined { value, space, .. } => {
                let counted = count_parts(space, *value, &mut { MAX_PARTS_COPIED });
                let copied = counted.and_then(|()| space.export(*value));
                copied.map_err(|fault| Undefined {
                    fault,
                    primitive: None,
                    line: 0,
                })
            }
            EvaluationRef::Undefined(undefined) => Err(*undefined),
        }
    }

    /// A copy of the outcome.
    #[must_use]
    pub fn to_evaluation(&self) -> Evaluation {
        match self.to_plain() {
            Ok(value) => Evaluation::Defined(value),
            Err(undefined) => Evaluation::Undefined(undefined),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Worker};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::program::load;

    #[test]
    fn cells_of_a_large_grid_are_counted_one_by_one() {
        let text = "def solve_a(I):\n    O = hmirror(I)\n    return O";
        let plan = Plan::new(&load(text, "ours.py").programs);
        for (height, width) in [(1, 1), (5, 51), (16, 16), (30, 30), (60, 70)] {
            let rows = vec![vec![3; width]; height];
            let input = Grid::new(&rows).unwrap();
            for wrong in [0, 1, height * width] {
                let mut cells = rows.concat();
                cells[..wrong].fill(4);
                let expected = Grid::of_cells(width, cells);
                Worker::new(Budget::default()).run(
                    &plan,
                    &[Example::new(&input)],
                    |_, _, evaluation| {
                        let right = height * width - wrong;
                        assert_eq!(evaluation.cells_matched(&expected), right);
                        assert_eq!(evaluation.is(&expected), wrong == 0);
                    },
                );
            }
        }
    }
}
