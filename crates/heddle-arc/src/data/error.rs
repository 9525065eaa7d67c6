//! Errors in task data, with their exact location.

use super::MAX_GRID_SIDE;
use crate::limits::{MAX_ARCHIVE_MEMBERS, MAX_ARCHIVE_RATIO, MAX_DATA_BYTES};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// An error while reading tasks.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file or folder cannot be read.
    #[error(
        "cannot read {} (name a folder of task files, a task or challenges file, \
         or a zip or wheel of these)", .path.display()
    )]
    Read {
        /// The path given.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The host has no memory for what a file holds.
    #[error("cannot read {file}")]
    Memory {
        /// The file.
        file: String,
        /// What was asked for and what is free.
        source: heddle_runtime::Error,
    },
    /// An archive is damaged, or has no such member.
    #[error("cannot read {} as an archive: {found}", .path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The damage found.
        found: String,
    },
    /// An input is beyond a limit of [`limits`](crate::limits).
    #[error("{file}: {limit}")]
    TooLarge {
        /// The file, or the archive.
        file: String,
        /// The limit.
        limit: DataLimit,
    },
    /// A file is not JSON.
    #[error("{file}:{line}:{column}: not JSON: {found}")]
    NotJson {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The parser's message.
        found: String,
    },
    /// A file is JSON, but not a layout of tasks.
    #[error(
        "{file}: not ARC tasks: {found}; a task is {{\"train\": [pairs], \"test\": [pairs]}}, \
         and a set of them {{id: task, …}}"
    )]
    FileLayout {
        /// The file.
        file: String,
        /// The contents found.
        found: String,
    },
    /// A path contains no tasks.
    #[error("{} holds no ARC tasks; name a folder, file or archive that does", .path.display())]
    NoTasks {
        /// The path given.
        path: PathBuf,
    },
    /// A task is not valid.
    #[error("{file}: task {task}{location}")]
    Task {
        /// The file.
        file: String,
        /// The task.
        task: Arc<str>,
        /// The location in the task.
        location: TaskLocation,
        /// The problem found there.
        #[source]
        problem: Problem,
    },
}

/// A limit of task data, and what was asked beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DataLimit {
    /// All files together are larger, unpacked, than [`MAX_DATA_BYTES`].
    #[error(
        "with this file the tasks take more than {} MiB, the limit of one --data; \
         name a part of them", MAX_DATA_BYTES >> 20
    )]
    Bytes,
    /// An archive unpacks to more than [`MAX_ARCHIVE_RATIO`] times its size.
    #[error(
        "it unpacks to more than {MAX_ARCHIVE_RATIO} times its size, the limit of archives; \
         if that is right, unpack it and name the folder"
    )]
    Ratio,
    /// An archive has more members than [`MAX_ARCHIVE_MEMBERS`].
    #[error(
        "it has {asked} members, the limit of archives is {MAX_ARCHIVE_MEMBERS}; \
         unpack it and name the folder"
    )]
    Members {
        /// The number of members.
        asked: usize,
    },
}

/// The role of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A training pair: it explains the task.
    Train,
    /// A test pair: its output is to be found.
    Test,
}

/// One grid of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSide {
    /// The input grid.
    Input,
    /// The output grid.
    Output,
}

/// A location in a task; numbers are counted from 1.
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

/// A problem in a task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Rows differ in length.
    #[error("{found} cells where the first row has {expected}; make all rows equally long")]
    Ragged {
        /// The length of the first row.
        expected: usize,
        /// The length of this row.
        found: usize,
    },
    /// A cell is not a colour.
    #[error("column {column} is {found}; colours are whole numbers from 0 to 9")]
    Colour {
        /// The column, counted from 1.
        column: usize,
        /// The value found.
        found: String,
    },
    /// A grid has more rows or columns than ARC allows.
    #[error("{height} x {width} cells; neither side may exceed {MAX_GRID_SIDE}")]
    Large {
        /// The number of rows.
        height: usize,
        /// The number of columns.
        width: usize,
    },
    /// A grid has no rows, or rows without cells.
    #[error("an empty grid; grids have at least one row and one column")]
    Empty,
    /// A value is not a list of rows of numbers.
    #[error("not a grid: {found}; a grid is a list of rows, a row a list of colours")]
    NotAGrid {
        /// The value found.
        found: String,
    },
    /// A pair has no input.
    #[error("no input; a pair is {{\"input\": grid, \"output\": grid}}")]
    NoInput,
    /// A pair has no output.
    #[error(
        "no output, so nothing can be graded; put the solutions file beside the challenges file"
    )]
    NoOutput,
    /// A task has no training pairs or no test pairs.
    #[error("no {0} pairs; a task has at least one to learn from and one to solve")]
    NoPairs(&'static str),
}
