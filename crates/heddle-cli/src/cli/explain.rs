//! `heddle explain`: the predicted cost of an operation on each device, and the device
//! that the router would choose.

use std::io;
use std::time::Duration;

use heddle::Runtime;
use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::ops::Probe;
use heddle::route::{self, BreakEven, CalibrationPlan, Explanation};
use heddle::units::Estimate;
use serde::Serialize;

use super::output::{FAINT, Output};
use super::table::table;
use super::{Failure, open, size};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The operation, as in `heddle bench ops`.
    operation: String,

    /// Its size: elements of an array, rows of a square matrix.
    #[arg(long, value_name = "N", value_parser = size::parse)]
    size: usize,

    /// Element type (default: u8 for xor, f32 for the rest).
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<String>,

    /// Assume that the operands are already on the GPU.
    #[arg(long)]
    resident: bool,
}

/// Time per device to measure a kind that was never measured.
const QUICK: Duration = Duration::from_millis(400);

#[derive(Serialize)]
struct ExplainReport {
    #[serde(flatten)]
    explanation: Explanation,
    /// Whether the kind was measured by this command.
    measured_now: bool,
    break_even: Vec<Crossover>,
}

/// The size from which a GPU is cheaper than the CPU.
#[derive(Serialize)]
struct Crossover {
    gpu: DeviceId,
    resident: bool,
    at: BreakEven,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let runtime = open(config)?;
    let index = find(&runtime, arguments)?;
    let probe = runtime.probes()[index].as_ref();
    let devices: Vec<DeviceId> = runtime.devices().map(|device| device.id()).collect();
    let gpus: Vec<DeviceId> = devices
        .iter()
        .copied()
        .filter(|device| device.has_own_memory() && !device.is_emulated())
        .collect();
    let resident = match (arguments.resident, gpus.first()) {
        (false, _) => None,
        (true, Some(&gpu)) => Some(gpu),
        (true, None) => {
            return Err(Failure::Usage {
                message: "--resident needs a GPU that holds the operands, and there is none"
                    .to_owned(),
                hint: "leave --resident out: the operands are then on the host".to_owned(),
            });
        }
    };
    let measured_now = measure_if_needed(&runtime, index, arguments.size)?;
    let explanation = route::explain(runtime.router(), probe, arguments.size, resident, &devices)?;
    let break_even = gpus
        .iter()
        .flat_map(|&gpu| [false, true].map(|resident| (gpu, resident)))
        .map(|(gpu, resident)| Crossover {
            gpu,
            resident,
            at: route::break_even(runtime.router(), probe, DeviceId::CPU, gpu, resident),
        })
        .collect();
    let report = ExplainReport {
        explanation,
        measured_now,
        break_even,
    };
    if output.is_json() {
        return Ok(output.object(&report)?);
    }
    print(&report, output)?;
    Ok(())
}

/// Returns the index of the probe that the arguments name.
fn find(runtime: &Runtime, arguments: &Arguments) -> Result<usize, Failure> {
    let named: Vec<(usize, &dyn Probe)> = runtime
        .probes()
        .iter()
        .map(AsRef::as_ref)
        .enumerate()
        .filter(|(_, probe)| probe.kind().name() == arguments.operation)
        .collect();
    if named.is_empty() {
        let mut names: Vec<&str> = runtime
            .probes()
            .iter()
            .map(|probe| probe.kind().name())
            .collect();
        // There is a probe for each element type.
        names.sort_unstable();
        names.dedup();
        return Err(Failure::Usage {
            message: format!("there is no operation {:?}", arguments.operation),
            hint: format!("one of {}", names.join(", ")),
        });
    }
    let element = arguments
        .element
        .as_deref()
        .unwrap_or_else(|| super::bench::default_element(&arguments.operation));
    named
        .iter()
        .find(|(_, probe)| probe.dtype().name() == element)
        .map(|&(index, _)| index)
        .ok_or_else(|| {
            let types: Vec<&str> = named
                .iter()
                .map(|(_, probe)| probe.dtype().name())
                .collect();
            Failure::Usage {
                message: format!("{} is not measured for {element}", arguments.operation),
                hint: format!("--type takes {}", types.join(", ")),
            }
        })
}

/// Measures the kind on every device that has no model of it. Returns whether any device
/// was measured.
fn measure_if_needed(runtime: &Runtime, index: usize, size: usize) -> Result<bool, Failure> {
    let probe = &runtime.probes()[index..=index];
    let described = probe[0].describe(size, heddle::Residency::Host);
    let plan = CalibrationPlan::default().with(|it| it.budget = QUICK);
    let mut measured = false;
    for device in runtime.devices() {
        if device.id().is_emulated()
            || runtime
                .router()
                .candidate(&described, device.id())
                .cost
                .is_some()
        {
            continue;
        }
        route::calibrate(runtime.router(), device.as_ref(), probe, &plan, &mut |_| ())?;
        measured = true;
    }
    Ok(measured)
}

fn print(report: &ExplainReport, output: &mut Output) -> io::Result<()> {
    let explained = &report.explanation;
    output.line(format_args!(
        "{} of {}, size {} ({}), operands on {}",
        explained.kind,
        explained.dtype,
        explained.size,
        explained.size_means,
        explained
            .resident
            .map_or_else(|| "the host".to_owned(), |device| device.to_string()),
    ))?;
    if report.measured_now {
        output.line(format_args!(
            "{FAINT}measured now, because no saved measurement was found; `heddle calibrate` saves one{FAINT:#}"
        ))?;
    }
    output.heading("Predicted cost")?;
    let mut list = table(&[
        "device ",
        "transfer",
        "overhead",
        "work",
        "total",
        "samples",
        "confidence",
    ]);
    for candidate in &explained.candidates {
        let cost = |part: fn(&route::PredictedCost) -> f64| {
            candidate
                .cost
                .as_ref()
                .map_or_else(|| "-".to_owned(), |cost| Estimate(part(cost)).to_string())
        };
        list.add_row([
            candidate.device.to_string(),
            cost(|cost| cost.transfer_ns),
            cost(|cost| cost.overhead_ns),
            cost(|cost| cost.work_ns),
            cost(route::PredictedCost::total_ns),
            candidate.samples.to_string(),
            format!("{:.0} %", candidate.confidence * 100.0),
        ]);
    }
    output.line(list)?;
    output.line(format_args!("\n{}", explained.sentence))?;
    if report.break_even.is_empty() {
        return output.line("No break-even size: there is no GPU to compare with.");
    }
    for Crossover { gpu, resident, at } in &report.break_even {
        let place = if *resident {
            "operands on the GPU"
        } else {
            "operands on the host"
        };
        let sentence = match at {
            BreakEven::Always(device) => format!("{device} is cheaper at every size"),
            BreakEven::At { size } => format!("{gpu} is cheaper from size {size} on"),
            BreakEven::Unknown { why } => why.clone(),
        };
        output.line(format_args!("Break-even, {place}: {sentence}."))?;
    }
    Ok(())
}
