//! The fuzz targets: what each checks about an input, and the seeds it begins with.
//!
//! A check takes any bytes and panics where a promise is broken. The programs in `fuzz/`
//! run the checks under libFuzzer; the tests of this crate run them on the seeds, on inputs
//! that once failed and, for a second or two, on random changes of these.
//!
//! ```
//! let target = heddle_fuzz::TARGETS.iter().find(|target| target.name == "plan_text").unwrap();
//! for seed in (target.seeds)() {
//!     (target.check)(&seed);
//! }
//! (target.check)(b"# heddle plan 1\ndef plan(");
//! ```

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a check that fails panics, which is how a fuzzer is told"
)]

pub mod allocation_logs;
mod any_program;
pub mod configuration;
mod differential;
pub mod emulated_gpu;
pub mod generated_programs;
pub mod golden_vectors;
pub mod merged_files;
pub mod model_files;
pub mod mutation;
pub mod plan_text;
pub mod programs;
pub mod recordings;
pub mod task_data;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of its program in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Checks one input.
    pub check: fn(&[u8]),
    /// Makes the inputs it begins with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Calls a macro with the names of the targets, which are those of their modules.
#[macro_export]
macro_rules! with_target_names {
    ($callback:ident) => {
        $callback! {
            programs, generated_programs, plan_text, merged_files, task_data, golden_vectors,
            configuration, recordings, allocation_logs, model_files, emulated_gpu
        }
    };
}

macro_rules! targets {
    ($($module:ident),*) => {
        /// Every target.
        pub const TARGETS: &[Target] = &[$(Target {
            name: stringify!($module),
            check: $module::check,
            seeds: $module::seeds,
        }),*];
    };
}

with_target_names!(targets);

/// A folder for the files of one check, in memory where the system has such a place.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder can be made")
}
