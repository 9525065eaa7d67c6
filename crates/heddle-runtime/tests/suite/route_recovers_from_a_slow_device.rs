//! A device that becomes slower is no longer used after some tens of operations, and is used again
//! when it recovers.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::route::RouteSettings;
use heddle_runtime::{Description, Residency};
use heddle_testing::Random;
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, describe};

/// The GPU is about three times faster than the CPU here.
fn simulated_machine(seed: u64) -> SimulatedMachine {
    let kind = SUM.name();
    SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &[(kind, Cost::new(500.0, 0.1))]).with_noise(0.05, 150, seed),
            FakeDevice::new(GPU, &[(kind, Cost::new(8_000.0, 0.025))]).with_noise(0.05, 150, !seed),
        ],
        RouteSettings::default(),
    )
}

fn operation(random: &mut Random) -> Description {
    describe(&SUM, random.size(1 << 20, 1 << 24), 0, Residency::Both(GPU))
}

/// Returns the number of operations until ten in a row, without explorations, ran on `device`.
fn operations_until(
    machine: &SimulatedMachine,
    random: &mut Random,
    device: heddle_runtime::device::DeviceId,
) -> usize {
    let mut in_a_row = 0;
    for count in 1..=20_000 {
        let (decision, _) = machine.run(&operation(random));
        let explored = matches!(
            decision.reason,
            heddle_runtime::route::Reason::Exploring { .. }
        );
        if decision.device == device {
            in_a_row += 1;
        } else if !explored {
            in_a_row = 0;
        }
        if in_a_row == 10 {
            return count - 10;
        }
    }
    panic!("never stayed on {device}");
}

#[test]
fn a_slow_device_is_left_and_used_again_after_recovery() {
    for seed in [1, 2, 3, 4, 5] {
        let machine = simulated_machine(seed);
        let mut random = Random::seeded(seed);
        for _ in 0..20 {
            machine.measure_everywhere(&operation(&mut random), 2);
        }
        assert!(
            operations_until(&machine, &mut random, GPU) < 20,
            "seed {seed}"
        );
        for _ in 0..500 {
            machine.run(&operation(&mut random));
        }

        machine.device(GPU).slow_down(5.0);
        let left = operations_until(&machine, &mut random, CPU);
        assert!(left <= 40, "seed {seed}: left after {left} operations");
        let (mut spent, mut best) = (0.0, 0.0);
        for _ in 0..2_000 {
            let d = operation(&mut random);
            let (decision, _) = machine.run(&d);
            spent += machine.true_ns(&d, decision.device);
            best += machine.oracle(&d).1;
        }
        assert!(
            spent <= 1.05 * best,
            "seed {seed}: {} while slow",
            spent / best
        );

        machine.device(GPU).slow_down(1.0);
        let back = operations_until(&machine, &mut random, GPU);
        println!(
            "seed {seed}: left after {left}, back after {back}, {:.4} while slow",
            spent / best
        );
        assert!(back <= 2_000, "seed {seed}: back after {back} operations");
    }
}

#[test]
fn a_single_outlier_changes_no_decision() {
    let machine = simulated_machine(9);
    let d = describe(&SUM, 1 << 22, 0, Residency::Both(GPU));
    machine.measure_everywhere(&d, 30);
    let before = machine.router.candidate(&d, GPU).cost.unwrap();
    for _ in 0..4 {
        let mut timing = machine.execute(&d, GPU);
        timing.total.0 *= 100;
        machine.router.observe(&d, GPU, &timing);
    }
    let after = machine.router.candidate(&d, GPU).cost.unwrap();
    assert_eq!(before, after, "four outliers in a row are not five");
}
