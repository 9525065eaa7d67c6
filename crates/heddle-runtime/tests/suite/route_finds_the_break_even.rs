//! Calibration finds the size from which a GPU pays, for operands on the host and on the GPU,
//! within 10 % of the true size.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::device::Device;
use heddle_runtime::ops::Probe;
use heddle_runtime::route::{
    BreakEven, CalibrationPlan, CalibrationReport, RouteSettings, break_even, calibrate, explain,
};
use heddle_runtime::{Kind, Residency};
use heddle_testing::fake::{CPU, Cost, FakeDevice, FakeProbe, GPU, SUM, SimulatedMachine, XOR};

const SEED: u64 = 0x5eed_0001;

fn probes(kind: &'static Kind, bytes_each: u64, largest: usize) -> Vec<Box<dyn Probe>> {
    vec![Box::new(FakeProbe::new(kind, bytes_each, largest))]
}

fn calibrated(machine: &SimulatedMachine, probes: &[Box<dyn Probe>]) -> Vec<CalibrationReport> {
    let plan = CalibrationPlan::default();
    let measure = |device: &std::sync::Arc<FakeDevice>| {
        calibrate(&machine.router, device.as_ref(), probes, &plan, &mut |_| ()).unwrap()
    };
    machine.devices.iter().map(measure).collect()
}

/// Returns the true break-even, by bisection over the true costs.
fn truth(machine: &SimulatedMachine, probe: &dyn Probe, place: Residency) -> f64 {
    let wins = |size: usize| {
        let d = probe.describe(size, place);
        machine.true_ns(&d, GPU) < machine.true_ns(&d, CPU)
    };
    let (mut below, mut above) = (1, 1 << 40);
    assert!(!wins(below) && wins(above), "the curves do not cross");
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if wins(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    above as f64
}

fn simulated_machine(cpu: Cost, gpu: Cost, noise: f64, seed: u64) -> SimulatedMachine {
    let kind = XOR.name();
    SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &[(kind, cpu)]).with_noise(noise, 0, seed),
            FakeDevice::new(GPU, &[(kind, gpu)]).with_noise(noise, 0, seed + 1),
        ],
        RouteSettings::default(),
    )
}

#[test]
fn the_break_even_is_found_within_a_tenth() {
    // CPU, GPU, bytes per unit of work: GPUs many times, five times and three times faster than the
    // CPU, with cheap and with expensive launches.
    let machines = [
        (Cost::new(200.0, 1.0), Cost::new(10_000.0, 0.01), 1),
        (Cost::new(1_000.0, 2.0), Cost::new(5_000.0, 0.4), 4),
        (Cost::new(50.0, 0.9), Cost::new(30_000.0, 0.3), 1),
        (Cost::new(5_000.0, 0.5), Cost::new(200_000.0, 0.002), 1),
    ];
    let mut worst = 0.0_f64;
    for (number, (cpu, gpu, bytes_each)) in machines.into_iter().enumerate() {
        let seed = SEED + number as u64;
        let machine = simulated_machine(cpu, gpu, 0.03, seed);
        let probes = probes(&XOR, bytes_each, 30_000_000);
        calibrated(&machine, &probes);
        for (resident, place) in [(false, Residency::Host), (true, Residency::Device(GPU))] {
            let wins_at_once = {
                let d = probes[0].describe(1, place);
                machine.true_ns(&d, GPU) < machine.true_ns(&d, CPU)
            };
            let found = break_even(&machine.router, probes[0].as_ref(), CPU, GPU, resident);
            if wins_at_once {
                assert_eq!(
                    found,
                    BreakEven::Always(GPU),
                    "machine {number}, seed {seed}"
                );
                continue;
            }
            let BreakEven::At { size } = found else {
                panic!("machine {number}, resident {resident}, seed {seed}: {found:?}");
            };
            let really = truth(&machine, probes[0].as_ref(), place);
            let error = (size as f64 / really - 1.0).abs();
            worst = worst.max(error);
            println!(
                "machine {number} resident {resident}: {size} for {really:.0}, off {error:.3}"
            );
            assert!(
                error <= 0.1,
                "machine {number}, resident {resident}, seed {seed}: {size} found, {really:.0} true"
            );
        }
    }
    println!("worst error {worst:.3}");
}

#[test]
fn a_gpu_that_never_pays_is_reported() {
    let machine = simulated_machine(Cost::new(10.0, 0.05), Cost::new(10_000.0, 0.05), 0.02, SEED);
    let probes = probes(&XOR, 1, 30_000_000);
    calibrated(&machine, &probes);
    let found = break_even(&machine.router, probes[0].as_ref(), CPU, GPU, false);
    assert_eq!(found, BreakEven::Always(CPU));
}

#[test]
fn without_measurements_the_break_even_is_unknown() {
    let machine = simulated_machine(Cost::new(10.0, 1.0), Cost::new(10_000.0, 0.05), 0.02, SEED);
    let probe = FakeProbe::new(&SUM, 1, 1000);
    let found = break_even(&machine.router, &probe, CPU, GPU, false);
    assert!(matches!(found, BreakEven::Unknown { .. }), "{found:?}");
}

#[test]
fn calibration_stays_within_its_budget_and_reports_where_it_stopped() {
    // 100 ns per unit: one run of the largest sizes would take a minute.
    let machine = simulated_machine(
        Cost::new(10.0, 100.0),
        Cost::new(10_000.0, 10.0),
        0.02,
        SEED,
    );
    let probes = probes(&XOR, 1, 600_000_000);
    let reports = calibrated(&machine, &probes);
    for report in reports {
        let budget = CalibrationPlan::default().budget;
        assert!(report.spent.as_duration() <= budget, "{report:?}");
        let sweep = report.sweeps.last().unwrap();
        assert!(
            sweep.stopped.is_some() && sweep.sizes.len() > 3,
            "{sweep:?}"
        );
    }
    // Sizes that were not measured are still predicted.
    let d = probes[0].describe(600_000_000, Residency::Host);
    let cost = machine.router.candidate(&d, CPU).cost.unwrap().total_ns();
    let ratio = cost / machine.true_ns(&d, CPU);
    assert!(
        (0.8..1.25).contains(&ratio),
        "extrapolated {ratio}, seed {SEED}"
    );
}

#[test]
fn an_operation_the_gpu_lacks_is_skipped_and_named() {
    let machine = simulated_machine(Cost::new(10.0, 1.0), Cost::new(10_000.0, 0.1), 0.0, SEED);
    let probe = FakeProbe {
        on_gpu: false,
        ..FakeProbe::new(&XOR, 1, 10_000)
    };
    let reports = calibrated(&machine, &[Box::new(probe) as Box<dyn Probe>]);
    assert_eq!(reports[1].sweeps[0].name, "transfer");
    assert!(reports[1].sweeps[1].sizes.is_empty());
    assert!(reports[1].sweeps[1].stopped.is_some());
}

#[test]
fn an_explanation_contains_the_costs_and_the_reason() {
    let machine = simulated_machine(Cost::new(100.0, 1.0), Cost::new(10_000.0, 0.01), 0.0, SEED);
    let probes = probes(&XOR, 1, 30_000_000);
    calibrated(&machine, &probes);
    let ids: Vec<_> = machine.devices.iter().map(|device| device.id()).collect();
    let explanation = explain(&machine.router, probes[0].as_ref(), 10_000_000, None, &ids).unwrap();
    assert_eq!((explanation.device, explanation.candidates.len()), (GPU, 2));
    for candidate in &explanation.candidates {
        let truth = machine.true_ns(
            &probes[0].describe(10_000_000, Residency::Host),
            candidate.device,
        );
        let cost = candidate.cost.unwrap();
        assert!(
            (cost.total_ns() / truth - 1.0).abs() < 0.02,
            "{candidate:?}"
        );
        assert!(candidate.confidence > 0.5, "{candidate:?}");
    }
    assert!(explanation.candidates[1].cost.unwrap().transfer_ns > 0.0);
    assert!(
        explanation.sentence.contains("times less than cpu"),
        "{}",
        explanation.sentence
    );
    let resident = explain(
        &machine.router,
        probes[0].as_ref(),
        10_000_000,
        Some(GPU),
        &ids,
    )
    .unwrap();
    let gpu = resident.candidates[1].cost.unwrap();
    assert!(gpu.transfer_ns.abs() < f64::EPSILON, "{gpu:?}");
}
