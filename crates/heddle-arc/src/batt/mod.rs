//! Merged files of the typed dialect: one Python function `batt` that runs many solvers and
//! judges each with differs.
//!
//! [`read`] reads such a file, [`BattPlan`] makes one plan of it, in which every entry that the
//! file appends to `o` and `s` is an output, and runs it on tasks. [`CallTable`] is the file
//! beside it from which solvers are cut out; [`write()`] makes both of programs.
//! `docs/dialects.md` has the forms and the scores.
//!
//! ```
//! use heddle_arc::batt::read;
//! use heddle_arc::reading::Cells;
//!
//! let loaded = read(
//!     "def batt(task_id, S, I, C, log_path):
//!     s = []
//!     o = []
//!     t1 = vmirror_t(I)
//!     o.append((1, False, '67a3c6ac', t1))
//!     return o, s
//! ",
//!     "batt.py",
//!     Cells::Triple,
//! );
//! assert!(loaded.errors.is_empty());
//! let candidates = loaded.batt.candidates(&loaded.batt.calls());
//! assert_eq!(
//!     &*candidates[0].as_ref().unwrap().text,
//!     "def solve(S, I, C):\n    O = vmirror_t(I)\n    return O\n"
//! );
//! ```

mod call_table;
mod candidate;
mod plan;
mod read;
mod run;
#[cfg(test)]
mod tests;
pub(crate) mod typed_names;
mod write;

pub use call_table::CallTable;
pub use candidate::{CandidateError, SolverCandidate};
pub use plan::{BattPlan, PlanTooLarge};
pub use read::{LoadedBatt, read};
pub use run::{BattRun, EntryValues, RUN_BUDGET, TaskScores};
pub use write::{BattText, write};

use crate::program::Call;
use crate::reading::Cells;
use std::sync::Arc;

/// A merged file.
#[derive(Clone, Debug, Default)]
pub struct Batt {
    /// The file it was read from.
    pub file: Arc<str>,
    /// How its programs see cells.
    pub cells: Cells,
    /// Its lines in order; operands refer to earlier lines.
    pub lines: Vec<BattLine>,
    /// What it appends to `o` and `s`, in order.
    pub entries: Vec<Entry>,
}

/// One line `tN = callee(arguments)`.
#[derive(Clone, Debug)]
pub struct BattLine {
    /// Its number N.
    pub number: u32,
    /// The call.
    pub call: Call,
    /// The names of the callee and the arguments, separated by `, ` as in call tables.
    pub names: Box<str>,
    /// Whether it is in a `try` block.
    pub guarded: bool,
    /// Its line in the file, counted from 1.
    pub line: u32,
}

/// An entry of `o` or `s`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number N that it states.
    pub number: u32,
    /// The index of the line whose value it holds.
    pub value: u32,
    /// Where it is appended.
    pub list: EntryList,
}

/// The list that an entry belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryList {
    /// `o`: a solver's answer.
    Answer {
        /// The solver.
        solver: Arc<str>,
        /// Whether its last line was mutated.
        mutated: bool,
    },
    /// `s`: the result of a differ.
    Difference {
        /// The solver whose answer it looked at, or `None` for the input.
        solver: Arc<str>,
        /// The differ.
        differ: Arc<str>,
    },
}

/// The solver of entries whose differ looked at the input.
pub const NO_SOLVER: &str = "None";

impl Batt {
    /// The calls of its own lines, which its call table repeats.
    #[must_use]
    pub fn calls(&self) -> CallTable {
        let lines = self.lines.iter();
        lines
            .map(|line| (line.number, line.names.clone()))
            .collect()
    }
}

/// The number of a variable `tN`.
fn number_of(name: &str) -> Option<u32> {
    let number: u32 = name.strip_prefix('t')?.parse().ok()?;
    // `t07` and `t+7` parse as numbers too.
    (format!("t{number}") == name).then_some(number)
}
