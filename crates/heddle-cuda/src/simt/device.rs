//! The emulated GPU behind the runtime's device traits.
//!
//! A launch runs before it returns, so the queue is always empty. An error inside a kernel
//! is still reported only where a GPU would report it: by the next synchronisation,
//! transfer or end of an execution.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::{
    Accelerator, Device, DeviceBuffer, DeviceId, DeviceProperties, ExecutionContext,
    ExecutionTarget, Launch, MappedResults, Timing,
};
use heddle_runtime::memory::{AcceleratorMemory, AllocateError, MemorySettings, SystemClock};
use heddle_runtime::operation::Description;
use heddle_runtime::units::{Bytes, Nanos};

use super::device_time;
use super::fault::{FaultPlan, SimtCalls};
use super::grid;
use super::launch::GridLaunch;
use super::mapped_results::SimtMappedResults;
use super::memory::SimtBuffer;
use super::options::SimtOptions;
use super::regions::SimtStorage;

/// Raised whenever the emulator or a kernel changes enough to make old measurements wrong.
const KERNEL_VERSION: u32 = 1;

/// An emulated GPU.
#[derive(Debug)]
pub struct SimtDevice {
    properties: DeviceProperties,
    core: Arc<SimtState>,
    workers: CpuPool,
}

/// The state that the device and its buffers share.
pub(super) struct SimtState {
    pub(super) id: DeviceId,
    pub(super) options: SimtOptions,
    faults: Arc<FaultPlan>,
    /// The memory that every allocation comes from.
    pub(super) memory: AcceleratorMemory,
    /// The storage below `memory`.
    regions: Arc<SimtStorage>,
    /// Locked by a thread that accesses the content of buffers.
    stream: Mutex<()>,
    /// An error inside a kernel that has not been reported yet.
    pending: Mutex<Option<String>>,
}

impl SimtDevice {
    /// Creates the emulated GPU `simt:index`.
    #[must_use]
    pub fn new(index: u16, options: SimtOptions) -> Self {
        let id = DeviceId::simt(index);
        let workers = CpuPool::for_device(id, Some(options.workers.max(1)));
        let faults = Arc::new(FaultPlan::new(options.faults));
        let regions = SimtStorage::new(options.memory, options.memcheck, Arc::clone(&faults));
        let regions = Arc::new(regions);
        let settings = MemorySettings::new(id, options.memory).with(|it| it.pool = None);
        let base_storage = Box::new(Arc::clone(&regions));
        let memory = AcceleratorMemory::new(base_storage, settings, Arc::new(SystemClock::new()));
        Self {
            properties: DeviceProperties::new("emulated GPU", "simt", options.memory).with(|it| {
                it.driver = format!("heddle {}", env!("CARGO_PKG_VERSION"));
                it.kernel_version = KERNEL_VERSION;
                it.units = options.workers.max(1);
            }),
            core: Arc::new(SimtState {
                id,
                faults,
                memory,
                regions,
                stream: Mutex::default(),
                pending: Mutex::default(),
                options,
            }),
            workers,
        }
    }

    /// The calls that the device has had so far, those that failed included.
    #[must_use]
    pub fn calls(&self) -> SimtCalls {
        self.core.faults.calls()
    }

    /// Marks the device as lost: every call from now on fails.
    pub fn mark_lost(&self) {
        self.core.faults.mark_lost();
    }
}

impl Device for SimtDevice {
    fn id(&self) -> DeviceId {
        self.core.id
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn note(&self) -> Option<String> {
        self.workers.shortage().map(str::to_owned)
    }

    fn free_memory(&self) -> Bytes {
        self.core.memory.within_reach()
    }

    fn execute(
        &self,
        _description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        self.core.check_present()?;
        let context = ExecutionContext::new(self.core.id, ExecutionTarget::Accelerator(self));
        let before = device_time::read();
        body(&context)?;
        self.synchronize()?;
        let spent = device_time::read().since(before);
        device_time::set_first_kernel(before.first_kernel.or(spent.first_kernel));
        let mut timing = Timing::of(Nanos::from(start.elapsed()) + spent.bus)
            .on_device(spent.kernels)
            .moving(context.moved());
        let first_kernel = spent.first_kernel;
        timing.device_start =
            first_kernel.map(|began| Nanos::from(began.saturating_duration_since(start)));
        // A launch runs before it returns, on the only stream.
        timing.stream = Some(0);
        Ok(timing)
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for SimtDevice {
    #[track_caller]
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.core.call()?;
        if self.core.faults.fails_allocation() {
            return Err(AllocateError::Short(Box::new(self.core.memory.shortage(bytes))).into());
        }
        let allocation = self.core.memory.allocate(bytes, None)?;
        let Some(region) = self.core.regions.at(allocation.address()) else {
            return Err(self
                .core
                .error("no region at the address of an allocation".to_owned()));
        };
        Ok(Box::new(SimtBuffer::new(
            Arc::clone(&self.core),
            region,
            allocation,
        )))
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.core.memory)
    }

    fn mapped_results(&self, words: usize) -> Result<Option<Arc<dyn MappedResults>>, Error> {
        self.core.call()?;
        Ok(Some(Arc::new(SimtMappedResults::new(words))))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        self.core.call()?;
        let task = GridLaunch::new(launch, &self.core).map_err(|what| self.core.error(what))?;
        if self.core.faults.fails_launch() {
            let kernel = launch.kernel.name;
            return Err(self.core.error(format!("the launch of {kernel} failed")));
        }
        let _stream = self.core.stream();
        let start = Instant::now();
        let outcome = grid::run(&task, &self.workers);
        device_time::add_kernel(start, Nanos::from(start.elapsed()));
        let damaged = || task.buffers.iter().find_map(|buffer| buffer.take_damage());
        if let Err(failure) = outcome {
            self.core.note(failure.of(launch.kernel.name));
        } else if let Some(damage) = damaged() {
            self.core
                .note(format!("kernel {} {damage}", launch.kernel.name));
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.core.call()?;
        let _stream = self.core.stream();
        self.core.check_guards();
        self.core.take_failure()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl SimtState {
    /// Counts a call to the device; fails once it is lost.
    pub(super) fn call(&self) -> Result<(), Error> {
        self.faults.count_call();
        self.check_present()
    }

    fn check_present(&self) -> Result<(), Error> {
        if self.faults.is_lost() {
            return Err(Error::DeviceLost {
                device: self.id,
                message: "it no longer responds".to_owned(),
            });
        }
        Ok(())
    }

    /// An error of this device.
    pub(super) fn error(&self, message: String) -> Error {
        Error::device(self.id, message)
    }

    /// Locks the content of buffers.
    pub(super) fn stream(&self) -> MutexGuard<'_, ()> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an error for the next call that may report it. The first error is kept.
    fn note(&self, message: String) {
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(message);
    }

    /// Reports the pending error, once.
    pub(super) fn take_failure(&self) -> Result<(), Error> {
        let pending = self
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let message = pending.or_else(|| {
            let damage = self.regions.take_past_damage()?;
            Some(format!("something {damage}"))
        });
        message.map_or(Ok(()), |message| Err(self.error(message)))
    }

    /// Checks the guards of every live region.
    fn check_guards(&self) {
        if let Some(damage) = self.regions.take_damage() {
            self.note(format!("something {damage}"));
        }
    }
}

impl std::fmt::Debug for SimtState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SimtState({})", self.id)
    }
}
