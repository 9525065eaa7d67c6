//! The CUDA device as the runtime sees it.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_runtime::device::{
    Accelerator, Device, DeviceBuffer, DeviceCard, DeviceId, Lane, Launch, MatMulCall, Moved,
    Notices, Pipeline, PipelineLaunch, Timing,
};
use heddle_runtime::memory::{AcceleratorMemory, Cleanup};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Description, Error};

use super::core::Core;
use super::drops::{self, DropFailures};
use super::find::{self, Found, Options};
use super::health::{self, Health};
use super::memory::CudaMemory;
use super::notices::CudaNotices;
use super::{blas, execute, launch, pipeline};

/// One NVIDIA GPU.
#[derive(Debug)]
pub struct CudaDevice {
    core: Arc<Core>,
}

impl CudaDevice {
    /// Finds this machine's GPUs. Never panics and never prints: without a driver
    /// or a GPU it says why.
    #[must_use]
    pub fn find(options: &Options) -> Found {
        find::find(options)
    }

    /// Finds them as a runtime wants them.
    #[must_use]
    pub fn find_all() -> Found {
        Self::find(&Options::default())
    }

    pub(super) fn new(core: Core) -> Self {
        let core = Arc::new(core);
        let weak = Arc::downgrade(&core);
        // After everything that frees blocks has run: those may still wait.
        let last = Cleanup::CACHED_COPIES + 1;
        core.memory.on_cleanup(last, "work under way", move |_| {
            weak.upgrade().map_or(Bytes(0), |core| core.settle_idle())
        });
        Self { core }
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Major and minor compute capability: (9, 0) for Hopper.
    #[must_use]
    pub fn compute_capability(&self) -> (u32, u32) {
        self.core.compute_capability
    }

    /// Whether single-precision matrix products may round their operands to TF32,
    /// which is several times faster and keeps 10 bits. Off unless asked for.
    pub fn set_tf32(&self, allowed: bool) {
        self.core.tf32.store(allowed, Ordering::Relaxed);
    }

    /// What the sensors say; None where there is no management library.
    #[must_use]
    pub fn health(&self) -> Option<Health> {
        health::read(&self.core.context.bus_id().ok()?)
    }

    /// Why matrix products do not use the vendor's library, once one was tried.
    #[must_use]
    pub fn without_blas(&self) -> Option<&str> {
        self.core.no_blas.get().map(String::as_str)
    }

    /// Gives memory that is kept for reuse back to the driver.
    pub fn trim(&self) -> Result<(), Error> {
        self.core.context.alive()?;
        self.core.settle_idle();
        self.core.memory.trim();
        Ok(())
    }

    /// What went wrong while things were being freed, in this process so far.
    #[must_use]
    pub fn drop_failures() -> DropFailures {
        drops::failures()
    }
}

impl Device for CudaDevice {
    fn id(&self) -> DeviceId {
        self.core.context.id()
    }

    fn card(&self) -> &DeviceCard {
        &self.core.card
    }

    /// What the driver has left, and what is kept here for reuse. None of it once
    /// the device is lost.
    fn free_memory(&self) -> Bytes {
        self.core.context.memory().map_or(Bytes(0), |(free, _)| {
            let kept = self.core.memory.reading().storage.pooled();
            (free + kept).min(self.core.memory.within_reach())
        })
    }

    fn execute(
        &self,
        _description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        execute::execute(self, start, body)
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for CudaDevice {
    #[track_caller]
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        Ok(Box::new(CudaMemory::new(&self.core, bytes)?))
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.core.memory)
    }

    fn notices(&self, words: usize) -> Result<Option<Arc<dyn Notices>>, Error> {
        let notices = CudaNotices::new(&self.core.context, &self.core.shelf, words)?;
        Ok(Some(Arc::new(notices)))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        launch::launch(&self.core, launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.core
            .on_lease(|lease, desk| self.core.settle(lease, desk))?;
        self.core.settle_open()
    }

    fn pipeline(
        &self,
        work: Pipeline<'_>,
        launch: &mut PipelineLaunch<'_>,
    ) -> Result<Moved, Error> {
        pipeline::pipeline(self, work, launch)
    }

    fn matmul(&self, call: &MatMulCall<'_>) -> Result<Option<&'static str>, Error> {
        blas::matmul(&self.core, call)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
