//! Finds this machine's GPUs, or the reason in one line why there are none.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::CUdevice_attribute;
use heddle_runtime::Error;
use heddle_runtime::cpu::start_workers;
use heddle_runtime::device::DeviceProperties;

use super::context::Context;
use super::driver::Version;
use super::driver_error::DriverError;
use super::kernels::LoadedKernels;
use super::lease::StreamLeases;
use super::mapped_results::PinnedCache;
use super::staging::Staging;
use super::state::CudaState;
use super::stream::Stream;
use super::timestamps::TimestampedLaunches;
use super::{CudaDevice, driver, driver_storage, health, visible_devices};

/// The options a device is opened with.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CudaOptions {
    /// Threads that copy between host memory and pinned memory; by default half of the
    /// machine's threads, at most 8.
    pub copy_threads: Option<usize>,
    /// Bytes per pinned slot; by default 4 MiB.
    pub slot_bytes: Option<usize>,
}

heddle_runtime::with!(CudaOptions);

/// The GPUs of this machine.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundGpus {
    /// The usable GPUs, by index.
    pub devices: Vec<Arc<CudaDevice>>,
    /// Why there are none, when there are none.
    pub why_none: Option<String>,
    /// One line for each GPU that cannot be used.
    pub skipped: Vec<String>,
}

impl FoundGpus {
    fn none(why: String) -> Self {
        Self {
            devices: Vec::new(),
            why_none: Some(why),
            skipped: Vec::new(),
        }
    }
}

/// The oldest compute capability the kernels are compiled for.
const OLDEST_CAPABILITY: (u32, u32) = (6, 0);
/// Raised whenever kernels change enough to make old measurements wrong.
const KERNEL_VERSION: u32 = 1;
const SLOT_BYTES: usize = 4 << 20;
const MOST_COPIERS: usize = 8;

pub(super) fn find(options: &CudaOptions) -> FoundGpus {
    let visible_devices = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    if visible_devices::hides_all(visible_devices.as_deref()) {
        return FoundGpus::none(format!(
            "CUDA_VISIBLE_DEVICES={:?} hides every GPU",
            visible_devices.unwrap_or_default()
        ));
    }
    let version = match driver::start() {
        Ok(version) => version,
        Err(why) => return FoundGpus::none(why),
    };
    let count = match driver::device_count() {
        Ok(0) => return FoundGpus::none("the NVIDIA driver finds no GPU".to_owned()),
        Ok(count) => count,
        Err(driver_error) => return FoundGpus::none(driver_error.to_string()),
    };
    let driver = driver_name(version);
    let (mut devices, mut skipped) = (Vec::new(), Vec::new());
    for ordinal in 0..count {
        match open(ordinal, &driver, options) {
            Ok(device) => devices.push(Arc::new(device)),
            Err(why) => skipped.push(format!("cuda:{ordinal} cannot be used: {why}")),
        }
    }
    FoundGpus {
        why_none: devices.is_empty().then(|| skipped.join("; ")),
        devices,
        skipped,
    }
}

fn driver_name(version: i32) -> String {
    let cuda = format!("CUDA {}", Version(version));
    match health::driver_version() {
        Some(name) => format!("{name} ({cuda})"),
        None => cuda,
    }
}

fn open(ordinal: u16, driver: &str, options: &CudaOptions) -> Result<CudaDevice, String> {
    let context =
        Arc::new(Context::open(ordinal).map_err(|driver_error| driver_error.to_string())?);
    let capability = capability(&context).map_err(|driver_error| driver_error.to_string())?;
    if capability < OLDEST_CAPABILITY {
        return Err(format!(
            "its compute capability is {}.{}, the kernels need {}.{}",
            capability.0, capability.1, OLDEST_CAPABILITY.0, OLDEST_CAPABILITY.1
        ));
    }
    assemble(&context, capability, driver, options).map_err(|error| error.to_string())
}

fn capability(context: &Context) -> Result<(u32, u32), DriverError> {
    Ok((
        context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

fn assemble(
    context: &Arc<Context>,
    compute_capability: (u32, u32),
    driver: &str,
    options: &CudaOptions,
) -> Result<CudaDevice, Error> {
    let driver_error = |driver_error| context.error(driver_error);
    let (_, memory) = context.memory()?;
    let units = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let name = context.name().map_err(driver_error)?;
    let mut properties = DeviceProperties::new(name, "cuda", memory);
    driver.clone_into(&mut properties.driver);
    properties.kernel_version = KERNEL_VERSION;
    properties.units = context.attribute(units).map_err(driver_error)? as usize;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options
        .copy_threads
        .unwrap_or_else(|| cores.div_ceil(2).min(MOST_COPIERS))
        .max(1);
    let copiers = start_workers("heddle-copy", threads)
        .map_err(|error| context.refuse(format!("cannot start its copying threads: {error}")))?
        .threads;
    let slot_bytes = options.slot_bytes.unwrap_or(SLOT_BYTES).max(4096);
    let kernels = LoadedKernels::new(context, compute_capability.0 * 10 + compute_capability.1);
    let leases = StreamLeases::new(context)?;
    let has_fine_clock =
        TimestampedLaunches::is_clock_fine(context, &kernels, &leases.open.stream)?;
    Ok(CudaDevice::new(CudaState {
        properties,
        compute_capability,
        has_fine_clock,
        leases,
        up: Stream::new(context)?,
        down: Stream::new(context)?,
        staging: Staging::new(context, slot_bytes, threads),
        pinned_cache: PinnedCache::default(),
        kernels,
        memory: driver_storage::memory(context, memory),
        copiers,
        tf32: AtomicBool::new(false),
        no_blas: OnceLock::new(),
        context: Arc::clone(context),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_never_panics_and_explains_an_empty_result() {
        let found = find(&CudaOptions {
            copy_threads: Some(1),
            slot_bytes: None,
        });
        assert_eq!(found.devices.is_empty(), found.why_none.is_some());
        if let Some(why) = found.why_none {
            assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
        }
    }
}
