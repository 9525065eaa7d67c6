//! The runtime: devices, router, ledgers and profiler behind one handle.
//!
//! The pipeline is in `pipeline.rs` alone: every operation runs through [`Runtime::run`] or one of
//! its two variants.

mod admit;
mod admitted_memory;
mod arrays;
mod batches;
mod builder;
mod calibration;
mod committed_memory;
mod counters;
mod fallback;
mod memory_rules;
mod pipeline;
mod prefetch;
mod report;
mod service;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use heddle_profile::Profiler;

pub use builder::RuntimeBuilder;
pub use fallback::{FallbackCause, FallbackCount, RecomputedCount, RetryCount, SplitCount};
pub use pipeline::RunOutcome;
pub use report::{DeviceReading, MemoryUse, Report};
pub use service::{Service, WeakRuntime};

use crate::config::Config;
use crate::cpu::CpuPool;
use crate::device::{Device, DeviceId};
use crate::error::Error;
use crate::machine::Machine;
use crate::memory::Ledger;
use crate::ops::Probe;
use crate::route::{ModelStore, Router};

/// Runs operations. Cheap to clone; clones are the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<RuntimeShared>,
}

struct RuntimeShared {
    /// Kept, and dropped first.
    _services: Vec<Box<dyn Any + Send + Sync>>,
    machine: Machine,
    pool: CpuPool,
    devices: Vec<DeviceSlot>,
    router: Router,
    profiler: Profiler,
    store: Option<ModelStore>,
    probes: Vec<Box<dyn Probe>>,
    notes: Vec<String>,
    counters: counters::RuntimeCounters,
}

/// A device and its memory ledger.
struct DeviceSlot {
    device: Arc<dyn Device>,
    /// Counts reservations on a device without its own memory.
    ledger: Ledger,
    /// Whether the device has its own memory, which then replaces the ledger.
    has_memory: bool,
    /// Whether a model from an earlier run was found for it.
    had_model: bool,
    next_sample: committed_memory::NextSample,
}

impl Runtime {
    /// Creates a runtime on this machine's CPU, configured by `heddle.toml` and the
    /// environment.
    pub fn new() -> Result<Self, Error> {
        Self::builder().config(Config::load()?).build()
    }

    /// Returns a handle that does not keep the runtime alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakRuntime {
        WeakRuntime::new(Arc::downgrade(&self.shared))
    }

    /// Creates a builder, to choose configuration and devices.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.shared.machine
    }

    /// The threads of its CPU device, for work on the host outside of an operation.
    #[must_use]
    pub fn pool(&self) -> &CpuPool {
        &self.shared.pool
    }

    /// The devices, CPU first.
    pub fn devices(&self) -> impl Iterator<Item = &Arc<dyn Device>> {
        self.shared.devices.iter().map(|slot| &slot.device)
    }

    /// The device with that name.
    pub fn device(&self, id: DeviceId) -> Result<&Arc<dyn Device>, Error> {
        self.slot(id).map(|slot| &slot.device)
    }

    /// The router, for predictions and decisions.
    #[must_use]
    pub fn router(&self) -> &Router {
        &self.shared.router
    }

    /// The profiler, which has the recorded spans.
    #[must_use]
    pub fn profiler(&self) -> &Profiler {
        &self.shared.profiler
    }

    /// Records a sample of the memory of every device that has its own, in addition to the
    /// samples taken as operations run.
    pub fn sample_memory(&self) {
        let profiler = self.profiler();
        let now_ns = profiler.since_epoch_ns(Instant::now());
        for slot in &self.shared.devices {
            slot.sample_now(profiler, now_ns);
        }
    }

    /// The kinds that can be measured at any size.
    #[must_use]
    pub fn probes(&self) -> &[Box<dyn Probe>] {
        &self.shared.probes
    }

    /// Notes for the user about how this runtime was built, such as model files that were renamed,
    /// and about its devices, such as threads that could not be started when work began.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let built = self.shared.notes.iter().cloned();
        built
            .chain(self.devices().filter_map(|device| device.note()))
            .collect()
    }

    fn slot(&self, id: DeviceId) -> Result<&DeviceSlot, Error> {
        self.shared
            .devices
            .iter()
            .find(|slot| slot.device.id() == id)
            .ok_or_else(|| Error::NoSuchDevice {
                asked: id,
                available: self
                    .devices()
                    .map(|device| device.id().to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self
            .devices()
            .map(|device| device.id().to_string())
            .collect();
        write!(f, "Runtime({})", names.join(", "))
    }
}
