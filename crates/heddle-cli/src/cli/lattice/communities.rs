//! `heddle lattice communities`: divides the sites into communities.

use heddle::config::Config;
use heddle::lattice::community::{
    GirvanNewman, LabelPropagation, edge_betweenness, label_propagation, louvain,
};
use heddle::memory::admit_host;
use heddle::units::{Bytes, Nanos};
use serde::Serialize;

use super::{LatticeArguments, site_bytes, words};
use crate::cli::output::Output;
use crate::cli::table::table;
use crate::cli::{Failure, open};

/// Communities printed as text; `--json` has them all.
const SHOWN: usize = 12;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// The algorithm.
    #[arg(long, value_enum, default_value_t = Algorithm::Louvain)]
    by: Algorithm,

    /// With --json, also print the community of every site: null where it is blocked.
    #[arg(long)]
    values: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Algorithm {
    /// Maximise the modularity.
    Louvain,
    /// Each site joins the community of most of its neighbours.
    LabelPropagation,
    /// Remove the edges with the most shortest paths until the graph falls apart.
    EdgeBetweenness,
}

#[derive(Serialize)]
struct CommunityReport<'a> {
    by: Algorithm,
    groups: usize,
    modularity: Option<f64>,
    elapsed_ns: u64,
    sizes: &'a [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<u32>>>,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let lattice = arguments.lattice.lattice()?;
    let runtime = open(config)?;
    let seed = arguments.lattice.seed;
    let start = std::time::Instant::now();
    let found = match arguments.by {
        Algorithm::Louvain => louvain(&runtime, &lattice, seed),
        Algorithm::LabelPropagation => label_propagation(
            &runtime,
            &lattice,
            &LabelPropagation::default().with(|it| it.seed = seed),
        ),
        Algorithm::EdgeBetweenness => {
            edge_betweenness(&runtime, &lattice, &GirvanNewman::default())
        }
    }?;
    if arguments.values {
        admit_host(
            "the community of every site",
            site_bytes::<Option<u32>>(&lattice),
        )?;
    }
    let report = CommunityReport {
        by: arguments.by,
        groups: found.len(),
        // A lattice without edges has no modularity.
        modularity: Some(found.modularity).filter(|modularity| !modularity.is_nan()),
        elapsed_ns: start.elapsed().as_nanos() as u64,
        sizes: &found.sizes,
        values: arguments
            .values
            .then(|| (0..lattice.sites()).map(|site| found.of(site)).collect()),
    };
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    output.line(words(&lattice))?;
    let modularity = report.modularity.map_or_else(String::new, |modularity| {
        format!(", modularity {modularity:.4}")
    });
    output.line(format_args!(
        "\n{} communities{modularity}, in {}\n",
        report.groups,
        Nanos(report.elapsed_ns)
    ))?;
    admit_host(
        "a list of communities",
        Bytes::of::<(usize, u64)>(found.len()),
    )?;
    let mut largest: Vec<(usize, u64)> = found.sizes.iter().copied().enumerate().collect();
    largest.sort_unstable_by_key(|&(group, sites)| (std::cmp::Reverse(sites), group));
    let mut rows = table(&["community", "sites", "share"]);
    for &(group, sites) in largest.iter().take(SHOWN) {
        let share = sites as f64 / lattice.free_sites() as f64 * 100.0;
        rows.add_row([
            group.to_string(),
            sites.to_string(),
            format!("{share:.1} %"),
        ]);
    }
    output.line(rows)?;
    if largest.len() > SHOWN {
        output.line(format_args!("  and {} smaller ones", largest.len() - SHOWN))?;
    }
    Ok(())
}
