//! `heddle profile report`: writes a recorded run as one HTML page that works offline.

use std::io::Write;
use std::path::{Path, PathBuf};

use heddle::profile::{report, write_whole};
use heddle::recording;
use serde_json::json;

use super::output_path;
use crate::cli::Failure;
use crate::cli::output::Output;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run (default: the page shows a demonstration and loads a file
    /// dropped onto it).
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Write here (default: beside FILE, ending in .html).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let asked = arguments.output.as_deref();
    let (file, page) = if let Some(recording) = &arguments.file {
        (output_path(recording, asked, "html"), page_of(recording)?)
    } else {
        let file = asked.unwrap_or(Path::new("heddle-profile.html"));
        (file.to_owned(), report::render_demo())
    };
    output.leave_standard_output_to(&file);
    let bytes = write(&file, &page)?;
    if output.is_json() {
        return Ok(output.object(&json!({ "file": file, "bytes": bytes }))?);
    }
    output.line(format_args!("{}: {bytes} bytes", file.display()))?;
    Ok(())
}

/// Returns the page of a recording. Fails if the file is not a valid recording.
pub(in crate::cli) fn page_of(file: &Path) -> Result<String, Failure> {
    let (recording, json) = recording::read(file)?;
    let title = match recording.label.as_str() {
        "" => "Heddle profile",
        label => label,
    };
    Ok(report::render(&json, title))
}

/// Writes a page completely or not at all. Returns its size in bytes.
pub(in crate::cli) fn write(file: &Path, page: &str) -> Result<u64, Failure> {
    Ok(write_whole(file, |to| {
        Write::write_all(to, page.as_bytes())
    })?)
}
