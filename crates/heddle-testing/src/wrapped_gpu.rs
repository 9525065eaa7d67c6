//! An emulated GPU of which one part behaves differently: how it launches kernels, or how it
//! streams.

use std::any::Any;
use std::time::Instant;

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::device::{
    Accelerator, ChunkLaunch, ChunkedMap, Device, DeviceBuffer, DeviceId, DeviceProperties,
    ExecutionContext, ExecutionTarget, Launch, Timing, TransferTotals, sequential,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Description, Error};

use crate::kernel_launch::gpu;

#[derive(Debug)]
pub struct WrappedGpu {
    gpu: SimtDevice,
    launch: fn(&SimtDevice, &Launch<'_>) -> Result<(), Error>,
    /// The elements of a chunk; 0 for as many as fit.
    chunk_elements: usize,
}

impl WrappedGpu {
    /// A GPU that streams in chunks of this many elements, as a real one does.
    pub fn in_chunks(elements: usize) -> Self {
        Self {
            gpu: gpu(),
            launch: SimtDevice::launch,
            chunk_elements: elements,
        }
    }

    /// A GPU that launches a kernel by this function.
    pub fn launching(launch: fn(&SimtDevice, &Launch<'_>) -> Result<(), Error>) -> Self {
        Self {
            launch,
            ..Self::in_chunks(0)
        }
    }
}

impl Device for WrappedGpu {
    fn id(&self) -> DeviceId {
        self.gpu.id()
    }

    fn properties(&self) -> &DeviceProperties {
        self.gpu.properties()
    }

    fn free_memory(&self) -> Bytes {
        self.gpu.free_memory()
    }

    fn execute(
        &self,
        _: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let context = ExecutionContext::new(self.id(), ExecutionTarget::Accelerator(self));
        body(&context)?;
        self.synchronize()?;
        Ok(Timing::of(Nanos::from(start.elapsed()))
            .on_device(Nanos(1000))
            .moving(context.moved()))
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for WrappedGpu {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.gpu.allocate(bytes)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        (self.launch)(&self.gpu, launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.gpu.synchronize()
    }

    fn chunked_map(
        &self,
        mut work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        if self.chunk_elements > 0 {
            work.chunk_elements = self.chunk_elements;
        }
        sequential(self, work, launch)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
