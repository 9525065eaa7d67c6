//! One conformance suite for every device: the same results as the CPU, and the same errors.
//!
//! A [`Suite`] is a list of [`Case`]s and a seed. Running it on a device runs each operation twice,
//! on a CPU device of one thread and on the device under test, and compares the results with the
//! operation's own `compare`. Operands are drawn from the seed, which the [`ConformanceReport`]
//! names. Memory for results is first filled with a pattern, which shows an element left unwritten.
//! A GPU that returns a result without a launch or without device time fails, even if the result is
//! correct.
//!
//! A workload adds its operations with [`Suite::with`].
//!
//! ```
//! use heddle_runtime::conformance::{Depth, Suite};
//! use heddle_runtime::{Runtime, device::DeviceId};
//!
//! let runtime = Runtime::builder().without_model_cache().build()?;
//! let suite = Suite::of_arrays(Depth::Quick, 7).only("scale");
//! let report = suite.run(&runtime, DeviceId::CPU, &mut |_| ())?;
//! assert!(report.is_pass(), "{:?}", report.differences);
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
