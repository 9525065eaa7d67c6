//! `heddle profile compare`: compares two runs, for reading and for CI.

use std::io;
use std::path::PathBuf;

use heddle::profile::{CompareSettings, Comparison, ComparisonOutcome, OperationChange};
use heddle::recording;
use heddle::units::{Bytes, Estimate};

use super::shown;
use crate::cli::Failure;
use crate::cli::output::{ACCENT, FAINT, Output};
use crate::cli::table::table;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The run before.
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// The run after.
    #[arg(value_name = "AFTER")]
    after: PathBuf,

    /// Ignore changes below this many per cent.
    #[arg(long, default_value_t = 5.0, value_name = "PERCENT", value_parser = percentage)]
    noise: f64,

    /// Confidence of the intervals, in per cent.
    #[arg(long, default_value_t = 95.0, value_name = "PERCENT", value_parser = percentage)]
    confidence: f64,

    /// Ignore regressions of operations below this many per cent of both runs.
    #[arg(long, default_value_t = 1.0, value_name = "PERCENT", value_parser = percentage)]
    least_share: f64,
}

fn percentage(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|percent| (0.0..100.0).contains(percent))
        .ok_or_else(|| "a percentage from 0 to below 100".to_owned())
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let before = recording::read(&arguments.before)?.0;
    let after = recording::read(&arguments.after)?.0;
    let comparison = before.compare(
        &after,
        CompareSettings::default().with(|it| {
            it.noise = arguments.noise / 100.0;
            it.confidence = arguments.confidence / 100.0;
            it.least_share = arguments.least_share / 100.0;
        }),
    );
    if output.is_json() {
        output.object(&comparison)?;
    } else {
        print(&comparison, output)?;
    }
    if comparison.is_regression() {
        return Err(Failure::Regression {
            what: worse(&comparison).join(", "),
        });
    }
    Ok(())
}

/// Returns the operations and the memories that make this a regression.
fn worse(comparison: &Comparison) -> Vec<String> {
    let operations = comparison
        .operations
        .iter()
        .filter(|change| {
            change.verdict == ComparisonOutcome::Worse
                && change.share >= comparison.settings.least_share
        })
        .map(|change| shown(&change.operation));
    let memory = comparison
        .memory
        .iter()
        .filter(|change| change.verdict == ComparisonOutcome::Worse)
        .map(|change| format!("memory on {}", change.device));
    operations.chain(memory).collect()
}

fn print(comparison: &Comparison, output: &mut Output) -> io::Result<()> {
    output.heading("Operations")?;
    let mut list = table(&[
        "operation ",
        "type ",
        "runs",
        "typical before",
        "after",
        "change",
        "interval ",
        "share",
        "verdict ",
    ]);
    for change in &comparison.operations {
        list.add_row(row(change));
    }
    output.line(list)?;
    let settings = &comparison.settings;
    output.line(format_args!(
        "{FAINT}  typical: mean of the faster half of the calls; change: for equal work; interval: jackknife \
         over stretches of the run, {:.0} % confidence; changes within {:.0} % are ignored{FAINT:#}",
        settings.confidence * 100.0,
        settings.noise * 100.0
    ))?;
    if !comparison.memory.is_empty() {
        output.heading("Peak memory")?;
        let mut list = table(&["device ", "before", "after", "verdict "]);
        for change in &comparison.memory {
            list.add_row([
                shown(&change.device),
                Bytes(change.peak_bytes[0]).to_string(),
                Bytes(change.peak_bytes[1]).to_string(),
                word(change.verdict).to_owned(),
            ]);
        }
        output.line(list)?;
    }
    if !comparison.routing.is_empty() {
        output.heading("Changed devices")?;
        for change in &comparison.routing {
            output.line(format_args!(
                "  {} of {} on {}: {:.0} % before, {:.0} % after",
                shown(&change.operation),
                shown(&change.element),
                shown(&change.device),
                change.share[0] * 100.0,
                change.share[1] * 100.0
            ))?;
        }
    }
    output.line(format_args!(
        "\nOverall: {ACCENT}{}{ACCENT:#}",
        word(comparison.verdict)
    ))
}

fn row(change: &OperationChange) -> [String; 9] {
    let ns = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| Estimate(ns).to_string());
    let percent = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    [
        shown(&change.operation),
        shown(&change.element),
        format!("{} / {}", change.count[0], change.count[1]),
        ns(change.typical_ns[0]),
        ns(change.typical_ns[1]),
        change.ratio.map_or_else(|| "-".to_owned(), percent),
        change.interval.map_or_else(
            || "-".to_owned(),
            |interval| format!("{} to {}", percent(interval.low), percent(interval.high)),
        ),
        format!("{:.1} %", change.share * 100.0),
        word(change.verdict).to_owned(),
    ]
}

fn word(verdict: ComparisonOutcome) -> &'static str {
    match verdict {
        ComparisonOutcome::Better => "better",
        ComparisonOutcome::Worse => "worse",
        ComparisonOutcome::NoChange => "no change",
        ComparisonOutcome::Inconclusive => "inconclusive",
    }
}
