//! `heddle lattice distances`: how far every site is from the nearest source.

use std::collections::BTreeMap;

use heddle::config::Config;
use heddle::cpu::Pool;
use heddle::lattice::Coordinates;
use heddle::lattice::distance::{DistanceMethod, Values};
use heddle::units::Nanos;
use serde::Serialize;

use super::{ArrayFile, Description, Place, Written, free_ends, places, words};
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::table::table;

/// Rows of the table; more distances than that are put together.
const ROWS: usize = 20;

/// The longest bar of the table.
const BAR: usize = 40;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: Description,

    /// A source; may be given again (default: the first free site).
    #[arg(long, value_name = "X,Y,…")]
    from: Vec<Place>,

    /// With --json, one distance per site too: null where no path leads.
    #[arg(long)]
    values: bool,

    /// Write the distance of every site from each source here, as doubles, inf where
    /// no path leads: FILE.npy (sources first, then the axes) or FILE.csv.
    #[arg(long, short, value_name = "FILE")]
    output: Option<ArrayFile>,
}

#[derive(Serialize)]
struct Answer {
    sources: Vec<Coordinates>,
    reached: u64,
    unreachable: u64,
    farthest: f64,
    mean: f64,
    method: DistanceMethod,
    elapsed_ns: u64,
    /// Sites at each distance, nearest first, distances put together where there
    /// are many.
    sites_by_distance: Vec<Ring>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    written: Option<Written>,
}

/// Sites between two distances, both included.
#[derive(Serialize)]
struct Ring {
    from: f64,
    to: f64,
    sites: u64,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
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
    let pool = Pool::deferred(config.threads);
    let distances = lattice.distances_on(&pool, &sources)?;
    let (rings, mean) = rings(&distances.values);
    let reached = distances.reached();
    let written = arguments.output.as_ref().map(|file| {
        file.write(&lattice, (Some("source"), sources.len()), |source| {
            let from_one = lattice.distances_on(&pool, &[sources[source]])?;
            Ok(from_one.to_costs())
        })
    });
    let answer = Answer {
        sources: places(&lattice, &sources)?,
        reached,
        unreachable: lattice.free_sites() - reached,
        farthest: distances.farthest(),
        mean,
        method: distances.method,
        elapsed_ns: distances.elapsed.as_nanos() as u64,
        sites_by_distance: rings,
        values: arguments.values.then(|| {
            (0..lattice.sites())
                .map(|site| distances.get(site))
                .collect()
        }),
        written: written.transpose()?,
    };
    if output.is_json() {
        return Ok(output.object(&answer)?);
    }
    output.line(words(&lattice))?;
    print(&answer, output)
}

/// Sites by distance, in at most as many rows as are shown, and the mean over
/// every site that is reached.
fn rings(values: &Values) -> (Vec<Ring>, f64) {
    // Distances are positive, so their bits are in their order.
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let mut count = |distance: f64| {
        if distance.is_finite() {
            *counts.entry(distance.to_bits()).or_default() += 1;
        }
    };
    match values {
        Values::Steps(steps) => {
            let mut by_steps: Vec<u64> = Vec::new();
            for &steps in steps.iter().filter(|&&steps| steps != u32::MAX) {
                let steps = steps as usize;
                if by_steps.len() <= steps {
                    by_steps.resize(steps + 1, 0);
                }
                by_steps[steps] += 1;
            }
            for (steps, sites) in by_steps.into_iter().enumerate() {
                counts.insert((steps as f64).to_bits(), sites);
            }
        }
        Values::Costs(costs) => costs.iter().copied().for_each(&mut count),
    }
    let sites: u64 = counts.values().sum();
    let sum: f64 = counts
        .iter()
        .map(|(&bits, &sites)| f64::from_bits(bits) * sites as f64)
        .sum();
    let farthest = counts
        .keys()
        .next_back()
        .map_or(0.0, |&bits| f64::from_bits(bits));
    let many = counts.len() > ROWS;
    let mut rings: Vec<Ring> = Vec::new();
    let mut last_row = None;
    for (bits, sites) in counts {
        let distance = f64::from_bits(bits);
        let row = if many {
            ((distance / farthest * ROWS as f64) as usize).min(ROWS - 1)
        } else {
            rings.len()
        };
        match rings.last_mut().filter(|_| many && last_row == Some(row)) {
            Some(ring) => {
                ring.to = distance;
                ring.sites += sites;
            }
            None => rings.push(Ring {
                from: distance,
                to: distance,
                sites,
            }),
        }
        last_row = Some(row);
    }
    (rings, sum / sites.max(1) as f64)
}

fn print(answer: &Answer, output: &mut Output) -> Result<(), Failure> {
    let sources: Vec<String> = answer.sources.iter().map(ToString::to_string).collect();
    output.line(format_args!(
        "\nfrom {}: {} sites reached, {} not; farthest {}, mean {:.4}",
        sources.join(" and "),
        answer.reached,
        answer.unreachable,
        answer.farthest,
        answer.mean
    ))?;
    let how = match answer.method {
        DistanceMethod::ClosedForm => "by formula",
        DistanceMethod::AxisScans => "by scans along each axis",
        DistanceMethod::BreadthFirst => "breadth first",
        DistanceMethod::AxisQueues => "by cost, a queue per axis",
        DistanceMethod::Dijkstra => "by cost, with a heap",
    };
    output.line(format_args!(
        "found {how} in {}\n",
        Nanos(answer.elapsed_ns)
    ))?;
    let most = answer
        .sites_by_distance
        .iter()
        .map(|ring| ring.sites)
        .max()
        .unwrap_or(1)
        .max(1);
    let mut rows = table(&["distance", "sites", " "]);
    for ring in &answer.sites_by_distance {
        let distance = if ring.from.to_bits() == ring.to.to_bits() {
            short(ring.from)
        } else {
            format!("{} to {}", short(ring.from), short(ring.to))
        };
        let bar = (ring.sites as f64 / most as f64 * BAR as f64).round() as usize;
        rows.add_row([distance, ring.sites.to_string(), "#".repeat(bar)]);
    }
    output.line(rows)?;
    if let Some(written) = &answer.written {
        output.line(written)?;
    }
    Ok(())
}

/// A number of steps as it is, a cost to four figures.
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
    fn every_site_that_is_reached_is_in_one_row() {
        let few = Values::Steps(vec![0, 1, 1, 2, u32::MAX]);
        let (rows, mean) = rings(&few);
        assert_eq!(
            rows.iter().map(|ring| ring.sites).collect::<Vec<_>>(),
            [1, 2, 1]
        );
        assert!((mean - 1.0).abs() < 1e-12);
        let many = Values::Costs((0..1000).map(f64::from).chain([f64::INFINITY]).collect());
        let (rows, _) = rings(&many);
        assert!(rows.len() <= ROWS);
        assert_eq!(rows.iter().map(|ring| ring.sites).sum::<u64>(), 1000);
    }

    #[test]
    fn one_site_is_at_no_distance() {
        let (rows, mean) = rings(&Values::Costs(vec![0.0]));
        assert_eq!(rows.len(), 1);
        assert!(mean.abs() < 1e-12);
    }
}
