//! The command line: arguments, exit codes, and one file per subcommand.
//!
//! Nothing is computed here. A subcommand asks the library, then prints what it
//! got as text or, with `--json`, as one object.

mod arc;
mod bench;
mod calibrate;
mod devices;
mod explain;
mod interrupt;
mod lattice;
mod memory;
mod output;
mod profile;
mod progress;
mod run;
mod selftest;
mod size;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heddle::config::Config;
use heddle::device::{DeviceFamily, DeviceId};
use heddle::error::with_causes;
use heddle::{DiscoveredDevices, Error, Runtime};

use output::Output;

/// Many small array operations, each on the device that answers soonest.
#[derive(Debug, Parser)]
#[command(
    name = "heddle",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: GlobalArguments,
}

#[derive(Debug, clap::Args)]
struct GlobalArguments {
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    json: bool,

    /// Send every operation to this device: cpu, cuda:0, simt:0, or auto.
    #[arg(long, global = true, value_name = "DEVICE")]
    device: Option<String>,

    /// Threads of the CPU device (default: all this process may use).
    #[arg(long, global = true, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,

    /// Read this file instead of ./heddle.toml.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a mixed workload and show what ran where, why and how long.
    Run(run::Arguments),
    /// List the devices of this machine.
    Devices,
    /// Measure this machine and keep the result.
    Calibrate(calibrate::Arguments),
    /// Show what an operation would cost on each device.
    Explain(explain::Arguments),
    /// Time a suite of operations.
    Bench(bench::Arguments),
    /// Show the memory of every device, or replay a log of allocations.
    Memory(memory::Arguments),
    /// Ask an N-dimensional lattice: paths, distances, structure, pictures.
    Lattice(lattice::Arguments),
    /// Compare every operation on a device with the processor's answer.
    Selftest(selftest::Arguments),
    /// Look at, export or compare recorded runs.
    Profile(profile::Arguments),
    /// Run programs over coloured grids: check, evaluate, merge, generate, time.
    Arc(arc::Arguments),
    /// Serve a recorded run's figures to Prometheus.
    ServeMetrics(profile::metrics::Arguments),
}

/// What ended a command early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The library said no.
    #[error(transparent)]
    Heddle(#[from] Error),
    /// A lattice said no.
    #[error(transparent)]
    Lattice(heddle::lattice::Error),
    /// A profile could not be written.
    #[error(transparent)]
    Profile(#[from] heddle::profile::ProfileError),
    /// A log of allocations could not be replayed.
    #[error(transparent)]
    Replay(#[from] heddle::memory::ReplayError),
    /// ARC tasks, programs or vectors could not be read, or not all were right.
    #[error("{message}")]
    Arc {
        message: String,
        hint: Option<String>,
    },
    /// The result could not be printed.
    #[error("cannot write the result")]
    Io(#[from] io::Error),
    /// The arguments make no sense together.
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// A device answers differently from the processor. The result, with every
    /// number, was printed.
    #[error("{devices} did not pass")]
    Unfit { devices: String },
    /// A run is worse than the one before it. The comparison was printed.
    #[error("{what} became worse")]
    Regression { what: String },
    /// Ctrl-C. What was done until then was printed.
    #[error("interrupted after {done} of {of} evaluations")]
    Interrupted { done: u64, of: u64 },
}

/// What the road said to a lattice is what it would have said to anybody.
impl From<heddle::lattice::Error> for Failure {
    fn from(error: heddle::lattice::Error) -> Self {
        match error {
            heddle::lattice::Error::Runtime(error) => Self::Heddle(error),
            error => Self::Lattice(error),
        }
    }
}

impl Failure {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Heddle(error) => error.hint(),
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Arc { hint, .. } => hint.clone(),
            Self::Replay(_) => Some(
                "write one with `heddle run --memory-log FILE` or `memory.log` in heddle.toml"
                    .to_owned(),
            ),
            Self::Profile(error) => Some(error.hint().to_owned()),
            Self::Interrupted { .. } => {
                Some("tasks that were not finished are left out of the result".to_owned())
            }
            Self::Lattice(_) | Self::Io(_) | Self::Unfit { .. } | Self::Regression { .. } => None,
        }
    }

    fn code(&self) -> u8 {
        match self {
            // A configuration or a device name that cannot be used is the
            // caller's, like any other argument.
            Self::Usage { .. }
            | Self::Heddle(
                Error::Config { .. } | Error::BadDeviceName { .. } | Error::NoSuchDevice { .. },
            ) => 2,
            // That there is no path is an answer; anything else was asked wrongly.
            Self::Lattice(error) if !is_negative_result(error) => 2,
            Self::Heddle(_)
            | Self::Lattice(_)
            | Self::Profile(_)
            | Self::Replay(_)
            | Self::Arc { .. }
            | Self::Io(_)
            | Self::Unfit { .. } => 1,
            Self::Regression { .. } => 3,
            Self::Interrupted { .. } => interrupt::INTERRUPTED,
        }
    }
}

/// Whether a lattice's error is about the lattice and not about the question.
fn is_negative_result(error: &heddle::lattice::Error) -> bool {
    use heddle::lattice::Error;
    matches!(
        error,
        Error::NoPath { .. } | Error::NoShortPath { .. } | Error::Unverified { .. }
    )
}

/// Reads the arguments, runs the command, answers with its exit code.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut output = Output::new(arguments.common.json);
    let done = dispatch(&arguments, &mut output);
    // A result that shows a failure is still a result.
    let printed = output.flush().map_err(Failure::from);
    let result = done.and(printed);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            let mut screen = anstream::stderr().lock();
            // Nowhere is left to report a failure to report.
            let _ = writeln!(screen, "error: {}", with_causes(&failure));
            if let Some(hint) = failure.hint() {
                let _ = writeln!(screen, "hint: {hint}");
            }
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let config = configure(&arguments.common)?;
    match &arguments.command {
        Command::Run(run) => run::run(&config, run, output),
        Command::Devices => devices::run(&config, output),
        Command::Calibrate(calibrate) => calibrate::run(&config, calibrate, output),
        Command::Explain(explain) => explain::run(&config, explain, output),
        Command::Bench(bench) => bench::run(&config, bench, output),
        Command::Lattice(lattice) => lattice::run(&config, lattice, output),
        Command::Memory(memory) => memory::run(&config, memory, output),
        Command::Selftest(selftest) => selftest::run(&config, selftest, output),
        Command::Profile(profile) => profile::run(profile, output),
        Command::Arc(arc) => arc::run(&config, arc, output),
        Command::ServeMetrics(metrics) => profile::metrics::run(metrics, output),
    }
}

/// The configuration with the flags on top of it.
fn configure(common: &GlobalArguments) -> Result<Config, Failure> {
    let mut config = match &common.config {
        Some(file) => Config::load_from(file)?,
        None => Config::load()?,
    };
    // Taken, so that no runtime tells them again among its notes.
    for warning in std::mem::take(&mut config.warnings) {
        // A warning is not worth failing for.
        let _ = writeln!(anstream::stderr().lock(), "warning: {warning}");
    }
    match common.device.as_deref() {
        None => {}
        Some("auto") => config.device = None,
        Some(name) => config.device = Some(name.parse::<DeviceId>()?),
    }
    if let Some(threads) = common.threads {
        config.threads = Some(threads.get());
    }
    Ok(config)
}

/// A runtime on all of this machine's devices, with its notes shown where they
/// do not disturb the result.
fn open(config: &Config) -> Result<Runtime, Failure> {
    open_devices(&DiscoveredDevices::find(config)?, config)
}

/// The same of devices that were found before.
fn open_devices(discovery: &DiscoveredDevices, config: &Config) -> Result<Runtime, Failure> {
    let runtime = discovery
        .builder(config.clone())
        .build()
        .map_err(|error| with_gpu_hint(error, discovery))?;
    for note in runtime.notes() {
        // A note is not worth failing for.
        let _ = writeln!(anstream::stderr().lock(), "note: {note}");
    }
    Ok(runtime)
}

/// A GPU that was asked for and is not there, with the reason why none is.
fn with_gpu_hint(error: Error, discovery: &DiscoveredDevices) -> Failure {
    match (&error, discovery.why_no_gpu()) {
        (Error::NoSuchDevice { asked, .. }, Some(why)) if asked.family() == DeviceFamily::CUDA => {
            Failure::Usage {
                message: error.to_string(),
                hint: format!("no GPU was found: {why}"),
            }
        }
        _ => error.into(),
    }
}

/// Keeps what was learned; a cache folder that cannot be written is a note.
fn save_models(runtime: &Runtime) -> Vec<PathBuf> {
    runtime.save_models().unwrap_or_else(|error| {
        let _ = writeln!(
            anstream::stderr().lock(),
            "note: what was measured is not kept: {}",
            with_causes(&error)
        );
        Vec::new()
    })
}
