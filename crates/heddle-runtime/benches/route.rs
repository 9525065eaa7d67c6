//! The cost of routing per operation, which must be negligible beside a launch.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use heddle_runtime::device::{DeviceId, Timing};
use heddle_runtime::route::{RouteSettings, Router};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{DType, Description, Kind, Operand, Residency, WorkUnit};

static KIND: Kind = Kind::new("bench", WorkUnit::Items);

fn operation(work: u64, residency: Residency) -> Description {
    let operand = Operand {
        bytes: Bytes(4 * work),
        residency,
    };
    Description::new(&KIND, DType::F32, work)
        .reads(operand)
        .reads(operand)
        .writes(Bytes(4 * work))
}

/// A router over the CPU and so many GPUs, trained at every size.
fn warm(gpus: u16) -> Router {
    let mut devices = vec![DeviceId::CPU];
    devices.extend((0..gpus).map(DeviceId::cuda));
    let router = Router::new(&devices, RouteSettings::default());
    for octave in (8..26).cycle().take(18 * 20) {
        let d = operation(1 << octave, Residency::Host);
        for &device in &devices {
            let work = if device == DeviceId::CPU {
                d.work
            } else {
                10_000 + d.work / 10
            };
            router.observe(&d, device, &took(&d, device, work));
        }
    }
    router
}

fn took(d: &Description, device: DeviceId, work_ns: u64) -> Timing {
    let mut timing = Timing::default();
    if device.has_own_memory() {
        timing.moved.up = d.missing(device);
        timing.moved.down = d.returned(device);
        timing.moved.up_time = Nanos(timing.moved.up.0 / 10);
        timing.moved.down_time = Nanos(timing.moved.down.0 / 10);
    }
    timing.total = Nanos(work_ns) + timing.moved.time();
    timing
}

fn deciding(c: &mut Criterion) {
    for (devices, gpus) in [(1, 0), (2, 1), (4, 3)] {
        let router = warm(gpus);
        let d = operation(100_000, Residency::Host);
        c.bench_function(&format!("route/decide/{devices} devices"), |bench| {
            bench.iter(|| router.decide(black_box(&d), &|_| true, None));
        });
    }
    let router = warm(1);
    let d = operation(100_000, Residency::Both(DeviceId::cuda(0)));
    c.bench_function("route/decide/2 devices, resident", |bench| {
        bench.iter(|| router.decide(black_box(&d), &|_| true, None));
    });
}

fn learning(c: &mut Criterion) {
    for (place, on) in [
        ("cpu", DeviceId::CPU),
        ("gpu with transfers", DeviceId::cuda(0)),
    ] {
        let router = warm(1);
        let d = operation(100_000, Residency::Host);
        let Ok(decision) = router.decide(&d, &|_| true, Some(on)) else {
            continue;
        };
        let timing = took(&d, on, 100_000);
        c.bench_function(&format!("route/learn/{place}"), |bench| {
            bench.iter(|| router.learn(black_box(&d), &decision, black_box(&timing)));
        });
    }
}

criterion_group!(benches, deciding, learning);
criterion_main!(benches);
