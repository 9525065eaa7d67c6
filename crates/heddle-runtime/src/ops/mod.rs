//! The array operations: what each computes, on the host's threads and on a GPU.
//!
//! One file or folder per noun. An operation checks its arguments when it is
//! built, describes itself without allocating, and writes every element of its
//! result, because result buffers come recycled and hold garbage. How passes over
//! arrays are vectorised and shared between threads is in `loops`; nothing
//! else here knows about threads except `reduce` and `matmul`. How kernels are
//! named and launched is in `kernel`, how maps come to a GPU's memory and back
//! in `pass`, what happens when there is too little of that memory in `room`; what
//! an operation launches is in a file `gpu.rs` beside it.

// A kernel is compiled once per instruction set by inlining it into a function
// that enables the set; a call that stays a call would stay scalar.
#![allow(clippy::inline_always)]

mod agreement;
mod elementwise;
mod kernel;
mod loops;
mod matmul;
mod normalize;
mod number;
mod panel;
mod pass;
mod probe;
mod probes;
mod random;
mod reduce;
pub(crate) mod room;
mod scale;
mod transpose;
mod xor;

pub use elementwise::{
    ABS, ADD, Abs, Add, Binary, BinaryFunction, BinaryInPlace, DIV, Div, EXP, Exp, MUL, Mul, SQRT,
    SQUARE, SUB, Sqrt, Square, Sub, Term, Unary, UnaryFunction, UnaryInPlace,
};
pub(crate) use kernel::grid_elements;
pub use matmul::{BATCH_MATMUL, BatchMatMul, MATMUL, MatMul};
pub use normalize::{MIN_MAX, Normalize, NormalizeMode, UNIT, Z_SCORE};
pub use number::{Float, Number};
pub use probe::Probe;
pub use probes::probes;
pub use random::{RANDOM, Random, RandomElement, philox4x32_10};
pub use reduce::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};
pub use scale::{SCALE, Scale};
pub use transpose::{TRANSPOSE, Transpose};
pub use xor::{BitElement, XOR, XOR_IN_PLACE, Xor, XorInPlace};

use crate::operation::Kind;

/// Every kind there is here.
pub static KINDS: [&Kind; 23] = [
    &XOR,
    &XOR_IN_PLACE,
    &ADD,
    &SUB,
    &MUL,
    &DIV,
    &SQUARE,
    &SQRT,
    &EXP,
    &ABS,
    &SCALE,
    &Z_SCORE,
    &MIN_MAX,
    &UNIT,
    &SUM,
    &MEAN,
    &STD,
    &MIN,
    &MAX,
    &MATMUL,
    &BATCH_MATMUL,
    &TRANSPOSE,
    &RANDOM,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The names of the kinds written in the files under `folder`: the first text
    /// within every `Kind::new` and every use of the macros that write one.
    fn written(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                written(&path, names);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            for opening in ["Kind::new(", "unary!(", "binary!("] {
                for after in code.split(opening).skip(1) {
                    // A macro's own body has a parameter there.
                    if !after.starts_with('$') {
                        names.insert(after.split('"').nth(1).unwrap().to_owned());
                    }
                }
            }
        }
    }

    #[test]
    fn the_list_of_kinds_is_complete() {
        let mut names = BTreeSet::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops");
        written(&folder, &mut names);
        let listed: BTreeSet<String> = KINDS.iter().map(|kind| kind.name().to_owned()).collect();
        assert_eq!(listed, names);
        assert_eq!(listed.len(), KINDS.len());
    }
}
