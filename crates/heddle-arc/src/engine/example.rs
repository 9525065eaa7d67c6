//! Examples: the inputs of programs.

use crate::fault::Fault;
use crate::value::{Space, Value};
use thiserror::Error;

/// An error in the rows of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GridError {
    /// There are no rows, or the rows have no cells.
    #[error("a grid needs at least one row and one column; it has {height} x {width}")]
    Empty {
        /// The number of rows.
        height: usize,
        /// The number of columns.
        width: usize,
    },
    /// Rows differ in length.
    #[error(
        "row {row} has {found} cells where the first has {expected}; make all rows equally long"
    )]
    Ragged {
        /// The row, counted from 0.
        row: usize,
        /// The length of the first row.
        expected: usize,
        /// The length of this row.
        found: usize,
    },
    /// More rows or columns than a grid can have.
    #[error("a grid of {height} x {width} is too large; neither side may exceed 65,535")]
    Large {
        /// The number of rows.
        height: usize,
        /// The number of columns.
        width: usize,
    },
}

/// A rectangle of colours, at least 1 x 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    height: usize,
    width: usize,
    cells: Vec<i8>,
}

impl Grid {
    /// A grid of rows.
    pub fn new<Row: AsRef<[i8]>>(rows: &[Row]) -> Result<Grid, GridError> {
        let height = rows.len();
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        if height == 0 || width == 0 {
            return Err(GridError::Empty { height, width });
        }
        if height > usize::from(u16::MAX) || width > usize::from(u16::MAX) {
            return Err(GridError::Large { height, width });
        }
        let mut cells = Vec::with_capacity(height * width);
        for (row, line) in rows.iter().enumerate() {
            let line = line.as_ref();
            if line.len() != width {
                return Err(GridError::Ragged {
                    row,
                    expected: width,
                    found: line.len(),
                });
            }
            cells.extend_from_slice(line);
        }
        Ok(Grid {
            height,
            width,
            cells,
        })
    }

    /// A grid of consecutive rows. There must be at least one, none may be empty, and neither
    /// side may exceed the limit of [`Grid::new`].
    pub(crate) fn of_cells(width: usize, cells: Vec<i8>) -> Grid {
        Grid {
            height: cells.len() / width,
            width,
            cells,
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The cells, row by row.
    #[must_use]
    pub fn cells(&self) -> &[i8] {
        &self.cells
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width)
    }
}

/// The inputs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// `I`, the input grid.
    pub input: &'a Grid,
    /// `S`, the (input, output) pairs of the task.
    pub pairs: &'a [(Grid, Grid)],
    /// `C`, a candidate grid.
    pub candidate: Option<&'a Grid>,
}

impl<'a> Example<'a> {
    /// An example of an input alone, for programs of the form `(I)`.
    #[must_use]
    pub fn new(input: &'a Grid) -> Self {
        Example {
            input,
            pairs: &[],
            candidate: None,
        }
    }
}

impl Space {
    /// A copy of a grid in this space.
    pub(crate) fn import_grid(&mut self, grid: &Grid) -> Result<Value, Fault> {
        let at = self.reserve_cells(grid.cells.len())?;
        self.cells.extend_from_slice(&grid.cells);
        Ok(Space::grid_at(at, grid.height, grid.width))
    }

    /// The tuple of (input, output) pairs.
    pub(crate) fn import_pairs(&mut self, pairs: &[(Grid, Grid)]) -> Result<Value, Fault> {
        let base = self.stack.len();
        for (input, output) in pairs {
            let input = self.import_grid(input)?;
            let output = self.import_grid(output)?;
            let pair = self.tuple_of_two(input, output)?;
            self.stack.push(pair);
        }
        self.tuple_from(base)
    }
}
