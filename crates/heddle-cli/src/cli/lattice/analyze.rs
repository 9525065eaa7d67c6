//! `heddle lattice analyze`: prints the global properties of a lattice.

use std::fmt;

use heddle::config::Config;
use heddle::lattice::centrality::ComputationMethod;
use heddle::lattice::structure::{Analysis, AnalysisLimits, Property};
use heddle::units::{Bytes, Nanos};

use super::{LatticeArguments, words};
use crate::cli::output::Output;
use crate::cli::table::table;
use crate::cli::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    lattice: LatticeArguments,

    /// Most pairs of vertices whose distances are computed where no formula gives them.
    #[arg(long, value_name = "N", value_parser = crate::cli::size::parse, default_value = "10G")]
    most_pairs: usize,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let lattice = arguments.lattice.lattice()?;
    let runtime = open(config)?;
    let limits = AnalysisLimits::default().with(|it| it.max_pairs = arguments.most_pairs as u64);
    let start = std::time::Instant::now();
    let analysis = heddle::lattice::analyze(&runtime, &lattice, &limits)?;
    let elapsed = Nanos(start.elapsed().as_nanos() as u64);
    if output.is_json() {
        return Ok(output.object(&analysis)?);
    }
    output.line(format_args!("{}\n", words(&lattice)))?;
    print(&analysis, output)?;
    output.line(format_args!("\nin {elapsed}"))?;
    Ok(())
}

fn print(analysis: &Analysis, output: &mut Output) -> Result<(), Failure> {
    let mut rows = table(&["property ", "value", "method "]);
    rows.add_row([
        "vertices".to_owned(),
        analysis.vertices.to_string(),
        String::new(),
    ]);
    rows.add_row(row("edges", &analysis.edges));
    rows.add_row(row("components", &analysis.components));
    rows.add_row(row(
        "diameter",
        &analysis.diameter.map(|value| short(*value)),
    ));
    rows.add_row(row("radius", &analysis.radius.map(|value| short(*value))));
    rows.add_row(row(
        "mean distance",
        &analysis.mean_distance.map(|value| short(*value)),
    ));
    rows.add_row(row(
        "mean degree",
        &analysis.mean_degree.map(|value| short(*value)),
    ));
    rows.add_row(row(
        "clustering",
        &analysis.clustering.map(|value| short(*value)),
    ));
    rows.add_row(row(
        "density",
        &analysis.density.map(|value| format!("{value:.3e}")),
    ));
    output.line(rows)?;
    let memory = &analysis.memory;
    output.line(format_args!(
        "\nmemory: {} as described, {} as an explicit graph, {:.1} times as much",
        Bytes(memory.described_bytes),
        Bytes(memory.explicit_bytes),
        memory.reduction
    ))?;
    Ok(())
}

fn row<T: fmt::Display>(name: &str, property: &Property<T>) -> [String; 3] {
    let (value, how) = match property {
        Property::Known { value, method } => (
            value.to_string(),
            match method {
                ComputationMethod::ClosedForm => "by formula",
                ComputationMethod::Symmetry => "by symmetry",
                _ => "computed",
            }
            .to_owned(),
        ),
        Property::Unavailable { reason } => ("-".to_owned(), reason.clone()),
    };
    [name.to_owned(), value, how]
}

/// Formats a whole number as it is, any other with six decimals.
fn short(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    format!("{value:.6}")
}
