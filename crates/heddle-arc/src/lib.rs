//! Programs over small coloured grids: the language, merged plans, the engine.
//!
//! A [`program::Program`] is a sequence of calls of 167 primitives, without branches or
//! loops. Many programs become one [`plan::Plan`], in which every distinct call is made
//! once, and an [`engine::Worker`] runs a plan over examples. [`plain`] defines the
//! language, on values that own their parts; the engine computes the same on compact
//! values ([`value`]). [`data`] reads ARC tasks, [`operations`] runs evaluations through
//! the runtime, [`gpu`] runs them on GPUs, [`assess`] reports which tasks were solved.
//! Devices and the command line are in other crates.
//!
//! Invariant: a program that fails is *undefined for that example*, with the primitive and
//! line that failed, and affects no other result. No input makes the engine panic.
//!
//! ```
//! use heddle_arc::engine::{Example, Grid, Worker};
//! use heddle_arc::meter::Budget;
//! use heddle_arc::plan::Plan;
//! use heddle_arc::program::load;
//!
//! let loaded = load(
//!     "def solve_largest(I):
//!     x1 = objects(I, T, F, T)
//!     x2 = argmax(x1, size)
//!     O = subgrid(x2, I)
//!     return O
//! ",
//!     "ours.py",
//! );
//! assert!(loaded.errors.is_empty());
//!
//! let plan = Plan::new(&loaded.programs);
//! let input = Grid::new(&[[0, 0, 3, 3], [1, 0, 3, 0], [0, 0, 0, 0]])?;
//! let mut worker = Worker::new(Budget::default());
//! worker.run(&plan, &[Example::new(&input)], |_example, _program, evaluation| {
//!     assert_eq!(evaluation.grid(), Some((2, 2, &[3, 3, 3, 0][..])));
//! });
//! # Ok::<(), heddle_arc::engine::GridError>(())
//! ```

// Lengths, counts and coordinates are bounded by budgets far below 2^31, and
// handles check 32 bits where they are made.
#![allow(clippy::cast_possible_wrap)]
// `x`, `y`, `z` are a primitive's arguments, `i` and `j` its rows and columns.
#![allow(clippy::many_single_char_names)]

pub mod assess;
pub mod batt;
mod code;
mod compact;
pub mod constant;
pub mod data;
pub mod engine;
pub mod evaluators;
pub mod evolve;
pub mod fault;
pub mod golden;
pub mod gpu;
pub mod limits;
pub mod meter;
pub mod operations;
pub mod plain;
pub mod plan;
mod prefetch;
pub mod prim;
pub mod program;
pub mod reading;
pub mod rng;
pub mod search;
pub mod solvers;
pub mod tasks;
pub mod types;
pub mod value;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
