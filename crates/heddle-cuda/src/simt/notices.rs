//! Notices of an emulated kernel.

use std::any::Any;
use std::sync::atomic::AtomicU64;

use heddle_runtime::device::Notices;

/// Words that a kernel writes while it runs.
#[derive(Debug)]
pub(super) struct SimtNotices(Box<[AtomicU64]>);

impl SimtNotices {
    pub(super) fn new(words: usize) -> Self {
        Self((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    /// Where a kernel finds them; it stores whole words.
    pub(super) fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
}

impl Notices for SimtNotices {
    fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
