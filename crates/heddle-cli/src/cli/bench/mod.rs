//! `heddle bench`: times suites of operations and compares them with the machine's peak.

mod batch;
mod ceiling;
mod gpu;
mod lattice;
mod memory;
mod ops;
mod route;
mod sample;
mod scale;

use std::time::Duration;

use clap::ValueEnum;
use heddle::batch::BatchStatistics;
use heddle::config::Config;
use heddle::units::{Estimate, Nanos};
use serde::Serialize;

use super::output::Output;
use super::table::table;
use super::{Failure, open};
pub(super) use ops::default_element;
use sample::TimeDistribution;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suite to time.
    suite: Suite,

    /// Time only these cases: NAME, NAME:SIZE or NAME/TYPE:SIZE, comma separated.
    #[arg(long, value_delimiter = ',', value_name = "CASE")]
    case: Vec<String>,

    /// Time spent on each row, in milliseconds.
    #[arg(long, default_value_t = 120, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Every array operation, as a share of the machine's bandwidth or peak.
    Ops,
    /// The cost of the pipeline itself.
    Route,
    /// The first GPU, with operands on the host and resident.
    Gpu,
    /// Operations merged into one launch, and one by one.
    Batch,
    /// Allocations of GPU memory, from the pool and from the driver.
    Memory,
    /// Sweeps over a lattice of a million sites, on each device and routed.
    Lattice,
    /// Neighbours, paths and distances on lattices of 10^3 to 10^8 sites.
    Scale,
}

/// One timed case.
#[derive(Clone, Debug, Serialize)]
struct BenchRow {
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    element: Option<&'static str>,
    size: usize,
    device: String,
    #[serde(flatten)]
    sample: TimeDistribution,
    /// Median by the device's own clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_ns: Option<u64>,
    /// Bytes that one call moves between host and device; `None` on the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_bytes: Option<u64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
}

impl BenchRow {
    fn new(name: impl Into<String>, size: usize, device: String, sample: TimeDistribution) -> Self {
        Self {
            name: name.into(),
            element: None,
            size,
            device,
            sample,
            device_ns: None,
            moved_bytes: None,
            rate: None,
        }
    }
}

/// The rate of a case and the peak rate of this machine.
#[derive(Clone, Copy, Debug, Serialize)]
struct Rate {
    #[serde(rename = "rate")]
    value: f64,
    #[serde(rename = "rate_unit")]
    unit: &'static str,
    /// The same unit, measured in this run: a plain copy of as many bytes, or
    /// multiply-adds that never leave the registers.
    ceiling: f64,
    /// The rate as a share of `ceiling`.
    share: f64,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let runtime = open(config)?;
    let time = Duration::from_millis(arguments.time);
    let mut merged = BatchStatistics::default();
    let (suite, rows) = match arguments.suite {
        Suite::Ops => ("ops", ops::rows(&runtime, &arguments.case, time)?),
        Suite::Route => ("route", route::rows(&runtime, &arguments.case, time)?),
        Suite::Gpu => ("gpu", gpu::rows(&runtime, &arguments.case, time)?),
        Suite::Batch => {
            let (rows, routed) = batch::rows(config, &runtime, &arguments.case, time)?;
            merged = routed;
            ("batch", rows)
        }
        Suite::Memory => ("memory", memory::rows(&runtime, &arguments.case)?),
        Suite::Lattice => ("lattice", lattice::rows(&runtime, &arguments.case, time)?),
        Suite::Scale => ("scale", scale::rows(runtime.pool(), &arguments.case, time)?),
    };
    if rows.is_empty() {
        return Err(Failure::Usage {
            message: format!(
                "no case of the suite matches {:?}",
                arguments.case.join(",")
            ),
            hint: format!("`heddle bench {suite}` without --case lists them all"),
        });
    }
    if output.is_json() {
        let mut object = serde_json::json!({
            "suite": suite,
            "machine": runtime.machine(),
            "rows": rows,
        });
        if !merged.kinds.is_empty() {
            object["batches"] = serde_json::json!(merged);
        }
        return Ok(output.object(&object)?);
    }
    print(&rows, output)?;
    if !merged.kinds.is_empty() {
        output.line(format_args!("\nRouted jobs\n{merged}"))?;
    }
    Ok(())
}

fn print(rows: &[BenchRow], output: &mut Output) -> std::io::Result<()> {
    let with_rates = rows.iter().any(|row| row.rate.is_some());
    let mut titles = vec![
        "name ", "type ", "size", "device ", "median", "p10", "p90", "samples",
    ];
    let with_device = rows.iter().any(|row| row.device_ns.is_some());
    if with_device {
        titles.push("device time");
    }
    if with_rates {
        titles.extend(["rate", "share of peak"]);
    }
    let mut list = table(&titles);
    for row in rows {
        let mut cells = vec![
            row.name.clone(),
            row.element.unwrap_or("").to_owned(),
            row.size.to_string(),
            row.device.clone(),
            Estimate(row.sample.median_ns).to_string(),
            Estimate(row.sample.p10_ns).to_string(),
            Estimate(row.sample.p90_ns).to_string(),
            row.sample.samples.to_string(),
        ];
        if with_device {
            let time = row.device_ns.map(|ns| Nanos(ns).to_string());
            cells.push(time.unwrap_or_else(|| "-".to_owned()));
        }
        if let Some(rate) = row.rate {
            cells.push(format!("{:.2} {}", rate.value, rate.unit));
            cells.push(format!("{:.0} %", rate.share * 100.0));
        }
        list.add_row(cells);
    }
    output.line(list)
}
