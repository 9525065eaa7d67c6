//! Sums add in one fixed order: bit for bit the reference's, on any device.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_runtime::device::DeviceBuffer;
use heddle_testing::kernel_launch::{down, gpu_with, run, unwritten_buffer, up};

const THREADS: usize = 256;
/// The bytes that one block sums.
const CHUNK: usize = 32 << 10;

/// The summation tree of `kernels/reduce.cuh`: every 256th line of sixteen bytes to a
/// thread, halving per warp, then halving over the warps.
fn chunk_sum(values: &[f64], line: usize) -> f64 {
    let mut lanes = vec![0.0; THREADS];
    for (index, line) in values.chunks(line).enumerate() {
        for value in line {
            lanes[index % THREADS] += value;
        }
    }
    let mut warps: Vec<f64> = lanes.chunks_mut(32).map(halve).collect();
    halve(&mut warps)
}

fn halve(values: &mut [f64]) -> f64 {
    let mut half = values.len() / 2;
    while half > 0 {
        for i in 0..half {
            values[i] += values[i + half];
        }
        half /= 2;
    }
    values[0]
}

fn reference(values: &[f32]) -> f64 {
    let mut level: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
    let mut element = size_of::<f32>();
    loop {
        level = level
            .chunks(CHUNK / element)
            .map(|chunk| chunk_sum(chunk, 16 / element))
            .collect();
        if level.len() <= 1 {
            return level.first().copied().unwrap_or(0.0);
        }
        element = size_of::<f64>();
    }
}

fn sum(gpu: &SimtDevice, values: &[f32]) -> f64 {
    let pass = |kernel, from: &DeviceBuffer, len: usize| {
        let blocks = from.bytes().0.div_ceil(CHUNK as u64);
        let partials = unwritten_buffer::<f64>(gpu, blocks as usize);
        run(
            gpu,
            kernel,
            blocks as u32,
            THREADS as u32,
            &[Buffer(&**from), U64(len as u64), Buffer(&*partials)],
        )
        .unwrap();
        partials
    };
    if values.is_empty() {
        return 0.0;
    }
    let mut partials = pass("reduce_sum_f32", &up(gpu, values), values.len());
    loop {
        match down::<f64>(&partials)[..] {
            [sum] => return sum,
            ref many => partials = pass("reduce_sum_f64", &partials, many.len()),
        }
    }
}

fn values(len: usize) -> Vec<f32> {
    (0..len)
        .zip((0..7).cycle())
        .map(|(i, scale)| ((i * 7919 % 10_007) as f32 - 5000.0) * 1.1e-3 * 10_f32.powi(scale))
        .collect()
}

#[test]
fn bit_for_bit_at_every_size() {
    let gpu = gpu_with(2);
    for len in [
        0, 1, 2, 31, 32, 33, 255, 256, 257, 4093, 4095, 4096, 4097, 8192, 12_289, 100_003,
        1_000_003,
    ] {
        let values = values(len);
        assert_eq!(
            sum(&gpu, &values).to_bits(),
            reference(&values).to_bits(),
            "{len}"
        );
    }
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let values = values(300_007);
    let one = sum(&gpu_with(1), &values);
    for workers in 2..5 {
        assert_eq!(sum(&gpu_with(workers), &values).to_bits(), one.to_bits());
    }
}
