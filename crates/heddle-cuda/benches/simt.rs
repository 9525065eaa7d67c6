//! Measures the emulated GPU: a launch, a fiber switch, the shipped kernels.
//!
//! Launches are synchronous and synchronized inside the timed region.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heddle_runtime::device::Accelerator;
use heddle_runtime::device::Argument::{Buffer, U32, U64};
use heddle_runtime::units::Bytes;
use heddle_testing::kernel_launch::{gpu_with, run};

/// Grids of one block: an empty kernel, and one with four barriers.
fn launches(c: &mut Criterion) {
    let gpu = gpu_with(1);
    let out = gpu.allocate(Bytes(64)).unwrap();
    let mut group = c.benchmark_group("simt/launch");
    for threads in [32, 256] {
        group.bench_function(BenchmarkId::new("nothing", threads), |b| {
            b.iter(|| run(&gpu, "trial_nothing", 1, threads, &[Buffer(&*out)]).unwrap());
        });
        group.bench_function(BenchmarkId::new("four_barriers", threads), |b| {
            let arguments = [Buffer(&*out), U32(4)];
            b.iter(|| run(&gpu, "trial_barriers", 1, threads, &arguments).unwrap());
        });
    }
    group.finish();
}

/// 255 of 256 threads wait at each of 100 barriers: time per element is the time
/// to suspend one thread and resume the next.
fn switches(c: &mut Criterion) {
    let gpu = gpu_with(1);
    let out = gpu.allocate(Bytes(64)).unwrap();
    let mut group = c.benchmark_group("simt/switch");
    group.throughput(Throughput::Elements(255 * 100));
    group.bench_function("256_threads_100_barriers", |b| {
        let arguments = [Buffer(&*out), U32(100)];
        b.iter(|| run(&gpu, "trial_barriers", 1, 256, &arguments).unwrap());
    });
    group.finish();
}

fn kernels(c: &mut Criterion) {
    const LEN: u64 = 1 << 20;
    let gpu = gpu_with(1);
    let unwritten = || gpu.allocate(Bytes(4 * LEN)).unwrap();
    let (data, out) = (unwritten(), unwritten());
    data.upload(&vec![0; 4 * LEN as usize]).unwrap();
    let mut group = c.benchmark_group("simt/kernel");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Bytes(4 * LEN));
    group.bench_function("xor_u8/4MiB", |b| {
        let (zero, len, key) = (U64(0), U64(4 * LEN), U64(64));
        let (from, to) = (Buffer(&*data), Buffer(&*out));
        let arguments = [from, zero, from, key, zero, to, zero, len];
        b.iter(|| run(&gpu, "xor_u8", 64, 256, &arguments).unwrap());
    });
    group.bench_function("reduce_sum_f32/4MiB", |b| {
        let arguments = [Buffer(&*data), U64(LEN), Buffer(&*out)];
        let blocks = (4 * LEN).div_ceil(32 << 10) as u32;
        b.iter(|| run(&gpu, "reduce_sum_f32", blocks, 256, &arguments).unwrap());
    });
    group.bench_function("random_f32/4MiB", |b| {
        let arguments = [Buffer(&*out), U64(LEN), U64(1)];
        b.iter(|| run(&gpu, "random_f32", 64, 256, &arguments).unwrap());
    });
    group.finish();
}

criterion_group!(benches, launches, switches, kernels);
criterion_main!(benches);
