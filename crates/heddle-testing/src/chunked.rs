//! An emulated GPU that streams in chunks, as a real one does.

use std::any::Any;
use std::time::Instant;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::{
    Accelerator, Device, DeviceBuffer, DeviceCard, DeviceId, Lane, Launch, Moved, Pipeline,
    PipelineLaunch, Place, Timing, sequential,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Description, Error};

/// An emulated GPU whose pipeline takes so many elements at a time.
#[derive(Debug)]
pub struct Chunked {
    gpu: SimtDevice,
    elements: usize,
}

impl Chunked {
    pub fn new(elements: usize) -> Self {
        Self {
            gpu: SimtDevice::new(0, SimtOptions::default()).unwrap(),
            elements,
        }
    }
}

impl Device for Chunked {
    fn id(&self) -> DeviceId {
        self.gpu.id()
    }

    fn card(&self) -> &DeviceCard {
        self.gpu.card()
    }

    fn free_memory(&self) -> Bytes {
        self.gpu.free_memory()
    }

    fn execute(
        &self,
        _: &Description,
        start: Instant,
        body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let lane = Lane::new(self.id(), Place::Accelerator(self));
        body(&lane)?;
        self.synchronize()?;
        Ok(Timing {
            total: Nanos::from(start.elapsed()),
            device: Some(Nanos(0)),
            moved: lane.moved(),
            ..Timing::default()
        })
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for Chunked {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.gpu.allocate(bytes)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        self.gpu.launch(launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.gpu.synchronize()
    }

    fn pipeline(
        &self,
        mut work: Pipeline<'_>,
        launch: &mut PipelineLaunch<'_>,
    ) -> Result<Moved, Error> {
        work.chunk_elements = self.elements;
        sequential(&self.gpu, work, launch)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
