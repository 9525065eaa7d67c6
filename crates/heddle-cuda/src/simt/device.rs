//! The emulated GPU as a device of the runtime.
//!
//! A launch runs before it returns, so the queue is always empty; what went wrong
//! inside a kernel is still only told where a GPU would tell it: by the next
//! synchronisation, transfer or end of an execution.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{
    Accelerator, Device, DeviceBuffer, DeviceCard, DeviceId, Lane, Launch, Place, Timing,
};
use heddle_runtime::memory::Ledger;
use heddle_runtime::operation::Description;
use heddle_runtime::units::{Bytes, Nanos};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::clock;
use super::fault::FaultPlan;
use super::grid;
use super::launch::Task;
use super::memory::{Region, SimtBuffer};
use super::options::SimtOptions;

/// Raised whenever the emulator or a kernel changes enough to make old
/// measurements wrong.
const KERNEL_VERSION: u32 = 1;

/// An emulated GPU.
#[derive(Debug)]
pub struct SimtDevice {
    card: DeviceCard,
    core: Arc<Core>,
    workers: ThreadPool,
}

/// What the device and its buffers share.
pub(super) struct Core {
    pub(super) id: DeviceId,
    pub(super) options: SimtOptions,
    faults: FaultPlan,
    ledger: Arc<Ledger>,
    /// Held by whoever touches the content of buffers.
    stream: Mutex<()>,
    /// What went wrong inside a kernel and has not been told yet.
    pending: Mutex<Option<String>>,
    live: Mutex<Live>,
}

/// Buffers that exist.
#[derive(Default)]
struct Live {
    regions: BTreeMap<u64, Arc<Region>>,
    next: u64,
}

impl SimtDevice {
    /// The emulated GPU `simt:index`.
    pub fn new(index: u16, options: SimtOptions) -> Result<Self, Error> {
        let id = DeviceId::simt(index);
        let workers = ThreadPoolBuilder::new()
            .num_threads(options.workers.max(1))
            .thread_name(move |worker| format!("{id}-{worker}"))
            .build()
            .map_err(|error| Error::Device {
                device: id,
                message: format!("cannot start its workers: {error}"),
            })?;
        Ok(Self {
            card: DeviceCard {
                name: "emulated GPU".to_owned(),
                backend: "simt",
                driver: concat!("heddle ", env!("CARGO_PKG_VERSION")).to_owned(),
                kernel_version: KERNEL_VERSION,
                units: options.workers.max(1),
                memory: options.memory,
            },
            core: Arc::new(Core {
                id,
                faults: FaultPlan::new(options.faults),
                ledger: Arc::new(Ledger::new(options.memory)),
                stream: Mutex::default(),
                pending: Mutex::default(),
                live: Mutex::default(),
                options,
            }),
            workers,
        })
    }

    /// Loses the device: every call from now on fails.
    pub fn lose(&self) {
        self.core.faults.lose();
    }
}

impl Device for SimtDevice {
    fn id(&self) -> DeviceId {
        self.core.id
    }

    fn card(&self) -> &DeviceCard {
        &self.card
    }

    fn free_memory(&self) -> Bytes {
        self.core.ledger.reading().free()
    }

    fn execute(
        &self,
        _description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        self.core.check_present()?;
        let lane = Lane::new(self.core.id, Place::Accelerator(self));
        let before = clock::read();
        body(&lane)?;
        self.synchronize()?;
        let spent = clock::read().since(before);
        Ok(Timing {
            total: Nanos::from(start.elapsed()) + spent.bus,
            device: Some(spent.kernels),
            moved: lane.moved(),
        })
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for SimtDevice {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.core.call()?;
        if self.core.faults.fails_allocation() {
            return Err(self.core.out_of_memory(bytes));
        }
        // Reserved first: what does not fit must not be touched on the host either.
        let Ok(holding) = self.core.ledger.hold(bytes) else {
            return Err(self.core.out_of_memory(bytes));
        };
        let Some(region) = Region::new(bytes, self.core.options.memcheck).map(Arc::new) else {
            return Err(self.core.out_of_memory(bytes));
        };
        let key = self.core.remember(&region);
        Ok(Box::new(SimtBuffer::new(
            Arc::clone(&self.core),
            region,
            key,
            holding,
        )))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        self.core.call()?;
        let task = Task::new(launch, self.core.id).map_err(|what| self.core.error(what))?;
        if self.core.faults.fails_launch() {
            let kernel = launch.kernel;
            return Err(self.core.error(format!("the launch of {kernel} failed")));
        }
        let _stream = self.core.stream();
        let start = Instant::now();
        let outcome = grid::run(&task, &self.workers);
        clock::add_kernel(Nanos::from(start.elapsed()));
        let damaged = || task.buffers.iter().find_map(|buffer| buffer.take_damage());
        if let Err(failure) = outcome {
            self.core.note(failure.of(launch.kernel));
        } else if let Some(damage) = damaged() {
            self.core.note(format!("kernel {} {damage}", launch.kernel));
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.core.call()?;
        let _stream = self.core.stream();
        self.core.inspect();
        self.core.settle()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Core {
    /// Counts a call to the device; fails once it is lost.
    pub(super) fn call(&self) -> Result<(), Error> {
        self.faults.count_call();
        self.check_present()
    }

    fn check_present(&self) -> Result<(), Error> {
        if self.faults.is_lost() {
            return Err(Error::DeviceLost {
                device: self.id,
                message: "it no longer answers".to_owned(),
            });
        }
        Ok(())
    }

    /// A failure of this device.
    pub(super) fn error(&self, message: String) -> Error {
        Error::Device {
            device: self.id,
            message,
        }
    }

    fn out_of_memory(&self, asked: Bytes) -> Error {
        let reading = self.ledger.reading();
        Error::OutOfMemory {
            operation: "an allocation",
            device: self.id,
            asked,
            free: reading.free(),
            reserved: reading.reserved,
            capacity: reading.capacity,
        }
    }

    /// The right to touch the content of buffers.
    pub(super) fn stream(&self) -> MutexGuard<'_, ()> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what went wrong for the next call that may tell it. The first
    /// thing that went wrong is the one worth knowing.
    fn note(&self, message: String) {
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(message);
    }

    /// Tells what went wrong, once.
    pub(super) fn settle(&self) -> Result<(), Error> {
        let pending = self
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        pending.map_or(Ok(()), |message| Err(self.error(message)))
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a new region.
    fn remember(&self, region: &Arc<Region>) -> u64 {
        let mut live = self.live();
        let key = live.next;
        live.next += 1;
        live.regions.insert(key, Arc::clone(region));
        key
    }

    /// Unlists a region that is freed, looking at its guards a last time.
    pub(super) fn forget(&self, key: u64, region: &Region) {
        self.live().regions.remove(&key);
        if let Some(damage) = region.take_damage() {
            self.note(format!("something {damage}"));
        }
    }

    /// Looks at the guards of everything that lives.
    fn inspect(&self) {
        let damage = self
            .live()
            .regions
            .values()
            .find_map(|region| region.take_damage());
        if let Some(damage) = damage {
            self.note(format!("something {damage}"));
        }
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Core({})", self.id)
    }
}
