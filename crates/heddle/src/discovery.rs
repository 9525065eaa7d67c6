//! Discovery of the devices of this machine.
//!
//! A machine without an NVIDIA GPU is not an error; [`DiscoveredDevices::why_no_gpu`]
//! returns the reason. Emulated GPUs exist only where the configuration names them.

use std::net::SocketAddr;
use std::sync::Arc;

#[cfg(feature = "cuda")]
use heddle_cuda::cuda::CudaDevice;
#[cfg(feature = "emulator")]
use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions, SimulatedBus};
use heddle_runtime::config::Config;
use heddle_runtime::device::{Device, DeviceFamily, DeviceId};
#[cfg(feature = "emulator")]
use heddle_runtime::machine::Machine;
use heddle_runtime::{Error, Runtime, RuntimeBuilder};

/// The devices of this machine besides the CPU.
#[derive(Debug)]
pub struct DiscoveredDevices {
    #[cfg(feature = "cuda")]
    gpus: Vec<Arc<CudaDevice>>,
    emulated: Vec<Arc<dyn Device>>,
    why_no_gpu: Option<String>,
    skipped: Vec<String>,
}

impl DiscoveredDevices {
    /// Finds this machine's GPUs and creates the emulated ones that `config` names. Fails
    /// only if an emulated GPU cannot be created.
    pub fn find(config: &Config) -> Result<Self, Error> {
        let emulated = config
            .named_devices()
            .into_iter()
            .filter(|device| device.family() == DeviceFamily::SIMT)
            .map(|device| emulated(device, config))
            .collect::<Result<_, _>>()?;
        #[cfg(feature = "cuda")]
        let found = CudaDevice::find_all();
        Ok(Self {
            emulated,
            #[cfg(feature = "cuda")]
            gpus: found.devices,
            #[cfg(feature = "cuda")]
            why_no_gpu: found.why_none,
            #[cfg(feature = "cuda")]
            skipped: found.skipped,
            #[cfg(not(feature = "cuda"))]
            why_no_gpu: Some("heddle was built without its feature `cuda`".to_owned()),
            #[cfg(not(feature = "cuda"))]
            skipped: Vec::new(),
        })
    }

    /// Returns the NVIDIA GPUs in the order of their indices.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn gpus(&self) -> &[Arc<CudaDevice>] {
        &self.gpus
    }

    /// Returns in one line why there is no NVIDIA GPU; `None` if there is one.
    #[must_use]
    pub fn why_no_gpu(&self) -> Option<&str> {
        self.why_no_gpu.as_deref()
    }

    /// Returns a builder of a runtime on the CPU and these devices. A GPU that cannot be
    /// used is a note of the runtime; a missing GPU is not.
    #[must_use]
    pub fn builder(&self, config: Config) -> RuntimeBuilder {
        let metrics = config.metrics;
        let builder = Runtime::builder().config(config);
        #[cfg(feature = "cuda")]
        let builder = self
            .gpus
            .iter()
            .cloned()
            .fold(builder, |builder, gpu| builder.device(gpu));
        let builder = self
            .emulated
            .iter()
            .cloned()
            .fold(builder, RuntimeBuilder::device);
        #[cfg(feature = "lattice")]
        let builder = heddle_lattice::sweep::probes()
            .into_iter()
            .fold(builder, RuntimeBuilder::probe);
        #[cfg(feature = "arc")]
        let builder = heddle_arc::gpu::probes()
            .into_iter()
            .fold(builder, RuntimeBuilder::probe);
        let builder = with_metrics(builder, metrics);
        self.skipped
            .iter()
            .fold(builder, |builder, why| builder.note(why.clone()))
    }
}

/// Opens a runtime on the CPU and every NVIDIA GPU of this machine, configured by
/// `heddle.toml` and the environment.
///
/// Without the feature `cuda`, or where there is no GPU, it uses the CPU alone. An
/// emulated GPU is added where the configuration names one.
///
/// ```
/// let runtime = heddle::open()?;
/// assert!(runtime.devices().count() >= 1);
/// # Ok::<(), heddle::Error>(())
/// ```
pub fn open() -> Result<Runtime, Error> {
    builder(Config::load()?)?.build()
}

/// Returns a builder of a runtime on the CPU and every NVIDIA GPU of this machine, to
/// which devices, probes and notes can be added.
pub fn builder(config: Config) -> Result<RuntimeBuilder, Error> {
    Ok(DiscoveredDevices::find(&config)?.builder(config))
}

#[cfg(feature = "metrics")]
fn with_metrics(builder: RuntimeBuilder, address: Option<SocketAddr>) -> RuntimeBuilder {
    match address {
        Some(address) => builder.service(move |runtime| crate::metrics::open(runtime, address)),
        None => builder,
    }
}

#[cfg(not(feature = "metrics"))]
fn with_metrics(builder: RuntimeBuilder, address: Option<SocketAddr>) -> RuntimeBuilder {
    match address {
        Some(_) => builder.note(
            "the setting `metrics` does nothing: heddle was built without its feature `metrics`",
        ),
        None => builder,
    }
}

#[cfg(not(feature = "emulator"))]
fn emulated(device: DeviceId, _config: &Config) -> Result<Arc<dyn Device>, Error> {
    Err(Error::device(
        device,
        "the configuration names it, but heddle was built without its feature `emulator`"
            .to_owned(),
    ))
}

#[cfg(feature = "emulator")]
#[allow(
    clippy::unnecessary_wraps,
    reason = "fails where the emulator is left out"
)]
fn emulated(device: DeviceId, config: &Config) -> Result<Arc<dyn Device>, Error> {
    let settings = &config.simt;
    let count = |setting: Option<usize>| setting.map(|count| count as u64);
    let device = SimtDevice::new(
        device.index(),
        SimtOptions::default().with(|it| {
            it.memory = settings.memory.of(Machine::read().memory);
            it.faults = Faults::default().with(|it| {
                it.allocation = count(settings.fail_allocation);
                it.launch = count(settings.fail_launch);
                it.lost_after = count(settings.lost_after);
            });
            it.transfers = settings
                .transfer_rate
                .map_or_else(SimulatedBus::default, SimulatedBus::at_rate);
        }),
    );
    Ok(Arc::new(device))
}
