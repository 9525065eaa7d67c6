//! `heddle arc check`: checks every primitive against known results.

use std::path::PathBuf;

use heddle::arc::evaluators::CompactEvaluator;
use heddle::arc::golden;

use super::grouped;
use super::inputs::failure;
use crate::cli::Failure;
use crate::cli::output::{FAINT, Output};
use crate::cli::table::table;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A folder of .jsonl or .vectors files, or one such file.
    #[arg(long, value_name = "DIR")]
    vectors: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let vectors = golden::read(&arguments.vectors).map_err(|error| failure(&error))?;
    if vectors.is_empty() {
        return Err(Failure::Arc {
            message: format!("{} holds no vectors", arguments.vectors.display()),
            hint: Some("name a folder of .jsonl or .vectors files".to_owned()),
        });
    }
    let report = golden::check(&vectors, &mut CompactEvaluator::default());
    if output.is_json() {
        output.object(&report)?;
    } else {
        let mut list = table(&["primitive ", "passed", "failed"]);
        for (name, counts) in &report.by_primitive {
            list.add_row([
                (*name).to_owned(),
                counts.passed.to_string(),
                counts.failed.to_string(),
            ]);
        }
        output.line(list)?;
        for counts in report.by_primitive.values() {
            for difference in &counts.differences {
                output.line(format_args!("  {difference}"))?;
            }
            let unlisted = counts.failed - counts.differences.len();
            if unlisted > 0 {
                output.line(format_args!("  {FAINT}and {unlisted} more{FAINT:#}"))?;
            }
        }
        output.line(format_args!(
            "{} primitives: {} vectors passed, {} failed",
            report.by_primitive.len(),
            grouped(report.passed as u64),
            grouped(report.failed as u64)
        ))?;
    }
    if report.failed > 0 {
        return Err(Failure::Arc {
            message: format!("{} of {} vectors failed", report.failed, vectors.len()),
            hint: None,
        });
    }
    Ok(())
}
