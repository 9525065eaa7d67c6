//! The `scale` suite: neighbours, paths and distances on lattices of 10^3 to 10^8 sites.
//! Those computed by a formula should cost the same at every size.

use std::hint::black_box;
use std::time::Duration;

use heddle::cpu::CpuPool;
use heddle::device::DeviceId;
use heddle::lattice::{Error, Lattice, Site};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::Failure;

/// Sites along each of three axes, for about 10^3, 10^4, … 10^8 sites.
const SIDES: [u64; 6] = [10, 22, 46, 100, 215, 464];
const DIMENSIONS: usize = 3;

/// The share of blocked sites in the cases with blocked sites.
const BLOCKED: f64 = 0.1;

/// A case: its name, whether sites are blocked, and the computation.
type ScaleCase = (
    &'static str,
    bool,
    fn(&Lattice, &CpuPool) -> Result<f64, Error>,
);

const SCALE_CASES: [ScaleCase; 5] = [
    ("neighbours", false, neighbours),
    ("path", false, path),
    ("path-around-blocked", true, path),
    ("distances", false, distances),
    ("distances-around-blocked", true, distances),
];

pub(super) fn rows(
    pool: &CpuPool,
    cases: &[String],
    time: Duration,
) -> Result<Vec<BenchRow>, Failure> {
    let mut rows = Vec::new();
    for (name, blocked, compute) in SCALE_CASES {
        for side in SIDES {
            let sites = side.pow(DIMENSIONS as u32);
            let is_wanted = |case: &String| case == name || *case == format!("{name}:{sites}");
            if !(cases.is_empty() || cases.iter().any(is_wanted)) {
                continue;
            }
            let lattice = lattice(side, blocked)?;
            rows.push(BenchRow::new(
                name,
                sites as usize,
                DeviceId::CPU.to_string(),
                TimeDistribution::of(time, || {
                    black_box(compute(&lattice, pool)?);
                    Ok(())
                })?,
            ));
        }
    }
    Ok(rows)
}

/// Returns a cube whose first and last site, the ends of the path, are free.
fn lattice(side: u64, blocked: bool) -> Result<Lattice, Failure> {
    let lattice = Lattice::cubic(DIMENSIONS, side)?;
    if !blocked {
        return Ok(lattice);
    }
    let drawn = lattice.clone().with_random_blocked(BLOCKED, 1)?;
    // The neighbours of both corners stay free too, so that neither is enclosed.
    let spared: Vec<Site> = [0, lattice.sites() - 1]
        .into_iter()
        .flat_map(|corner| {
            let around = lattice.neighbours(corner).map(|step| step.site);
            around.chain([corner]).collect::<Vec<_>>()
        })
        .collect();
    let blocked = drawn.blocked().iter().filter(|site| !spared.contains(site));
    Ok(lattice.with_blocked(blocked)?)
}

/// Sums the neighbours of a site in the middle.
#[allow(
    clippy::unnecessary_wraps,
    reason = "all cases have one type, and others can fail"
)]
fn neighbours(lattice: &Lattice, _: &CpuPool) -> Result<f64, Error> {
    let middle = black_box(lattice.sites() / 2);
    let sum: Site = lattice.neighbours(middle).map(|step| step.site).sum();
    Ok(sum as f64)
}

/// Finds a path from corner to corner.
fn path(lattice: &Lattice, _: &CpuPool) -> Result<f64, Error> {
    Ok(lattice.shortest_path(0, lattice.sites() - 1)?.cost)
}

/// Computes the distances from a corner to every site.
fn distances(lattice: &Lattice, pool: &CpuPool) -> Result<f64, Error> {
    Ok(lattice.distances_on(pool, &[0])?.farthest())
}
