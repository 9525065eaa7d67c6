//! `heddle profile trace`: writes a trace for timeline viewers.

use std::path::PathBuf;

use heddle::recording;

use super::{FileCap, output_path, print_written};
use crate::cli::Failure;
use crate::cli::output::Output;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write here (default: beside FILE, ending in .trace.json).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    cap: FileCap,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let recording = recording::read(&arguments.file)?.0;
    let file = output_path(&arguments.file, arguments.output.as_deref(), "trace.json");
    output.leave_standard_output_to(&file);
    let written = recording.write_trace(&file, arguments.cap.bytes())?;
    print_written(&file, &written, output)?;
    if !output.is_json() {
        output.line("Open it at https://ui.perfetto.dev or in chrome://tracing.")?;
    }
    Ok(())
}
