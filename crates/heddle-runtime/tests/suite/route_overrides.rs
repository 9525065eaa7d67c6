//! Every override, and which one wins.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use heddle_runtime::device::DeviceId;
use heddle_runtime::route::{Decision, Override, Reason, RouteSettings};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Description, Error, Residency};
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, XOR, describe};

const SIMT: DeviceId = DeviceId::simt(0);

/// A machine where the CPU is always cheapest, `simt` cheaper still, all measured.
fn world(settings: RouteSettings) -> SimulatedMachine {
    let costs = |each| {
        [
            (SUM.name(), Cost::new(100.0, each)),
            (XOR.name(), Cost::new(100.0, each)),
        ]
    };
    let world = SimulatedMachine::new(
        vec![
            FakeDevice::new(CPU, &costs(0.2)),
            FakeDevice::new(GPU, &costs(1.0)),
            FakeDevice::new(SIMT, &costs(0.01)),
        ],
        RouteSettings {
            explore_share: 0.0,
            ..settings
        },
    );
    for kind in [&SUM, &XOR] {
        world.measure_everywhere(&describe(kind, 1 << 20, 1 << 10, Residency::Host), 5);
    }
    world
}

fn sum() -> Description {
    describe(&SUM, 1 << 20, 1 << 10, Residency::Host)
}

fn decide(world: &SimulatedMachine, force: Option<DeviceId>) -> Result<Decision, Error> {
    world.router.decide(&sum(), &|_| true, force)
}

fn kinds(device: DeviceId) -> BTreeMap<String, DeviceId> {
    BTreeMap::from([(SUM.name().to_owned(), device)])
}

#[test]
fn costs_decide_without_an_override_and_never_for_simt() {
    let decision = decide(&world(RouteSettings::default()), None).unwrap();
    assert_eq!(decision.device, CPU);
    assert!(matches!(decision.reason, Reason::Cheapest { runner_up: GPU, ratio } if ratio > 1.5));
    assert_eq!(decision.candidates.len(), 2, "simt is no candidate");
}

#[test]
fn simt_runs_when_forced_or_allowed() {
    let forced = decide(&world(RouteSettings::default()), Some(SIMT)).unwrap();
    assert_eq!(forced.device, SIMT);
    let allowed = world(RouteSettings {
        allow: Some(vec![CPU, SIMT]),
        ..RouteSettings::default()
    });
    assert_eq!(decide(&allowed, None).unwrap().device, SIMT);
}

#[test]
fn the_call_beats_the_kind_and_the_kind_the_process() {
    let world = world(RouteSettings {
        device: Some(SIMT),
        kinds: kinds(GPU),
        ..RouteSettings::default()
    });
    let by = |decision: Decision| (decision.device, decision.reason);
    let call = by(decide(&world, Some(CPU)).unwrap());
    assert_eq!(call, (CPU, Reason::Forced { by: Override::Call }));
    let kind = by(decide(&world, None).unwrap());
    assert_eq!(kind, (GPU, Reason::Forced { by: Override::Kind }));
    let other = describe(&XOR, 1 << 20, 1 << 10, Residency::Host);
    let process = by(world.router.decide(&other, &|_| true, None).unwrap());
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
fn a_force_beats_deny_and_the_minimum() {
    let world = world(RouteSettings {
        deny: vec![GPU],
        min_gpu: Bytes(1 << 40),
        ..RouteSettings::default()
    });
    assert_eq!(decide(&world, Some(GPU)).unwrap().device, GPU);
}

#[test]
fn a_missing_device_is_an_error_in_every_override() {
    let absent = DeviceId::cuda(7);
    let missing = |found: Result<Decision, Error>| matches!(found, Err(Error::NoSuchDevice { asked, .. }) if asked == absent);
    assert!(missing(decide(
        &world(RouteSettings::default()),
        Some(absent)
    )));
    let by_kind = world(RouteSettings {
        kinds: kinds(absent),
        ..RouteSettings::default()
    });
    assert!(missing(decide(&by_kind, None)));
    let by_process = world(RouteSettings {
        device: Some(absent),
        ..RouteSettings::default()
    });
    assert!(missing(decide(&by_process, None)));
}

#[test]
fn an_operation_the_forced_device_lacks() {
    let cpu_only = |device: DeviceId| device.is_host();
    let world = world(RouteSettings {
        device: Some(GPU),
        ..RouteSettings::default()
    });
    let fallen = world.router.decide(&sum(), &cpu_only, None).unwrap();
    let by = Override::Process;
    assert_eq!(fallen.device, CPU);
    assert_eq!(fallen.reason, Reason::NotOnForced { forced: GPU, by });
    let refused = world.router.decide(&sum(), &cpu_only, Some(GPU));
    assert!(matches!(
        refused,
        Err(Error::NotImplementedOn { device: GPU, .. })
    ));
}

#[test]
fn allow_and_deny() {
    let denied = world(RouteSettings {
        deny: vec![CPU],
        ..RouteSettings::default()
    });
    let decision = decide(&denied, None).unwrap();
    assert_eq!(
        (decision.device, decision.reason),
        (GPU, Reason::OnlyDevice)
    );
    let nothing = world(RouteSettings {
        allow: Some(vec![GPU]),
        deny: vec![GPU],
        ..RouteSettings::default()
    });
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
    let world = world(RouteSettings {
        min_gpu: Bytes(1 << 20),
        ..RouteSettings::default()
    });
    let decision = decide(&world, None).unwrap();
    let (bytes, minimum) = (Bytes(1 << 10), Bytes(1 << 20));
    assert_eq!(decision.reason, Reason::BelowMinimum { bytes, minimum });
    let large = describe(&SUM, 1 << 20, 1 << 20, Residency::Host);
    let decision = world.router.decide(&large, &|_| true, None).unwrap();
    assert_eq!(decision.candidates.len(), 2, "the minimum itself is enough");
}

#[test]
fn without_smart_routing_the_first_gpu_takes_what_it_can() {
    let world = world(RouteSettings {
        smart: false,
        ..RouteSettings::default()
    });
    let decision = decide(&world, None).unwrap();
    assert_eq!((decision.device, decision.reason), (GPU, Reason::NotSmart));
    let cpu_only = world
        .router
        .decide(&sum(), &|device: DeviceId| device.is_host(), None);
    assert_eq!(cpu_only.unwrap().device, CPU);
}

#[test]
fn a_lost_device_is_out() {
    let world = world(RouteSettings {
        device: Some(GPU),
        ..RouteSettings::default()
    });
    let before = decide(&world, None).unwrap();
    assert_eq!(
        (before.device, world.router.second_choice(&before)),
        (GPU, Some(CPU))
    );
    world.router.mark_lost(GPU);
    assert_eq!(world.router.lost(), [GPU]);
    let after = decide(&world, None).unwrap();
    assert_eq!(after.device, CPU);
    assert!(matches!(
        after.reason,
        Reason::NotOnForced { forced: GPU, .. }
    ));
    assert!(matches!(
        decide(&world, Some(GPU)),
        Err(Error::NoCandidate { .. })
    ));
    assert_eq!(world.router.second_choice(&after), None);
}

#[test]
fn verification_takes_exactly_its_share() {
    for (share, expected) in [(0.0, 0), (0.1, 100), (0.25, 250), (1.0, 1000)] {
        let world = world(RouteSettings {
            verify_share: share,
            ..RouteSettings::default()
        });
        let wanted = (0..1000).filter(|_| world.router.wants_verify()).count();
        assert!(wanted.abs_diff(expected) <= 1, "{share}: {wanted}");
    }
}
