//! Heddle runs very many small array, lattice and grid computations as fast as the
//! machine allows: it measures what each device costs, routes every operation to the
//! cheapest one and records where the time goes.
//!
//! ```
//! use heddle::Array;
//!
//! let runtime = heddle::open()?;
//! let secret = runtime.xor(&Array::from_slice(b"shared secret"), &Array::from_slice(b"key"))?;
//! let plain = runtime.xor(&secret, &Array::from_slice(b"key"))?;
//! assert_eq!(plain.as_slice()?, b"shared secret");
//! # Ok::<(), heddle::Error>(())
//! ```
//!
//! [`open`] returns a runtime on the CPU and every NVIDIA GPU; [`Runtime::new`] one on the
//! CPU alone. The most used items are at the root, the rest in one module for each part of
//! the library. Every operation, of the library or of the program ([`Operation`]), goes
//! through [`Runtime::run`] or one of its variants, and so is routed, admitted to memory
//! and recorded.
//!
//! | feature | by default | what it adds |
//! |---|---|---|
//! | `cuda` | yes | NVIDIA GPUs, `cuda:N`; needs a driver to run, nothing to build |
//! | `lattice` | yes | `heddle::lattice`: N-dimensional lattices |
//! | `arc` | yes | `heddle::arc`: programs over coloured grids |
//! | `report` | yes | `heddle::profile::report`: a recorded run as one HTML page |
//! | `metrics` | no | `heddle::metrics`: the metrics of a running process over HTTP |
//! | `emulator` | no | emulated GPUs, `simt:N`, for tests; needs a C++ compiler to build |
//!
//! Without any of them the library is arrays, operations, routing, memory and batches
//! on the CPU.

mod discovery;
#[cfg(feature = "metrics")]
pub mod metrics;
pub mod recording;

pub use discovery::{DiscoveredDevices, builder, open};

#[cfg(feature = "arc")]
pub use heddle_arc as arc;
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub use heddle_cuda as gpu;
#[cfg(feature = "lattice")]
pub use heddle_lattice as lattice;
pub use heddle_profile as profile;

pub use heddle_runtime::{
    batch, config, conformance, cpu, device, error, machine, memory, ops, route, runtime, units,
};

pub use heddle_runtime::device::DeviceId;
pub use heddle_runtime::route::Decision;
pub use heddle_runtime::units::{Bytes, Nanos};
pub use heddle_runtime::{
    Agreement, Array, Config, DType, Description, Element, Error, Kind, Operand, Operation, Report,
    Residency, ResultLocation, RunOutcome, Runtime, RuntimeBuilder, Shape, WorkUnit,
};

/// Makes the example of this crate's README a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

/// Makes the examples of the workspace's README tests.
#[cfg(all(doctest, feature = "lattice", feature = "arc"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Makes the examples of the profiling guide tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/profiling.md")]
struct ProfilingGuide;

/// Makes the examples of the tuning guide tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tuning.md")]
struct TuningGuide;
