//! An emulated GPU and the few words tests speak to it with.

use bytemuck::Pod;
use heddle_cuda::kernels::trial;
use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::Error;
use heddle_runtime::device::{Accelerator, Argument, DeviceBuffer, Kernel, Launch};
use heddle_runtime::ops;
use heddle_runtime::units::Bytes;

/// A device with nothing wrong with it.
pub fn gpu() -> SimtDevice {
    SimtDevice::new(0, SimtOptions::default()).unwrap()
}

/// A device whose blocks share so many workers.
pub fn gpu_with(workers: usize) -> SimtDevice {
    SimtDevice::new(
        0,
        SimtOptions {
            workers,
            ..SimtOptions::default()
        },
    )
    .unwrap()
}

/// A buffer holding these values.
pub fn up<T: Pod>(gpu: &SimtDevice, values: &[T]) -> DeviceBuffer {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let buffer = gpu.allocate(Bytes(bytes.len() as u64)).unwrap();
    buffer.upload(bytes).unwrap();
    buffer
}

/// A buffer for so many values, unwritten.
pub fn unwritten_buffer<T: Pod>(gpu: &SimtDevice, count: usize) -> DeviceBuffer {
    gpu.allocate(Bytes::of::<T>(count)).unwrap()
}

/// What a buffer holds.
pub fn down<T: Pod>(buffer: &DeviceBuffer) -> Vec<T> {
    let count = buffer.bytes().0 as usize / size_of::<T>();
    let mut values = vec![T::zeroed(); count];
    buffer
        .download(bytemuck::cast_slice_mut(&mut values))
        .unwrap();
    values
}

/// A kernel of the array operations or of the trials.
pub fn kernel_named(name: &str) -> &'static Kernel {
    let trial = Kernel::find(&trial::KERNELS, name);
    trial.unwrap_or_else(|| Kernel::named(&ops::KERNELS, name))
}

/// Launches a row of blocks and waits for them.
pub fn run(
    gpu: &SimtDevice,
    kernel: &str,
    blocks: u32,
    threads: u32,
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    run_shared(gpu, kernel, blocks, threads, 0, arguments)
}

/// The same with dynamic shared memory.
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
