//! `heddle lattice transform`: xors, normalizes or scales one value per site on the device
//! that the router chooses.

use std::cmp::Ordering;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use heddle::config::Config;
use heddle::lattice::Lattice;
use heddle::lattice::transform::{
    TransformArguments, TransformValues, XorKey, apply_transformation,
};
use heddle::memory::admit_host;
use heddle::profile::write_whole;
use heddle::units::{Bytes, Nanos};
use heddle::{Array, Error, Runtime};
use serde::Serialize;

use super::{LatticeArguments, words};
use crate::cli::output::Output;
use crate::cli::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The transformation: xor, normalize or scale.
    transformation: String,

    #[command(flatten)]
    lattice: LatticeArguments,

    /// Read one byte per site from this file (default: random bytes by --seed).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Write the result to this file: bytes for xor, little-endian f64 otherwise.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// For xor: the key, repeated over the sites (default: random by --seed).
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    /// For scale: the factor.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    factor: f64,

    /// For scale: the offset, added after the multiplication.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    offset: f64,
}

#[derive(Serialize)]
struct TransformReport {
    transformation: String,
    sites: u64,
    device: String,
    elapsed_ns: u64,
    before: ValueSummary,
    after: ValueSummary,
    /// For xor: whether a second xor with the key restored the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<bool>,
}

/// The first values, the extremes and the mean.
#[derive(Serialize)]
struct ValueSummary {
    first: Vec<f64>,
    least: f64,
    greatest: f64,
    mean: f64,
}

/// Number of first values in a summary.
const FIRST: usize = 8;

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let lattice = arguments.lattice.lattice()?;
    let runtime = open(config)?;
    let signal = signal(&runtime, &lattice, arguments)?;
    let seed = arguments.lattice.seed;
    let settings = TransformArguments::default().with(|it| {
        it.key = Some(match &arguments.key {
            Some(text) => XorKey::Bytes(text.as_bytes()),
            // Another seed than the values'.
            None => XorKey::Seed(!seed),
        });
        it.factor = arguments.factor;
        it.offset = arguments.offset;
    });
    let name = &arguments.transformation;
    let start = std::time::Instant::now();
    let result = apply_transformation(&runtime, name, &signal, &settings)?;
    let elapsed = start.elapsed();
    let device = runtime
        .report()
        .summary
        .rows
        .iter()
        .find(|row| row.operation.contains(name.as_str()))
        .map_or_else(String::new, |row| row.device.clone());
    let undone = match &signal {
        TransformValues::Bytes(data) => {
            let again = apply_transformation(&runtime, name, &result, &settings)?;
            Some(
                matches!(&again, TransformValues::Bytes(back) if back.as_slice()? == data.as_slice()?),
            )
        }
        TransformValues::Float32(_) | TransformValues::Float64(_) => None,
    };
    let report = TransformReport {
        transformation: name.clone(),
        sites: lattice.sites(),
        device,
        elapsed_ns: elapsed.as_nanos() as u64,
        before: value_summary(&signal)?,
        after: value_summary(&result)?,
        undone,
    };
    if let Some(file) = &arguments.output {
        output.leave_standard_output_to(file);
        write(file, &result)?;
    }
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    output.line(words(&lattice))?;
    print(&report, output)
}

/// Returns one value per site: bytes for xor, numbers from 0 to 255 otherwise.
fn signal(
    runtime: &Runtime,
    lattice: &Lattice,
    arguments: &Arguments,
) -> Result<TransformValues, Failure> {
    let bytes = if let Some(file) = &arguments.input {
        read(file, lattice.sites())?
    } else {
        let sites = usize::try_from(lattice.sites()).unwrap_or(usize::MAX);
        runtime.random::<u8>(&[sites], arguments.lattice.seed)?
    };
    if arguments.transformation == "xor" {
        return Ok(TransformValues::Bytes(bytes));
    }
    admit_host(
        "a copy of the values as floats",
        Bytes::of::<f64>(bytes.len()),
    )?;
    let values: Vec<f64> = bytes.as_slice()?.iter().copied().map(f64::from).collect();
    Ok(TransformValues::Float64(Array::from(values)))
}

/// Reads a file of one byte per site.
fn read(file: &Path, sites: u64) -> Result<Array<u8>, Failure> {
    let refused = |found: String| Failure::Usage {
        message: format!(
            "{} has {found} bytes, but the lattice has {sites} sites",
            file.display()
        ),
        hint: "give one byte per site".to_owned(),
    };
    let failed = |source| Error::File {
        action: "read",
        path: file.to_owned(),
        source,
    };
    let opened = File::open(file).map_err(failed)?;
    let found = opened.metadata().map_err(failed)?;
    if found.is_file() && found.len() != sites {
        return Err(refused(found.len().to_string()));
    }
    admit_host("a copy of the file", Bytes(sites))?;
    let mut bytes = Vec::with_capacity(sites as usize);
    // A pipe or a device may have no end.
    opened
        .take(sites + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match (bytes.len() as u64).cmp(&sites) {
        Ordering::Equal => Ok(Array::from(bytes)),
        Ordering::Less => Err(refused(bytes.len().to_string())),
        Ordering::Greater => Err(refused(format!("more than {sites}"))),
    }
}

fn value_summary(signal: &TransformValues) -> Result<ValueSummary, Failure> {
    Ok(match signal {
        TransformValues::Bytes(values) => summary_of(values.as_slice()?),
        TransformValues::Float32(values) => summary_of(values.as_slice()?),
        TransformValues::Float64(values) => summary_of(values.as_slice()?),
    })
}

fn summary_of<T: Copy + Into<f64>>(values: &[T]) -> ValueSummary {
    let floats = || values.iter().map(|&value| value.into());
    ValueSummary {
        first: floats().take(FIRST).collect(),
        least: floats().fold(f64::INFINITY, f64::min),
        greatest: floats().fold(f64::NEG_INFINITY, f64::max),
        mean: floats().sum::<f64>() / values.len().max(1) as f64,
    }
}

fn write(file: &Path, signal: &TransformValues) -> Result<(), Failure> {
    match signal {
        TransformValues::Bytes(values) => {
            let values = values.as_slice()?;
            write_whole(file, |to| to.write_all(values))?;
        }
        TransformValues::Float32(values) => {
            let mut values = values.as_slice()?.iter();
            write_whole(file, |to| {
                values.try_for_each(|value| to.write_all(&f64::from(*value).to_le_bytes()))
            })?;
        }
        TransformValues::Float64(values) => {
            let mut values = values.as_slice()?.iter();
            write_whole(file, |to| {
                values.try_for_each(|value| to.write_all(&value.to_le_bytes()))
            })?;
        }
    }
    Ok(())
}

fn print(report: &TransformReport, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "\n{} of {} values on {} in {}",
        report.transformation,
        report.sites,
        report.device,
        Nanos(report.elapsed_ns)
    ))?;
    for (when, value_summary) in [("before", &report.before), ("after", &report.after)] {
        let first: Vec<String> = value_summary
            .first
            .iter()
            .map(|value| short(*value))
            .collect();
        output.line(format_args!(
            "  {when:6}  {} …  from {} to {}, mean {}",
            first.join(" "),
            short(value_summary.least),
            short(value_summary.greatest),
            short(value_summary.mean)
        ))?;
    }
    match report.undone {
        Some(true) => output.line("a second xor restored the values")?,
        Some(false) => output.line("a second xor did NOT restore the values")?,
        None => {}
    }
    Ok(())
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.3}")
    }
}
