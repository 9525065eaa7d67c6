//! Exploration costs no more than its share of the time, and starts by itself.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use heddle_runtime::Residency;
use heddle_runtime::device::DeviceId;
use heddle_runtime::route::{ALLOWANCE_NS, Reason, RouteSettings};
use heddle_testing::Random;
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, XOR, describe};

fn simulated_machine(explore_share: f64, seed: u64) -> SimulatedMachine {
    let costs = |fixed, each| {
        [
            (XOR.name(), Cost::new(fixed, each)),
            (SUM.name(), Cost::new(fixed, each)),
        ]
    };
    SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &costs(200.0, 0.1)).with_noise(0.05, 100, seed),
            FakeDevice::new(GPU, &costs(10_000.0, 0.3)).with_noise(0.05, 100, !seed),
        ],
        RouteSettings::default().with(|it| it.explore_share = explore_share),
    )
}

#[test]
fn the_extra_time_stays_below_the_share() {
    for (share, seed) in [(0.01, 1), (0.05, 2), (0.001, 3)] {
        let machine = simulated_machine(share, seed);
        let mut random = Random::seeded(seed);
        // From the true curves, including warm-up and outliers on the explored device.
        let mut extra = 0.0;
        let mut total = 0.0;
        for _ in 0..20_000 {
            let work = random.size(1 << 12, 1 << 22);
            let d = describe(&XOR, work, 0, Residency::Host);
            let (decision, timing) = machine.run(&d);
            total += timing.total.0 as f64;
            if matches!(decision.reason, Reason::Exploring { .. }) {
                extra += timing.total.0 as f64 - machine.oracle(&d).1;
            }
        }
        let decision_counts = machine.router.decision_counts();
        println!("share {share}: {decision_counts:?}");
        let limit = share * total + ALLOWANCE_NS as f64;
        // One outlier, on the last exploration, may not have been paid back yet.
        assert!(extra <= 1.1 * limit, "seed {seed}: {extra} of {limit}");
        assert!(
            decision_counts.explorations > 10,
            "seed {seed}: {decision_counts:?}"
        );
        assert_eq!(decision_counts.decisions, 20_000);
        let sent: u64 = decision_counts
            .kinds
            .iter()
            .map(|kind| kind.decisions)
            .sum();
        assert_eq!(sent, 20_000);
    }
}

#[test]
fn an_untried_device_is_tried_early() {
    let machine = simulated_machine(0.01, 4);
    let d = describe(&XOR, 1 << 16, 0, Residency::Host);
    let first = (0..50).position(|_| machine.run(&d).0.device == GPU);
    assert!(first.is_some_and(|operations| operations < 20), "{first:?}");
}

#[test]
fn an_untried_device_is_not_tried_if_it_would_cost_too_much() {
    let machine = simulated_machine(0.01, 5);
    // 100 ms per operation: fifty times the allowance.
    let d = describe(&XOR, 1_000_000_000, 0, Residency::Host);
    for count in 0..50 {
        assert_eq!(machine.run(&d).0.device, CPU, "operation {count}");
    }
    let later = (0..500).position(|_| machine.run(&d).0.device == GPU);
    assert!(
        later.is_some(),
        "one percent of 500 operations pays for one"
    );
}

#[test]
fn a_share_of_zero_disables_exploration() {
    let machine = simulated_machine(0.0, 6);
    let d = describe(&XOR, 1 << 16, 0, Residency::Host);
    for _ in 0..2_000 {
        assert_eq!(machine.run(&d).0.device, CPU);
    }
    assert_eq!(machine.router.decision_counts().explorations, 0);
}

#[test]
fn an_emulated_device_is_never_explored() {
    let costs = [(SUM.name(), Cost::new(100.0, 0.1))];
    let simt = DeviceId::simt(0);
    let machine = SimulatedMachine::new(
        vec![FakeDevice::new(CPU, &costs), FakeDevice::new(simt, &costs)],
        RouteSettings::default().with(|it| it.allow = Some(vec![CPU, simt])),
    );
    let d = describe(&SUM, 1 << 16, 0, Residency::Host);
    for _ in 0..2_000 {
        assert_eq!(machine.run(&d).0.device, CPU);
    }
}
