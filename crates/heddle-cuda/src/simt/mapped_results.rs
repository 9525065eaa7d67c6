//! Mapped results of an emulated kernel.

use std::any::Any;
use std::sync::atomic::AtomicU64;

use heddle_runtime::device::MappedResults;

/// Words that a kernel writes while it runs.
#[derive(Debug)]
pub(super) struct SimtMappedResults(Box<[AtomicU64]>);

impl SimtMappedResults {
    pub(super) fn new(words: usize) -> Self {
        Self((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    /// The address for the kernel, which stores whole words.
    pub(super) fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
}

impl MappedResults for SimtMappedResults {
    fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
