//! The devices of this machine, found and put into a runtime.
//!
//! NVIDIA GPUs are looked for; a machine without one is an ordinary machine, and
//! why it has none is only told to who asks ([`Fleet::why_no_gpu`]). Emulated
//! GPUs exist where the configuration names one, and nowhere else.

use std::sync::Arc;

use heddle_arc::gpu as arc;
use heddle_cuda::cuda::CudaDevice;
use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions, Transfers};
use heddle_lattice::sweep;
use heddle_runtime::config::Config;
use heddle_runtime::device::{Device, DeviceId, DeviceKind};
use heddle_runtime::machine::Machine;
use heddle_runtime::{Error, Runtime, RuntimeBuilder};

/// What there is to run on, beside the processor.
#[derive(Debug)]
pub struct Fleet {
    gpus: Vec<Arc<CudaDevice>>,
    emulated: Vec<Arc<SimtDevice>>,
    why_no_gpu: Option<String>,
    skipped: Vec<String>,
}

impl Fleet {
    /// Looks for this machine's GPUs, and makes the emulated ones that `config`
    /// names. Fails only when an emulated one cannot be made.
    pub fn find(config: &Config) -> Result<Self, Error> {
        let found = CudaDevice::find_all();
        let emulated = config
            .named_devices()
            .into_iter()
            .filter(|device| device.kind() == DeviceKind::Simt)
            .map(|device| emulated(device, config).map(Arc::new))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            gpus: found.devices,
            emulated,
            why_no_gpu: found.why_none,
            skipped: found.skipped,
        })
    }

    /// The NVIDIA GPUs, by index.
    #[must_use]
    pub fn gpus(&self) -> &[Arc<CudaDevice>] {
        &self.gpus
    }

    /// In one line, why there is no NVIDIA GPU. `None` where there is one.
    #[must_use]
    pub fn why_no_gpu(&self) -> Option<&str> {
        self.why_no_gpu.as_deref()
    }

    /// A runtime to be on all of them. A GPU that is there and cannot be used is
    /// a note of that runtime; no GPU is nothing to note.
    #[must_use]
    pub fn builder(&self, config: Config) -> RuntimeBuilder {
        let gpus = self.gpus.iter().cloned().map(|gpu| gpu as Arc<dyn Device>);
        let emulated = self
            .emulated
            .iter()
            .cloned()
            .map(|gpu| gpu as Arc<dyn Device>);
        let builder = gpus
            .chain(emulated)
            .fold(Runtime::builder().config(config), RuntimeBuilder::device);
        let probes = sweep::probes().into_iter().chain(arc::probes());
        let builder = probes.fold(builder, RuntimeBuilder::probe);
        self.skipped
            .iter()
            .fold(builder, |builder, why| builder.note(why.clone()))
    }
}

/// A runtime on this machine's processor and its GPUs, configured by
/// `heddle.toml` and the environment.
///
/// ```
/// let runtime = heddle::open()?;
/// assert!(runtime.devices().count() >= 1);
/// # Ok::<(), heddle::Error>(())
/// ```
pub fn open() -> Result<Runtime, Error> {
    builder(Config::load()?)?.build()
}

/// A runtime to be, on this machine's processor and its GPUs, to which devices,
/// probes and notes can be added.
pub fn builder(config: Config) -> Result<RuntimeBuilder, Error> {
    Ok(Fleet::find(&config)?.builder(config))
}

fn emulated(device: DeviceId, config: &Config) -> Result<SimtDevice, Error> {
    let settings = &config.simt;
    let count = |setting: Option<usize>| setting.map(|count| count as u64);
    SimtDevice::new(
        device.index(),
        SimtOptions {
            memory: settings.memory.of(Machine::read().memory),
            faults: Faults {
                allocation: count(settings.fail_allocation),
                launch: count(settings.fail_launch),
                lost_after: count(settings.lost_after),
                ..Faults::default()
            },
            transfers: settings
                .transfer_rate
                .map_or_else(Transfers::default, Transfers::at_rate),
            ..SimtOptions::default()
        },
    )
}
