//! An emulated GPU computes the same sweeps and builds the same graph as the CPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_lattice::graph::Build;
use heddle_lattice::sweep::{Sweep, cases};
use heddle_lattice::{Axis, Lattice, Weights};
use heddle_runtime::conformance::Suite;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, Operation, Runtime};

use heddle_testing::Random;

const SIMT: DeviceId = DeviceId::simt(0);

fn runtime(memory: Option<Bytes>) -> Runtime {
    let mut options = SimtOptions::default();
    if let Some(memory) = memory {
        options.memory = memory;
    }
    let gpu = SimtDevice::new(0, options);
    heddle_testing::runtime_with(Arc::new(gpu))
}

fn agree(runtime: &Runtime, lattice: &Lattice, sources: &[u64]) {
    let sweep = || Sweep::new(lattice, sources.iter().copied()).unwrap();
    let cpu = runtime.run_on(DeviceId::CPU, sweep()).unwrap();
    let gpu = runtime.run_traced(sweep(), Some(SIMT)).unwrap();
    assert_eq!(gpu.decision.device, SIMT);
    assert_eq!(cpu, gpu.output, "{lattice:?}");
}

#[test]
fn random_lattices_agree() {
    let runtime = runtime(None);
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        let lattice = random.lattice(300);
        let free: Vec<u64> = (0..lattice.sites())
            .filter(|&site| !lattice.blocked().contains(site) && random.below(4) > 0)
            .collect();
        agree(&runtime, &lattice, &free);
    }
}

#[test]
fn gpu_builds_the_same_graph() {
    let runtime = runtime(None);
    for seed in 0..40 {
        let lattice = Random::seeded(seed)
            .lattice(2000)
            .with_weights(Weights::Unit)
            .unwrap();
        let mut build = Build::new(&lattice).unwrap();
        let cpu = runtime.run_on(DeviceId::CPU, &mut build).unwrap();
        let gpu = runtime.run_on(SIMT, &mut build).unwrap();
        assert_eq!(build.compare(&cpu, &gpu), Agreement::Same, "{lattice:?}");
    }
}

#[test]
fn repeated_sources_and_several_batches() {
    let axes = [Axis::open(15), Axis::periodic(16), Axis::open(10)];
    let lattice = Lattice::new(axes)
        .unwrap()
        .with_blocked((0..2400).step_by(11))
        .unwrap();
    let mut sources: Vec<u64> = (0..2400).filter(|site| site % 11 != 0).collect();
    sources.extend([1, 1, 5]);
    agree(&runtime(None), &lattice, &sources);
}

#[test]
fn within_a_small_memory_limit() {
    let lattice = Lattice::cubic(3, 16)
        .unwrap()
        .with_blocked([17, 300, 4000])
        .unwrap();
    let sources: Vec<u64> = (0..400).filter(|&site| site != 17 && site != 300).collect();
    // Memory for one or two words a site, not for eight.
    agree(&runtime(Some(Bytes(300 << 10))), &lattice, &sources);
}

#[test]
fn conformance_cases_pass() {
    let runtime = runtime(None);
    let suite = cases().into_iter().fold(Suite::empty(7), Suite::with);
    for device in [DeviceId::CPU, SIMT] {
        let report = suite.run(&runtime, device, &mut |_| ()).unwrap();
        assert!(report.is_pass(), "{:?}", report.differences);
    }
}
