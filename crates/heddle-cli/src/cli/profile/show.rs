//! `heddle profile show`: prints a run as tables.

use std::io;
use std::path::PathBuf;

use heddle::profile::{Bottleneck, Recording, Summary, TimeCategory};
use heddle::recording;
use heddle::units::{Estimate, Nanos};
use serde_json::json;

use super::operations::{Detail, operations};
use super::{FileCap, print_run, print_written, shown};
use crate::cli::Failure;
use crate::cli::output::{ACCENT, FAINT, Output};
use crate::cli::table::table;

/// Levels of the call tree shown by indentation; beyond, the depth is printed.
const INDENTED: usize = 12;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The recorded run.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Rows of each table.
    #[arg(long, default_value_t = 15, value_name = "N")]
    top: usize,

    /// Write every span as CSV to this file instead.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    #[command(flatten)]
    cap: FileCap,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let recording = recording::read(&arguments.file)?.0;
    if let Some(file) = &arguments.csv {
        output.leave_standard_output_to(file);
        let written = recording.write_csv(file, arguments.cap.bytes())?;
        return Ok(print_written(file, &written, output)?);
    }
    if output.is_json() {
        return Ok(output.object(&as_json(&recording, arguments.top))?);
    }
    print_run(&recording, output)?;
    summary(&recording.summary(), arguments.top, output)?;
    bottlenecks(&recording.bottlenecks(arguments.top), output)?;
    tree(&recording, arguments.top, output)?;
    routing(&recording, arguments.top, output)?;
    memory(&recording, output)?;
    device_time_coverage(&recording, output)?;
    output.line(format_args!(
        "\nNext: {ACCENT}heddle profile suggest {}{ACCENT:#}",
        arguments.file.display()
    ))?;
    Ok(())
}

fn as_json(recording: &Recording, top: usize) -> serde_json::Value {
    let coverage = recording.device_time_coverage();
    json!({
        "label": recording.label,
        "machine": recording.machine,
        "recorded": recording.recorded(),
        "overwritten": recording.overwritten,
        "left_out": recording.left_out,
        "sampled_one_in": recording.sampled_one_in,
        "summary": recording.summary(),
        "bottlenecks": recording.bottlenecks(top),
        "tree": recording.tree(),
        "routing": recording.routing,
        "counters": recording.counters,
        "device_proof": {
            "spans": coverage.spans,
            "timed": coverage.timed,
            "share": coverage.share(),
            "unproven": coverage.unproven,
        },
    })
}

fn rest(shown: usize, all: usize, output: &mut Output) -> io::Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        more => output.line(format_args!("{FAINT}  and {more} more (--top){FAINT:#}")),
    }
}

fn summary(summary: &Summary, top: usize, output: &mut Output) -> io::Result<()> {
    output.heading("Operations")?;
    output.line(operations(summary.rows.iter().take(top), Detail::Full))?;
    rest(top, summary.rows.len(), output)
}

fn bottlenecks(rows: &[Bottleneck], output: &mut Output) -> io::Result<()> {
    output.heading("Bottlenecks, by self time")?;
    let mut list = table(&[
        "operation ",
        "device ",
        "runs",
        "self time",
        "share",
        "mean",
        "largest part ",
    ]);
    for row in rows {
        let mostly = match row.mostly {
            TimeCategory::Gpu => "computing on the GPU",
            TimeCategory::Cpu => "computing on the CPU",
            TimeCategory::Transfer => "transfers",
            _ => "overhead",
        };
        list.add_row([
            shown(&row.operation),
            shown(&row.device),
            row.count.to_string(),
            Nanos(row.self_ns).to_string(),
            percent(row.share),
            Estimate(row.mean_self_ns).to_string(),
            format!("{mostly} ({})", percent(row.mostly_share)),
        ]);
    }
    output.line(list)
}

fn tree(recording: &Recording, top: usize, output: &mut Output) -> io::Result<()> {
    let tree = recording.tree();
    // Without nested spans, the table of operations shows the same.
    if tree.nodes.iter().all(|node| node.depth == 0) {
        return Ok(());
    }
    output.heading("Call tree")?;
    let mut list = table(&["operation ", "device ", "runs", "total", "self time"]);
    let top = top.saturating_mul(2);
    for node in tree.nodes.iter().take(top) {
        let indent = match node.depth {
            depth if depth <= INDENTED => "  ".repeat(depth),
            depth => format!("{}({depth} deep) ", "  ".repeat(INDENTED)),
        };
        list.add_row([
            format!("{indent}{}", shown(&node.operation)),
            shown(&node.device),
            node.count.to_string(),
            Nanos(node.total_ns).to_string(),
            Nanos(node.self_ns).to_string(),
        ]);
    }
    output.line(list)?;
    rest(top, tree.nodes.len(), output)
}

fn routing(recording: &Recording, top: usize, output: &mut Output) -> io::Result<()> {
    if recording.routing.is_empty() {
        return Ok(());
    }
    output.heading("Routing decisions")?;
    let mut list = table(&[
        "operation ",
        "type ",
        "work",
        "device ",
        "count",
        "predicted",
        "measured",
        "reason ",
    ]);
    let ns = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| Estimate(ns).to_string());
    for row in recording.routing.iter().take(top) {
        list.add_row([
            shown(&row.operation),
            shown(&row.element),
            format!("2^{}", row.size_class),
            shown(&row.device),
            row.count.to_string(),
            ns(row.predicted_ns),
            ns(row.measured_ns),
            shown(&row.reason),
        ]);
    }
    output.line(list)?;
    rest(top, recording.routing.len(), output)?;
    for row in &recording.counters.fallbacks {
        output.line(format_args!(
            "  {} x {} fell back from {} to {}: {}",
            row.count,
            shown(&row.operation),
            row.from,
            row.to,
            shown(&row.cause)
        ))?;
    }
    Ok(())
}

fn memory(recording: &Recording, output: &mut Output) -> io::Result<()> {
    let mut peaks = std::collections::BTreeMap::new();
    for sample in &recording.memory {
        let used = sample.allocated.saturating_add(sample.reserved);
        let (peak, limit, pressure) =
            peaks
                .entry(&sample.device)
                .or_insert((0, 0, sample.pressure));
        *peak = used.max(*peak);
        *limit = sample.limit.max(*limit);
        *pressure = sample.pressure.max(*pressure);
    }
    if peaks.is_empty() {
        return Ok(());
    }
    output.heading("Memory")?;
    let mut list = table(&["device ", "peak", "limit", "highest pressure "]);
    for (device, (peak, limit, pressure)) in peaks {
        list.add_row([
            shown(device),
            heddle::units::Bytes(peak).to_string(),
            heddle::units::Bytes(limit).to_string(),
            pressure.name().to_owned(),
        ]);
    }
    output.line(list)
}

/// Prints how many of the operations on GPUs have a time by the GPU's own clock.
fn device_time_coverage(recording: &Recording, output: &mut Output) -> io::Result<()> {
    let coverage = recording.device_time_coverage();
    if coverage.spans == 0 {
        return Ok(());
    }
    output.line("")?;
    if coverage.is_whole() {
        return output.line(format_args!(
            "All {} operations on GPUs have a time by the GPU's own clock.",
            coverage.spans
        ));
    }
    output.line(format_args!(
        "{ACCENT}Only {} of {} operations on GPUs ({}) have a time by the GPU's own clock:{ACCENT:#}",
        coverage.timed,
        coverage.spans,
        percent(coverage.share())
    ))?;
    for row in &coverage.unproven {
        output.line(format_args!(
            "  {} on {}: {} of {}",
            shown(&row.operation),
            row.device,
            row.timed,
            row.spans
        ))?;
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
