//! A device that becomes slower is left within tens of operations, and found
//! again when it recovers.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::route::RouteSettings;
use heddle_runtime::{Description, Residency};
use heddle_testing::Random;
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, describe};

/// The GPU is about three times faster than the CPU here.
fn world(seed: u64) -> SimulatedMachine {
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

/// Operations until ten in a row, explorations aside, went to `device`.
fn operations_until(
    world: &SimulatedMachine,
    random: &mut Random,
    device: heddle_runtime::device::DeviceId,
) -> usize {
    let mut in_a_row = 0;
    for count in 1..=20_000 {
        let (decision, _) = world.run(&operation(random));
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
    panic!("never settled on {device}");
}

#[test]
fn leaves_it_and_comes_back() {
    for seed in [1, 2, 3, 4, 5] {
        let world = world(seed);
        let mut random = Random::seeded(seed);
        for _ in 0..20 {
            world.measure_everywhere(&operation(&mut random), 2);
        }
        assert!(
            operations_until(&world, &mut random, GPU) < 20,
            "seed {seed}"
        );
        for _ in 0..500 {
            world.run(&operation(&mut random));
        }

        world.device(GPU).slow_down(5.0);
        let left = operations_until(&world, &mut random, CPU);
        assert!(left <= 40, "seed {seed}: left after {left} operations");
        let (mut spent, mut best) = (0.0, 0.0);
        for _ in 0..2_000 {
            let d = operation(&mut random);
            let (decision, _) = world.run(&d);
            spent += world.true_ns(&d, decision.device);
            best += world.oracle(&d).1;
        }
        assert!(
            spent <= 1.05 * best,
            "seed {seed}: {} while slow",
            spent / best
        );

        world.device(GPU).slow_down(1.0);
        let back = operations_until(&world, &mut random, GPU);
        println!(
            "seed {seed}: left after {left}, back after {back}, {:.4} while slow",
            spent / best
        );
        assert!(back <= 2_000, "seed {seed}: back after {back} operations");
    }
}

#[test]
fn a_single_outlier_changes_no_decision() {
    let world = world(9);
    let d = describe(&SUM, 1 << 22, 0, Residency::Both(GPU));
    world.measure_everywhere(&d, 30);
    let before = world.router.candidate(&d, GPU).price.unwrap();
    for _ in 0..4 {
        let mut timing = world.execute(&d, GPU);
        timing.total.0 *= 100;
        world.router.observe(&d, GPU, &timing);
    }
    let after = world.router.candidate(&d, GPU).price.unwrap();
    assert_eq!(before, after, "four outliers in a row are not five");
}
