//! Every override, and their precedence.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use heddle_runtime::device::DeviceId;
use heddle_runtime::route::{Decision, Override, Reason, RouteSettings};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Description, Error, Residency};
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, XOR, describe};

const SIMT: DeviceId = DeviceId::simt(0);

/// A measured machine where the CPU is cheaper than the GPU, and `simt` is cheaper still.
fn simulated_machine(settings: RouteSettings) -> SimulatedMachine {
    let costs = |each| {
        [
            (SUM.name(), Cost::new(100.0, each)),
            (XOR.name(), Cost::new(100.0, each)),
        ]
    };
    let machine = SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &costs(0.2)),
            FakeDevice::new(GPU, &costs(1.0)),
            FakeDevice::new(SIMT, &costs(0.01)),
        ],
        settings.with(|it| it.explore_share = 0.0),
    );
    for kind in [&SUM, &XOR] {
        machine.measure_everywhere(&describe(kind, 1 << 20, 1 << 10, Residency::Host), 5);
    }
    machine
}

fn sum() -> Description {
    describe(&SUM, 1 << 20, 1 << 10, Residency::Host)
}

fn decide(machine: &SimulatedMachine, force: Option<DeviceId>) -> Result<Decision, Error> {
    machine.router.decide(&sum(), &|_| true, force)
}

fn kinds(device: DeviceId) -> BTreeMap<String, DeviceId> {
    BTreeMap::from([(SUM.name().to_owned(), device)])
}

#[test]
fn without_an_override_the_cheapest_device_but_simt_is_chosen() {
    let decision = decide(&simulated_machine(RouteSettings::default()), None).unwrap();
    assert_eq!(decision.device, CPU);
    assert!(matches!(decision.reason, Reason::Cheapest { runner_up: GPU, ratio } if ratio > 1.5));
    assert_eq!(decision.candidates.len(), 2, "simt is no candidate");
}

#[test]
fn simt_runs_when_forced_or_allowed() {
    let forced = decide(&simulated_machine(RouteSettings::default()), Some(SIMT)).unwrap();
    assert_eq!(forced.device, SIMT);
    let allowed =
        simulated_machine(RouteSettings::default().with(|it| it.allow = Some(vec![CPU, SIMT])));
    assert_eq!(decide(&allowed, None).unwrap().device, SIMT);
}

#[test]
fn a_call_override_precedes_the_kind_and_the_kind_the_process() {
    let machine = simulated_machine(RouteSettings::default().with(|it| {
        it.device = Some(SIMT);
        it.kinds = kinds(GPU);
    }));
    let by = |decision: Decision| (decision.device, decision.reason);
    let call = by(decide(&machine, Some(CPU)).unwrap());
    assert_eq!(call, (CPU, Reason::Forced { by: Override::Call }));
    let kind = by(decide(&machine, None).unwrap());
    assert_eq!(kind, (GPU, Reason::Forced { by: Override::Kind }));
    let other = describe(&XOR, 1 << 20, 1 << 10, Residency::Host);
    let process = by(machine.router.decide(&other, &|_| true, None).unwrap());
    assert_eq!(
        process,
        (
            SIMT,
            Reason::Forced {
                by: Override::Process
            }
        )
    );
}

#[test]
fn a_forced_device_precedes_deny_and_the_minimum() {
    let machine = simulated_machine(RouteSettings::default().with(|it| {
        it.deny = vec![GPU];
        it.min_gpu = Bytes(1 << 40);
    }));
    assert_eq!(decide(&machine, Some(GPU)).unwrap().device, GPU);
}

#[test]
fn a_missing_device_is_an_error_in_every_override() {
    let absent = DeviceId::cuda(7);
    let missing = |found: Result<Decision, Error>| matches!(found, Err(Error::NoSuchDevice { asked, .. }) if asked == absent);
    assert!(missing(decide(
        &simulated_machine(RouteSettings::default()),
        Some(absent)
    )));
    let by_kind = simulated_machine(RouteSettings::default().with(|it| it.kinds = kinds(absent)));
    assert!(missing(decide(&by_kind, None)));
    let by_process =
        simulated_machine(RouteSettings::default().with(|it| it.device = Some(absent)));
    assert!(missing(decide(&by_process, None)));
}

#[test]
fn an_operation_missing_on_the_forced_device_falls_back_unless_the_call_forced_it() {
    let cpu_only = |device: DeviceId| device.is_host();
    let machine = simulated_machine(RouteSettings::default().with(|it| it.device = Some(GPU)));
    let fallen = machine.router.decide(&sum(), &cpu_only, None).unwrap();
    let by = Override::Process;
    assert_eq!(fallen.device, CPU);
    assert_eq!(fallen.reason, Reason::NotOnForced { forced: GPU, by });
    let refused = machine.router.decide(&sum(), &cpu_only, Some(GPU));
    assert!(matches!(
        refused,
        Err(Error::NotImplementedOn { device: GPU, .. })
    ));
}

#[test]
fn allow_and_deny_restrict_the_choice() {
    let denied = simulated_machine(RouteSettings::default().with(|it| it.deny = vec![CPU]));
    let decision = decide(&denied, None).unwrap();
    assert_eq!(
        (decision.device, decision.reason),
        (GPU, Reason::OnlyDevice)
    );
    let nothing = simulated_machine(RouteSettings::default().with(|it| {
        it.allow = Some(vec![GPU]);
        it.deny = vec![GPU];
    }));
    let Err(Error::NoCandidate { why, .. }) = decide(&nothing, None) else {
        panic!("something was left");
    };
    assert_eq!(
        why,
        "cpu is not in `route.allow`, cuda:0 is in `route.deny`, simt:0 is not in `route.allow`"
    );
}

#[test]
fn small_operands_stay_off_the_gpu() {
    let machine =
        simulated_machine(RouteSettings::default().with(|it| it.min_gpu = Bytes(1 << 20)));
    let decision = decide(&machine, None).unwrap();
    let (bytes, minimum) = (Bytes(1 << 10), Bytes(1 << 20));
    assert_eq!(decision.reason, Reason::BelowMinimum { bytes, minimum });
    let large = describe(&SUM, 1 << 20, 1 << 20, Residency::Host);
    let decision = machine.router.decide(&large, &|_| true, None).unwrap();
    assert_eq!(decision.candidates.len(), 2, "the minimum itself is enough");
}

#[test]
fn without_smart_routing_the_first_gpu_runs_every_operation_it_has() {
    let machine = simulated_machine(RouteSettings::default().with(|it| it.smart = false));
    let decision = decide(&machine, None).unwrap();
    assert_eq!((decision.device, decision.reason), (GPU, Reason::NotSmart));
    let cpu_only = machine
        .router
        .decide(&sum(), &|device: DeviceId| device.is_host(), None);
    assert_eq!(cpu_only.unwrap().device, CPU);
}

#[test]
fn a_lost_device_is_not_chosen() {
    let machine = simulated_machine(RouteSettings::default().with(|it| it.device = Some(GPU)));
    let before = decide(&machine, None).unwrap();
    assert_eq!(
        (before.device, machine.router.second_choice(&before)),
        (GPU, Some(CPU))
    );
    machine.router.mark_lost(GPU);
    assert_eq!(machine.router.lost(), [GPU]);
    let after = decide(&machine, None).unwrap();
    assert_eq!(after.device, CPU);
    assert!(matches!(
        after.reason,
        Reason::NotOnForced { forced: GPU, .. }
    ));
    assert!(matches!(
        decide(&machine, Some(GPU)),
        Err(Error::NoCandidate { .. })
    ));
    assert_eq!(machine.router.second_choice(&after), None);
}

#[test]
fn verification_samples_exactly_its_share() {
    for (share, expected) in [(0.0, 0), (0.1, 100), (0.25, 250), (1.0, 1000)] {
        let machine =
            simulated_machine(RouteSettings::default().with(|it| it.verify_share = share));
        let wanted = (0..1000).filter(|_| machine.router.wants_verify()).count();
        assert!(wanted.abs_diff(expected) <= 1, "{share}: {wanted}");
    }
}
