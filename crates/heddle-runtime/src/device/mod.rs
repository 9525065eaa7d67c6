//! What the runtime asks of a device, whoever built it.
//!
//! No device lives here except by contract: the CPU's is in [`crate::cpu`], GPUs
//! are registered from outside through [`RuntimeBuilder::device`]. A device runs
//! a body and says how long it took; it knows nothing of routing or memory
//! limits.
//!
//! [`RuntimeBuilder::device`]: crate::RuntimeBuilder::device

mod accelerator;
mod chunked_map;
mod context;
mod family;
mod id;
mod kernel;
mod launch;
mod mapped_results;
mod matmul;
mod scattered;
mod timing;

use std::fmt;
use std::time::Instant;

pub use accelerator::{Accelerator, DeviceBuffer, DeviceMemory};
pub use chunked_map::{ChunkLaunch, ChunkedMap, ChunkedMapInput, MapChunk, sequential};
pub use context::{ExecutionContext, ExecutionTarget};
pub use family::{Capabilities, DeviceFamily};
pub use id::DeviceId;
pub use kernel::{HostEntry, Kernel, KernelModule, MachineCode, ParameterKind, Ptx};
pub use launch::{Argument, Launch};
pub use mapped_results::MappedResults;
pub use matmul::{MatMulCall, MatMulOperand};
pub use scattered::{GatherPieces, GatherSource, ScatterSink};
pub use timing::{Timing, TransferTotals};

use crate::cpu::CpuPool;
use crate::error::Error;
use crate::operation::Description;
use crate::units::Bytes;

/// What a device is, for people and for the name of its model file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DeviceProperties {
    /// The hardware's own name.
    pub name: String,
    /// What executes on it: `native`, `cuda`, `simt`, …
    pub backend: &'static str,
    /// Driver version; the operating system's for a CPU.
    pub driver: String,
    /// Changes whenever the kernels change enough that old measurements no
    /// longer describe them.
    pub kernel_version: u32,
    /// Threads of a CPU, multiprocessors of a GPU.
    pub units: usize,
    /// Memory the device has in all.
    pub memory: Bytes,
}

/// Something operations can run on.
///
/// Implementations are called from many threads at once.
pub trait Device: Send + Sync + fmt::Debug {
    /// Its name on this machine. Unique within a runtime, constant for life.
    fn id(&self) -> DeviceId;

    /// What it is.
    fn properties(&self) -> &DeviceProperties;

    /// Memory free right now, as the driver or system sees it.
    fn free_memory(&self) -> Bytes;

    /// Runs `body` once and times it: the system time of the whole, counted from
    /// `start`, when it was handed over, and the device's own clock where it has
    /// one.
    ///
    /// `description` is the operation's own; a real device has no use for it, a
    /// simulated one prices by it. An error of the body is returned as it is.
    fn execute(
        &self,
        description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error>;

    /// The side of it that has a memory of its own, if it has one.
    fn accelerator(&self) -> Option<&dyn Accelerator> {
        None
    }

    /// The host's threads it runs operations on, if it does: a runtime shares them
    /// instead of starting others.
    fn host_pool(&self) -> Option<&CpuPool> {
        None
    }
}
