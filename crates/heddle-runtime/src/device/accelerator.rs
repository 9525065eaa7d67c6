//! Devices with a memory of their own.
//!
//! Buffers move their own bytes, so an array can be read back without knowing
//! what kind of device holds it. Who decides *when* bytes move is the
//! [`ExecutionContext`](super::ExecutionContext).

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

/// Bytes in a device's memory. Dropping it frees them.
pub trait DeviceMemory: Send + Sync + fmt::Debug {
    /// The device that holds it.
    fn device(&self) -> DeviceId;

    /// Its size.
    fn bytes(&self) -> Bytes;

    /// Overwrites the buffer with `from`, whose length must be its size, and
    /// returns the time that took. Whoever uses the buffer next, on whatever
    /// thread, finds the new bytes; a device may let the last of a small transfer
    /// travel while the caller goes on.
    fn upload(&self, from: &[u8]) -> Result<Nanos, Error>;

    /// Copies the buffer to `to`, whose length must be its size, after all work
    /// issued before on that device, and returns the time the copy took.
    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error>;

    /// The memory it is part of, where the device keeps one that the runtime may
    /// ask: see [`Accelerator::memory`].
    fn memory(&self) -> Option<&AcceleratorMemory> {
        None
    }

    /// For the device's own code to find its own type again.
    fn as_any(&self) -> &dyn Any;
}

/// Owned bytes on some device.
pub type DeviceBuffer = Box<dyn DeviceMemory>;

/// A device whose memory is not the host's.
pub trait Accelerator: Device {
    /// Room for `bytes` bytes of unspecified content.
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error>;

    /// The memory that it allocates from. Admission reserves there, and arrays
    /// list there what may be dropped; a device without one has its operations
    /// counted in a ledger, and nothing else.
    fn memory(&self) -> Option<&AcceleratorMemory> {
        None
    }

    /// Words that kernels write and the host reads meanwhile; none where the device has
    /// no such memory. They outlive every kernel that was launched with them.
    fn mapped_results(&self, words: usize) -> Result<Option<Arc<dyn MappedResults>>, Error> {
        let _ = words;
        Ok(None)
    }

    /// Queues one kernel behind everything queued before. An error is of the
    /// launch itself; what goes wrong inside the kernel is reported by the next
    /// [`synchronize`](Self::synchronize), transfer or end of an execution.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error>;

    /// Returns once everything queued so far has run.
    fn synchronize(&self) -> Result<(), Error>;

    /// Computes a host-to-host map chunk by chunk, each chunk's kernels queued by
    /// `launch`. A device that can move and compute at once overlaps the chunks;
    /// the time it answers with is then the whole's, shared out by bytes, kernels
    /// included. How long those took is said once, by the device's clock, in the
    /// [`Timing`](super::Timing) of the execution: a device that overlaps must
    /// have such a clock, or its work would seem to cost nothing.
    fn chunked_map(
        &self,
        work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        sequential(self, work, launch)
    }

    /// Queues a matrix product on the vendor's library and names that library;
    /// `None` when there is none, and the caller uses a kernel of its own.
    fn matmul(&self, call: &MatMulCall<'_>) -> Result<Option<&'static str>, Error> {
        let _ = call;
        Ok(None)
    }

    /// For an operation that is written for one concrete device.
    fn as_any(&self) -> &dyn Any;
}
