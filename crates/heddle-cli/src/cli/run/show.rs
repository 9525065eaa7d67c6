//! The output of `heddle run`.

use std::io;
use std::path::{Path, PathBuf};

use heddle::device::DeviceId;
use heddle::units::{Bytes, Nanos};
use heddle::{Report, Runtime};
use serde_json::json;

use super::comparison::{Comparison, RegretSummary, RunVariant};
use crate::cli::Failure;
use crate::cli::output::{ACCENT, FAINT, Output};
use crate::cli::profile::operations::{self, Detail};
use crate::cli::table::table;

/// Everything to print.
pub(super) struct RunSummary<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) comparison: &'a Comparison,
    /// Number of lattices in a round.
    pub(super) lattices: usize,
    /// Number of evaluations of ARC programs in a round.
    pub(super) evaluations: usize,
    /// The device that the settings force every operation onto.
    pub(super) forced: Option<DeviceId>,
    /// Whether the machine was measured first.
    pub(super) calibrated: bool,
    pub(super) models: &'a [PathBuf],
    pub(super) profile: Option<&'a Path>,
    pub(super) report: Option<&'a Path>,
}

pub(super) fn result(
    result: &RunSummary<'_>,
    output: &mut Output,
) -> std::result::Result<(), Failure> {
    let report = &result.comparison.report;
    if output.is_json() {
        return Ok(output.object(&as_json(result, report))?);
    }
    opening(result, output)?;
    operations(report, result.comparison, output)?;
    for sentence in unused(result, report) {
        output.line(format_args!("  {sentence}"))?;
    }
    variants(result, output)?;
    memory(report, output)?;
    exceptional_events(report, output)?;
    next(result, output)?;
    Ok(())
}

fn as_json(result: &RunSummary<'_>, report: &Report) -> serde_json::Value {
    let reasons: Vec<_> = result
        .comparison
        .decision_summary
        .reasons
        .iter()
        .map(|((kind, device), reason)| {
            json!({"operation": kind, "device": device, "reason": reason})
        })
        .collect();
    let variants: Vec<_> = result
        .comparison
        .variants
        .iter()
        .map(|variant| {
            json!({"name": variant.name, "median_ns": variant.median_ns(), "rounds_ns": variant.rounds_ns})
        })
        .collect();
    let regret = result.comparison.regret();
    json!({
        "machine": result.runtime.machine(),
        "calibrated": result.calibrated,
        "operations_per_round": result.comparison.operations,
        "lattices_per_round": result.lattices,
        "arc_evaluations_per_round": result.evaluations,
        "lanes": variants,
        "hindsight": {
            "spent_ns": regret.spent_ns,
            "best_ns": regret.best_ns,
            "ratio": regret.ratio(),
            "operations": regret.operations,
            "not_compared": regret.not_compared,
        },
        "reasons": reasons,
        "unused": unused(result, report),
        "report": report,
        "models": result.models,
        "profile": result.profile,
        "page": result.report,
    })
}

fn opening(result: &RunSummary<'_>, output: &mut Output) -> io::Result<()> {
    let machine = result.runtime.machine();
    let gpus: Vec<String> = result
        .runtime
        .devices()
        .filter(|device| device.id().has_own_memory())
        .map(|device| format!("{} ({})", device.id(), device.properties().name))
        .collect();
    let threads = result
        .runtime
        .device(DeviceId::CPU)
        .map_or(machine.threads, |device| device.properties().units);
    output.line(format_args!(
        "{} operations per round, with {} lattices and {} evaluations of ARC programs, rounds: {}, on {} ({threads} threads) {}",
        result.comparison.operations,
        result.lattices,
        result.evaluations,
        result
            .comparison
            .variants
            .first()
            .map_or(0, |variant| variant.rounds_ns.len()),
        machine.cpu,
        if gpus.is_empty() {
            "and no GPU".to_owned()
        } else {
            format!("and {}", gpus.join(", "))
        }
    ))?;
    if result.calibrated {
        output.line(format_args!(
            "{FAINT}this machine was measured first, because no saved measurement was found{FAINT:#}"
        ))?;
    }
    Ok(())
}

fn operations(report: &Report, comparison: &Comparison, output: &mut Output) -> io::Result<()> {
    output.heading("Operations by device")?;
    output.line(operations::operations(
        report.summary.rows.iter(),
        Detail::Short,
    ))?;
    output.heading("Routing reasons")?;
    let mut groups: Vec<(&String, Vec<&str>)> = Vec::new();
    for ((kind, _), reason) in &comparison.decision_summary.reasons {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, kinds)) => kinds.push(kind),
            None => groups.push((reason, vec![kind])),
        }
    }
    for (reason, kinds) in groups {
        output.line(format_args!("  {reason} ({})", kinds.join(", ")))?;
    }
    Ok(())
}

/// Returns a sentence for each GPU that was never chosen. Exploration does not count as
/// a choice.
fn unused(result: &RunSummary<'_>, report: &Report) -> Vec<String> {
    let chosen = |device: DeviceId| {
        let rows = &report.routing.kinds;
        rows.iter()
            .any(|row| row.device == device && row.decisions > row.explorations)
    };
    result
        .runtime
        .devices()
        .map(|device| device.id())
        .filter(|&device| device.has_own_memory() && !device.is_emulated() && !chosen(device))
        .map(|device| result.comparison.decision_summary.why_unused(device))
        .collect()
}

fn variants(result: &RunSummary<'_>, output: &mut Output) -> io::Result<()> {
    output.heading("Routed against always one device")?;
    let mut list = table(&[
        "variant ",
        "median round",
        "fastest",
        "slowest",
        "relative to routed",
    ]);
    let routed = result
        .comparison
        .variants
        .first()
        .map_or(0, RunVariant::median_ns);
    for variant in &result.comparison.variants {
        let (fastest, slowest) = variant.extremes_ns();
        list.add_row([
            variant.name.clone(),
            Nanos(variant.median_ns()).to_string(),
            Nanos(fastest).to_string(),
            Nanos(slowest).to_string(),
            format!("{:.2}x", variant.median_ns() as f64 / routed.max(1) as f64),
        ]);
    }
    output.line(list)?;
    if let Some(device) = result.forced {
        return output.line(format!(
            "The settings force every operation onto {device}; nothing was routed."
        ));
    }
    if result.comparison.variants.len() == 2 {
        return output
            .line("There is only one device, so routing gains nothing; the ratio shows its cost.");
    }
    output.line(regret_lines(&result.comparison.regret()))
}

/// Compares the routed rounds with the best choice of devices.
fn regret_lines(regret: &RegretSummary) -> String {
    let compared = if regret.not_compared == 0 {
        format!("{} operations, all compared", regret.operations)
    } else {
        format!(
            "{} of {} operations not compared",
            regret.not_compared, regret.operations
        )
    };
    format!(
        "Routed took {:.3} times the best device for each operation in hindsight \
         ({} against {}; {compared}).",
        regret.ratio(),
        Nanos(regret.spent_ns),
        Nanos(regret.best_ns),
    )
}

/// Prints one line of memory figures for each GPU.
fn memory(report: &Report, output: &mut Output) -> io::Result<()> {
    let used = report.devices.iter().filter_map(|reading| {
        let used = reading.memory_use.as_ref()?;
        Some((reading.device, used.reading))
    });
    for (device, reading) in used {
        let limit = reading.limit;
        let cleanups = reading.cleanups;
        let freed = if cleanups.runs == 0 {
            String::new()
        } else {
            format!(
                ", {} clean-ups freed {} ({} cached copies dropped)",
                cleanups.runs, cleanups.freed, reading.evictions
            )
        };
        let moved = match reading.spilled {
            Bytes(0) => String::new(),
            spilled => format!(", {spilled} of arrays moved to the host"),
        };
        output.line(format_args!(
            "Memory of {device}: peak {} of {}, {:.1} % of {} allocations served by the pool{freed}{moved}",
            limit.peak,
            limit.capacity,
            reading.storage.hit_rate() * 100.0,
            reading.statistics.allocations,
        ))?;
    }
    Ok(())
}

fn exceptional_events(report: &Report, output: &mut Output) -> io::Result<()> {
    for fallback in &report.fallbacks {
        output.line(format_args!(
            "{} x {} ran on {} because {} {} (first: {})",
            fallback.count,
            fallback.operation,
            fallback.to,
            fallback.from,
            fallback.cause,
            fallback.message
        ))?;
    }
    for split in &report.splits {
        output.line(format_args!(
            "{} x {} worked in pieces on {} for lack of memory (first: {} of {})",
            split.count, split.operation, split.device, split.granted, split.asked
        ))?;
    }
    for retry in &report.retries {
        output.line(format_args!(
            "{} x {} run again on {} after other operations took its memory (first: {})",
            retry.count, retry.operation, retry.device, retry.message
        ))?;
    }
    for reading in report.devices.iter().filter(|reading| reading.lost) {
        output.line(format_args!(
            "{} was lost and gets no more work",
            reading.device
        ))?;
    }
    if report.summary.overwritten > 0 {
        output.line(format_args!(
            "{} older spans were overwritten; the table covers the rest (raise `profile.capacity_spans`)",
            report.summary.overwritten
        ))?;
    }
    Ok(())
}

fn next(result: &RunSummary<'_>, output: &mut Output) -> io::Result<()> {
    output.heading("Next commands")?;
    let mut pointer = |command: &str, what: &str| {
        output.line(format_args!("  {ACCENT}{command:42}{ACCENT:#} {what}"))
    };
    pointer(
        "heddle explain matmul --size 1024",
        "the predicted cost on each device",
    )?;
    pointer(
        "heddle bench ops",
        "every operation as a share of this machine's peak",
    )?;
    pointer("heddle run --json", "this result as one JSON object")?;
    if let Some(profile) = result.profile {
        output.line(format_args!("  recording: {}", profile.display()))?;
    }
    if let Some(report) = result.report {
        output.line(format_args!("  report page: {}", report.display()))?;
    }
    for model in result.models {
        output.line(format_args!("  cost model: {}", model.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_states_both_times_and_exclusions() {
        let mut regret = RegretSummary {
            spent_ns: 158_000_000,
            best_ns: 156_000_000,
            operations: 105_545,
            not_compared: 412,
        };
        assert_eq!(
            regret_lines(&regret),
            "Routed took 1.013 times the best device for each operation in hindsight \
             (158 ms against 156 ms; 412 of 105545 operations not compared)."
        );
        regret.not_compared = 0;
        assert!(regret_lines(&regret).contains("105545 operations, all compared"));
    }
}
