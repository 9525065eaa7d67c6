//! Bytes in a GPU's memory.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::Error;
use heddle_runtime::device::{DeviceId, DeviceMemory};
use heddle_runtime::memory::{AcceleratorMemory, Allocation, Streams};
use heddle_runtime::units::{Bytes, Nanos};

use super::core::Core;
use super::lease::Lease;
use super::transfer;

/// A buffer on a CUDA device.
pub(super) struct CudaMemory {
    core: Arc<Core>,
    home: Home,
    bytes: Bytes,
    /// Leases that ever queued work on it.
    touched: AtomicU64,
    /// The lease whose stream still carries an upload to it, 0 when none.
    arriving: AtomicU64,
}

/// Where a buffer's bytes are.
enum Home {
    /// There are none.
    Nowhere,
    Block(Allocation),
    /// In pinned memory of somebody who keeps it until the buffer is gone.
    Pinned(CUdeviceptr),
}

impl CudaMemory {
    #[track_caller]
    pub(super) fn new(core: &Arc<Core>, bytes: Bytes) -> Result<Self, Error> {
        let home = match bytes {
            Bytes(0) => Home::Nowhere,
            bytes => Home::Block(core.allocate(bytes)?),
        };
        Ok(Self::at(core, home, bytes))
    }

    /// Pinned memory as a buffer. Whoever owns that memory waits for the lease's
    /// work before using it again.
    pub(super) fn within(core: &Arc<Core>, address: CUdeviceptr, bytes: Bytes) -> Self {
        Self::at(core, Home::Pinned(address), bytes)
    }

    fn at(core: &Arc<Core>, home: Home, bytes: Bytes) -> Self {
        Self {
            core: Arc::clone(core),
            home,
            bytes,
            touched: AtomicU64::new(0),
            arriving: AtomicU64::new(0),
        }
    }

    /// The buffer behind the trait, if it is this device's.
    pub(super) fn of<'a>(core: &Core, memory: &'a dyn DeviceMemory) -> Result<&'a Self, Error> {
        memory
            .as_any()
            .downcast_ref::<Self>()
            .filter(|memory| std::ptr::eq(Arc::as_ptr(&memory.core), core))
            .ok_or_else(|| {
                core.context.refuse(format!(
                    "a buffer of {} cannot be used here: it was not allocated by this device",
                    memory.device()
                ))
            })
    }

    /// Where it starts on the device; 0 for a buffer of no bytes.
    pub(super) fn pointer(&self) -> CUdeviceptr {
        match &self.home {
            Home::Nowhere => 0,
            Home::Block(allocation) => allocation.address(),
            Home::Pinned(address) => *address,
        }
    }

    /// Notes that `lease` is about to queue work on it, which must come after an
    /// upload that another lease has queued.
    pub(super) fn join(&self, lease: &Lease) -> Result<(), Error> {
        self.touched.fetch_or(lease.bit, Ordering::SeqCst);
        let arriving = self.arriving.load(Ordering::SeqCst);
        if arriving != 0 && arriving != lease.bit {
            let is_pending = self.core.memory.unsettled().0 & arriving != 0;
            if is_pending && let Some(other) = self.core.leases.with_bit(arriving) {
                other.stream.synchronize()?;
            }
            // A newer upload on a third lease would have changed it; leave that.
            let _ = self
                .arriving
                .compare_exchange(arriving, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Notes that `lease` has queued an upload nobody has waited for.
    pub(super) fn arrives_by(&self, lease: &Lease) {
        self.arriving.store(lease.bit, Ordering::SeqCst);
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
        self.core.context.id()
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        self.check_length("from", from.len())?;
        transfer::upload(&self.core, self, from)
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        self.check_length("to", to.len())?;
        transfer::download(&self.core, self, to)
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.core.memory)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        if let Home::Block(allocation) = std::mem::replace(&mut self.home, Home::Nowhere) {
            let touched = Streams(*self.touched.get_mut());
            self.core.memory.free(allocation, touched);
        }
    }
}

impl fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaMemory({} on {})", self.bytes, self.device())
    }
}
