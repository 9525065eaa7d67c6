//! The CUDA device behind the runtime's traits.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_runtime::device::{
    Accelerator, ChunkLaunch, ChunkedMap, Device, DeviceBuffer, DeviceId, DeviceProperties,
    ExecutionContext, Launch, MappedResults, MatMulCall, Timing, TransferTotals,
};
use heddle_runtime::memory::{AcceleratorMemory, Cleanup};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Description, Error};

use super::drop_failures::{self, DropFailures};
use super::find::{self, CudaOptions, FoundGpus};
use super::health::{self, Health};
use super::mapped_results::CudaMappedResults;
use super::memory::CudaMemory;
use super::state::CudaState;
use super::{blas, chunked_map, execute, launch};

/// One NVIDIA GPU.
#[derive(Debug)]
pub struct CudaDevice {
    state: Arc<CudaState>,
}

impl CudaDevice {
    /// Finds this machine's GPUs. Never panics and never prints: without a driver or a GPU
    /// the result holds the reason.
    #[must_use]
    pub fn find(options: &CudaOptions) -> FoundGpus {
        find::find(options)
    }

    /// Finds the GPUs, as the runtime's device traits.
    #[must_use]
    pub fn find_all() -> FoundGpus {
        Self::find(&CudaOptions::default())
    }

    pub(super) fn new(state: CudaState) -> Self {
        let state = Arc::new(state);
        let weak = Arc::downgrade(&state);
        // Runs after every clean-up that frees blocks: those blocks may still wait for
        // streams.
        let last = Cleanup::CACHED_COPIES + 1;
        state.memory.on_cleanup(last, "work under way", move |_| {
            weak.upgrade()
                .map_or(Bytes(0), |state| state.synchronize_idle())
        });
        Self { state }
    }

    pub(super) fn state(&self) -> &Arc<CudaState> {
        &self.state
    }

    /// The major and minor compute capability: (9, 0) for Hopper.
    #[must_use]
    pub fn compute_capability(&self) -> (u32, u32) {
        self.state.compute_capability
    }

    /// Sets whether single-precision matrix products may round their operands to TF32,
    /// which is several times faster and keeps 10 bits. Off by default.
    pub fn set_tf32(&self, allowed: bool) {
        self.state.tf32.store(allowed, Ordering::Relaxed);
    }

    /// Reads the GPU's sensors; None where there is no management library.
    #[must_use]
    pub fn health(&self) -> Option<Health> {
        health::read(&self.state.context.bus_id().ok()?)
    }

    /// Why matrix products do not use cuBLAS; known once a product was tried.
    #[must_use]
    pub fn without_blas(&self) -> Option<&str> {
        self.state.no_blas.get().map(String::as_str)
    }

    /// Returns the memory that the pool keeps for reuse to the driver.
    pub fn trim(&self) -> Result<(), Error> {
        self.state.context.check_alive()?;
        self.state.synchronize_idle();
        self.state.memory.trim();
        Ok(())
    }

    /// The failed clean-up calls of this process so far.
    #[must_use]
    pub fn drop_failures() -> DropFailures {
        drop_failures::failures()
    }
}

impl Device for CudaDevice {
    fn id(&self) -> DeviceId {
        self.state.context.id()
    }

    fn properties(&self) -> &DeviceProperties {
        &self.state.properties
    }

    /// The driver's free memory plus the pool's unused memory; 0 once the device is lost.
    fn free_memory(&self) -> Bytes {
        self.state.context.memory().map_or(Bytes(0), |(free, _)| {
            let kept = self.state.memory.reading().storage.pooled();
            (free + kept).min(self.state.memory.within_reach())
        })
    }

    fn execute(
        &self,
        _description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
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
        Ok(Box::new(CudaMemory::new(&self.state, bytes)?))
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.state.memory)
    }

    fn mapped_results(&self, words: usize) -> Result<Option<Arc<dyn MappedResults>>, Error> {
        Ok(Some(Arc::new(CudaMappedResults::new(&self.state, words)?)))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        launch::launch(&self.state, launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.state
            .on_lease(|lease, resources| self.state.synchronize_lease(lease, resources))?;
        self.state.synchronize_open()
    }

    fn chunked_map(
        &self,
        work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        chunked_map::chunked_map(self, work, launch)
    }

    fn matmul(&self, call: &MatMulCall<'_>) -> Result<Option<&'static str>, Error> {
        blas::matmul(&self.state, call)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
