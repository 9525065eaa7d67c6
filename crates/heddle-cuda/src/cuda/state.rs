//! The state of one CUDA device, shared with the buffers it allocates.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use heddle_runtime::Error;
use heddle_runtime::device::DeviceProperties;
use heddle_runtime::memory::{AcceleratorMemory, Allocation, StreamSet};
use heddle_runtime::units::Bytes;
use rayon::ThreadPool;

use super::context::Context;
use super::drop_failures;
use super::kernels::LoadedKernels;
use super::lease::{LeaseResources, StreamLease, StreamLeases};
use super::mapped_results::PinnedCache;
use super::staging::Staging;
use super::stream::Stream;

/// The parts of one device. Dropped in this order, the context last.
#[derive(Debug)]
pub(super) struct CudaState {
    pub(super) properties: DeviceProperties,
    pub(super) compute_capability: (u32, u32),
    /// Whether stamps can time kernels.
    pub(super) has_fine_clock: bool,
    pub(super) leases: StreamLeases,
    /// The streams on which overlapped chunked maps move their chunks.
    pub(super) up: Stream,
    pub(super) down: Stream,
    pub(super) staging: Staging,
    pub(super) pinned_cache: PinnedCache,
    pub(super) kernels: LoadedKernels,
    pub(super) memory: AcceleratorMemory,
    pub(super) copiers: ThreadPool,
    pub(super) tf32: AtomicBool,
    /// Why matrix products do not use cuBLAS, once that is known.
    pub(super) no_blas: OnceLock<String>,
    pub(super) context: Arc<Context>,
}

impl CudaState {
    /// Runs `with` on the calling thread's lease: its execution's, or the open one.
    pub(super) fn on_lease<T>(
        &self,
        with: impl FnOnce(&StreamLease, &mut LeaseResources) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let lease = if let Some(lease) = self.leases.held() {
            self.context.ensure_entered()?;
            lease
        } else {
            self.context.enter()?;
            Arc::clone(&self.leases.open)
        };
        let mut resources = lease.resources();
        with(&lease, &mut resources)
    }

    /// The calling thread's lease.
    pub(super) fn lease(&self) -> Arc<StreamLease> {
        self.leases
            .held()
            .unwrap_or_else(|| Arc::clone(&self.leases.open))
    }

    /// Notes that work is about to be queued on the lease.
    pub(super) fn note_queued_work(&self, lease: &StreamLease) {
        self.memory.queued(StreamSet(lease.bit));
    }

    /// Whether work on the lease is not synchronized yet.
    pub(super) fn has_work(&self, lease: &StreamLease) -> bool {
        self.memory.unsynchronized().0 & lease.bit != 0
    }

    /// Waits for the lease's stream, if it has pending work.
    pub(super) fn synchronize_lease(
        &self,
        lease: &StreamLease,
        resources: &mut LeaseResources,
    ) -> Result<(), Error> {
        let end = resources.kernel_timer.kernels_end(&lease.stream)?;
        if self.has_work(lease) {
            match end {
                // Nothing is queued after these kernels, and their end is observed sooner
                // than the end of the stream.
                Some(end) => resources.kernel_timer.wait(end, &lease.stream)?,
                None => lease.stream.synchronize()?,
            }
            self.note_synchronized(lease, resources);
        }
        Ok(())
    }

    /// Notes that everything queued on the lease has finished.
    pub(super) fn note_synchronized(&self, lease: &StreamLease, resources: &mut LeaseResources) {
        resources.slab_used = resources.slab_held;
        self.memory.synchronized(StreamSet(lease.bit));
    }

    /// Allocates a block of at least `bytes` bytes; `bytes` is not 0.
    #[track_caller]
    pub(super) fn allocate(&self, bytes: Bytes) -> Result<Allocation, Error> {
        self.context.check_alive()?;
        // For no stream in particular: chunked maps move their chunks on streams other than
        // the lease's, and the lease's order does not cover those.
        Ok(self.memory.allocate(bytes, None)?)
    }

    /// Waits for every lease that has pending work and that no thread is using, so that
    /// blocks freed before can be reused. Never waits for a lock: its owner may be waiting
    /// for memory.
    pub(super) fn synchronize_idle(&self) -> Bytes {
        let waiting = || self.memory.reading().storage.waiting;
        let before = waiting();
        for lease in self.leases.all() {
            if self.has_work(&lease)
                && let Some(mut resources) = lease.try_resources()
                && self.context.enter().is_ok()
                && let Err(error) = self.synchronize_lease(&lease, &mut resources)
            {
                drop_failures::note_message(error.to_string());
            }
        }
        before.saturating_sub(waiting())
    }

    /// Waits for the work queued outside any execution.
    pub(super) fn synchronize_open(&self) -> Result<(), Error> {
        let open = &self.leases.open;
        if self.has_work(open) {
            self.synchronize_lease(open, &mut open.resources())?;
        }
        Ok(())
    }
}

impl Drop for CudaState {
    /// No buffer is left, but freed blocks may still wait for unsynchronized work.
    fn drop(&mut self) {
        if !self.memory.unsynchronized().is_empty() {
            if let Err(error) = self.context.synchronize() {
                drop_failures::note_message(error.to_string());
            }
            self.memory.synchronized(StreamSet::ALL);
        }
    }
}
