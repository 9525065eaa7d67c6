//! The CPU as a device: native Rust on our own worker threads.
//!
//! The kernels are in [`crate::ops`], next to their operations. This module has the threads
//! they run on and the device that times them.

mod pool;
mod workers;

use std::time::Instant;

pub use pool::{CpuPool, PARALLEL_FROM};
pub use workers::{StartedWorkers, start_workers};

use crate::device::{
    Device, DeviceId, DeviceProperties, ExecutionContext, ExecutionTarget, Timing,
};
use crate::error::Error;
use crate::machine::Machine;
use crate::operation::Description;
use crate::units::{Bytes, Nanos};

/// The version of the CPU kernels. It is raised when a kernel changes enough to make old
/// measurements wrong.
const KERNEL_VERSION: u32 = 2;

/// The host's CPU.
#[derive(Debug)]
pub struct CpuDevice {
    properties: DeviceProperties,
    pool: CpuPool,
}

impl CpuDevice {
    /// Creates the device with the threads that [`CpuPool::new`] describes.
    #[must_use]
    pub fn new(threads: Option<usize>) -> Self {
        Self::with_pool(CpuPool::new(threads))
    }

    /// Creates the CPU device with these threads.
    #[must_use]
    pub fn with_pool(pool: CpuPool) -> Self {
        let machine = Machine::read();
        Self {
            properties: DeviceProperties {
                name: machine.cpu,
                backend: "native",
                driver: machine.system,
                kernel_version: KERNEL_VERSION,
                units: pool.threads(),
                memory: machine.memory,
            },
            pool,
        }
    }

    /// The threads its operations run on.
    #[must_use]
    pub fn pool(&self) -> &CpuPool {
        &self.pool
    }
}

impl Device for CpuDevice {
    fn host_pool(&self) -> Option<&CpuPool> {
        Some(&self.pool)
    }

    fn note(&self) -> Option<String> {
        self.pool.shortage().map(str::to_owned)
    }

    fn id(&self) -> DeviceId {
        DeviceId::CPU
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn free_memory(&self) -> Bytes {
        Machine::available_memory()
    }

    fn execute(
        &self,
        _description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let context = ExecutionContext::new(DeviceId::CPU, ExecutionTarget::Host(&self.pool));
        body(&context)?;
        Ok(Timing::of(Nanos::from(start.elapsed())).moving(context.moved()))
    }
}
