//! A calibration measures the costs of a device, even if the device loads modules first or is lost.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use heddle_runtime::Runtime;
use heddle_runtime::config::Config;
use heddle_runtime::ops::Probe;
use heddle_runtime::route::{CalibrationPlan, CalibrationReport, RouteSettings, calibrate};
use heddle_runtime::units::Nanos;
use heddle_testing::fake::{
    CPU, Cost, FakeDevice, FakeProbe, GPU, MATMUL, SUM, SimulatedMachine, XOR,
};

const COSTS: [(&str, Cost); 3] = [
    ("fake-xor", Cost::new(20_000.0, 0.001)),
    ("fake-matmul", Cost::new(20_000.0, 0.000_1)),
    ("fake-sum", Cost::new(20_000.0, 0.002)),
];

fn probes() -> Vec<Box<dyn Probe>> {
    vec![
        Box::new(FakeProbe::new(&XOR, 1, 20_000_000)),
        Box::new(FakeProbe::new(&MATMUL, 0, 20_000_000)),
        Box::new(FakeProbe::new(&SUM, 1, 20_000_000)),
    ]
}

fn calibrated(machine: &SimulatedMachine, budget: Duration) -> CalibrationReport {
    let plan = CalibrationPlan::default().with(|it| it.budget = budget);
    let device = machine.device(GPU);
    calibrate(&machine.router, device, &probes(), &plan, &mut |_| ()).unwrap()
}

/// Calibrates a device that takes `loading` to load each kind, and checks that every size was
/// measured.
fn measures_all(loading: Nanos, budget: Duration) -> CalibrationReport {
    let gpu = FakeDevice::new(GPU, &COSTS).with_loading(loading);
    let machine = SimulatedMachine::new(vec![gpu], RouteSettings::default());
    let report = calibrated(&machine, budget);
    for (sweep, probe) in report.sweeps[1..].iter().zip(probes()) {
        assert_eq!(sweep.sizes, probe.sizes(), "{sweep:?}");
    }
    report
}

#[test]
fn loading_a_module_does_not_end_a_sweep() {
    // Within the budget, including the loading of modules.
    let report = measures_all(Nanos(100_000_000), Duration::from_millis(800));
    assert!(report.spent < Nanos(800_000_000), "{}", report.spent);
}

#[test]
fn loading_leaves_time_for_the_last_kind() {
    // Loading three modules takes as long as the whole budget.
    let report = measures_all(Nanos(150_000_000), Duration::from_millis(450));
    assert!(report.spent < Nanos(900_000_000), "{}", report.spent);
}

#[test]
fn loading_that_takes_twice_the_budget_ends_the_calibration() {
    let gpu = FakeDevice::new(GPU, &COSTS).with_loading(Nanos(600_000_000));
    let machine = SimulatedMachine::new(vec![gpu], RouteSettings::default());
    let report = calibrated(&machine, Duration::from_millis(500));
    assert_eq!(report.sweeps.len(), 4);
    assert!(report.sweeps[3].sizes.is_empty(), "{:?}", report.sweeps[3]);
    // Two modules were loaded within the budget.
    assert!(report.spent < Nanos(1_500_000_000), "{}", report.spent);
}

#[test]
fn a_lost_device_is_reported_and_removed_from_routing() {
    let gpu = FakeDevice::new(GPU, &COSTS).with_life(20);
    let machine = SimulatedMachine::new(
        vec![FakeDevice::new(CPU, &COSTS), gpu],
        RouteSettings::default(),
    );
    let report = calibrated(&machine, Duration::from_secs(3));
    let message = report.lost.unwrap();
    assert!(message.contains("fell off the bus"), "{message}");
    assert_eq!(machine.router.lost(), [GPU]);
    let last = report.sweeps.last().unwrap();
    assert_eq!((last.name, last.sizes.len()), (XOR.name(), 3));
    assert_eq!(last.stopped.as_deref(), Some(message.as_str()));
}

#[test]
fn models_of_the_other_devices_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::default().with(|it| it.cache_dir = Some(folder.path().to_owned()));
    let gpu = FakeDevice::new(GPU, &[]).with_life(0);
    let runtime = Runtime::builder()
        .config(config)
        .device(Arc::new(gpu))
        .build()
        .unwrap();
    let plan = CalibrationPlan::default().with(|it| it.budget = Duration::from_millis(200));
    let reports = runtime.calibrate(&plan, &mut |_| ()).unwrap();
    let lost: Vec<_> = reports
        .iter()
        .map(|report| (report.device, report.lost.is_some()))
        .collect();
    assert_eq!(lost, [(CPU, false), (GPU, true)]);
    let kept = runtime.save_models().unwrap();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(runtime.router().lost(), [GPU]);
}
