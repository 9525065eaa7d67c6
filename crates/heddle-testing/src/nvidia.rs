//! This machine's first GPU, for tests that are ignored on machines without one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use heddle_cuda::cuda::{CudaDevice, CudaOptions};
use heddle_runtime::device::{Device, Timing};
use heddle_runtime::{DType, Description, Error, Kind, WorkUnit};

static KIND: Kind = Kind::new("trial", WorkUnit::Bytes);

/// Runs the test on this machine's first GPU.
pub fn with_gpu(test: impl FnOnce(Arc<CudaDevice>)) {
    with_gpu_of(&CudaOptions::default(), test);
}

/// Like [`with_gpu`], with these options. No other test uses the GPU at the same time, and freeing
/// its memory must not have failed.
pub fn with_gpu_of(options: &CudaOptions, test: impl FnOnce(Arc<CudaDevice>)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let gpu = open(options);
    let before = CudaDevice::drop_failures();
    test(gpu);
    let after = CudaDevice::drop_failures();
    assert_eq!(after.count, before.count, "clean-up failed: {after:?}");
}

/// Opens the first GPU of this machine. Without one the test fails.
pub fn open(options: &CudaOptions) -> Arc<CudaDevice> {
    let found = CudaDevice::find(options);
    let why = found.why_none.unwrap_or_default();
    let first = found.devices.into_iter().next();
    first.unwrap_or_else(|| panic!("there is no GPU: {why}"))
}

/// Runs `body` as an execution.
pub fn execute(
    gpu: &CudaDevice,
    mut body: impl FnMut() -> Result<(), Error>,
) -> Result<Timing, Error> {
    let description = Description::new(&KIND, DType::U8, 1);
    gpu.execute(&description, Instant::now(), &mut |_| body())
}

/// Like [`execute`], but returns the device time in nanoseconds.
pub fn device_ns(gpu: &CudaDevice, body: impl FnMut() -> Result<(), Error>) -> u64 {
    execute(gpu, body).unwrap().device.unwrap().0
}
