//! Programs: straight lines of calls, as their authors write them.
//!
//! [`load`] reads a Python-looking file into [`Program`]s and [`SourceError`]s:
//! one bad program does not keep the others from loading. Names are resolved
//! while reading, so a `Program` speaks of primitives and earlier lines, never
//! of spellings it has not understood. What a program means when it runs is
//! decided in `plan`.

mod files;
mod line;
mod load;
mod print;
mod resolve;

pub use files::files;
pub use load::{LoadedPrograms, load};

use crate::constant::Constant;
use crate::prim::Prim;
use std::sync::Arc;
use thiserror::Error;

/// What a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `(I)`: the input grid.
    Input,
    /// `(S, I, C)`: the example pairs, the input grid, a candidate grid.
    Examples,
}

/// A parameter of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// `I`, the input grid.
    Grid,
    /// `S`, the tuple of (input, output) pairs of the task's examples.
    Examples,
    /// `C`, a candidate grid or `()`.
    Candidate,
}

impl Input {
    /// Its name in programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Input::Grid => "I",
            Input::Examples => "S",
            Input::Candidate => "C",
        }
    }
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A parameter of the program.
    Input(Input),
    /// The result of an earlier call, by its number.
    Call(u32),
    /// A constant; the name is how this program spells it.
    Constant(Arc<str>, Constant),
    /// A primitive passed as a function.
    Prim(Prim),
}

/// Operands are the same when they mean the same, however spelled.
impl PartialEq for Operand {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Operand::Input(a), Operand::Input(b)) => a == b,
            (Operand::Call(a), Operand::Call(b)) => a == b,
            (Operand::Constant(_, a), Operand::Constant(_, b)) => a == b,
            (Operand::Prim(a), Operand::Prim(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Operand {}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A primitive, with as many arguments as it takes.
    Prim(Prim),
    /// The function an earlier call resulted in.
    Call(u32),
}

/// One line: `variable = callee(arguments)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The variable it is assigned to.
    pub variable: Arc<str>,
    /// What is called.
    pub callee: Callee,
    /// With what, at least one and at most four.
    pub arguments: Vec<Operand>,
}

/// A straight line of calls.
#[derive(Clone, Debug)]
pub struct Program {
    /// The function's name: `solve_` and the task.
    pub name: Arc<str>,
    /// What it takes.
    pub form: Form,
    /// Its lines in order; operands refer to earlier ones only.
    pub calls: Vec<Call>,
    /// The call whose result the program returns.
    pub result: u32,
    /// The file it was read from.
    pub file: Arc<str>,
    /// The line of the file each call stands on, counted from 1.
    pub places: Vec<u32>,
}

/// Programs are equal when their text is; where it stood does not matter.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.form == other.form
            && self.calls == other.calls
            && self.result == other.result
    }
}

impl Eq for Program {}

impl Program {
    /// The task the program is named after.
    #[must_use]
    pub fn task(&self) -> &str {
        self.name.strip_prefix("solve_").unwrap_or(&self.name)
    }
}

/// Something in a program file that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {problem}; {hint}")]
#[non_exhaustive]
pub struct SourceError {
    /// The file.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// The program it is in, if in one; that program is left out.
    pub program: Option<Arc<str>>,
    /// What was found.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}
