//! Programs: sequences of calls, as their authors write them.
//!
//! [`load`] reads a file in Python syntax into [`Program`]s and [`SourceError`]s; a bad
//! program does not keep the others from loading. Names are resolved while reading, so a
//! `Program` refers to primitives and earlier calls, not to names. The module
//! [`plan`](crate::plan) turns programs into steps to run.

mod dialect;
#[cfg(test)]
mod dialect_page;
mod files;
mod line;
mod load;
mod print;
mod resolve;

pub use dialect::Dialect;
pub use files::{ProgramFileError, files, read, read_text};
pub(crate) use line::{Token, TokenKind, code_lines, tokens};
pub use load::{LoadedPrograms, load, load_as};
pub(crate) use load::{MAX_ARGUMENTS, column, shape};
pub(crate) use resolve::{NameScope, ResolveError};

use crate::constant::Constant;
use crate::prim::Prim;
use crate::reading::Reading;
use std::sync::Arc;
use thiserror::Error;

/// The form of a program: which parameters it takes.
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
    /// Its name in program texts.
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
pub enum CallArgument {
    /// A parameter of the program.
    Input(Input),
    /// The result of an earlier call, by its number.
    Call(u32),
    /// A constant and its name in this program.
    Constant(Arc<str>, Constant),
    /// A primitive passed as a function.
    Prim(Prim),
}

/// Constants are compared by value, not by name.
impl PartialEq for CallArgument {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (CallArgument::Input(a), CallArgument::Input(b)) => a == b,
            (CallArgument::Call(a), CallArgument::Call(b)) => a == b,
            (CallArgument::Constant(_, a), CallArgument::Constant(_, b)) => a == b,
            (CallArgument::Prim(a), CallArgument::Prim(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for CallArgument {}

/// The callee of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A primitive. In a soft reading the number of arguments need not be its arity.
    Prim(Prim),
    /// The function that an earlier call returned.
    Call(u32),
    /// A parameter of the program. It is no function, so the call fails.
    Input(Input),
    /// A constant. It is no function, so the call fails.
    Constant(Constant),
}

/// One line: `variable = callee(arguments)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The variable it is assigned to.
    pub variable: Arc<str>,
    /// The callee of a call.
    pub callee: Callee,
    /// The arguments, one to four.
    pub arguments: Vec<CallArgument>,
}

/// A sequence of calls.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's name: `solve_` and the task.
    pub name: Arc<str>,
    /// Its parameters.
    pub form: Form,
    /// How its calls are understood.
    pub reading: Reading,
    /// Its calls in order; operands refer to earlier calls only.
    pub calls: Vec<Call>,
    /// The number of the call whose result the program returns.
    pub result: u32,
    /// The file it was read from.
    pub file: Arc<str>,
    /// The line of each call in the file, counted from 1.
    pub line_numbers: Vec<u32>,
}

/// Programs are equal when their text is; file and lines are not compared.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.form == other.form
            && self.reading == other.reading
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

/// An error in a program file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {problem}; {hint}")]
#[non_exhaustive]
pub struct SourceError {
    /// The file.
    pub file: Arc<str>,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The program that contains it, if any; that program is not loaded.
    pub program: Option<Arc<str>>,
    /// The problem found.
    pub problem: String,
    /// How to correct it.
    pub hint: String,
}
