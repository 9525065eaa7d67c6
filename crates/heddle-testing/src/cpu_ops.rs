//! Runs an operation on a CPU device, and the sizes that operation tests use.

use heddle_runtime::array::HostBuffer;
use heddle_runtime::cpu::CpuDevice;
use heddle_runtime::device::Device;
use heddle_runtime::{Element, Error, Operation};
use std::time::Instant;

/// Zero, one, primes, and lengths around vectors, tiles, blocks and parts.
pub const AWKWARD: [usize; 19] = [
    0, 1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1009, 4095, 4097, 16_383, 16_384, 16_385,
];

/// Lengths around the threading threshold of an operation that moves two or three bytes per
/// element.
pub const AROUND_THREADING: [usize; 3] = [699_050, 699_051, 1_100_009];

/// Creates a CPU device with this number of threads.
pub fn device(threads: usize) -> CpuDevice {
    CpuDevice::new(Some(threads))
}

/// Runs the operation as the runtime would.
pub fn run<O: Operation>(device: &CpuDevice, operation: &mut O) -> Result<O::Output, Error> {
    let mut result = None;
    device.execute(&operation.describe(), Instant::now(), &mut |context| {
        result = Some(operation.run(context)?);
        Ok(())
    })?;
    Ok(result.unwrap())
}

/// Leaves a recycled buffer of this size full of garbage, which shows if the next result has an
/// unwritten element.
pub fn poison<T: Element>(len: usize) {
    let mut buffers: Vec<HostBuffer<T>> = (0..2).map(|_| HostBuffer::unspecified(len)).collect();
    for buffer in &mut buffers {
        bytemuck::cast_slice_mut::<T, u8>(buffer.as_mut_slice()).fill(0xA5);
    }
}

/// The distance in units of the last place, zero between NaNs.
pub fn ulps_f32(a: f32, b: f32) -> u64 {
    let order = |x: f32| {
        let bits = i64::from(x.to_bits().cast_signed());
        if bits < 0 {
            i64::from(i32::MIN) - bits
        } else {
            bits
        }
    };
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    order(a).abs_diff(order(b))
}

/// The distance in units of the last place, zero between NaNs.
pub fn ulps_f64(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let bits = i128::from(x.to_bits().cast_signed());
        if bits < 0 {
            i128::from(i64::MIN) - bits
        } else {
            bits
        }
    };
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    order(a).abs_diff(order(b)) as u64
}
