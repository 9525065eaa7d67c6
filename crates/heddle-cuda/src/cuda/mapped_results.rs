//! Mapped results of a kernel, in pinned memory.
//!
//! Pinning memory takes about a quarter of a millisecond for each megabyte, and a kernel
//! cannot begin before it is done. So the memory of one launch is kept for the next.

use std::any::Any;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::Error;
use heddle_runtime::device::MappedResults;

use super::context::Context;
use super::pinned::Pinned;

/// The unit of the sizes in bytes, and the most memories kept: those of a kernel that runs,
/// of one whose results are read and of the next one.
const STEP: usize = 1 << 16;
const KEPT: usize = 3;

/// Pinned memory that is not in use.
#[derive(Debug, Default)]
pub(super) struct PinnedCache {
    idle: Mutex<Vec<Pinned>>,
}

impl PinnedCache {
    /// Zeroed memory of at least `bytes` bytes: the smallest one kept that fits, or new.
    fn take(&self, context: &Arc<Context>, bytes: usize) -> Result<Pinned, Error> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = (0..idle.len()).filter(|place| idle[*place].bytes().len() >= bytes);
        let smallest = fits.min_by_key(|place| idle[*place].bytes().len());
        let Some(place) = smallest else {
            drop(idle);
            return Pinned::new(context, bytes.next_multiple_of(STEP));
        };
        let mut memory = idle.swap_remove(place);
        drop(idle);
        memory.bytes_mut()[..bytes].fill(0);
        Ok(memory)
    }

    /// Keeps memory that is no longer read or written; drops the smallest when there are
    /// too many.
    fn give(&self, memory: Pinned) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(memory);
        idle.sort_by_key(|memory| std::cmp::Reverse(memory.bytes().len()));
        let kept = idle.len().min(KEPT);
        let surplus = idle.split_off(kept);
        drop(idle);
        drop(surplus);
    }
}

/// Words that the device writes while a kernel runs.
#[derive(Debug)]
pub(super) struct CudaMappedResults {
    /// Some until drop.
    memory: Option<Pinned>,
    words: usize,
    pinned_cache: Arc<PinnedCache>,
}

impl CudaMappedResults {
    pub(super) fn new(
        context: &Arc<Context>,
        pinned_cache: &Arc<PinnedCache>,
        words: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            memory: Some(pinned_cache.take(context, words.max(1) * size_of::<u64>())?),
            words,
            pinned_cache: Arc::clone(pinned_cache),
        })
    }

    /// The address on the device.
    pub(super) fn pointer(&self) -> CUdeviceptr {
        let bytes = self.words * size_of::<u64>();
        let memory = self.memory.as_ref();
        memory.map_or(0, |memory| memory.address(0, bytes))
    }
}

impl Drop for CudaMappedResults {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pinned_cache.give(memory);
        }
    }
}

impl MappedResults for CudaMappedResults {
    fn words(&self) -> &[AtomicU64] {
        let memory = self.memory.as_ref();
        memory.map_or(&[], |memory| &memory.words()[..self.words])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
