//! The `lattice` suite: sweeps over a large lattice with a tenth of its sites
//! blocked, on the processor, on the first GPU and where the router sends them.
//!
//! A sweep from all sites is what closeness is made of. From all of a million sites
//! it takes a processor minutes, so rows are of some thousand sources, and the
//! largest says what all of them come to.

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
/// Sources of each row. All of them are 900,000 or so; see `all`.
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
    // Every site as a source, which only who asks for it waits for.
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
        let mut answers: Vec<ReachTotals> = Vec::new();
        for device in places.filter(|device| !all || gpu.is_none_or(|gpu| gpu == *device)) {
            answers.push(measure(
                runtime,
                &lattice,
                size,
                Some(device),
                time,
                &mut rows,
            )?);
        }
        // By now the router has seen what each device takes for such a sweep.
        if !all {
            answers.push(measure(runtime, &lattice, size, None, time, &mut rows)?);
        }
        if answers.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(Failure::Unfit {
                devices: format!("a sweep from {size} sources, which devices answer differently,"),
            });
        }
    }
    Ok(rows)
}

fn lattice() -> Result<Lattice, Failure> {
    Ok(Lattice::cubic(DIMENSIONS, SIDE)?.with_random_blocked(BLOCKED, 1)?)
}

/// From the first free sites: neighbours, as a sweep from all of them has them.
fn sweep(lattice: &Lattice, sources: usize) -> Result<Sweep<'_>, Failure> {
    let free = (0..lattice.sites()).filter(|&site| !lattice.blocked().contains(site));
    Ok(Sweep::new(lattice, free.take(sources))?)
}

/// Times sweeps on `device`, or where the router sends them.
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
        name: "sweep".to_owned(),
        element: None,
        size: sources,
        device: place,
        sample: TimeDistribution::from_times(times, 1),
        device_ns: device_times.get(device_times.len() / 2).copied(),
        moved_bytes: Some(timing.moved.bytes().0),
        rate: None,
    });
    Ok(output)
}
