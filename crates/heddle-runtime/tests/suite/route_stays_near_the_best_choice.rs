//! Over a long mixed workload with noise and outliers, the time is within 5 % of that of a router
//! that knows every curve, exploration included.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::device::Timing;
use heddle_runtime::ops::Probe;
use heddle_runtime::route::{CalibrationPlan, KindRegret, Reason, RouteSettings, calibrate};
use heddle_runtime::units::Nanos;
use heddle_runtime::{Description, Residency};
use heddle_testing::Random;
use heddle_testing::fake::{
    CPU, Cost, FakeDevice, FakeProbe, GPU, MATMUL, SUM, SimulatedMachine, XOR, describe,
};

const OPERATIONS: usize = 20_000;

fn simulated_machine(seed: u64) -> SimulatedMachine {
    let cpu = [
        (XOR.name(), Cost::new(300.0, 0.08)),
        (MATMUL.name(), Cost::new(1_000.0, 0.02)),
        (SUM.name(), Cost::new(200.0, 0.3)),
    ];
    let gpu = [
        (XOR.name(), Cost::new(9_000.0, 0.001)),
        (MATMUL.name(), Cost::new(15_000.0, 0.000_1)),
        (SUM.name(), Cost::new(12_000.0, 0.002)),
    ];
    SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &cpu).with_noise(0.05, 200, seed),
            FakeDevice::new(GPU, &gpu).with_noise(0.05, 200, seed ^ 0xff),
        ],
        RouteSettings::default(),
    )
}

fn any_operation(random: &mut Random) -> Description {
    let place = match random.below(4) {
        0 => Residency::Device(GPU),
        1 => Residency::Both(GPU),
        _ => Residency::Host,
    };
    let work = random.size(200, 100_000_000);
    match random.below(3) {
        0 => describe(&XOR, work, work, place),
        // Three matrices of n x n for n^3 multiply-adds.
        1 => describe(
            &MATMUL,
            work,
            8 * (work as f64).powf(2.0 / 3.0) as u64,
            place,
        ),
        _ => describe(&SUM, work, 4 * work, place),
    }
}

/// The noise-free times of the choices, relative to those of the best choices.
struct Ratios {
    /// Over all operations together, explorations included.
    total: f64,
    /// The mean over single operations, without explorations, so that small ones weigh as much as
    /// large ones.
    each: f64,
}

fn ratios_to_oracle(machine: &SimulatedMachine, random: &mut Random, operations: usize) -> Ratios {
    let (mut spent, mut best) = (0.0, 0.0);
    let (mut ratios, mut chosen) = (0.0, 0.0);
    for _ in 0..operations {
        let d = any_operation(random);
        let (decision, _) = machine.run(&d);
        let ns = machine.true_ns(&d, decision.device);
        let best_ns = machine.oracle(&d).1;
        spent += ns;
        best += best_ns;
        if !matches!(decision.reason, Reason::Exploring { .. }) {
            ratios += ns / best_ns;
            chosen += 1.0;
        }
    }
    Ratios {
        total: spent / best,
        each: ratios / chosen,
    }
}

#[test]
fn time_is_near_the_best_after_calibration() {
    for seed in 10..20 {
        let machine = simulated_machine(seed);
        let probes: Vec<Box<dyn Probe>> = vec![
            Box::new(FakeProbe::new(&XOR, 1, 30_000_000)),
            Box::new(FakeProbe::new(&MATMUL, 0, 30_000_000)),
            Box::new(FakeProbe::new(&SUM, 4, 30_000_000)),
        ];
        for device in &machine.devices {
            let plan = CalibrationPlan::default();
            calibrate(
                &machine.router,
                device.as_ref(),
                &probes,
                &plan,
                &mut |_| (),
            )
            .unwrap();
        }
        let ratios = ratios_to_oracle(&machine, &mut Random::seeded(seed), OPERATIONS);
        println!(
            "calibrated, seed {seed}: {:.4}, each {:.4}",
            ratios.total, ratios.each
        );
        assert!(ratios.total <= 1.05, "seed {seed}: {}", ratios.total);
        assert!(ratios.each <= 1.02, "seed {seed}: {}", ratios.each);
    }
}

/// Without calibration the first operations are the measurements, and the bound on exploration
/// delays them: that costs time at first, and none later.
#[test]
fn time_is_near_the_best_without_calibration() {
    for seed in 100..130 {
        let machine = simulated_machine(seed);
        let mut random = Random::seeded(seed);
        let first = ratios_to_oracle(&machine, &mut random, 4_000);
        let then = ratios_to_oracle(&machine, &mut random, OPERATIONS);
        println!(
            "cold, seed {seed}: {:.4} at first, then {:.4}, each {:.4}",
            first.total, then.total, then.each
        );
        assert!(first.total <= 1.5, "seed {seed}: {} at first", first.total);
        assert!(then.total <= 1.05, "seed {seed}: {} later", then.total);
        assert!(then.each <= 1.05, "seed {seed}: {} later", then.each);
    }
}

#[test]
fn regret_is_small_and_counts_unmeasured_operations() {
    let seed = 31;
    let machine = simulated_machine(seed);
    ratios_to_oracle(&machine, &mut Random::seeded(seed), OPERATIONS);
    let regret = machine.router.regret();
    let names: Vec<&str> = regret.iter().map(|kind| kind.kind).collect();
    assert_eq!(names, [MATMUL.name(), SUM.name(), XOR.name()]);
    let sum = |part: fn(&KindRegret) -> Nanos| regret.iter().map(part).sum::<Nanos>().0 as f64;
    let share = sum(|kind| kind.regret) / sum(|kind| kind.spent);
    assert!(share > 0.0 && share <= 0.05, "seed {seed}: {regret:?}");
    for kind in &regret {
        // Small work is never sent to the GPU, so it is not measured there.
        assert!(
            kind.unmeasured > 0 && kind.unmeasured < kind.operations,
            "seed {seed}: {kind:?}"
        );
    }
}

#[test]
fn regret_is_the_time_the_best_measured_device_would_have_saved() {
    let machine = simulated_machine(41);
    let d = describe(&SUM, 1 << 24, 0, Residency::Host);
    for _ in 0..10 {
        let decision = machine.router.decide(&d, &|_| true, Some(CPU)).unwrap();
        let timing = Timing::of(Nanos(1_000));
        machine.router.learn(&d, &decision, &timing);
    }
    assert_eq!(
        machine.router.regret()[0].unmeasured,
        9,
        "the first run is a warm-up"
    );
    for _ in 0..3 {
        let timing = Timing::of(Nanos(400));
        machine.router.observe(&d, GPU, &timing);
    }
    let regret = &machine.router.regret()[0];
    assert_eq!((regret.operations, regret.unmeasured), (9, 0));
    assert_eq!((regret.spent.0, regret.regret.0), (9_000, 9 * 600));
}
