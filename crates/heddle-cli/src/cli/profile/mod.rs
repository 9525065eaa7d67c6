//! `heddle profile`: what a recorded run says, from every side.
//!
//! One file per subcommand; `metrics` is a command of its own, because it stays.
//! Everything that is computed is computed in `heddle-profile`, except flame
//! graphs: the crate that draws them is under a licence the libraries stay free
//! of.

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
use super::output::{FAINT, Output};
use super::size;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show where the time of a run went.
    Show(show::Arguments),
    /// Make a page of a run that opens in any browser, offline.
    Report(report::Arguments),
    /// Draw a flame graph, or the difference between two runs.
    Flame(flame::Arguments),
    /// Write a trace that Perfetto and Chrome open.
    Trace(trace::Arguments),
    /// Compare two runs; exits 3 if the second is worse.
    Compare(compare::Arguments),
    /// Say what would make a run faster, and by how much.
    Suggest(suggest::Arguments),
}

/// How large a file may become.
#[derive(Debug, clap::Args)]
struct FileCap {
    /// Keep the file within this many bytes, such as 64M; the newest spans stay.
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

/// `run.json` with another ending, where no file was named.
fn output_path(file: &Path, asked: Option<&Path>, ending: &str) -> PathBuf {
    asked.map_or_else(|| file.with_extension(ending), Path::to_owned)
}

/// Says what was written, and what was not.
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
            "{FAINT}{} spans were left out to stay within the cap (--cap){FAINT:#}",
            written.left_out
        ))?;
    }
    Ok(())
}

/// One line that says what a run is and how much of it is here.
fn print_run(recording: &Recording, output: &mut Output) -> io::Result<()> {
    let machine = &recording.machine;
    let label = match recording.label.as_str() {
        "" => "a run".to_owned(),
        label => label.escape_debug().to_string(),
    };
    let place = if machine.cpu.is_empty() {
        String::new()
    } else {
        let devices: Vec<String> = machine
            .devices
            .iter()
            .filter(|device| device.id != "cpu")
            .map(|device| format!("{} ({})", device.id, device.name))
            .collect();
        let devices = if devices.is_empty() {
            String::new()
        } else {
            format!(" and {}", devices.join(", "))
        };
        format!(" on {} ({} threads){devices}", machine.cpu, machine.cores)
    };
    output.line(format_args!(
        "{label}{place}: {} spans recorded, {} here",
        recording.recorded(),
        recording.spans.len(),
    ))?;
    if recording.overwritten > 0 {
        output.line(format_args!(
            "{FAINT}{} older spans were overwritten; `profile.capacity_spans` says how many are kept{FAINT:#}",
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

/// A name on one line, whatever it holds.
fn shown(name: &str) -> String {
    match name {
        "" => "-".to_owned(),
        name => name
            .chars()
            .flat_map(|character| {
                let escaped = character.is_control().then(|| character.escape_default());
                let plain = (!character.is_control()).then_some(character);
                escaped.into_iter().flatten().chain(plain)
            })
            .collect(),
    }
}
