//! One batch on several GPUs: all of them work, no result is lost when one fails, and
//! merging sends work to a GPU that would not go there alone.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::Faults;
use heddle_runtime::batch::MergedOperation;
use heddle_runtime::config::Config;
use heddle_runtime::device::{DeviceId, Timing, TransferTotals};
use heddle_runtime::ops::{MatMul, Xor};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Array, Operation, Runtime};
use heddle_testing::several_gpus::{bytes, forced, matrix, runtime, small, xored};

const GPUS: [DeviceId; 4] = [
    DeviceId::simt(0),
    DeviceId::simt(1),
    DeviceId::simt(2),
    DeviceId::simt(3),
];

fn items(count: usize) -> Vec<(Array<u8>, Array<u8>)> {
    let item = |item| {
        let data = Array::from_slice(&bytes(50 + item % 90, item));
        (data, Array::from_slice(&bytes(1 + item % 40, item)))
    };
    (0..count).map(item).collect()
}

fn xors(items: &[(Array<u8>, Array<u8>)]) -> Vec<Xor<u8>> {
    let xor = |(data, key): &(Array<u8>, Array<u8>)| Xor::new(data, key).unwrap();
    items.iter().map(xor).collect()
}

fn check(runtime: &Runtime, count: usize) {
    let items = items(count);
    let results = runtime.batch_on(&GPUS, xors(&items)).unwrap();
    assert_eq!(results.len(), count);
    for ((data, key), result) in items.iter().zip(results) {
        let expected = xored(data.as_slice().unwrap(), key.as_slice().unwrap());
        assert_eq!(result.unwrap().as_slice().unwrap(), expected);
    }
}

#[test]
fn four_gpus_share_a_batch() {
    let (runtime, _) = runtime(Config::default(), vec![small(); 4]);
    for count in [0, 1, 3, 7, 400, 1000] {
        check(&runtime, count);
    }
    let statistics = runtime.batch_statistics();
    let shares = &statistics.kinds[0].devices;
    assert_eq!(shares.len(), 4, "{statistics}");
    assert!((shares.iter().map(|share| share.share).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn a_gpu_that_fails_or_is_lost_leaves_its_share_to_the_others() {
    let faulty = |faults| small().with(|it| it.faults = faults);
    let faults = [
        Faults::default(),
        Faults::default().with(|it| it.launch = Some(1)),
        Faults::default().with(|it| it.lost_after = Some(3)),
        Faults::default().with(|it| it.allocation = Some(2)),
    ];
    let (runtime, _) = runtime(Config::default(), faults.map(faulty).to_vec());
    for count in [100, 400, 1000] {
        check(&runtime, count);
    }
    let statistics = runtime.batch_statistics();
    assert_eq!(statistics.items(), 1500);
}

#[test]
fn when_every_gpu_is_lost_the_cpu_takes_over() {
    let (runtime, gpus) = runtime(Config::default(), vec![small(); 4]);
    for gpu in &gpus {
        gpu.mark_lost();
    }
    check(&runtime, 200);
    let statistics = runtime.batch_statistics();
    assert_eq!(statistics.kinds[0].devices[0].device, DeviceId::CPU);
}

#[test]
fn a_lost_device_costs_no_result_outside_batches() {
    let runtime =
        forced(small().with(|it| it.faults = Faults::default().with(|it| it.lost_after = Some(4))));
    for _ in 0..3 {
        let items = items(40);
        for ((data, key), result) in items.iter().zip(runtime.batch(xors(&items))) {
            let expected = xored(data.as_slice().unwrap(), key.as_slice().unwrap());
            assert_eq!(result.unwrap().as_slice().unwrap(), expected);
        }
    }
}

#[test]
fn a_batch_larger_than_the_device_runs_in_parts() {
    // All operands and results take 12 MiB, of which a quarter fits.
    let mut config = Config::default().with(|it| it.device = Some(DeviceId::simt(0)));
    config.route.allow = Some(vec![DeviceId::simt(0)]);
    let (runtime, _) = runtime(config, vec![small().with(|it| it.memory = Bytes(3 << 20))]);
    let pairs: Vec<_> = (0..256)
        .map(|item| (matrix(64, 64, item), matrix(64, 64, item + 7)))
        .collect();
    let results = runtime.matmul_batch(pairs.iter().map(|(lhs, rhs)| (lhs, rhs)));
    let cpu = Runtime::builder().without_model_cache().build().unwrap();
    for ((lhs, rhs), result) in pairs.iter().zip(results) {
        let expected = cpu.matmul(lhs, rhs).unwrap();
        assert_eq!(
            result.unwrap().as_slice().unwrap(),
            expected.as_slice().unwrap()
        );
    }
    let statistics = runtime.batch_statistics();
    assert!(statistics.batches() > 4, "{statistics}");
}

/// Records measured times of an operation, for a router to learn from.
fn record_times(runtime: &Runtime, operation: &impl Operation, device: DeviceId, ns: u64) {
    let described = operation.describe();
    let gpu = device.has_own_memory();
    let moved = TransferTotals {
        up: described.missing(device),
        down: described.returned(device),
        up_time: Nanos(u64::from(gpu) * 10),
        down_time: Nanos(u64::from(gpu) * 10),
    };
    let timing = Timing::of(Nanos(ns + moved.time().0))
        .on_device(gpu.then_some(Nanos(ns)))
        .moving(moved);
    for _ in 0..40 {
        runtime.router().observe(&described, device, &timing);
    }
}

#[test]
fn merging_sends_operations_to_a_gpu_that_none_would_use_alone() {
    let mut config = Config::default();
    config.route.explore_share = 0.0;
    let (runtime, _) = runtime(config, vec![small()]);
    let pairs: Vec<_> = (0..10)
        .map(|item| (matrix(8, 8, item), matrix(8, 8, item + 7)))
        .collect();
    let make = || -> Vec<MatMul<f32>> {
        let make = |(lhs, rhs): &(_, _)| MatMul::new(lhs, rhs).unwrap();
        pairs.iter().map(make).collect()
    };
    // Alone 1 µs on the CPU and 6 on the GPU; all ten together 10 µs and 6.
    let mut operations = make();
    record_times(&runtime, &operations[0], DeviceId::CPU, 1_000);
    record_times(&runtime, &operations[0], DeviceId::simt(0), 6_000);
    let merged = MergedOperation::new(&mut operations[..]);
    record_times(&runtime, &merged, DeviceId::CPU, 10_000);
    record_times(&runtime, &merged, DeviceId::simt(0), 6_000);
    assert_eq!(
        runtime
            .run_traced(&mut make()[0], None)
            .unwrap()
            .decision
            .device,
        DeviceId::CPU
    );
    assert!(runtime.batch(make()).iter().all(Result::is_ok));
    let statistics = runtime.batch_statistics();
    assert_eq!(statistics.to_gpu_by_merging(), 1, "{statistics}");
    let text = statistics.to_string();
    assert!(text.contains("only because they were merged"), "{text}");
}

#[test]
fn a_batch_is_shared_between_gpus_by_itself_where_that_is_faster() {
    let mut config = Config::default();
    config.route.explore_share = 0.0;
    let (runtime, _) = runtime(config, vec![small(); 2]);
    let pairs: Vec<_> = (0..40)
        .map(|item| (matrix(8, 8, item), matrix(8, 8, item + 7)))
        .collect();
    let make = |count: usize| -> Vec<MatMul<f32>> {
        let make = |(lhs, rhs): &(_, _)| MatMul::new(lhs, rhs).unwrap();
        pairs[..count].iter().map(make).collect()
    };
    // The second GPU takes half as long again as the first.
    for count in [2, 5, 10, 20, 40] {
        let mut operations = make(count);
        let merged = MergedOperation::new(&mut operations[..]);
        let ns = 10_000 * count as u64;
        record_times(&runtime, &merged, DeviceId::CPU, 1_000 * ns);
        record_times(&runtime, &merged, DeviceId::simt(0), ns);
        record_times(&runtime, &merged, DeviceId::simt(1), 3 * ns / 2);
    }
    let results = runtime.batch(make(40));
    for ((lhs, rhs), result) in pairs.iter().zip(results) {
        let expected = runtime.run_on(DeviceId::CPU, MatMul::new(lhs, rhs).unwrap());
        let (result, expected) = (result.unwrap(), expected.unwrap());
        assert_eq!(result.as_slice().unwrap(), expected.as_slice().unwrap());
    }
    let statistics = runtime.batch_statistics();
    let devices: Vec<_> = statistics.kinds[0]
        .devices
        .iter()
        .map(|share| share.device)
        .collect();
    assert_eq!(
        devices,
        [DeviceId::simt(0), DeviceId::simt(1)],
        "{statistics}"
    );
}
