//! Fallbacks, failures and differing results are counted, named and reported.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::atomic::Ordering;

use heddle_runtime::config::{Config, Size};
use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::route::Reason;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, DType, Description, Error, Kind, Operation, Runtime, WorkUnit};
use heddle_testing::host_memory_gpu::{HostMemoryGpu, Increment};

const GPU: DeviceId = DeviceId::cuda(0);

fn increment(bytes: usize) -> Increment {
    Increment {
        data: Array::from_slice(&vec![1_u8; bytes]),
    }
}

fn on_gpu_by_default() -> Config {
    Config::default().with(|it| it.device = Some(GPU))
}

#[test]
fn an_operation_too_large_for_its_device_runs_elsewhere_and_is_reported() {
    let runtime = heddle_testing::runtime(on_gpu_by_default(), HostMemoryGpu::new(0, Bytes(1000)));
    let outcome = runtime.run_traced(increment(600), None).unwrap();
    assert_eq!(outcome.decision.device, DeviceId::CPU);
    assert_eq!(outcome.decision.reason, Reason::FellBack { from: GPU });
    assert_eq!(outcome.output.as_slice().unwrap(), vec![2; 600]);

    let report = runtime.report();
    assert_eq!(report.fallbacks.len(), 1);
    assert_eq!(report.fallbacks[0].count, 1);
    assert_eq!(report.fallbacks[0].from, GPU);
    let gpu = report.devices.iter().find(|row| row.device == GPU).unwrap();
    assert_eq!(gpu.memory.refusals, 1);
    assert_eq!(gpu.memory.reserved, Bytes(0));
}

#[test]
fn an_operation_too_large_for_a_forced_device_fails_with_its_sizes() {
    let runtime = heddle_testing::runtime_with(HostMemoryGpu::new(0, Bytes(1000)));
    let error = runtime.run_on(GPU, increment(600)).unwrap_err();
    let Error::OutOfMemory { shortage, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((shortage.asked, shortage.free), (Bytes(1200), Bytes(900)));
}

#[test]
fn too_large_for_every_device_is_an_error_with_a_hint() {
    let mut config = on_gpu_by_default();
    config.memory.host_limit = Size::Bytes(Bytes(100));
    let runtime = heddle_testing::runtime(config, HostMemoryGpu::new(0, Bytes(1000)));
    let error = runtime.run(increment(600)).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn verification_finds_a_device_with_wrong_results() {
    let mut config = on_gpu_by_default();
    config.route.verify_share = 1.0;
    let remote = HostMemoryGpu::new(0, Bytes(1 << 20));
    let runtime = heddle_testing::runtime(config, remote.clone());
    runtime.run(increment(10)).unwrap();
    assert_eq!(runtime.report().verified, 1);

    remote.faulty.store(true, Ordering::Relaxed);
    let error = runtime.run(increment(10)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("element 0 is 3 and 2"), "{text}");
    assert_eq!(runtime.report().differed, 1);
}

static FAILING: Kind = Kind::new("failing", WorkUnit::Items);

struct Failing;

impl Operation for Failing {
    type Output = ();

    fn describe(&self) -> Description {
        Description::new(&FAILING, DType::U8, 1).writes(Bytes(10))
    }

    fn run(&mut self, _context: &ExecutionContext<'_>) -> Result<(), Error> {
        Err(Error::EmptyArray {
            operation: "failing",
        })
    }
}

#[test]
fn a_failed_operation_is_counted_and_leaves_no_reservation() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    assert!(runtime.run(Failing).is_err());
    let report = runtime.report();
    assert_eq!(report.failures, 1);
    assert_eq!(report.devices[0].memory.reserved, Bytes(0));
    // A failed operation is not in the times, because it has none.
    assert!(report.summary.rows.is_empty());
}

#[test]
fn a_device_the_configuration_names_must_exist() {
    let error = Runtime::builder()
        .config(on_gpu_by_default())
        .without_model_cache()
        .build()
        .unwrap_err();
    assert!(
        error.to_string().contains("this machine has cpu"),
        "{error}"
    );
}

#[test]
fn every_operation_leaves_a_span_with_the_device_it_ran_on() {
    let runtime = heddle_testing::runtime_with(HostMemoryGpu::new(0, Bytes(1 << 20)));
    runtime.run_on(GPU, increment(16)).unwrap();
    runtime.run_on(DeviceId::CPU, increment(16)).unwrap();
    let spans = runtime.profiler().spans();
    assert_eq!(spans.len(), 2);
    let on = |name: &str| spans.iter().find(|span| span.device == *name).unwrap();
    assert_eq!(on("cuda:0").device_ns, Some(16));
    assert_eq!(on("cuda:0").bytes_moved, 16);
    assert_eq!(on("cpu").device_ns, None);
    assert_eq!(on("cpu").bytes_moved, 0);
}
