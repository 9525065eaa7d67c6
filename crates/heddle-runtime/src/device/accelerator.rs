//! Devices with their own memory.
//!
//! Buffers copy their own bytes, so an array can be downloaded without knowing what kind of device
//! holds it. The [`ExecutionContext`](super::ExecutionContext) decides *when* bytes are copied.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{
    ChunkLaunch, ChunkedMap, Device, DeviceId, Launch, MappedResults, MatMulCall, TransferTotals,
    sequential,
};
use crate::error::Error;
use crate::memory::AcceleratorMemory;
use crate::units::{Bytes, Nanos};

/// Bytes in a device's memory. Freed on drop.
pub trait DeviceMemory: Send + Sync + fmt::Debug {
    /// The device that holds it.
    fn device(&self) -> DeviceId;

    /// Its size.
    fn bytes(&self) -> Bytes;

    /// Overwrites the buffer with `from`, whose length must be its size, and returns the time that
    /// took. The next use of the buffer, on whatever thread, finds the new bytes; a device may
    /// return before the last of a small transfer has arrived.
    fn upload(&self, from: &[u8]) -> Result<Nanos, Error>;

    /// Copies the buffer to `to`, whose length must be its size, after all work issued before on
    /// that device, and returns the time the copy took.
    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error>;

    /// The memory it is part of, if the device exposes one to the runtime: see
    /// [`Accelerator::memory`].
    fn memory(&self) -> Option<&AcceleratorMemory> {
        None
    }

    /// The buffer as `Any`, so that the device's own code can downcast it.
    fn as_any(&self) -> &dyn Any;
}

/// Owned bytes on some device.
pub type DeviceBuffer = Box<dyn DeviceMemory>;

/// A device with its own memory.
pub trait Accelerator: Device {
    /// Allocates `bytes` bytes of unspecified content.
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error>;

    /// The memory that it allocates from. Admission reserves memory there, and arrays list copies
    /// there that may be dropped. For a device without one, a ledger counts the bytes of its
    /// operations, and nothing else is managed.
    fn memory(&self) -> Option<&AcceleratorMemory> {
        None
    }

    /// Allocates words that kernels write and the host reads while they run; `None` if the device
    /// has no such memory. The words outlive every kernel that was launched with them.
    fn mapped_results(&self, words: usize) -> Result<Option<Arc<dyn MappedResults>>, Error> {
        let _ = words;
        Ok(None)
    }

    /// Queues one kernel behind everything queued before. An error is one of the launch itself;
    /// errors inside the kernel are reported by the next [`synchronize`](Self::synchronize),
    /// transfer or end of an execution.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error>;

    /// Waits until everything queued so far has run.
    fn synchronize(&self) -> Result<(), Error>;

    /// Computes a host-to-host map chunk by chunk, with each chunk's kernels queued by `launch`. A
    /// device that can transfer and compute at once overlaps the chunks; it then returns the time
    /// of the whole, kernels included, divided by bytes. The time of the kernels is reported once,
    /// by the device's clock, in the [`Timing`](super::Timing) of the execution: a device that
    /// overlaps must have such a clock, or its work would appear to cost nothing.
    fn chunked_map(
        &self,
        work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        sequential(self, work, launch)
    }

    /// Queues a matrix product on the vendor's library and returns the library's name; `None` if
    /// there is none, and the caller uses its own kernel.
    fn matmul(&self, call: &MatMulCall<'_>) -> Result<Option<&'static str>, Error> {
        let _ = call;
        Ok(None)
    }

    /// The device as `Any`, for operations written for one concrete device.
    fn as_any(&self) -> &dyn Any;
}
