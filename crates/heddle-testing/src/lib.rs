//! Fixtures shared by the tests of this workspace.
//!
//! Devices that are simulated, refuse or fail; reference searches; checks of file formats; random
//! operands; and the depth of a test run. A crate uses it for its integration tests, its benches
//! and, where no type of the crate itself is involved, for its unit tests.

#![allow(
    missing_docs,
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    reason = "fixtures are read where they are used"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot be set up has failed"
)]

pub mod depth;
mod programs;
pub mod random;

#[cfg(feature = "cuda")]
pub mod agreement;
#[cfg(feature = "runtime")]
pub mod cpu_ops;
#[cfg(feature = "runtime")]
pub mod fake;
#[cfg(feature = "runtime")]
pub mod host_memory_gpu;
#[cfg(feature = "cuda")]
pub mod kernel_launch;
#[cfg(feature = "lattice")]
pub mod lattices;
#[cfg(feature = "cuda")]
pub mod nvidia;
#[cfg(feature = "lattice")]
pub mod oracle;
#[cfg(feature = "arc")]
pub mod plain_evaluation;
#[cfg(feature = "profile")]
pub mod recorded;
#[cfg(feature = "runtime")]
mod runtimes;
#[cfg(feature = "cuda")]
pub mod several_gpus;
#[cfg(feature = "cuda")]
pub mod small_gpu;
#[cfg(feature = "profile")]
pub mod trace_rules;
#[cfg(feature = "cuda")]
pub mod wrapped_gpu;
#[cfg(feature = "runtime")]
pub mod xor_with_key;

pub use programs::programs;
pub use random::Random;
#[cfg(feature = "runtime")]
pub use runtimes::{runtime, runtime_with};

/// Returns the folder of the ARC tasks, for tests that are ignored on machines without them.
pub fn arc_tasks() -> std::path::PathBuf {
    std::env::var_os("HEDDLE_ARC_DATA")
        .expect("HEDDLE_ARC_DATA names ARC tasks; `. tests/arc_tasks.sh` sets it")
        .into()
}
