//! Builds a runtime from configuration, devices and probes.

use std::fmt;
use std::sync::Arc;

use heddle_profile::Profiler;

use super::committed_memory::NextSample;
use super::counters::RuntimeCounters;
use super::memory_rules;
use super::service::{OpenService, Service};
use super::{DeviceSlot, Runtime, RuntimeShared, WeakRuntime};
use crate::config::Config;
use crate::cpu::{CpuDevice, CpuPool};
use crate::device::{Accelerator, Device, DeviceId};
use crate::error::Error;
use crate::machine::Machine;
use crate::memory::Ledger;
use crate::ops::{self, Probe};
use crate::route::{ModelStore, RouteSettings, Router};
use crate::units::Bytes;

/// The builder of a [`Runtime`].
#[derive(Default)]
pub struct RuntimeBuilder {
    config: Config,
    devices: Vec<Arc<dyn Device>>,
    probes: Vec<Box<dyn Probe>>,
    notes: Vec<String>,
    services: Vec<OpenService>,
    without_model_cache: bool,
}

impl RuntimeBuilder {
    /// Sets the configuration, in place of the defaults.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Adds a device. A device named `cpu` replaces the default one.
    #[must_use]
    pub fn device(mut self, device: Arc<dyn Device>) -> Self {
        self.devices.push(device);
        self
    }

    /// Adds a kind of operation to calibrate.
    #[must_use]
    pub fn probe(mut self, probe: Box<dyn Probe>) -> Self {
        self.probes.push(probe);
        self
    }

    /// Adds a note for the user about the discovery of devices.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a service, such as a server of the runtime's metrics. `open` is called while the runtime
    /// is built, and what it returns is kept until the runtime is dropped.
    #[must_use]
    pub fn service(mut self, open: impl FnOnce(WeakRuntime) -> Service + Send + 'static) -> Self {
        self.services.push(Box::new(open));
        self
    }

    /// Disables reading and writing model files: every run starts without models.
    #[must_use]
    pub fn without_model_cache(mut self) -> Self {
        self.without_model_cache = true;
        self
    }

    /// Builds the runtime.
    ///
    /// Fails when two devices have the same name, or when a device named in the configuration
    /// does not exist. A cache folder that cannot be read is a note, not a failure.
    pub fn build(self) -> Result<Runtime, Error> {
        let Self {
            config,
            mut devices,
            mut probes,
            mut notes,
            services,
            without_model_cache,
        } = self;
        if !devices.iter().any(|device| device.id() == DeviceId::CPU) {
            devices.push(Arc::new(CpuDevice::new(config.threads)));
        }
        let pool = devices
            .iter()
            .find_map(|device| device.host_pool().cloned());
        let pool = pool.unwrap_or_else(|| CpuPool::new(config.threads));
        devices.sort_by_key(|device| device.id());
        let ids: Vec<DeviceId> = devices.iter().map(|device| device.id()).collect();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::device(pair[0], "registered twice in one runtime"));
        }
        notes.extend_from_slice(&config.warnings);
        let most = CpuPool::most_threads();
        if let Some(asked) = config.threads.filter(|&asked| asked > most) {
            notes.push(format!(
                "{asked} threads were asked for; {most} is the most that this machine gets"
            ));
        }
        let machine = Machine::read();
        let gpu_memory = devices
            .iter()
            .find(|device| device.id().has_own_memory())
            .map_or(Bytes(0), |device| device.properties().memory);
        let router = Router::new(&ids, settings(&config, gpu_memory));
        check_named_devices(&config, &ids)?;
        memory_rules::apply(&config, &devices)?;
        let store = (!without_model_cache)
            .then(|| config.cache_folder())
            .flatten()
            .map(|folder| ModelStore::new(folder.join("models")));
        let slots = devices
            .into_iter()
            .map(|device| {
                let had_model = store.as_ref().is_some_and(|store| {
                    adopt_model(store, &machine, &device, &router, &mut notes)
                });
                let memory = device.accelerator().and_then(Accelerator::memory);
                DeviceSlot {
                    ledger: ledger(&config, &device),
                    has_memory: memory.is_some(),
                    device,
                    had_model,
                    next_sample: NextSample::default(),
                }
            })
            .collect();
        probes.splice(0..0, ops::probes());
        let profiler = Profiler::new(config.profile.capacity_spans);
        profiler.set_enabled(config.profile.enabled);
        let shared = Arc::new_cyclic(|shared| {
            let opened = services
                .into_iter()
                .map(|open| open(WeakRuntime::new(shared.clone())));
            let (services, told): (Vec<_>, Vec<_>) =
                opened.map(|service| (service.kept, service.note)).unzip();
            notes.extend(told);
            RuntimeShared {
                _services: services,
                machine,
                pool,
                devices: slots,
                router,
                profiler,
                store,
                probes,
                notes,
                counters: RuntimeCounters::default(),
            }
        });
        Ok(Runtime { shared })
    }
}

impl fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeBuilder")
            .field("config", &self.config)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

/// Loads the device's model into the router, and returns whether there was one.
fn adopt_model(
    store: &ModelStore,
    machine: &Machine,
    device: &Arc<dyn Device>,
    router: &Router,
    notes: &mut Vec<String>,
) -> bool {
    let loaded = store.load(machine, device.id(), device.properties());
    notes.extend(loaded.note);
    let found = loaded.model.is_some();
    if let Some(model) = loaded.model {
        router.adopt(device.id(), model);
    }
    found
}

fn ledger(config: &Config, device: &Arc<dyn Device>) -> Ledger {
    let limit = if device.id().has_own_memory() {
        &config.memory.device_limit
    } else {
        &config.memory.host_limit
    };
    Ledger::new(limit.of(device.properties().memory))
}

/// `gpu_memory` is the whole that a minimum size given as a share refers to.
fn settings(config: &Config, gpu_memory: Bytes) -> RouteSettings {
    RouteSettings {
        smart: config.route.smart,
        device: config.device,
        kinds: config.route.kinds.clone(),
        min_gpu: config.route.min_gpu.of(gpu_memory),
        allow: config.route.allow.clone(),
        deny: config.route.deny.clone(),
        explore_share: config.route.explore_share,
        verify_share: config.route.verify_share,
    }
}

/// Checks that the devices named in the configuration exist: otherwise a typing error would be
/// a rule that silently never applies.
fn check_named_devices(config: &Config, ids: &[DeviceId]) -> Result<(), Error> {
    config
        .device
        .iter()
        .chain(config.route.kinds.values())
        .find(|named| !ids.contains(named))
        .map_or(Ok(()), |&asked| {
            Err(Error::NoSuchDevice {
                asked,
                available: ids
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
        })
}
