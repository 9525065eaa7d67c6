//! `heddle lattice centrality`: ranks sites by a centrality measure.

use heddle::Runtime;
use heddle::config::Config;
use heddle::lattice::centrality::{self, ComputationMethod, Scores};
use heddle::lattice::{Coordinates, Error, Lattice};
use heddle::memory::admit_host;
use heddle::units::{Bytes, Nanos};
use serde::Serialize;

use super::{ArrayFileArguments, LatticeArguments, Written, free_ends, site_bytes, words};
use crate::cli::output::Output;
use crate::cli::table::table;
use crate::cli::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// The centrality measure.
    #[arg(long, value_enum, default_value_t = Measure::Closeness)]
    measure: Measure,

    /// Number of sites to print.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// With --json, also print the value of every site: null where it is blocked.
    #[arg(long)]
    values: bool,

    #[command(flatten)]
    file: ArrayFileArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Measure {
    /// The number of neighbours.
    Degree,
    /// The inverse of the mean distance to all others.
    Closeness,
    /// The number of shortest paths through the site.
    Betweenness,
    /// The leading eigenvector of the adjacency matrix.
    Eigenvector,
}

impl Measure {
    pub(super) fn of(self, runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
        match self {
            Self::Degree => centrality::degree(runtime, lattice),
            Self::Closeness => centrality::closeness(runtime, lattice),
            Self::Betweenness => centrality::betweenness(runtime, lattice),
            Self::Eigenvector => centrality::eigenvector(runtime, lattice),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Degree => "degree",
            Self::Closeness => "closeness",
            Self::Betweenness => "betweenness",
            Self::Eigenvector => "eigenvector",
        }
    }
}

#[derive(Serialize)]
struct CentralityReport {
    measure: Measure,
    method: ComputationMethod,
    elapsed_ns: u64,
    vertices: usize,
    greatest: f64,
    least: f64,
    mean: f64,
    top: Vec<RankedSite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    written: Option<Written>,
}

#[derive(Serialize)]
struct RankedSite {
    at: Coordinates,
    value: f64,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = arguments.file.file(output)?;
    let lattice = arguments.lattice.lattice()?;
    // Fails where no site is free.
    free_ends(&lattice)?;
    let runtime = open(config)?;
    let start = std::time::Instant::now();
    let scores = arguments.measure.of(&runtime, &lattice)?;
    let elapsed = start.elapsed();
    let written = file.map(|file| {
        file.write(&lattice, (None, 1), |_| {
            admit_host("a value for each site", site_bytes::<f64>(&lattice))?;
            let at = |site| scores.at(site).unwrap_or(f64::NAN);
            Ok((0..lattice.sites()).map(at).collect())
        })
    });
    if arguments.values {
        admit_host(
            "the value of every site",
            site_bytes::<Option<f64>>(&lattice),
        )?;
    }
    let shown = arguments.top.min(scores.values.len());
    admit_host(
        "a list of ranked sites",
        Bytes::of::<(RankedSite, [f64; 4])>(shown),
    )?;
    // A vertex without a path to any other has no closeness.
    let known = || {
        scores
            .values
            .iter()
            .copied()
            .filter(|value| !value.is_nan())
    };
    let report = CentralityReport {
        measure: arguments.measure,
        method: scores.method,
        elapsed_ns: elapsed.as_nanos() as u64,
        vertices: scores.values.len(),
        greatest: known().fold(f64::NEG_INFINITY, f64::max),
        least: known().fold(f64::INFINITY, f64::min),
        mean: known().sum::<f64>() / known().count() as f64,
        top: scores
            .top(arguments.top)
            .into_iter()
            .map(|(site, value)| {
                Ok(RankedSite {
                    at: lattice.coordinates(site)?,
                    value,
                })
            })
            .collect::<Result<_, Error>>()?,
        values: arguments
            .values
            .then(|| (0..lattice.sites()).map(|site| scores.at(site)).collect()),
        written: written.transpose()?,
    };
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    output.line(words(&lattice))?;
    let how = match report.method {
        ComputationMethod::ClosedForm => "by formula",
        ComputationMethod::Symmetry => "by searches from one vertex of each kind",
        _ => "by searches from every vertex",
    };
    output.line(format_args!(
        "\n{} of {} vertices, {how}, in {}: {}\n",
        report.measure.name(),
        report.vertices,
        Nanos(report.elapsed_ns),
        if known().next().is_some() {
            format!(
                "{:.6} to {:.6}, mean {:.6}",
                report.least, report.greatest, report.mean
            )
        } else {
            "no site reaches another".to_owned()
        }
    ))?;
    let mut rows = table(&["site ", report.measure.name()]);
    for place in &report.top {
        let value = if place.value.is_nan() {
            "-".to_owned()
        } else {
            format!("{:.6}", place.value)
        };
        rows.add_row([place.at.to_string(), value]);
    }
    output.line(rows)?;
    if let Some(written) = &report.written {
        output.line(written)?;
    }
    Ok(())
}
