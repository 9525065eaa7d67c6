//! Mapped results of a kernel, in pinned memory.
//!
//! Pinning memory takes about a quarter of a millisecond for each megabyte, and a kernel
//! cannot begin before it is done. So the memory of one launch is kept for the next.
//!
//! Results may be dropped while a kernel that was launched with them still runs. Their
//! memory is used again, or freed, only once the leases they were used on are synchronized.

#![allow(unsafe_code)]

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::Error;
use heddle_runtime::device::MappedResults;
use heddle_runtime::memory::StreamSet;

use super::context::Context;
use super::lease::StreamLease;
use super::pinned::Pinned;
use super::state::CudaState;

/// The unit of the sizes in bytes, and the most memories kept: those of a kernel that runs,
/// of one whose results are read and of the next one.
const STEP: usize = 1 << 16;
const KEPT: usize = 3;

/// Pinned memory that no results own.
#[derive(Debug, Default)]
pub(super) struct PinnedCache {
    idle: Mutex<Vec<IdleMemory>>,
}

#[derive(Debug)]
struct IdleMemory {
    memory: Pinned,
    /// The leases whose kernels may write it until they are synchronized.
    used_by_leases: StreamSet,
}

impl IdleMemory {
    /// Whether a kernel may still write it. A lease that was synchronized once is forgotten:
    /// what it carries later is not about this memory.
    fn is_written(&mut self, unsynchronized: StreamSet) -> bool {
        self.used_by_leases = self.used_by_leases.and(unsynchronized);
        !self.used_by_leases.is_empty()
    }
}

impl PinnedCache {
    /// Zeroed memory of at least `bytes` bytes: the smallest one kept that fits and that no
    /// kernel writes, or new.
    fn take(
        &self,
        context: &Arc<Context>,
        bytes: usize,
        unsynchronized: StreamSet,
    ) -> Result<Pinned, Error> {
        let mut idle = self.lock();
        let smallest = idle
            .iter_mut()
            .enumerate()
            .filter_map(|(place, idle)| {
                let fits = !idle.is_written(unsynchronized) && idle.memory.len() >= bytes;
                fits.then_some((idle.memory.len(), place))
            })
            .min();
        let Some((_, place)) = smallest else {
            drop(idle);
            return Pinned::new(context, bytes.next_multiple_of(STEP));
        };
        let mut memory = idle.swap_remove(place).memory;
        drop(idle);
        // SAFETY: every kernel that was launched with it has run, by `is_written`.
        unsafe { memory.bytes_mut(0, bytes) }.fill(0);
        Ok(memory)
    }

    /// Keeps memory that is no longer read; drops the smallest when there are too many, once
    /// no kernel writes it.
    fn give(&self, memory: IdleMemory, unsynchronized: StreamSet) {
        let mut idle = self.lock();
        idle.push(memory);
        idle.sort_by_key(|idle| std::cmp::Reverse(idle.memory.len()));
        let kept = idle.len().min(KEPT);
        let surplus: Vec<IdleMemory> = idle
            .extract_if(kept.., |idle| !idle.is_written(unsynchronized))
            .collect();
        drop(idle);
        drop(surplus);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<IdleMemory>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Words that the device writes while a kernel runs.
#[derive(Debug)]
pub(super) struct CudaMappedResults {
    state: Arc<CudaState>,
    /// Some until drop.
    memory: Option<Pinned>,
    words: usize,
    /// The leases that ever launched a kernel with them.
    used_by_leases: AtomicU64,
}

impl CudaMappedResults {
    pub(super) fn new(state: &Arc<CudaState>, words: usize) -> Result<Self, Error> {
        let bytes = words.max(1) * size_of::<u64>();
        let unsynchronized = state.memory.unsynchronized();
        let memory = state
            .pinned_cache
            .take(&state.context, bytes, unsynchronized)?;
        Ok(Self {
            state: Arc::clone(state),
            memory: Some(memory),
            words,
            used_by_leases: AtomicU64::new(0),
        })
    }

    /// The results behind the trait, if they belong to this device.
    pub(super) fn of<'a>(
        state: &CudaState,
        mapped_results: &'a dyn MappedResults,
    ) -> Result<&'a Self, Error> {
        mapped_results
            .as_any()
            .downcast_ref::<Self>()
            .filter(|own| std::ptr::eq(Arc::as_ptr(&own.state), state))
            .ok_or_else(|| {
                state
                    .context
                    .refuse("the mapped results belong to another device")
            })
    }

    /// Notes that `lease` is about to queue a kernel that writes them.
    pub(super) fn join(&self, lease: &StreamLease) {
        self.used_by_leases.fetch_or(lease.bit, Ordering::SeqCst);
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
            let used_by_leases = StreamSet(*self.used_by_leases.get_mut());
            let unsynchronized = self.state.memory.unsynchronized();
            let idle = IdleMemory {
                memory,
                used_by_leases,
            };
            self.state.pinned_cache.give(idle, unsynchronized);
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
