//! The `lattice` suite: sweeps over a large lattice with a tenth of its sites blocked, on
//! the CPU, on the first GPU and routed.
//!
//! Closeness is a sweep from all sites. From all of a million sites it takes a CPU minutes,
//! so the rows have up to 32,768 sources; `--case sweep-all` sweeps from all sites.

use std::time::{Duration, Instant};

use heddle::device::DeviceId;
use heddle::lattice::Lattice;
use heddle::lattice::sweep::{ReachTotals, Sweep};
use heddle::{RunOutcome, Runtime};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::Failure;

const DIMENSIONS: usize = 6;
const SIDE: u64 = 10;
/// The share of blocked sites.
const BLOCKED: f64 = 0.1;
/// Sources of each row. The lattice has about 900,000 free sites.
const SOURCES: [usize; 3] = [512, 4096, 32_768];
const MIN_SAMPLES: usize = 3;

pub(super) fn rows(
    runtime: &Runtime,
    cases: &[String],
    time: Duration,
) -> Result<Vec<BenchRow>, Failure> {
    let lattice = lattice()?;
    let gpu = runtime
        .devices()
        .map(|device| device.id())
        .find(|id| id.has_own_memory());
    let mut rows = Vec::new();
    let mut sizes: Vec<usize> = SOURCES.to_vec();
    // A sweep from every site runs only on request.
    if cases.iter().any(|case| case == "sweep-all") {
        sizes = vec![lattice.free_sites() as usize];
    }
    for size in sizes {
        let name = format!("sweep:{size}");
        let all = size as u64 == lattice.free_sites();
        if !(cases.is_empty() || all || cases.iter().any(|case| *case == name || case == "sweep")) {
            continue;
        }
        let places = [Some(DeviceId::CPU), gpu].into_iter().flatten();
        let mut results: Vec<ReachTotals> = Vec::new();
        for device in places.filter(|device| !all || gpu.is_none_or(|gpu| gpu == *device)) {
            results.push(measure(
                runtime,
                &lattice,
                size,
                Some(device),
                time,
                &mut rows,
            )?);
        }
        // The router has by now measured such a sweep on each device.
        if !all {
            results.push(measure(runtime, &lattice, size, None, time, &mut rows)?);
        }
        if results.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(Failure::Unfit {
                devices: format!(
                    "the sweep from {size} sources, whose results differ between devices,"
                ),
            });
        }
    }
    Ok(rows)
}

fn lattice() -> Result<Lattice, Failure> {
    Ok(Lattice::cubic(DIMENSIONS, SIDE)?.with_random_blocked(BLOCKED, 1)?)
}

/// Returns a sweep from the first free sites, which are neighbours as in a full sweep.
fn sweep(lattice: &Lattice, sources: usize) -> Result<Sweep<'_>, Failure> {
    let free = (0..lattice.sites()).filter(|&site| !lattice.blocked().contains(site));
    Ok(Sweep::new(lattice, free.take(sources))?)
}

/// Times sweeps on `device`, or routed.
fn measure(
    runtime: &Runtime,
    lattice: &Lattice,
    sources: usize,
    device: Option<DeviceId>,
    time: Duration,
    rows: &mut Vec<BenchRow>,
) -> Result<ReachTotals, Failure> {
    let mut times = Vec::new();
    let mut device_times = Vec::new();
    let mut last = None;
    let deadline = Instant::now() + time;
    let least = if sources as u64 == lattice.free_sites() {
        1
    } else {
        MIN_SAMPLES
    };
    while times.len() < least || Instant::now() < deadline {
        let operation = sweep(lattice, sources)?;
        let start = Instant::now();
        let outcome = runtime.run_traced(operation, device)?;
        times.push(start.elapsed().as_nanos() as f64);
        device_times.extend(outcome.timing.device.map(|time| time.0));
        last = Some(outcome);
    }
    device_times.sort_unstable();
    let Some(RunOutcome {
        output,
        decision,
        timing,
        ..
    }) = last
    else {
        return Ok(ReachTotals::default());
    };
    let place = match device {
        Some(device) => device.to_string(),
        None => format!("routed to {}", decision.device),
    };
    rows.push(BenchRow {
        device_ns: device_times.get(device_times.len() / 2).copied(),
        moved_bytes: Some(timing.moved.bytes().0),
        ..BenchRow::new(
            "sweep",
            sources,
            place,
            TimeDistribution::from_times(times, 1),
        )
    });
    Ok(output)
}
