//! `heddle profile suggest`: lists changes that would make a run faster.

use std::path::PathBuf;

use heddle::profile::Suggestion;
use heddle::recording;
use heddle::units::Nanos;
use serde_json::json;

use super::print_run;
use crate::cli::Failure;
use crate::cli::output::{ACCENT, Output};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let recording = recording::read(&arguments.file)?.0;
    let suggestions = recording.suggestions();
    if output.is_json() {
        return Ok(output.object(&json!({ "suggestions": suggestions }))?);
    }
    print_run(&recording, output)?;
    if suggestions.is_empty() {
        output.line("\nNo suggestions for this run.")?;
    }
    for (number, suggestion) in (1..).zip(&suggestions) {
        output.line(format_args!(
            "\n{number}. {}.",
            super::shown(&suggestion.found)
        ))?;
        output.line(format_args!(
            "   {ACCENT}{}{ACCENT:#}",
            super::shown(&suggestion.action)
        ))?;
        if let Some(saving) = saving(suggestion) {
            output.line(format_args!("   {saving}"))?;
        }
    }
    Ok(())
}

fn saving(suggestion: &Suggestion) -> Option<String> {
    let ns = suggestion.predicted_saving_ns?;
    let share = suggestion.predicted_share.unwrap_or(0.0);
    Some(format!(
        "predicted to save {} ({:.1} % of this run)",
        Nanos(ns),
        share * 100.0
    ))
}
