//! Buffers in a GPU's memory.

#![allow(unsafe_code)]

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::Error;
use heddle_runtime::device::{DeviceId, DeviceMemory};
use heddle_runtime::memory::{AcceleratorMemory, Allocation, StreamSet};
use heddle_runtime::units::{Bytes, Nanos};

use super::lease::StreamLease;
use super::state::CudaState;
use super::transfer;

/// A buffer on a CUDA device.
pub(super) struct CudaMemory {
    state: Arc<CudaState>,
    storage: BufferStorage,
    bytes: Bytes,
    /// The leases that ever queued work on it.
    used_by_leases: AtomicU64,
    /// The lease whose stream still carries an upload to it, 0 when none.
    upload_lease: AtomicU64,
}

/// Where a buffer's bytes are stored.
enum BufferStorage {
    /// The buffer has no bytes.
    Empty,
    Block(Allocation),
    /// In pinned memory whose owner keeps it until the buffer is gone.
    Pinned(CUdeviceptr),
}

impl CudaMemory {
    #[track_caller]
    pub(super) fn new(state: &Arc<CudaState>, bytes: Bytes) -> Result<Self, Error> {
        let storage = match bytes {
            Bytes(0) => BufferStorage::Empty,
            bytes => BufferStorage::Block(state.allocate(bytes)?),
        };
        Ok(Self::at(state, storage, bytes))
    }

    /// A buffer in pinned memory.
    ///
    /// # Safety
    /// The device can address `bytes` bytes at `address`. The owner of that memory neither
    /// frees nor uses it before the buffer is gone and the work that was queued on it has
    /// run.
    pub(super) unsafe fn within(
        state: &Arc<CudaState>,
        address: CUdeviceptr,
        bytes: Bytes,
    ) -> Self {
        Self::at(state, BufferStorage::Pinned(address), bytes)
    }

    fn at(state: &Arc<CudaState>, storage: BufferStorage, bytes: Bytes) -> Self {
        Self {
            state: Arc::clone(state),
            storage,
            bytes,
            used_by_leases: AtomicU64::new(0),
            upload_lease: AtomicU64::new(0),
        }
    }

    /// The buffer behind the trait, if it belongs to this device.
    pub(super) fn of<'a>(
        state: &CudaState,
        memory: &'a dyn DeviceMemory,
    ) -> Result<&'a Self, Error> {
        memory
            .as_any()
            .downcast_ref::<Self>()
            .filter(|memory| std::ptr::eq(Arc::as_ptr(&memory.state), state))
            .ok_or_else(|| {
                state.context.refuse(format!(
                    "a buffer of {} cannot be used here: it was not allocated by this device",
                    memory.device()
                ))
            })
    }

    /// The device address; 0 for a buffer of no bytes.
    pub(super) fn pointer(&self) -> CUdeviceptr {
        match &self.storage {
            BufferStorage::Empty => 0,
            BufferStorage::Block(allocation) => allocation.address(),
            BufferStorage::Pinned(address) => *address,
        }
    }

    /// Notes that `lease` is about to queue work on the buffer, and waits for an upload to
    /// it that another lease has queued.
    pub(super) fn join(&self, lease: &StreamLease) -> Result<(), Error> {
        self.used_by_leases.fetch_or(lease.bit, Ordering::SeqCst);
        let upload_lease = self.upload_lease.load(Ordering::SeqCst);
        if upload_lease != 0 && upload_lease != lease.bit {
            let is_pending = self.state.memory.unsynchronized().0 & upload_lease != 0;
            if is_pending && let Some(other) = self.state.leases.with_bit(upload_lease) {
                other.stream.synchronize()?;
            }
            // Left alone where a third lease has queued a newer upload since.
            let _ = self.upload_lease.compare_exchange(
                upload_lease,
                0,
                Ordering::SeqCst,
                Ordering::SeqCst,
            );
        }
        Ok(())
    }

    /// Notes that `lease` has queued an upload that is not synchronized yet.
    pub(super) fn note_upload(&self, lease: &StreamLease) {
        self.upload_lease.store(lease.bit, Ordering::SeqCst);
    }

    fn check_length(&self, parameter: &'static str, len: usize) -> Result<(), Error> {
        if len as u64 == self.bytes.0 {
            return Ok(());
        }
        Err(Error::BadParameter {
            operation: "transfer",
            parameter,
            expected: "as long as the device buffer",
            found: format!("{len} bytes against {}", self.bytes.0),
        })
    }
}

impl DeviceMemory for CudaMemory {
    fn device(&self) -> DeviceId {
        self.state.context.id()
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        self.check_length("from", from.len())?;
        transfer::upload(&self.state, self, from)
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        self.check_length("to", to.len())?;
        transfer::download(&self.state, self, to)
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.state.memory)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        if let BufferStorage::Block(allocation) =
            std::mem::replace(&mut self.storage, BufferStorage::Empty)
        {
            let used_by_leases = StreamSet(*self.used_by_leases.get_mut());
            self.state.memory.free(allocation, used_by_leases);
        }
    }
}

impl fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaMemory({} on {})", self.bytes, self.device())
    }
}
