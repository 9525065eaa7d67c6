//! Search: random programs, mutations of programs, and scores.
//!
//! [`generate`] writes random programs, [`mutate`] changes one part of a program, and
//! [`Score`] orders candidates by how near they are to a task's outputs. All results are
//! determined by a seed.
//!
//! Invariant: every program made here is *well typed*: type inference finds no line that
//! must fail, and the program's text reads back to the same program. It may still be
//! undefined on some grids.

mod constants;
mod examples;
mod functions;
mod generate;
mod mutate;
mod rewrite;
mod score;
mod type_match;

pub use generate::{ProgramShape, generate};
pub use mutate::{Mutation, mutate};
pub use score::{Score, scores};
