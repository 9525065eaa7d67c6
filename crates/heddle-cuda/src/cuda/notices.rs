//! Notices of a kernel, in pinned memory.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::Error;
use heddle_runtime::device::Notices;

use super::context::Context;
use super::pinned::Pinned;

/// Words that the device writes while a kernel runs.
#[derive(Debug)]
pub(super) struct CudaNotices {
    memory: Pinned,
    words: usize,
}

impl CudaNotices {
    pub(super) fn new(context: &Arc<Context>, words: usize) -> Result<Self, Error> {
        let bytes = words.max(1) * size_of::<u32>();
        Ok(Self {
            memory: Pinned::new(context, bytes)?,
            words,
        })
    }

    /// Where the device finds them.
    pub(super) fn pointer(&self) -> CUdeviceptr {
        self.memory.address(0, self.words * size_of::<u32>())
    }
}

impl Notices for CudaNotices {
    fn len(&self) -> usize {
        self.words
    }

    fn read(&self, place: usize) -> u32 {
        if place >= self.words {
            return 0;
        }
        self.memory.word_at(place).load(Ordering::Acquire)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
