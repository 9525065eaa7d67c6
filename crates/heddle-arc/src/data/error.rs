//! What can be wrong with task data, and where exactly.

use super::MAX_GRID_SIDE;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Why tasks could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file or folder cannot be read.
    #[error(
        "cannot read {} (name a folder of task files, a task or challenges file, \
         or a zip or wheel of these)", .path.display()
    )]
    Read {
        /// What was asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An archive is damaged, or has no such member.
    #[error("cannot read {} as an archive: {found}", .path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A file is not JSON.
    #[error("{file}:{line}:{column}: not JSON: {found}")]
    NotJson {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the reader said.
        found: String,
    },
    /// JSON, but no layout of tasks.
    #[error(
        "{file}: not ARC tasks: {found}; a task is {{\"train\": [pairs], \"test\": [pairs]}}, \
         and a set of them {{id: task, …}}"
    )]
    FileLayout {
        /// The file.
        file: String,
        /// What it holds.
        found: String,
    },
    /// There is nothing there.
    #[error("{} holds no ARC tasks; name a folder, file or archive that does", .path.display())]
    NoTasks {
        /// What was asked for.
        path: PathBuf,
    },
    /// A task is not as tasks are.
    #[error("{file}: task {task}{place}")]
    Task {
        /// The file.
        file: String,
        /// The task.
        task: Arc<str>,
        /// Where in it.
        place: TaskLocation,
        /// What is wrong there.
        #[source]
        problem: Problem,
    },
}

/// What a pair is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It explains the task.
    Train,
    /// It is asked.
    Test,
}

/// One grid of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSide {
    /// What is given.
    Input,
    /// What is wanted.
    Output,
}

/// Where in a task something is; numbers count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskLocation {
    /// The pair.
    pub pair: Option<(Role, usize)>,
    /// The grid of the pair.
    pub side: Option<PairSide>,
    /// The row of the grid.
    pub row: Option<usize>,
}

impl fmt::Display for TaskLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((role, number)) = self.pair {
            let role = match role {
                Role::Train => "train",
                Role::Test => "test",
            };
            write!(f, ", {role} pair {number}")?;
        }
        match self.side {
            Some(PairSide::Input) => f.write_str(", input")?,
            Some(PairSide::Output) => f.write_str(", output")?,
            None => {}
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        Ok(())
    }
}

/// What is wrong with a task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Rows differ in length.
    #[error("{found} cells where the first row has {expected}; make all rows equally long")]
    Ragged {
        /// Cells of the first row.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// A cell is no colour.
    #[error("column {column} is {found}; colours are whole numbers from 0 to 9")]
    Colour {
        /// Counted from 1.
        column: usize,
        /// What stands there.
        found: String,
    },
    /// More rows or columns than ARC has.
    #[error("{height} x {width} cells; neither side may exceed {MAX_GRID_SIDE}")]
    Large {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// No rows, or rows without cells.
    #[error("an empty grid; grids have at least one row and one column")]
    Empty,
    /// Something else than rows of numbers.
    #[error("not a grid: {found}; a grid is a list of rows, a row a list of colours")]
    NotAGrid {
        /// What stands there.
        found: String,
    },
    /// A pair without an input.
    #[error("no input; a pair is {{\"input\": grid, \"output\": grid}}")]
    NoInput,
    /// A pair without an output.
    #[error(
        "no output, so nothing can be judged; put the solutions file beside the challenges file"
    )]
    NoOutput,
    /// A task without pairs to learn from or to solve.
    #[error("no {0} pairs; a task has at least one to learn from and one to solve")]
    NoPairs(&'static str),
}
