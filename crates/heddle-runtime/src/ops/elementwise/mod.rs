//! Functions of one or two elements, applied to whole arrays.
//!
//! The function is a type (`Add`, `Exp`, …), so each loop is compiled for it, and a function of
//! floats cannot be called with integers.

mod array_or_scalar;
mod batched;
mod binary;
pub(super) mod exp;
mod function;
mod gpu;
mod table;
mod unary;
mod zeros;

pub use array_or_scalar::ArrayOrScalar;
pub use binary::{Binary, BinaryInPlace};
pub use function::{BinaryFunction, UnaryFunction};
pub use table::*;
pub use unary::{Unary, UnaryInPlace};
