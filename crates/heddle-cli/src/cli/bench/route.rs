//! The `route` suite: the cost of the pipeline itself, with an empty operation.

use std::hint::black_box;
use std::time::Duration;

use heddle::Residency;
use heddle::device::{DeviceId, ExecutionContext, Timing};
use heddle::route::{RouteSettings, Router};
use heddle::units::{Bytes, Nanos};
use heddle::{DType, Description, Error, Kind, Operand, Operation, Runtime, WorkUnit};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::Failure;

static EMPTY: Kind = Kind::new("empty", WorkUnit::Items);

/// Does nothing, so that only the pipeline is measured.
struct Empty;

impl Operation for Empty {
    type Output = u64;

    fn describe(&self) -> Description {
        Description::new(&EMPTY, DType::U8, 1)
    }

    fn run(&mut self, _: &ExecutionContext<'_>) -> Result<u64, Error> {
        Ok(empty_work())
    }
}

#[inline(never)]
fn empty_work() -> u64 {
    black_box(42)
}

pub(super) fn rows(
    runtime: &Runtime,
    cases: &[String],
    time: Duration,
) -> Result<Vec<BenchRow>, Failure> {
    let mut rows = Vec::new();
    let mut add = |name: &str, size: usize, body: &mut dyn FnMut() -> Result<(), Failure>| {
        if cases.is_empty() || cases.iter().any(|case| case == name) {
            rows.push(BenchRow::new(
                name,
                size,
                DeviceId::CPU.to_string(),
                TimeDistribution::of(time, body)?,
            ));
        }
        Ok::<(), Failure>(())
    };
    for devices in [1, 2, 4] {
        let (router, described) = warm_router(devices);
        let decide = || router.decide(&described, &|_: DeviceId| true, None);
        add("decide", devices, &mut || {
            black_box(decide()?);
            Ok(())
        })?;
        let decision = decide()?;
        add("learn", devices, &mut || {
            router.learn(black_box(&described), &decision, &timing(1_000));
            Ok(())
        })?;
    }
    add("call", 0, &mut || {
        black_box(empty_work());
        Ok(())
    })?;
    add("pipeline", 0, &mut || {
        black_box(runtime.run_on(DeviceId::CPU, Empty)?);
        Ok(())
    })?;
    Ok(rows)
}

/// Returns a router that has measured one kind on each of its devices.
fn warm_router(devices: usize) -> (Router, Description) {
    let ids: Vec<DeviceId> = (0..devices)
        .map(|index| match index {
            0 => DeviceId::CPU,
            gpu => DeviceId::cuda(gpu as u16 - 1),
        })
        .collect();
    let router = Router::new(&ids, RouteSettings::default());
    let described = |bytes: u64| {
        Description::new(&EMPTY, DType::U8, bytes).reads(Operand {
            bytes: Bytes(bytes),
            residency: Residency::Host,
        })
    };
    for (position, &id) in ids.iter().enumerate() {
        for power in 4..24 {
            for _ in 0..8 {
                let bytes = 1_u64 << power;
                router.observe(
                    &described(bytes),
                    id,
                    &timing(bytes * (position as u64 + 1)),
                );
            }
        }
    }
    (router, described(5_000))
}

fn timing(nanos: u64) -> Timing {
    Timing::of(Nanos(nanos))
}
