//! `heddle lattice transform`: one value per site, xored, normalized or scaled on
//! whichever device answers soonest.

use std::path::{Path, PathBuf};

use heddle::config::Config;
use heddle::lattice::Lattice;
use heddle::lattice::transform::{Arguments as Settings, Key, Signal, apply_transformation};
use heddle::profile::write_whole;
use heddle::units::Nanos;
use heddle::{Array, Error, Runtime};
use serde::Serialize;

use super::{Description, words};
use crate::cli::output::Output;
use crate::cli::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// xor, normalize or scale.
    transformation: String,

    #[command(flatten)]
    lattice: Description,

    /// Read one byte per site here (default: drawn from --seed).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Write the result here: bytes for xor, little-endian f64 otherwise.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// For xor: the key, repeated over the sites (default: drawn from --seed).
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    /// For scale.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    factor: f64,

    /// For scale, added after.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    offset: f64,
}

#[derive(Serialize)]
struct Answer {
    transformation: String,
    sites: u64,
    device: String,
    elapsed_ns: u64,
    before: Outline,
    after: Outline,
    /// Of xor: whether doing it again gives the values back. It was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<bool>,
}

/// Enough of the values to see what became of them.
#[derive(Serialize)]
struct Outline {
    first: Vec<f64>,
    least: f64,
    greatest: f64,
    mean: f64,
}

/// Values an outline begins with.
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
    let settings = Settings {
        key: Some(match &arguments.key {
            Some(text) => Key::Bytes(text.as_bytes()),
            // Another draw than the values'.
            None => Key::Seed(!seed),
        }),
        factor: arguments.factor,
        offset: arguments.offset,
        ..Settings::default()
    };
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
        Signal::Bytes(data) => {
            let again = apply_transformation(&runtime, name, &result, &settings)?;
            Some(matches!(&again, Signal::Bytes(back) if back.as_slice()? == data.as_slice()?))
        }
        Signal::Float32(_) | Signal::Float64(_) => None,
    };
    let answer = Answer {
        transformation: name.clone(),
        sites: lattice.sites(),
        device,
        elapsed_ns: elapsed.as_nanos() as u64,
        before: outline(&signal)?,
        after: outline(&result)?,
        undone,
    };
    if let Some(file) = &arguments.output {
        write(file, &result)?;
    }
    if output.is_json() {
        return Ok(output.object(&answer)?);
    }
    output.line(words(&lattice))?;
    print(&answer, output)
}

/// One value per site: bytes for xor, numbers from 0 to 255 otherwise.
fn signal(runtime: &Runtime, lattice: &Lattice, arguments: &Arguments) -> Result<Signal, Failure> {
    let bytes = if let Some(file) = &arguments.input {
        read(file, lattice.sites())?
    } else {
        let sites = usize::try_from(lattice.sites()).unwrap_or(usize::MAX);
        runtime.random::<u8>(&[sites], arguments.lattice.seed)?
    };
    if arguments.transformation == "xor" {
        return Ok(Signal::Bytes(bytes));
    }
    let values: Vec<f64> = bytes.as_slice()?.iter().copied().map(f64::from).collect();
    Ok(Signal::Float64(Array::from_slice(&values)))
}

/// A file of one byte per site.
fn read(file: &Path, sites: u64) -> Result<Array<u8>, Failure> {
    let bytes = std::fs::read(file).map_err(|source| Error::File {
        action: "read",
        path: file.to_owned(),
        source,
    })?;
    if bytes.len() as u64 != sites {
        return Err(Failure::Usage {
            message: format!(
                "{} has {} bytes, but the lattice has {sites} sites",
                file.display(),
                bytes.len()
            ),
            hint: "give one byte per site".to_owned(),
        });
    }
    Ok(Array::from_slice(&bytes))
}

fn outline(signal: &Signal) -> Result<Outline, Failure> {
    let values: Vec<f64> = match signal {
        Signal::Bytes(values) => values.as_slice()?.iter().copied().map(f64::from).collect(),
        Signal::Float32(values) => values.as_slice()?.iter().copied().map(f64::from).collect(),
        Signal::Float64(values) => values.as_slice()?.to_vec(),
    };
    Ok(Outline {
        first: values.iter().copied().take(FIRST).collect(),
        least: values.iter().copied().fold(f64::INFINITY, f64::min),
        greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
    })
}

fn write(file: &Path, signal: &Signal) -> Result<(), Failure> {
    let bytes: Vec<u8> = match signal {
        Signal::Bytes(values) => values.as_slice()?.to_vec(),
        Signal::Float32(values) => values
            .as_slice()?
            .iter()
            .flat_map(|value| f64::from(*value).to_le_bytes())
            .collect(),
        Signal::Float64(values) => values
            .as_slice()?
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    };
    write_whole(file, |to| std::io::Write::write_all(to, &bytes))?;
    Ok(())
}

fn print(answer: &Answer, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "\n{} of {} values on {} in {}",
        answer.transformation,
        answer.sites,
        answer.device,
        Nanos(answer.elapsed_ns)
    ))?;
    for (when, outline) in [("before", &answer.before), ("after", &answer.after)] {
        let first: Vec<String> = outline.first.iter().map(|value| short(*value)).collect();
        output.line(format_args!(
            "  {when:6}  {} …  from {} to {}, mean {}",
            first.join(" "),
            short(outline.least),
            short(outline.greatest),
            short(outline.mean)
        ))?;
    }
    match answer.undone {
        Some(true) => output.line("done again, it gave the values back")?,
        Some(false) => output.line("done again, it did NOT give the values back")?,
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
