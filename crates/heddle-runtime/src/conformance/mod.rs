//! One conformance suite for every device: the same answers as the processor,
//! and the same refusals.
//!
//! A [`Suite`] is a list of [`Case`]s and a seed. Running it on a device asks
//! each operation twice, of a processor of one thread and of the device under
//! test, and lets the operation's own `compare` judge. Operands are drawn anew
//! from the seed, which the [`ConformanceReport`] names; memory that results will land in
//! is filled with a pattern first, so that an element left unwritten is seen. A GPU
//! that answers for work without a launch and without time of its own has failed,
//! however right the answer.
//!
//! A workload adds its operations with [`Suite::with`].
//!
//! ```
//! use heddle_runtime::conformance::{Depth, Suite};
//! use heddle_runtime::{Runtime, device::DeviceId};
//!
//! let runtime = Runtime::builder().forgetful().build()?;
//! let suite = Suite::of_arrays(Depth::Quick, 7).only("scale");
//! let verdict = suite.run(&runtime, DeviceId::CPU, &mut |_| ())?;
//! assert!(verdict.is_pass(), "{:?}", verdict.differences);
//! # Ok::<(), heddle_runtime::Error>(())
//! ```

mod case;
pub(crate) mod cases;
mod instrumented;
mod report;
mod runner;
mod sample;
mod sizes;
mod suite;
mod trial;

pub use case::{Case, CaseResult, Placement};
pub use report::{ConformanceReport, Difference, OperationConformance};
pub use runner::CaseRunner;
pub use sample::SampleElement;
pub use sizes::Depth;
pub use suite::{Progress, Suite};
pub use trial::Trial;
