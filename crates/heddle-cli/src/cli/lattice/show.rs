//! `heddle lattice show`: draws a two-dimensional slice as SVG or HTML.

use std::path::PathBuf;

use heddle::config::Config;
use heddle::cpu::CpuPool;
use heddle::lattice::{Error, Lattice, Picture, Site};
use heddle::memory::admit_host;
use heddle::profile::write_whole;
use serde_json::json;

use super::centrality::Measure;
use super::{LatticeArguments, SiteCoordinates, free_ends, site_bytes, site_or, words};
use crate::cli::output::{Output, note};
use crate::cli::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// Write to this file: an HTML page if its name ends in .html, else SVG.
    #[arg(long, short, value_name = "FILE", default_value = "lattice.svg")]
    output: PathBuf,

    /// The value that colours show.
    #[arg(long, value_enum, default_value_t = Colour::Distances)]
    colour: Colour,

    /// Draw no path.
    #[arg(long)]
    no_path: bool,

    /// Start of the path and source of the distances (default: the first free site).
    #[arg(long, value_name = "X,Y,…")]
    from: Option<SiteCoordinates>,

    /// End of the path (default: the last free site).
    #[arg(long, value_name = "X,Y,…")]
    to: Option<SiteCoordinates>,

    /// The two axes shown, down and right (default: the last two).
    #[arg(long, value_name = "AXIS,AXIS", value_delimiter = ',', num_args = 1)]
    axes: Vec<usize>,

    /// Coordinates of the slice, one per axis (default: 0).
    #[arg(long, value_name = "X,Y,…")]
    at: Option<SiteCoordinates>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    /// No colours.
    None,
    /// The distance from --from.
    Distances,
    /// The number of neighbours.
    Degree,
    /// The inverse of the mean distance to all others.
    Closeness,
    /// The number of shortest paths through the site.
    Betweenness,
    /// The leading eigenvector of the adjacency matrix.
    Eigenvector,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let lattice = arguments.lattice.lattice()?;
    let (first, last) = free_ends(&lattice)?;
    let from = site_or(&lattice, arguments.from.as_ref(), first)?;
    let to = site_or(&lattice, arguments.to.as_ref(), last)?;
    let mut picture = Picture::new(&lattice);
    match arguments.axes[..] {
        [] => {}
        [down, right] => picture = picture.axes(down, right),
        _ => {
            return Err(Failure::Usage {
                message: format!("--axes takes two axes, but got {}", arguments.axes.len()),
                hint: "such as --axes 0,1".to_owned(),
            });
        }
    }
    if let Some(at) = &arguments.at {
        picture = picture.at(at.coordinates());
    }
    // Before anything is computed for a picture that cannot be drawn.
    picture.check()?;
    let path = path(&lattice, from, to, arguments)?;
    let values = values(config, &lattice, from, arguments.colour)?;
    picture = picture.path(&path);
    if let Some((name, values)) = &values {
        picture = picture.values(name, values);
    }
    let is_page = arguments
        .output
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    let drawn = if is_page {
        picture.html()?
    } else {
        picture.svg()?
    };
    let file = &arguments.output;
    output.leave_standard_output_to(file);
    let bytes = write_whole(file, |to| to.write_all(drawn.as_bytes()))?;
    if output.is_json() {
        return Ok(output.object(&json!({ "file": file, "bytes": bytes }))?);
    }
    output.line(words(&lattice))?;
    output.line(format_args!("{}: {bytes} bytes", file.display()))?;
    Ok(())
}

/// Returns the path to draw. A missing path between default ends is a note, not a failure.
fn path(
    lattice: &Lattice,
    from: Site,
    to: Site,
    arguments: &Arguments,
) -> Result<Vec<Site>, Failure> {
    if arguments.no_path {
        return Ok(Vec::new());
    }
    let is_named = arguments.from.is_some() || arguments.to.is_some();
    match lattice.shortest_path(from, to) {
        Ok(path) => Ok(path.vertices),
        Err(error @ Error::NoPath { .. }) if !is_named => {
            note(format_args!("drawn without a path: {error}"));
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the name of the coloured value and one number per site.
fn values(
    config: &Config,
    lattice: &Lattice,
    from: Site,
    colour: Colour,
) -> Result<Option<(&'static str, Vec<f64>)>, Failure> {
    let measure = match colour {
        Colour::None => return Ok(None),
        Colour::Distances => {
            let distances = lattice
                .distances_on(&CpuPool::new(config.threads), &[from])?
                .to_costs()?;
            return Ok(Some(("distance", distances)));
        }
        Colour::Degree => Measure::Degree,
        Colour::Closeness => Measure::Closeness,
        Colour::Betweenness => Measure::Betweenness,
        Colour::Eigenvector => Measure::Eigenvector,
    };
    let scores = measure.of(&open(config)?, lattice)?;
    admit_host("a value for each site", site_bytes::<f64>(lattice))?;
    let values = (0..lattice.sites())
        .map(|site| scores.at(site).unwrap_or(f64::NAN))
        .collect();
    Ok(Some((measure.name(), values)))
}
