//! The interface between the runtime and a device.
//!
//! Only the interface is here: the CPU device is in [`crate::cpu`], and GPUs are registered from
//! outside through [`RuntimeBuilder::device`]. A device runs a body and reports how long it took;
//! it has no part in routing or memory limits.
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

/// The properties of a device, for display and for the name of its model file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// The name of the hardware.
    pub name: String,
    /// The backend that executes on it: `native`, `cuda`, `simt`, …
    pub backend: &'static str,
    /// The driver version; for a CPU the version of the operating system.
    pub driver: String,
    /// A version that changes whenever the kernels change enough to invalidate old measurements.
    pub kernel_version: u32,
    /// The threads of a CPU, or the multiprocessors of a GPU.
    pub units: usize,
    /// The total memory of the device.
    pub memory: Bytes,
}

impl DeviceProperties {
    /// Returns the properties of hardware of this name, of one unit, whose driver has no version
    /// and whose kernels have the first.
    #[must_use]
    pub fn new(name: impl Into<String>, backend: &'static str, memory: Bytes) -> Self {
        Self {
            name: name.into(),
            backend,
            driver: String::new(),
            kernel_version: 1,
            units: 1,
            memory,
        }
    }
}

/// A device that operations can run on.
///
/// Implementations are called from many threads at once.
pub trait Device: Send + Sync + fmt::Debug {
    /// Its name on this machine. Unique within a runtime, and constant.
    fn id(&self) -> DeviceId;

    /// Its properties.
    fn properties(&self) -> &DeviceProperties;

    /// The memory that is free now, as the driver or system reports it.
    fn free_memory(&self) -> Bytes;

    /// Runs `body` once and times it: the system time of the whole, counted from `start`, when the
    /// operation was submitted, and the time by the device's own clock if it has one.
    ///
    /// `description` is that of the operation; real devices ignore it, and a simulated device
    /// computes times from it. An error of the body is returned unchanged.
    fn execute(
        &self,
        description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error>;

    /// The device as an accelerator, if it has its own memory.
    fn accelerator(&self) -> Option<&dyn Accelerator> {
        None
    }

    /// The CPU threads that it runs operations on, if it does: a runtime shares them instead of
    /// starting others.
    fn host_pool(&self) -> Option<&CpuPool> {
        None
    }

    /// What the user should know about its state, in one line: that it works with fewer threads
    /// than it should.
    fn note(&self) -> Option<String> {
        None
    }
}
