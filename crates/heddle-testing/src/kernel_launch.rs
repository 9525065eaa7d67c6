//! An emulated GPU, with short functions for transfers and launches.

#![allow(unsafe_code, reason = "a kernel's description is trusted")]

use bytemuck::Pod;
use heddle_cuda::kernels::trial;
use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::Error;
use heddle_runtime::device::{Accelerator, Argument, DeviceBuffer, Kernel, KernelModule, Launch};
use heddle_runtime::ops;
use heddle_runtime::units::Bytes;

/// A kernel as built without the features `cuda` and `emulator`.
// SAFETY: it has no image and no entry.
pub static ABSENT: Kernel = unsafe {
    Kernel::new(
        "absent",
        &KernelModule {
            source: "absent",
            source_hash: "",
            ptx: &[],
            machine_code: &[],
        },
        1024,
        &[],
        None,
    )
};

/// Creates a device without faults.
pub fn gpu() -> SimtDevice {
    SimtDevice::new(0, SimtOptions::default())
}

/// Creates a device whose blocks share `workers` worker threads.
pub fn gpu_with(workers: usize) -> SimtDevice {
    SimtDevice::new(0, SimtOptions::default().with(|it| it.workers = workers))
}

/// Uploads these values into a new buffer.
pub fn up<T: Pod>(gpu: &SimtDevice, values: &[T]) -> DeviceBuffer {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let buffer = gpu.allocate(Bytes(bytes.len() as u64)).unwrap();
    buffer.upload(bytes).unwrap();
    buffer
}

/// Allocates a buffer for `count` values, unwritten.
pub fn unwritten_buffer<T: Pod>(gpu: &SimtDevice, count: usize) -> DeviceBuffer {
    gpu.allocate(Bytes::of::<T>(count)).unwrap()
}

/// Downloads the content of a buffer.
pub fn down<T: Pod>(buffer: &DeviceBuffer) -> Vec<T> {
    let count = buffer.bytes().0 as usize / size_of::<T>();
    let mut values = vec![T::zeroed(); count];
    buffer
        .download(bytemuck::cast_slice_mut(&mut values))
        .unwrap();
    values
}

/// Returns a kernel of the array operations or of the trial kernels.
pub fn kernel_named(name: &str) -> &'static Kernel {
    let trial = Kernel::find(&trial::KERNELS, name);
    trial.unwrap_or_else(|| Kernel::named(&ops::KERNELS, name))
}

/// Launches a one-dimensional grid of blocks and waits for it.
pub fn run(
    gpu: &SimtDevice,
    kernel: &str,
    blocks: u32,
    threads: u32,
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    run_shared(gpu, kernel, blocks, threads, 0, arguments)
}

/// Like [`run`], with dynamic shared memory.
pub fn run_shared(
    gpu: &SimtDevice,
    kernel: &str,
    blocks: u32,
    threads: u32,
    shared: u32,
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    gpu.launch(&Launch {
        kernel: kernel_named(kernel),
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared,
        arguments,
    })?;
    gpu.synchronize()
}
