//! `heddle arc check`: checks every primitive against known results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use heddle::arc::evaluators::CompactEvaluator;
use heddle::arc::golden::{self, GoldenVector, VectorReport};
use heddle::arc::gpu::{Flag, check_vectors};
use heddle::arc::reading::{Cells, Reading};
use heddle::config::Config;
use serde::Serialize;

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
    /// How calls are understood. `auto` takes `typed` for a name that only the typed dialect has,
    /// and `soft` as well where a vector has a result for it. Shared names in the soft reading
    /// need `soft`.
    #[arg(long, value_enum, default_value = "auto")]
    reading: CheckReading,
}

/// The readings of vectors.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CheckReading {
    /// By the name of each vector.
    Auto,
    /// The classic language.
    Classic,
    /// The typed dialect, in which a failing call is an error.
    Typed,
    /// The typed dialect, in which a failing call has a default.
    Soft,
}

impl CheckReading {
    fn reading(self) -> Option<Reading> {
        match self {
            CheckReading::Auto => None,
            CheckReading::Classic => Some(Reading::Classic),
            CheckReading::Typed => Some(Reading::Strict(Cells::Triple)),
            CheckReading::Soft => Some(Reading::Soft(Cells::Triple)),
        }
    }
}

/// The results, and what a GPU left to the CPU.
#[derive(Debug, Serialize)]
struct Checked {
    #[serde(flatten)]
    report: VectorReport,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    flagged: BTreeMap<&'static str, u64>,
}

/// Runs vectors on the device asked for; without one on the CPU.
fn check(
    config: &Config,
    vectors: &[GoldenVector],
    reading: Option<Reading>,
) -> Result<Checked, Failure> {
    let Some(device) = config.device.filter(|device| device.has_kernels()) else {
        let mut evaluator = CompactEvaluator::default();
        return Ok(Checked {
            report: golden::check_in(vectors, &mut evaluator, reading),
            flagged: BTreeMap::new(),
        });
    };
    let runtime = super::open(config, &mut Vec::new())?;
    let (report, flags) = check_vectors(&runtime, device, vectors, reading)?;
    let flagged = Flag::ALL.map(|flag| (flag.name(), flags.count(flag)));
    Ok(Checked {
        report,
        flagged: flagged
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect(),
    })
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let vectors = golden::read(&arguments.vectors).map_err(|error| failure(&error))?;
    if vectors.is_empty() {
        return Err(Failure::Arc {
            message: format!("{} holds no vectors", arguments.vectors.display()),
            hint: Some("name a folder of .jsonl or .vectors files".to_owned()),
        });
    }
    let checked = check(config, &vectors, arguments.reading.reading())?;
    let report = &checked.report;
    if output.is_json() {
        output.object(&checked)?;
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
        if !checked.flagged.is_empty() {
            let flagged = checked.flagged.iter();
            let reasons: Vec<String> = flagged
                .map(|(reason, count)| format!("{reason} {}", grouped(*count)))
                .collect();
            output.line(format_args!("flagged to the CPU: {}", reasons.join(", ")))?;
        }
    }
    if report.failed > 0 {
        return Err(Failure::Arc {
            message: format!("{} of {} vectors failed", report.failed, vectors.len()),
            hint: soft_hint(arguments.reading, &vectors, report),
        });
    }
    Ok(())
}

/// The option that vectors of the soft reading need: a shared name does not say its reading.
fn soft_hint(
    reading: CheckReading,
    vectors: &[GoldenVector],
    report: &VectorReport,
) -> Option<String> {
    let CheckReading::Auto = reading else {
        return None;
    };
    let soft = CheckReading::Soft.reading();
    let soft = golden::check_in(vectors, &mut CompactEvaluator::default(), soft);
    (soft.passed > report.passed).then(|| {
        format!(
            "{} pass in the soft reading of the typed dialect: add --reading soft",
            grouped(soft.passed as u64)
        )
    })
}
