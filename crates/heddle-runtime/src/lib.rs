//! Heddle's runtime: arrays with residency, devices, a router that measures, and the pipeline
//! of every operation: describe, route, admit, run, record, learn.
//!
//! A workload adds an operation by implementing [`Operation`], and a caller runs it with
//! [`Runtime::run`]. Everything between the two happens in this crate.
//!
//! ```
//! use heddle_runtime::{Array, Runtime};
//!
//! let runtime = Runtime::new()?;
//! let signal = Array::from_slice(&[0.0_f32, 3.0, 4.0]);
//! let energy = runtime.sum(&runtime.square(&signal)?)?;
//! assert_eq!(energy, 25.0);
//!
//! let report = runtime.report();
//! assert_eq!(report.summary.totals.count, 2);
//! # Ok::<(), heddle_runtime::Error>(())
//! ```

pub mod array;
pub mod batch;
pub mod config;
pub mod conformance;
pub mod cpu;
pub mod device;
pub mod dtype;
pub mod error;
pub mod machine;
pub mod memory;
pub mod operation;
pub mod ops;
pub mod route;
pub mod runtime;
pub mod shape;
pub mod units;
mod with;

#[doc(hidden)]
pub use with::with;

pub use array::{Array, Residency};
pub use config::Config;
pub use dtype::{DType, Element};
pub use error::Error;
pub use operation::{Agreement, Description, Kind, Operand, Operation, ResultLocation, WorkUnit};
pub use runtime::{Report, RunOutcome, Runtime, RuntimeBuilder};
pub use shape::Shape;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
