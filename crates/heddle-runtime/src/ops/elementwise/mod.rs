//! Functions of one or two elements, applied to whole arrays.
//!
//! The function is a type (`Add`, `Exp`, …), so that each pass is compiled for
//! it and a function that only floats have cannot be asked of integers.

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
