//! The array operations: what each computes, on CPU threads and on a GPU.
//!
//! One file or folder per noun. An operation checks its arguments when it is created, describes
//! itself without allocating, and writes every element of its result, because result buffers
//! are recycled and hold garbage. `loops` vectorises loops over arrays and divides them between
//! threads; apart from it only `reduce` and `matmul` use threads. `kernel` names and launches
//! kernels, `elementwise_gpu` moves the data of elementwise operations to and from a GPU, and
//! `memory_budget` handles a shortage of GPU memory. The launches of an operation are in a file
//! `gpu.rs` beside it. `table` lists the operations.

// A kernel is compiled once per instruction set by inlining it into a function that enables the
// set; a call that is not inlined would stay scalar.
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
pub use probe::{Probe, discard_result};
pub use probes::probes;
pub use random::{RANDOM, Random, RandomElement, SplitMix64, philox4x32_10};
pub use reduce::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};
pub use scale::{SCALE, Scale};
pub(crate) use table::entries;
pub use table::kinds;
pub use transpose::{TRANSPOSE, Transpose};
pub use xor::{BitElement, XOR, XOR_IN_PLACE, Xor, XorInPlace};
