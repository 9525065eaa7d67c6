//! Heddle runs very many small grid and lattice computations as fast as the
//! machine allows: it measures what each device costs, routes every operation to
//! the cheaper one and can say where every microsecond went.
//!
//! ```
//! use heddle::Array;
//!
//! let runtime = heddle::open()?;
//! let secret = runtime.xor(&Array::from_slice(b"warp and weft"), &Array::from_slice(b"key"))?;
//! let plain = runtime.xor(&secret, &Array::from_slice(b"key"))?;
//! assert_eq!(plain.as_slice()?, b"warp and weft");
//! # Ok::<(), heddle::Error>(())
//! ```
//!
//! This crate adds a runtime that knows this machine's GPUs ([`open`];
//! [`Runtime::new`] knows the processor alone). What it re-exports lives in [`heddle_runtime`], [`heddle_lattice`],
//! [`heddle_arc`], [`heddle_profile`] and [`heddle_cuda`].

pub mod fleet;
pub mod recording;

pub use fleet::{Fleet, builder, open};
pub use heddle_arc as arc;
pub use heddle_cuda as gpu;
pub use heddle_lattice as lattice;
pub use heddle_profile as profile;
pub use heddle_runtime::*;

/// Makes the README's example a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
