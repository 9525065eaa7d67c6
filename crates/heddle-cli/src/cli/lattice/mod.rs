//! `heddle lattice`: computations on an N-dimensional lattice.

mod analyze;
mod array_file;
mod centrality;
mod communities;
mod distances;
mod lattice_arguments;
mod path;
mod show;
mod transform;

use heddle::config::Config;
use heddle::lattice::{Coordinates, Lattice, Site};
use heddle::units::Bytes;

use super::Failure;
use super::output::Output;
use array_file::{ArrayFileArguments, Written};
use lattice_arguments::{LatticeArguments, SiteCoordinates};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: LatticeCommand,
}

#[derive(Debug, clap::Subcommand)]
enum LatticeCommand {
    /// Print vertices, edges, components, diameter, mean distance and more.
    Analyze(analyze::Arguments),
    /// Find a shortest path between two sites.
    Path(path::Arguments),
    /// Compute the distance of every site from the nearest source.
    Distances(distances::Arguments),
    /// Rank sites by a centrality measure.
    Centrality(centrality::Arguments),
    /// Divide the sites into communities.
    Communities(communities::Arguments),
    /// Transform one value per site, on the device that the router chooses.
    Transform(transform::Arguments),
    /// Draw a two-dimensional slice.
    Show(show::Arguments),
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    match &arguments.command {
        LatticeCommand::Analyze(analyze) => analyze::run(config, analyze, output),
        LatticeCommand::Path(path) => path::run(path, output),
        LatticeCommand::Distances(distances) => distances::run(config, distances, output),
        LatticeCommand::Centrality(centrality) => centrality::run(config, centrality, output),
        LatticeCommand::Communities(communities) => communities::run(config, communities, output),
        LatticeCommand::Transform(transform) => transform::run(config, transform, output),
        LatticeCommand::Show(show) => show::run(config, show, output),
    }
}

/// Describes the lattice in one line: `4-dimensional, 10 x 10 x 10 x 10, 1003 of 10000 sites blocked`.
fn words(lattice: &Lattice) -> String {
    use heddle::lattice::{Boundary, Weights};
    let axes: Vec<String> = lattice
        .axes()
        .map(|axis| match axis.boundary() {
            Boundary::Open => axis.size().to_string(),
            Boundary::Periodic => format!("{} (periodic)", axis.size()),
        })
        .collect();
    let blocked = match lattice.blocked().len() {
        0 => format!("{} sites", lattice.sites()),
        blocked => format!("{blocked} of {} sites blocked", lattice.sites()),
    };
    let weights = match lattice.weights() {
        Weights::Unit => "",
        Weights::Axes(_) => ", a cost per axis",
        Weights::Sites(_) => ", a cost per site",
    };
    format!(
        "{}-dimensional, {}, {blocked}{weights}",
        lattice.dimensions(),
        axes.join(" x ")
    )
}

/// Returns the site at `place`, or `otherwise` if none is named.
fn site_or(
    lattice: &Lattice,
    place: Option<&SiteCoordinates>,
    otherwise: Site,
) -> Result<Site, Failure> {
    place.map_or(Ok(otherwise), |place| place.site(lattice))
}

/// Returns the first and the last free site. Fails if every site is blocked.
fn free_ends(lattice: &Lattice) -> Result<(Site, Site), Failure> {
    let free = |site: &Site| !lattice.blocked().contains(*site);
    let first = (0..lattice.sites()).find(free);
    let last = (0..lattice.sites()).rev().find(free);
    first.zip(last).ok_or_else(|| Failure::Usage {
        message: "every site is blocked".to_owned(),
        hint: "block fewer sites".to_owned(),
    })
}

/// Returns the bytes of a value for each site.
fn site_bytes<T>(lattice: &Lattice) -> Bytes {
    Bytes(lattice.sites().saturating_mul(size_of::<T>() as u64))
}

/// Returns the coordinates of sites.
fn site_coordinates(lattice: &Lattice, sites: &[Site]) -> Result<Vec<Coordinates>, Failure> {
    sites
        .iter()
        .map(|&site| Ok(lattice.coordinates(site)?))
        .collect()
}
