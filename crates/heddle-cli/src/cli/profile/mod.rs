//! `heddle profile`: shows, exports and compares recorded runs.
//!
//! One file per subcommand; `metrics` is the command `serve-metrics`. All analysis is in
//! `heddle-profile`, except flame graphs: the licence of the crate that draws them
//! (CDDL) is kept out of the libraries.

mod compare;
mod flame;
pub(super) mod metrics;
pub(super) mod operations;
pub(super) mod report;
mod show;
mod suggest;
mod trace;

use std::io;
use std::path::{Path, PathBuf};

use heddle::profile::{Recording, WrittenFile};
use serde_json::json;

use super::Failure;
use super::escape::one_line;
use super::output::{FAINT, Output};
use super::size;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show tables of a run: operations, bottlenecks, decisions, memory.
    Show(show::Arguments),
    /// Write a run as one HTML page that works offline.
    Report(report::Arguments),
    /// Draw a flame graph, or the difference between two runs.
    Flame(flame::Arguments),
    /// Write a trace for Perfetto or `chrome://tracing`.
    Trace(trace::Arguments),
    /// Compare two runs; exits 3 if the second is worse.
    Compare(compare::Arguments),
    /// Suggest changes that would make a run faster, with the predicted saving.
    Suggest(suggest::Arguments),
}

/// The option that limits the size of a written file.
#[derive(Debug, clap::Args)]
struct FileCap {
    /// Limit the file to this many bytes, such as 64M; the oldest spans are left out.
    #[arg(long, default_value = "64M", value_name = "BYTES", value_parser = size::parse)]
    cap: usize,
}

impl FileCap {
    fn bytes(&self) -> u64 {
        self.cap as u64
    }
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    match &arguments.command {
        Command::Show(show) => show::run(show, output),
        Command::Report(report) => report::run(report, output),
        Command::Flame(flame) => flame::run(flame, output),
        Command::Trace(trace) => trace::run(trace, output),
        Command::Compare(compare) => compare::run(compare, output),
        Command::Suggest(suggest) => suggest::run(suggest, output),
    }
}

/// Returns the named file, else the recording's name with another ending.
fn output_path(file: &Path, asked: Option<&Path>, ending: &str) -> PathBuf {
    asked.map_or_else(|| file.with_extension(ending), Path::to_owned)
}

/// Prints the file, its size and the number of spans left out.
fn print_written(file: &Path, written: &WrittenFile, output: &mut Output) -> io::Result<()> {
    if output.is_json() {
        return output.object(&json!({
            "file": file,
            "bytes": written.bytes,
            "spans": written.spans,
            "left_out": written.left_out,
        }));
    }
    output.line(format_args!(
        "{}: {} spans, {} bytes",
        file.display(),
        written.spans,
        written.bytes
    ))?;
    if written.left_out > 0 {
        output.line(format_args!(
            "{FAINT}{} spans were left out to stay within --cap{FAINT:#}",
            written.left_out
        ))?;
    }
    Ok(())
}

/// Prints the run's label, machine and number of spans.
fn print_run(recording: &Recording, output: &mut Output) -> io::Result<()> {
    let machine = &recording.machine;
    let label = match recording.label.as_str() {
        "" => "a run".to_owned(),
        label => one_line(label),
    };
    let place = if machine.cpu.is_empty() {
        String::new()
    } else {
        let devices: Vec<String> = machine
            .devices
            .iter()
            .filter(|device| device.id != "cpu")
            .map(|device| one_line(&format!("{} ({})", device.id, device.name)))
            .collect();
        let devices = if devices.is_empty() {
            String::new()
        } else {
            format!(" and {}", devices.join(", "))
        };
        let cpu = one_line(&machine.cpu);
        format!(" on {cpu} ({} threads){devices}", machine.cores)
    };
    output.line(format_args!(
        "{label}{place}: {} spans recorded, {} in the file",
        recording.recorded(),
        recording.spans.len(),
    ))?;
    if recording.overwritten > 0 {
        output.line(format_args!(
            "{FAINT}{} older spans were overwritten; `profile.capacity_spans` sets how many are kept{FAINT:#}",
            recording.overwritten
        ))?;
    }
    if recording.left_out > 0 {
        output.line(format_args!(
            "{FAINT}{} older spans were left out of the file to stay within its cap{FAINT:#}",
            recording.left_out
        ))?;
    }
    if recording.sampled_one_in > 1 {
        output.line(format_args!(
            "{FAINT}about one span in {} was recorded{FAINT:#}",
            recording.sampled_one_in
        ))?;
    }
    Ok(())
}

/// Returns a name on one line, `-` if it is empty.
fn shown(name: &str) -> String {
    match name {
        "" => "-".to_owned(),
        name => one_line(name),
    }
}
