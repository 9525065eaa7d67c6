//! This machine's GPU, or a word that it has none.
#![allow(dead_code, reason = "each target uses some of it")]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use heddle_cuda::cuda::{CudaDevice, Options};
use heddle_runtime::device::{Device, Timing};
use heddle_runtime::{DType, Description, Error, Kind, WorkUnit};

/// Set to `1` where there is a GPU, so that its tests cannot be skipped unseen.
const REQUIRED: &str = "HEDDLE_REQUIRE_GPU";

static KIND: Kind = Kind::new("trial", WorkUnit::Bytes);

/// Runs the test on this machine's first GPU.
pub(crate) fn with_gpu(test: impl FnOnce(Arc<CudaDevice>)) {
    with_gpu_of(&Options::default(), test);
}

/// The same, the GPU opened with these options. Nobody else uses it meanwhile,
/// and once the test has let go of it everything must have been freed.
pub(crate) fn with_gpu_of(options: &Options, test: impl FnOnce(Arc<CudaDevice>)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gpu) = open(options) {
        let before = CudaDevice::drop_failures();
        test(gpu);
        let after = CudaDevice::drop_failures();
        assert_eq!(after.count, before.count, "clean-up failed: {after:?}");
    }
}

/// The first GPU of this machine; without one the test is skipped, unless
/// [`REQUIRED`] says that it may not be. Nothing else decides that.
pub(crate) fn open(options: &Options) -> Option<Arc<CudaDevice>> {
    let found = CudaDevice::find(options);
    if let Some(gpu) = found.devices.into_iter().next() {
        return Some(gpu);
    }
    let why = found.why_none.unwrap_or_default();
    let is_required = std::env::var(REQUIRED).is_ok_and(|value| value == "1");
    assert!(!is_required, "{REQUIRED}=1, but there is no GPU: {why}");
    println!("skipped: {why}");
    None
}

/// Runs `body` as an execution.
pub(crate) fn execute(
    gpu: &CudaDevice,
    mut body: impl FnMut() -> Result<(), Error>,
) -> Result<Timing, Error> {
    let description = Description::new(&KIND, DType::U8, 1);
    gpu.execute(&description, Instant::now(), &mut |_| body())
}

/// The same, for its device time in nanoseconds.
pub(crate) fn device_ns(gpu: &CudaDevice, body: impl FnMut() -> Result<(), Error>) -> u64 {
    execute(gpu, body).unwrap().device.unwrap().0
}
