//! The cost of the array operations on this CPU, beside a plain copy.
//!
//! Every group has its peer, a copy of as many bytes over the same threads, so that a ratio is
//! always between figures of one run.
#![allow(clippy::expect_used, missing_docs)] // A bench that cannot start has nothing to report.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heddle_runtime::cpu::CpuDevice;
use heddle_runtime::device::Device;
use heddle_runtime::ops::{
    Add, BatchMatMul, Binary, Div, Exp, MatMul, Max, Normalize, NormalizeMode, Random, Scale, Std,
    Sum, Transpose, Unary, Xor, XorInPlace,
};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Operation};

fn run<O: Operation>(device: &CpuDevice, operation: &mut O) {
    let description = operation.describe();
    let mut constant = None;
    device
        .execute(&description, Instant::now(), &mut |context| {
            constant = Some(operation.run(context)?);
            Ok(())
        })
        .expect("operation failed");
    black_box(constant);
}

fn floats(len: usize) -> Array<f32> {
    let values: Vec<f32> = (0..len).map(|i| (i % 97) as f32 * 0.1).collect();
    Array::from_slice(&values)
}

fn bytes(len: usize) -> Array<u8> {
    let values: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
    Array::from_slice(&values)
}

/// A copy into allocated memory, over the same pool.
fn copy(device: &CpuDevice, out: &mut [u8], from: &[u8]) {
    const PART: usize = 64 << 10;
    let parts = out.chunks_mut(PART).zip(from.chunks(PART));
    device
        .pool()
        .each(Bytes(2 * from.len() as u64), parts, |(out, from)| {
            out.copy_from_slice(from);
        });
}

fn passes(criterion: &mut Criterion) {
    let device = CpuDevice::new(None).expect("no device");
    let mut group = criterion.benchmark_group("cpu/passes");
    for len in [5, 1000, 100_000, 10_000_000, 64 << 20] {
        group.throughput(Throughput::Bytes(len as u64));
        let data = bytes(len);
        let mut target = vec![1_u8; len];
        let source = vec![2_u8; len];
        group.bench_function(BenchmarkId::new("copy", len), |b| {
            b.iter(|| copy(&device, &mut target, black_box(&source)));
        });
        let mut xor = Xor::new(&data, &data).expect("xor");
        group.bench_function(BenchmarkId::new("xor-u8", len), |b| {
            b.iter(|| run(&device, &mut xor));
        });
        let mut short = Xor::new(&data, &bytes(7)).expect("xor");
        group.bench_function(BenchmarkId::new("xor-u8-key-7", len), |b| {
            b.iter(|| run(&device, &mut short));
        });
        let mut own = bytes(len);
        let key = bytes(7);
        group.bench_function(BenchmarkId::new("xor-in-place-key-7", len), |b| {
            b.iter(|| run(&device, &mut XorInPlace::new(&mut own, &key).expect("xor")));
        });
    }
    for len in [1000, 25_000, 2_500_000, 16 << 20] {
        group.throughput(Throughput::Bytes(len as u64 * 4));
        let data = floats(len);
        let mut add = Binary::new(Add, &data, &data).expect("add");
        group.bench_function(BenchmarkId::new("add-f32", len), |b| {
            b.iter(|| run(&device, &mut add));
        });
        let mut exp = Unary::new(Exp, &data);
        group.bench_function(BenchmarkId::new("exp-f32", len), |b| {
            b.iter(|| run(&device, &mut exp));
        });
        let mut scale = Scale::new(&data, 2.0, 1.0);
        group.bench_function(BenchmarkId::new("scale-f32", len), |b| {
            b.iter(|| run(&device, &mut scale));
        });
        let mut z_score = Normalize::new(&data, NormalizeMode::ZScore);
        group.bench_function(BenchmarkId::new("z-score-f32", len), |b| {
            b.iter(|| run(&device, &mut z_score));
        });
        let mut sum = Sum::new(&data);
        group.bench_function(BenchmarkId::new("sum-f32", len), |b| {
            b.iter(|| run(&device, &mut sum));
        });
        let mut max = Max::new(&data).expect("max");
        group.bench_function(BenchmarkId::new("max-f32", len), |b| {
            b.iter(|| run(&device, &mut max));
        });
        let mut std = Std::new(&data).expect("std");
        group.bench_function(BenchmarkId::new("std-f32", len), |b| {
            b.iter(|| run(&device, &mut std));
        });
        let mut random = Random::<f32>::new(1, &[len]).expect("random");
        group.bench_function(BenchmarkId::new("random-f32", len), |b| {
            b.iter(|| run(&device, &mut random));
        });
        let integers = Array::from_slice(&vec![7_i32; len]);
        let mut div = Binary::new(Div, &integers, &integers).expect("div");
        group.bench_function(BenchmarkId::new("div-i32", len), |b| {
            b.iter(|| run(&device, &mut div));
        });
    }
    group.finish();
}

fn matrices(criterion: &mut Criterion) {
    let device = CpuDevice::new(None).expect("no device");
    let mut group = criterion.benchmark_group("cpu/matrices");
    for n in [16, 64, 128, 256, 1024, 2048] {
        let matrix = floats(n * n).reshape(&[n, n]).expect("square");
        let mut transpose = Transpose::new(&matrix).expect("transpose");
        group.bench_function(BenchmarkId::new("transpose-f32", n), |b| {
            b.iter(|| run(&device, &mut transpose));
        });
        if n <= 1024 {
            let mut product = MatMul::new(&matrix, &matrix).expect("matmul");
            group.bench_function(BenchmarkId::new("matmul-f32", n), |b| {
                b.iter(|| run(&device, &mut product));
            });
        }
    }
    let items = floats(1000 * 256).reshape(&[1000, 16, 16]).expect("batch");
    let mut batch = BatchMatMul::new(&items, &items).expect("batch");
    group.bench_function("batch-matmul-f32/1000x16", |b| {
        b.iter(|| run(&device, &mut batch));
    });
    group.finish();
}

/// The size where two threads begin to be faster than one, which sets `cpu::PARALLEL_FROM`.
fn threshold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cpu/threshold");
    let device = CpuDevice::new(None).expect("no device");
    for kib in [64, 256, 512, 1024, 2048, 4096] {
        let from = vec![1_u8; kib << 10];
        let mut out = vec![2_u8; kib << 10];
        for (name, cost) in [("one-thread", Bytes(0)), ("all-threads", Bytes(u64::MAX))] {
            group.bench_function(BenchmarkId::new(name, kib), |b| {
                b.iter(|| {
                    let parts = out.chunks_mut(64 << 10).zip(from.chunks(64 << 10));
                    device.pool().each(cost, parts, |(out, from)| {
                        out.copy_from_slice(black_box(from));
                    });
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(800))
        .sample_size(20);
    targets = passes, matrices, threshold
}
criterion_main!(benches);
