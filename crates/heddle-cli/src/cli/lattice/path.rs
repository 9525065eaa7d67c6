//! `heddle lattice path`: finds a shortest path by formula, by search or catalytically.

use heddle::lattice::path::{CountValue, PathMethod};
use heddle::lattice::{Coordinates, Lattice, Path, Site};
use heddle::memory::admit_host;
use heddle::ops::SplitMix64;
use heddle::units::{Bytes, Nanos};
use serde::Serialize;

use super::{LatticeArguments, SiteCoordinates, free_ends, site_or, words};
use crate::cli::Failure;
use crate::cli::output::{FAINT, Output};

/// Vertices printed as text; `--json` has them all.
const SHOWN: usize = 24;

/// The most words of memory that `--catalytic` borrows: 1 GiB.
const MAX_BORROWED: u64 = 1 << 27;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// Start of the path (default: the first free site).
    #[arg(long, value_name = "X,Y,…")]
    from: Option<SiteCoordinates>,

    /// End of the path (default: the last free site).
    #[arg(long, value_name = "X,Y,…")]
    to: Option<SiteCoordinates>,

    /// Also print the number of shortest paths.
    #[arg(long)]
    count: bool,

    /// Search in borrowed memory, which is returned unchanged, with some hundred bytes of
    /// its own.
    #[arg(long)]
    catalytic: bool,
}

#[derive(Serialize)]
struct PathReport<'a> {
    from: Coordinates,
    to: Coordinates,
    steps: u64,
    cost: f64,
    method: PathMethod,
    /// Sites that the search expanded; 0 for a formula.
    expanded: u64,
    elapsed_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest_paths: Option<CountValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalytic: Option<CatalyticMemory>,
    vertices: PathSites<'a>,
}

/// The sites of a path, which may be very many: printed and written one by one.
struct PathSites<'a> {
    lattice: &'a Lattice,
    sites: &'a [Site],
}

impl PathSites<'_> {
    fn coordinates(&self) -> impl Iterator<Item = Coordinates> + '_ {
        let sites = self.sites.iter();
        // Every site of a path exists.
        sites.filter_map(|&site| self.lattice.coordinates(site).ok())
    }
}

impl Serialize for PathSites<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.coordinates())
    }
}

/// The memory that a catalytic search used.
#[derive(Serialize)]
struct CatalyticMemory {
    borrowed_bytes: u64,
    ordinary_bytes: u64,
    /// Whether every borrowed byte was returned unchanged.
    given_back: bool,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let lattice = arguments.lattice.lattice()?;
    let (first, last) = free_ends(&lattice)?;
    let from = site_or(&lattice, arguments.from.as_ref(), first)?;
    let to = site_or(&lattice, arguments.to.as_ref(), last)?;
    let (path, catalytic) = find(&lattice, from, to, arguments)?;
    let shortest_paths = if arguments.count {
        Some(lattice.count_shortest_paths(from, to)?.paths)
    } else {
        None
    };
    let report = PathReport {
        from: lattice.coordinates(from)?,
        to: lattice.coordinates(to)?,
        steps: path.steps(),
        cost: path.cost,
        method: path.method,
        expanded: path.expanded,
        elapsed_ns: path.elapsed.as_nanos() as u64,
        shortest_paths,
        catalytic,
        vertices: PathSites {
            lattice: &lattice,
            sites: &path.vertices,
        },
    };
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    output.line(words(&lattice))?;
    print(&report, output)
}

/// Finds the path by formula or search or, with `--catalytic`, in memory that holds other
/// data.
fn find(
    lattice: &Lattice,
    from: Site,
    to: Site,
    arguments: &Arguments,
) -> Result<(Path, Option<CatalyticMemory>), Failure> {
    if !arguments.catalytic {
        return Ok((lattice.shortest_path(from, to)?, None));
    }
    let before = full_memory(lattice, arguments.lattice.seed)?;
    let mut memory = before.clone();
    let found = lattice.catalytic_path(from, to, &mut memory)?;
    Ok((
        found.path,
        Some(CatalyticMemory {
            borrowed_bytes: found.borrowed_bytes,
            ordinary_bytes: found.ordinary_bytes,
            given_back: memory == before,
        }),
    ))
}

/// Returns memory filled with pseudo-random data, as much as the search borrows.
fn full_memory(lattice: &Lattice, seed: u64) -> Result<Vec<u64>, Failure> {
    let words = lattice.catalytic_words();
    // With a copy to compare afterwards.
    let bytes = Bytes(words.saturating_mul(2 * size_of::<u64>() as u64));
    if words > MAX_BORROWED {
        return Err(Failure::Usage {
            message: format!("a catalytic search here would borrow {words} words"),
            hint: format!("use a lattice of at most {} sites", MAX_BORROWED / 2),
        });
    }
    admit_host("a catalytic search", bytes)?;
    let mut random = SplitMix64::new(seed);
    let words = (0..words).map(|_| random.next_u64());
    Ok(words.collect())
}

/// The method in words.
fn words_of(method: PathMethod) -> &'static str {
    match method {
        PathMethod::ClosedForm => "a formula",
        PathMethod::FreeStaircase => "a formula whose path is free",
        PathMethod::AStar => "A*",
        PathMethod::BidirectionalBfs => "breadth-first search from both ends",
        PathMethod::WeightedAStar => "A* by cost",
        PathMethod::Catalytic => "a catalytic program",
        _ => "another method",
    }
}

fn print(report: &PathReport<'_>, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "\nfrom {} to {}: {} steps, cost {}",
        report.from, report.to, report.steps, report.cost
    ))?;
    output.line(format_args!(
        "found by {} in {}, {} sites expanded",
        words_of(report.method),
        Nanos(report.elapsed_ns),
        report.expanded
    ))?;
    if let Some(count) = &report.shortest_paths {
        output.line(match count.exact {
            Some(exact) => format!("{exact} shortest paths"),
            None => format!("about {count} shortest paths"),
        })?;
    }
    if let Some(used) = &report.catalytic {
        output.line(format_args!(
            "{} bytes borrowed and {}, {} bytes of its own",
            used.borrowed_bytes,
            if used.given_back {
                "returned unchanged"
            } else {
                "NOT returned unchanged"
            },
            used.ordinary_bytes
        ))?;
    }
    output.heading("Path")?;
    for place in report.vertices.coordinates().take(SHOWN) {
        output.line(format_args!("  {place}"))?;
    }
    let vertices = report.vertices.sites.len();
    if vertices > SHOWN {
        output.line(format_args!(
            "  {FAINT}and {} more; --json has them all{FAINT:#}",
            vertices - SHOWN
        ))?;
    }
    Ok(())
}
