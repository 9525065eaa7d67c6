//! The command line: arguments, exit codes, and one file per subcommand.
//!
//! A subcommand calls the library, then prints the result as text or, with `--json`, as
//! one object. Nothing is computed here.

mod arc;
mod bench;
mod calibrate;
mod devices;
mod escape;
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

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heddle::config::Config;
use heddle::device::{Device, DeviceFamily, DeviceId};
use heddle::error::with_causes;
use heddle::machine::Machine;
use heddle::memory::{AcceleratorMemory, ReplayError, set_host_limit};
use heddle::profile::{ProfileError, file_hint};
use heddle::{DiscoveredDevices, Error, Runtime};

use output::{Output, note, report};

/// Run very many small array, lattice and grid operations, each on the fastest device.
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

    /// Run every operation on this device: cpu, cuda:0, simt:0, or auto (route each).
    #[arg(long, global = true, value_name = "DEVICE")]
    device: Option<String>,

    /// Threads of the CPU device (default: all that this process may use).
    #[arg(long, global = true, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,

    /// Read this file instead of ./heddle.toml.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a mixed workload and show which device each operation ran on, why, and its time.
    Run(run::Arguments),
    /// List the devices of this machine.
    Devices,
    /// Measure this machine and save the cost models.
    Calibrate(calibrate::Arguments),
    /// Show the predicted cost of an operation on each device.
    Explain(explain::Arguments),
    /// Time a suite of operations.
    Bench(bench::Arguments),
    /// Show the memory of every device, replay an allocation log, or run a stress test.
    Memory(memory::Arguments),
    /// Compute on an N-dimensional lattice: paths, distances, structure, pictures.
    Lattice(lattice::Arguments),
    /// Compare the result of every operation on a device with the CPU's.
    Selftest(selftest::Arguments),
    /// Show, export or compare recorded runs.
    Profile(profile::Arguments),
    /// Programs over coloured grids: check, eval, batt, evolve, merge, generate, bench.
    Arc(arc::Arguments),
    /// Serve the metrics of a recorded run to Prometheus.
    ServeMetrics(profile::metrics::Arguments),
}

/// The error that ends a command.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// An error of the library.
    #[error(transparent)]
    Heddle(#[from] Error),
    /// An error of a lattice operation.
    #[error(transparent)]
    Lattice(heddle::lattice::Error),
    /// A profile could not be written.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A log of allocations could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// ARC tasks, programs or vectors could not be read, or a vector failed.
    #[error("{message}")]
    Arc {
        message: String,
        hint: Option<String>,
    },
    /// Measured cost models could not be saved.
    #[error("the measured cost models are not kept")]
    ModelsNotKept(#[source] Error),
    /// Measured cost models have no folder.
    #[error("the measured cost models are not kept: there is no folder for them")]
    NoCacheFolder,
    /// The result could not be printed.
    #[error("cannot write the result")]
    Io(#[from] io::Error),
    /// The arguments are invalid.
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// A device's results differ from the CPU's. The full report was printed before.
    #[error("{devices} did not pass")]
    Unfit { devices: String },
    /// The second run is slower or needs more memory. The comparison was printed before.
    #[error("{what} became worse")]
    Regression { what: String },
    /// Ctrl-C. The finished part was printed before.
    #[error("interrupted after {done} of {of} evaluations")]
    Interrupted { done: u64, of: u64 },
    /// Ctrl-C before the programs were written.
    #[error("interrupted after {done} of {of} programs; none was written")]
    GenerationInterrupted { done: usize, of: usize },
}

/// An error of the runtime inside a lattice operation is reported as a runtime error.
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
            Self::Heddle(Error::File { source, .. })
            | Self::ModelsNotKept(Error::File { source, .. }) => Some(file_hint(source).to_owned()),
            Self::Heddle(error) | Self::ModelsNotKept(error) => error.hint(),
            Self::Io(error) => Some(file_hint(error).to_owned()),
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Arc { hint, .. } => hint.clone(),
            Self::Replay(ReplayError::Memory { source, .. }) => source.hint(),
            Self::Replay(_) => Some(
                "write one with `heddle run --memory-log FILE` or `memory.log` in heddle.toml"
                    .to_owned(),
            ),
            Self::NoCacheFolder => Some("set HOME or HEDDLE_CACHE_DIR".to_owned()),
            Self::Profile(error) => hint_within(error).or_else(|| Some(error.hint().to_owned())),
            Self::Interrupted { .. } => {
                Some("the result leaves out the tasks that were not finished".to_owned())
            }
            Self::Lattice(_)
            | Self::Unfit { .. }
            | Self::Regression { .. }
            | Self::GenerationInterrupted { .. } => None,
        }
    }

    fn code(&self) -> u8 {
        match self {
            // An unusable configuration or device name is a wrong argument.
            Self::Usage { .. }
            | Self::Heddle(
                Error::Config { .. } | Error::BadDeviceName { .. } | Error::NoSuchDevice { .. },
            ) => 2,
            // A missing path is a result; any other lattice error is a wrong argument.
            Self::Lattice(error) if !is_negative_result(error) => 2,
            Self::Heddle(_)
            | Self::Lattice(_)
            | Self::Profile(_)
            | Self::Replay(_)
            | Self::Arc { .. }
            | Self::ModelsNotKept(_)
            | Self::NoCacheFolder
            | Self::Io(_)
            | Self::Unfit { .. } => 1,
            Self::Regression { .. } => 3,
            Self::Interrupted { .. } | Self::GenerationInterrupted { .. } => interrupt::INTERRUPTED,
        }
    }

    /// Whether the reader of a pipe that the command wrote to has closed it.
    fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Io(cause) | Self::Profile(ProfileError::Write { cause, .. }) => {
                cause.kind() == io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

/// Returns the hint of the error of the library that is this error or its cause, such as that of
/// memory that was refused while a file was read.
fn hint_within(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        // What an `io::Error` holds is not its source.
        let held = error
            .downcast_ref::<io::Error>()
            .and_then(|error| error.get_ref()?.downcast_ref::<Error>());
        if let Some(error) = held.or_else(|| error.downcast_ref()) {
            return error.hint();
        }
        next = error.source();
    }
    None
}

/// Whether the error states a property of the lattice, not a wrong argument.
fn is_negative_result(error: &heddle::lattice::Error) -> bool {
    use heddle::lattice::Error;
    matches!(
        error,
        Error::NoPath { .. } | Error::NoShortPath { .. } | Error::Unverified { .. }
    )
}

/// Reads the arguments, runs the command and returns its exit code.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and the version count as errors here; their code is that of success.
        Err(unparsed) => {
            let code = u8::try_from(unparsed.exit_code()).unwrap_or(2);
            let printed = output::print_unparsed(&unparsed).map_err(Failure::from);
            return printed.map_or_else(|failure| fail(&failure), |()| code.into());
        }
    };
    let mut output = Output::new(arguments.common.json);
    let done = dispatch(&arguments, &mut output);
    // A command that fails may have printed a result first.
    let printed = output.flush().map_err(Failure::from);
    let result = done.and(printed);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

/// Prints a failure and returns its exit code.
fn fail(failure: &Failure) -> ExitCode {
    if failure.is_broken_pipe() {
        return ExitCode::SUCCESS;
    }
    report("error", with_causes(failure));
    if let Some(hint) = failure.hint() {
        report("hint", hint);
    }
    ExitCode::from(failure.code())
}

fn dispatch(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let config = configure(&arguments.common)?;
    // Files are read and lattices made without a runtime, so the process's limit bounds them.
    set_host_limit(config.memory.host_limit.of(Machine::read().memory));
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

/// Returns the configuration, overridden by the flags.
fn configure(common: &GlobalArguments) -> Result<Config, Failure> {
    let mut config = match &common.config {
        Some(file) => Config::load_from(file)?,
        None => Config::load()?,
    };
    // Taken, so that no runtime repeats them among its notes.
    for warning in std::mem::take(&mut config.warnings) {
        report("warning", warning);
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

/// Opens a runtime on all devices of this machine and prints its notes on standard error.
fn open(config: &Config) -> Result<Runtime, Failure> {
    open_devices(&DiscoveredDevices::find(config)?, config)
}

/// Opens a runtime on devices that were found before; prints its notes as [`open`] does.
fn open_devices(discovery: &DiscoveredDevices, config: &Config) -> Result<Runtime, Failure> {
    let runtime = discovery
        .builder(config.clone())
        .build()
        .map_err(|error| with_gpu_hint(error, discovery))?;
    runtime.notes().iter().for_each(note);
    Ok(runtime)
}

/// Returns the first GPU and its memory. `purpose` is what the command would do with it.
fn first_gpu<'a>(
    runtime: &'a Runtime,
    purpose: &str,
) -> Result<(&'a dyn Device, &'a AcceleratorMemory), Failure> {
    let mut devices = runtime.devices();
    let gpu = devices.find(|device| device.id().has_own_memory());
    gpu.and_then(|gpu| Some((gpu.as_ref(), gpu.accelerator()?.memory()?)))
        .ok_or_else(|| Failure::Usage {
            message: format!("there is no GPU to {purpose}"),
            hint: format!("`heddle devices` says why; --device simt:0 {purpose}s the emulated one"),
        })
}

/// Adds the reason why no GPU was found to an error about a missing GPU.
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

/// Saves the cost models. A cache folder that cannot be written is a note, not a failure.
fn save_models(runtime: &Runtime) -> Vec<PathBuf> {
    runtime.save_models().unwrap_or_else(|error| {
        note(format_args!(
            "the measured cost models are not kept: {}",
            with_causes(&error)
        ));
        Vec::new()
    })
}
