//! Making new programs: at random, and out of others.
//!
//! [`generate`] writes well-typed programs from nothing, [`mutate`] changes one
//! thing in a program that exists, and [`Score`] says which of two candidates is
//! nearer to a task. All of it is the same for a seed.
//!
//! The one thing to know: whatever comes out of here is *well typed*: no line is
//! bound to fail by what is known before it runs, and its text reads back to the
//! same program. It may still be undefined on some grids.

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

use crate::program::Program;
use crate::types::{Type, infer};

/// Whether no line of a program is bound to fail and it returns a grid, as far
/// as can be known before it runs.
#[must_use]
pub fn is_well_typed(program: &Program) -> bool {
    let inferred = infer(program);
    inferred.warnings.is_empty() && inferred.types.get(program.result as usize) == Some(&Type::Grid)
}
