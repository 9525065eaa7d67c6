//! The array operations: what each computes, on the host's threads and on a GPU.
//!
//! One file or folder per noun. An operation checks its arguments when it is
//! built, describes itself without allocating, and writes every element of its
//! result, because result buffers come recycled and hold garbage. How passes over
//! arrays are vectorised and shared between threads is in `loops`; nothing
//! else here knows about threads except `reduce` and `matmul`. How kernels are
//! named and launched is in `kernel`, how maps come to a GPU's memory and back
//! in `elementwise_gpu`, what happens when there is too little of that memory in `memory_budget`; what
//! an operation launches is in a file `gpu.rs` beside it. What operations there are
//! is in `table`.

// A kernel is compiled once per instruction set by inlining it into a function
// that enables the set; a call that stays a call would stay scalar.
#![allow(clippy::inline_always)]

mod agreement;
mod elementwise;
mod elementwise_gpu;
mod kernel;
mod loops;
mod matmul;
pub(crate) mod memory_budget;
mod normalize;
mod number;
mod probe;
mod probes;
mod random;
mod reduce;
mod scale;
mod submatrix;
mod table;
mod transpose;
mod xor;

pub use elementwise::*;
pub use kernel::KERNELS;
pub(crate) use kernel::grid_elements;
pub use matmul::{BATCH_MATMUL, BatchMatMul, MATMUL, MatMul};
pub use normalize::{MIN_MAX, Normalize, NormalizeMode, UNIT, Z_SCORE};
pub use number::{Float, Number};
pub use probe::Probe;
pub use probes::probes;
pub use random::{RANDOM, Random, RandomElement, philox4x32_10};
pub use reduce::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};
pub use scale::{SCALE, Scale};
pub(crate) use table::entries;
pub use table::kinds;
pub use transpose::{TRANSPOSE, Transpose};
pub use xor::{BitElement, XOR, XOR_IN_PLACE, Xor, XorInPlace};
