//! A GPU that fails, runs out of memory or is lost costs time and no result: the CPU takes
//! over, and the report shows it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions};
use heddle_runtime::config::Config;
use heddle_runtime::device::DeviceId;
use heddle_runtime::route::Reason;
use heddle_runtime::runtime::FallbackCause;
use heddle_runtime::{Array, Error, Runtime};
use heddle_testing::xor_with_key::{XorWithKey, XorWithKeyInPlace, xored_with_key};

const GPU: DeviceId = DeviceId::simt(0);

/// A runtime that sends every operation to an emulated GPU with these faults.
fn faulty(faults: Faults) -> (Runtime, Arc<SimtDevice>) {
    faulty_with(Config::default().with(|it| it.device = Some(GPU)), faults)
}

fn faulty_with(config: Config, faults: Faults) -> (Runtime, Arc<SimtDevice>) {
    let options = SimtOptions::default().with(|it| it.faults = faults);
    let gpu = Arc::new(SimtDevice::new(0, options));
    let runtime = heddle_testing::runtime(config, gpu.clone());
    (runtime, gpu)
}

fn message() -> Vec<u8> {
    (0..5000_u32).map(|index| (index * 7) as u8).collect()
}

/// The devices that `count` operations ran on; each result is checked.
fn devices(runtime: &Runtime, count: usize) -> Vec<DeviceId> {
    let data = message();
    (0..count)
        .map(|_| {
            let outcome = runtime.run_traced(XorWithKey::of(&data), None).unwrap();
            assert_eq!(outcome.output.as_slice().unwrap(), xored_with_key(&data));
            outcome.decision.device
        })
        .collect()
}

#[test]
fn a_failed_launch_is_run_on_the_cpu_and_counted() {
    let (runtime, _) = faulty(Faults::default().with(|it| it.launch = Some(2)));
    assert_eq!(devices(&runtime, 3), [GPU, DeviceId::CPU, GPU]);
    let report = runtime.report();
    assert_eq!((report.failures, report.fallbacks.len()), (0, 1));
    let fallback = &report.fallbacks[0];
    assert_eq!((fallback.from, fallback.to), (GPU, DeviceId::CPU));
    assert_eq!((fallback.cause, fallback.count), (FallbackCause::Failed, 1));
    assert!(fallback.message.contains("xor_u8 failed"), "{fallback:?}");
    assert!(report.devices.iter().all(|reading| !reading.lost));
}

#[test]
fn whichever_allocation_fails_every_result_is_right() {
    // Input, output and key: three allocations per operation.
    for allocation in 1..=9 {
        let (runtime, _) = faulty(Faults::default().with(|it| it.allocation = Some(allocation)));
        let fell = (allocation - 1) / 3;
        let mut expected = vec![GPU; 3];
        expected[fell as usize] = DeviceId::CPU;
        assert_eq!(devices(&runtime, 3), expected);
        let report = runtime.report();
        assert_eq!(report.fallbacks[0].cause, FallbackCause::OutOfMemory);
        assert_eq!(report.fallbacks[0].count, 1);
        // No memory stays reserved on any device.
        assert!(
            report
                .devices
                .iter()
                .all(|reading| reading.memory.reserved.0 == 0)
        );
    }
}

#[test]
fn a_device_lost_at_any_call_leaves_routing_and_every_result_is_right() {
    for lost_after in 0..14 {
        let (runtime, _) = faulty(Faults::default().with(|it| it.lost_after = Some(lost_after)));
        let data = message();
        let mut lost_answers = 0;
        for _ in 0..4 {
            let result = runtime.run(XorWithKey::of(&data)).unwrap();
            match result.as_slice() {
                Ok(bytes) => assert_eq!(bytes, xored_with_key(&data)),
                // Computed, left on the device, and lost with it.
                Err(Error::ArrayLost { device, .. }) => {
                    assert_eq!(device, GPU);
                    lost_answers += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(lost_answers <= 1);
        assert_eq!(runtime.router().lost(), [GPU], "after {lost_after} calls");
        let after = runtime.run_traced(XorWithKey::of(&data), None).unwrap();
        assert_eq!(after.decision.device, DeviceId::CPU);
        let report = runtime.report();
        assert_eq!(report.failures, 0);
        let causes: Vec<_> = report
            .fallbacks
            .iter()
            .map(|row| (row.cause, row.count))
            .collect();
        assert_eq!(causes, [(FallbackCause::Lost, 1)]);
    }
}

#[test]
fn an_array_that_only_the_lost_device_had_is_named() {
    let (runtime, gpu) = faulty(Faults::default());
    let first = runtime.run_on(GPU, XorWithKey::of(&message())).unwrap();
    let kept = runtime.run_on(GPU, XorWithKey::of(&message())).unwrap();
    kept.as_slice().unwrap();
    gpu.mark_lost();

    let error = first.as_slice().unwrap_err();
    assert_eq!(
        error.to_string(),
        "an array of u8, 5000, had its only copy on simt:0, which is lost"
    );
    assert!(error.hint().is_some());
    let error = runtime.run(XorWithKey { data: first }).unwrap_err();
    assert!(matches!(error, Error::ArrayLost { .. }), "{error}");
    assert_eq!(runtime.report().failures, 1);
    // The result that was read before has a copy on the host.
    let again = runtime.run(XorWithKey { data: kept }).unwrap();
    assert_eq!(again.as_slice().unwrap(), message());
}

#[test]
fn a_call_that_names_its_device_fails_instead() {
    let (runtime, gpu) = faulty(Faults::default().with(|it| it.launch = Some(1)));
    let error = runtime.run_on(GPU, XorWithKey::of(&message())).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
    gpu.mark_lost();
    let error = runtime.run_on(GPU, XorWithKey::of(&message())).unwrap_err();
    assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
    // A lost device is out of use for every caller.
    assert_eq!(runtime.router().lost(), [GPU]);
    let report = runtime.report();
    assert_eq!((report.failures, report.fallbacks.len()), (2, 0));
}

#[test]
fn without_the_cpu_as_fallback_the_error_is_returned() {
    let mut config = Config::default();
    config.route.allow = Some(vec![GPU]);
    let (runtime, _) = faulty_with(config, Faults::default().with(|it| it.launch = Some(1)));
    let error = runtime.run(XorWithKey::of(&message())).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
    assert_eq!(runtime.report().failures, 1);
}

#[test]
fn an_operation_that_has_begun_to_write_is_not_retried() {
    let (runtime, _) = faulty(Faults::default().with(|it| {
        it.allocation = Some(1);
        it.launch = Some(1);
    }));
    let mut data = Array::from_slice(&message());
    // The first allocation fails before anything is written, so the operation is retried.
    let over = XorWithKeyInPlace {
        data: &mut data,
        begun: false,
    };
    let outcome = runtime.run_traced(over, None).unwrap();
    assert_eq!(outcome.decision.reason, Reason::FellBack { from: GPU });
    assert_eq!(data.as_slice().unwrap(), xored_with_key(&message()));
    // The first launch fails when the operation may have written, so it is not.
    let over = XorWithKeyInPlace {
        data: &mut data,
        begun: false,
    };
    let error = runtime.run(over).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
    assert_eq!(runtime.report().failures, 1);
}

#[test]
fn a_second_device_that_fails_while_verifying_loses_no_result() {
    let mut config = Config::default().with(|it| it.device = Some(DeviceId::CPU));
    config.route.allow = Some(vec![DeviceId::CPU, GPU]);
    config.route.verify_share = 1.0;
    let (runtime, _) = faulty_with(config, Faults::default().with(|it| it.launch = Some(1)));
    assert_eq!(devices(&runtime, 2), [DeviceId::CPU; 2]);
    let report = runtime.report();
    assert_eq!((report.verified, report.unverifiable), (1, 1));
    assert_eq!((report.failures, report.differed), (0, 0));
}
