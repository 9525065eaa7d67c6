//! An emulated GPU that streams in chunks, as a real one does.

use std::any::Any;
use std::time::Instant;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::{
    Accelerator, ChunkLaunch, ChunkedMap, Device, DeviceBuffer, DeviceId, DeviceProperties,
    ExecutionContext, ExecutionTarget, Launch, Timing, TransferTotals, sequential,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Description, Error};

/// An emulated GPU whose pipeline takes a fixed number of elements at a time.
#[derive(Debug)]
pub struct ChunkedGpu {
    gpu: SimtDevice,
    elements: usize,
}

impl ChunkedGpu {
    pub fn new(elements: usize) -> Self {
        Self {
            gpu: SimtDevice::new(0, SimtOptions::default()).unwrap(),
            elements,
        }
    }
}

impl Device for ChunkedGpu {
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
        Ok(Timing {
            total: Nanos::from(start.elapsed()),
            device: Some(Nanos(0)),
            moved: context.moved(),
            ..Timing::default()
        })
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for ChunkedGpu {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.gpu.allocate(bytes)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        self.gpu.launch(launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.gpu.synchronize()
    }

    fn chunked_map(
        &self,
        mut work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        work.chunk_elements = self.elements;
        sequential(&self.gpu, work, launch)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
