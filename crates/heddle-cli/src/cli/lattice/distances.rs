//! `heddle lattice distances`: the distance of every site from the nearest source.

use std::collections::{BTreeMap, BTreeSet};

use heddle::config::Config;
use heddle::cpu::CpuPool;
use heddle::lattice::Coordinates;
use heddle::lattice::distance::{DistanceMethod, DistanceValues};
use heddle::memory::admit_host;
use heddle::units::Nanos;
use serde::Serialize;

use super::{
    ArrayFileArguments, LatticeArguments, SiteCoordinates, Written, free_ends, site_bytes,
    site_coordinates, words,
};
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::table::table;

/// Most rows of the table; more distances than that are binned.
const ROWS: usize = 20;

/// Most distances that are counted before they are binned: a long lattice has as many as sites.
const MAX_COUNTS: usize = 1 << 16;

/// Width of the longest bar in the table.
const BAR_WIDTH: usize = 40;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// A source; may be repeated (default: the first free site).
    #[arg(long, value_name = "X,Y,…")]
    from: Vec<SiteCoordinates>,

    /// With --json, also print one distance per site: null where there is no path.
    #[arg(long)]
    values: bool,

    #[command(flatten)]
    file: ArrayFileArguments,
}

#[derive(Serialize)]
struct DistanceReport {
    sources: Vec<Coordinates>,
    reached: u64,
    unreachable: u64,
    farthest: f64,
    mean: f64,
    method: DistanceMethod,
    elapsed_ns: u64,
    /// Number of sites by distance, nearest first, binned where there are many.
    sites_by_distance: Vec<DistanceBin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    written: Option<Written>,
}

/// The number of sites between two distances, both included.
#[derive(Serialize)]
struct DistanceBin {
    from: f64,
    to: f64,
    sites: u64,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = arguments.file.file(output)?;
    let lattice = arguments.lattice.lattice()?;
    let sources = if arguments.from.is_empty() {
        vec![free_ends(&lattice)?.0]
    } else {
        arguments
            .from
            .iter()
            .map(|place| place.site(&lattice))
            .collect::<Result<_, _>>()?
    };
    let pool = CpuPool::new(config.threads);
    let distances = lattice.distances_on(&pool, &sources)?;
    let (distance_bins, mean) = distance_bins(&distances.values);
    let reached = distances.reached();
    let written = file.map(|file| {
        file.write(&lattice, (Some("source"), sources.len()), |source| {
            let from_one = lattice.distances_on(&pool, &[sources[source]])?;
            Ok(from_one.to_costs()?)
        })
    });
    if arguments.values {
        admit_host(
            "the distance of every site",
            site_bytes::<Option<f64>>(&lattice),
        )?;
    }
    let report = DistanceReport {
        sources: site_coordinates(&lattice, &sources)?,
        reached,
        unreachable: lattice.free_sites() - reached,
        farthest: distances.farthest(),
        mean,
        method: distances.method,
        elapsed_ns: distances.elapsed.as_nanos() as u64,
        sites_by_distance: distance_bins,
        values: arguments.values.then(|| {
            (0..lattice.sites())
                .map(|site| distances.get(site))
                .collect()
        }),
        written: written.transpose()?,
    };
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    output.line(words(&lattice))?;
    print(&report, output)
}

/// Returns the number of sites by distance, in at most [`ROWS`] bins, and the mean over
/// all reached sites.
fn distance_bins(values: &DistanceValues) -> (Vec<DistanceBin>, f64) {
    match values {
        DistanceValues::Steps(steps) => {
            let reached = || steps.iter().filter(|&&steps| steps != u32::MAX);
            let farthest = reached().max().map_or(0, |&steps| steps as usize);
            if farthest >= MAX_COUNTS {
                return bins_of(|| reached().map(|&steps| (f64::from(steps), 1)));
            }
            let mut by_steps = vec![0; farthest + 1];
            for &steps in reached() {
                by_steps[steps as usize] += 1;
            }
            let counted = || by_steps.iter().enumerate().filter(|(_, sites)| **sites > 0);
            bins_of(|| counted().map(|(steps, &sites)| (steps as f64, sites)))
        }
        DistanceValues::Costs(costs) => bins_of(|| {
            let reached = costs.iter().filter(|cost| cost.is_finite());
            reached.map(|&cost| (cost, 1))
        }),
    }
}

/// `counted` gives numbers of sites by their distance, in any order. It is gone through several
/// times, because there may be as many distances as sites.
fn bins_of<I: Iterator<Item = (f64, u64)>>(counted: impl Fn() -> I) -> (Vec<DistanceBin>, f64) {
    let (mut sites, mut sum, mut farthest) = (0, 0.0, 0.0_f64);
    // The bits of non-negative floats have the order of the floats.
    let mut distinct = BTreeSet::new();
    for (distance, here) in counted() {
        sites += here;
        sum += distance * here as f64;
        farthest = farthest.max(distance);
        if distinct.len() <= ROWS {
            distinct.insert(distance.to_bits());
        }
    }
    let many = distinct.len() > ROWS;
    let mut bins: BTreeMap<u64, DistanceBin> = BTreeMap::new();
    for (distance, here) in counted() {
        let row = if many {
            ((distance / farthest * ROWS as f64) as u64).min(ROWS as u64 - 1)
        } else {
            distance.to_bits()
        };
        let bin = bins.entry(row).or_insert(DistanceBin {
            from: distance,
            to: distance,
            sites: 0,
        });
        bin.from = bin.from.min(distance);
        bin.to = bin.to.max(distance);
        bin.sites += here;
    }
    (bins.into_values().collect(), sum / sites.max(1) as f64)
}

fn print(report: &DistanceReport, output: &mut Output) -> Result<(), Failure> {
    let sources: Vec<String> = report.sources.iter().map(ToString::to_string).collect();
    output.line(format_args!(
        "\nfrom {}: {} sites reached, {} unreachable; farthest {}, mean {:.4}",
        sources.join(" and "),
        report.reached,
        report.unreachable,
        report.farthest,
        report.mean
    ))?;
    let how = match report.method {
        DistanceMethod::ClosedForm => "by formula",
        DistanceMethod::AxisScans => "by scans along each axis",
        DistanceMethod::BreadthFirst => "by breadth-first search",
        DistanceMethod::AxisQueues => "by cost, with a queue per axis",
        DistanceMethod::Dijkstra => "by cost, with a heap",
        _ => "by another method",
    };
    output.line(format_args!(
        "found {how} in {}\n",
        Nanos(report.elapsed_ns)
    ))?;
    let most = report
        .sites_by_distance
        .iter()
        .map(|bin| bin.sites)
        .max()
        .unwrap_or(1)
        .max(1);
    let mut rows = table(&["distance", "sites", " "]);
    for bin in &report.sites_by_distance {
        let distance = if bin.from.to_bits() == bin.to.to_bits() {
            short(bin.from)
        } else {
            format!("{} to {}", short(bin.from), short(bin.to))
        };
        let bar = (bin.sites as f64 / most as f64 * BAR_WIDTH as f64).round() as usize;
        rows.add_row([distance, bin.sites.to_string(), "#".repeat(bar)]);
    }
    output.line(rows)?;
    if let Some(written) = &report.written {
        output.line(written)?;
    }
    Ok(())
}

/// Formats a whole number as it is, any other with three decimals.
fn short(distance: f64) -> String {
    if distance.fract() == 0.0 {
        format!("{distance}")
    } else {
        format!("{distance:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reached_site_is_in_one_bin() {
        let few = DistanceValues::Steps(vec![0, 1, 1, 2, u32::MAX]);
        let (rows, mean) = distance_bins(&few);
        assert_eq!(
            rows.iter().map(|bin| bin.sites).collect::<Vec<_>>(),
            [1, 2, 1]
        );
        assert!((mean - 1.0).abs() < 1e-12);
        let many = DistanceValues::Costs((0..1000).map(f64::from).chain([f64::INFINITY]).collect());
        let (rows, _) = distance_bins(&many);
        assert!(rows.len() <= ROWS);
        assert_eq!(rows.iter().map(|bin| bin.sites).sum::<u64>(), 1000);
        // As many distances as sites.
        let long = DistanceValues::Steps((0..MAX_COUNTS as u32 + 9).collect());
        let (rows, mean) = distance_bins(&long);
        assert_eq!(rows.len(), ROWS);
        assert_eq!(
            rows.iter().map(|bin| bin.sites).sum::<u64>(),
            MAX_COUNTS as u64 + 9
        );
        assert!((mean - f64::midpoint(MAX_COUNTS as f64, 8.0)).abs() < 1e-6);
    }

    #[test]
    fn the_source_is_at_distance_zero() {
        let (rows, mean) = distance_bins(&DistanceValues::Costs(vec![0.0]));
        assert_eq!(rows.len(), 1);
        assert!(mean.abs() < 1e-12);
    }
}
