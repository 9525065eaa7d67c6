//! `heddle profile flame`: writes a flame graph of one run, or of the difference between
//! two runs, as one SVG file.

use std::io;
use std::path::{Path, PathBuf};

use heddle::profile::{Recording, WrittenFile};
use heddle::recording;
use inferno::{differential, flamegraph};

use super::{FileCap, output_path, print_written};
use crate::cli::Failure;
use crate::cli::output::Output;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Draw the difference from this earlier run: red took longer, blue less.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Write collapsed stacks for other programs instead of an SVG.
    #[arg(long, conflicts_with = "against")]
    collapsed: bool,

    /// Write here (default: beside FILE, ending in .svg or .stacks).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    cap: FileCap,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let recording = recording::read(&arguments.file)?.0;
    let ending = if arguments.collapsed { "stacks" } else { "svg" };
    let file = output_path(&arguments.file, arguments.output.as_deref(), ending);
    output.leave_standard_output_to(&file);
    if arguments.collapsed {
        let written = recording.write_collapsed(&file, arguments.cap.bytes())?;
        return Ok(print_written(&file, &written, output)?);
    }
    if recording.collapsed_stacks().is_empty() {
        return Err(Failure::Usage {
            message: format!(
                "{} has no span with a duration to draw",
                arguments.file.display()
            ),
            hint: "record a run that executes operations".to_owned(),
        });
    }
    let against = arguments
        .against
        .as_ref()
        .map(recording::read)
        .transpose()?;
    let before = against.as_ref().map(|(recording, _)| recording);
    let (picture, left_out) = within(arguments.cap.bytes(), &recording, before)?;
    let written = write(&file, &picture, &recording, left_out)?;
    Ok(print_written(&file, &written, output)?)
}

/// Returns the picture and the number of spans left out. Halves the number of stacks
/// until the picture fits the cap; one stack is drawn whatever its size.
fn within(
    cap_bytes: u64,
    recording: &Recording,
    before: Option<&Recording>,
) -> io::Result<(Vec<u8>, u64)> {
    let mut most = recording.collapsed_stacks().len();
    loop {
        let (stacks, left_out) = recording.heaviest_stacks(most);
        let picture = match before {
            None => draw(&stacks, "Time by call stack")?,
            Some(before) => draw(
                &difference(&before.heaviest_stacks(most).0, &stacks)?,
                "Difference: red took longer, blue less",
            )?,
        };
        if picture.len() as u64 <= cap_bytes || most <= 1 {
            return Ok((picture, left_out));
        }
        most /= 2;
    }
}

fn draw(stacks: &[String], title: &str) -> io::Result<Vec<u8>> {
    let mut options = flamegraph::Options::default();
    title.clone_into(&mut options.title);
    "ns".clone_into(&mut options.count_name);
    // The same recording gives the same picture.
    options.deterministic = true;
    let mut picture = Vec::new();
    let lines = stacks.iter().map(String::as_str);
    flamegraph::from_lines(&mut options, lines, &mut picture)?;
    Ok(picture)
}

/// Returns the stacks of both runs, sorted, with the times of both.
fn difference(before: &[String], after: &[String]) -> io::Result<Vec<String>> {
    let options = differential::Options {
        normalize: true,
        ..differential::Options::default()
    };
    let mut lines = Vec::new();
    differential::from_readers(
        options,
        before.join("\n").as_bytes(),
        after.join("\n").as_bytes(),
        &mut lines,
    )?;
    let mut lines: Vec<String> = String::from_utf8_lossy(&lines)
        .lines()
        .map(str::to_owned)
        .collect();
    // `inferno` writes them in no fixed order.
    lines.sort_unstable();
    Ok(lines)
}

/// Writes the picture completely or not at all.
fn write(
    file: &Path,
    picture: &[u8],
    recording: &Recording,
    left_out: u64,
) -> Result<WrittenFile, Failure> {
    heddle::profile::write_whole(file, |file| file.write_all(picture))?;
    Ok(WrittenFile {
        bytes: picture.len() as u64,
        spans: (recording.spans.len() as u64).saturating_sub(left_out),
        left_out,
    })
}
