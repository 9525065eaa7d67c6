//! The runtime: devices, router, ledgers and profiler behind one handle.
//!
//! The road itself is in `road.rs` and nowhere else: whoever runs an operation
//! runs it through [`Runtime::run`] or one of its two variants.

mod admit;
mod adopt;
mod arrays;
mod batches;
mod bring;
mod builder;
mod calibration;
mod counts;
mod fallback;
mod gauge;
mod report;
mod road;
mod room;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use heddle_profile::Profiler;

pub use builder::RuntimeBuilder;
pub use fallback::{FallbackCause, FallbackCount, RecomputedCount, RetryCount, SplitCount};
pub use report::{DeviceReading, MemoryUse, Report};
pub use road::Outcome;

use crate::config::Config;
use crate::cpu::Pool;
use crate::device::{Device, DeviceId};
use crate::error::Error;
use crate::machine::Machine;
use crate::memory::Ledger;
use crate::ops::Probe;
use crate::route::{ModelStore, Router};

/// Everything that runs operations. Cheap to clone; clones are the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    machine: Machine,
    pool: Pool,
    devices: Vec<Station>,
    router: Router,
    profiler: Profiler,
    store: Option<ModelStore>,
    probes: Vec<Box<dyn Probe>>,
    notes: Vec<String>,
    counts: counts::Counts,
}

/// A device and the memory it may use.
struct Station {
    device: Arc<dyn Device>,
    /// For a device without a memory of its own.
    ledger: Ledger,
    /// Whether it has one, which is then asked instead.
    has_memory: bool,
    /// Whether a model measured in an earlier run was found for it.
    had_model: bool,
    next_sample: gauge::NextSample,
}

impl Runtime {
    /// A runtime that uses the CPU and no GPU, configured by `heddle.toml` and the
    /// environment. `heddle::open` uses the machine's GPUs too; other devices are added
    /// with [`RuntimeBuilder::device`].
    pub fn new() -> Result<Self, Error> {
        Self::builder().config(Config::load()?).build()
    }

    /// Chooses configuration and devices.
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
    pub fn pool(&self) -> &Pool {
        &self.shared.pool
    }

    /// The devices, processor first.
    pub fn devices(&self) -> impl Iterator<Item = &Arc<dyn Device>> {
        self.shared.devices.iter().map(|station| &station.device)
    }

    /// The device of that name.
    pub fn device(&self, id: DeviceId) -> Result<&Arc<dyn Device>, Error> {
        self.station(id).map(|station| &station.device)
    }

    /// The router, to ask about prices and decisions.
    #[must_use]
    pub fn router(&self) -> &Router {
        &self.shared.router
    }

    /// The spans of what has run.
    #[must_use]
    pub fn profiler(&self) -> &Profiler {
        &self.shared.profiler
    }

    /// Records what the memory of every device with one of its own looks like now,
    /// beside the samples that are taken as operations run.
    pub fn sample_memory(&self) {
        let profiler = self.profiler();
        let now_ns = profiler.since_epoch_ns(Instant::now());
        for station in &self.shared.devices {
            station.sample_now(profiler, now_ns);
        }
    }

    /// The kinds that can be measured at any size.
    #[must_use]
    pub fn probes(&self) -> &[Box<dyn Probe>] {
        &self.shared.probes
    }

    /// What a user should know about how this runtime came up: model files set
    /// aside, a cache folder that cannot be written.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.shared.notes
    }

    fn station(&self, id: DeviceId) -> Result<&Station, Error> {
        self.shared
            .devices
            .iter()
            .find(|station| station.device.id() == id)
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
