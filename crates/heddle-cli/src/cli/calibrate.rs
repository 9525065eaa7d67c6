//! `heddle calibrate`: measures the machine and saves the cost models.

use std::io;
use std::time::Duration;

use heddle::Residency;
use heddle::Runtime;
use heddle::config::Config;
use heddle::route::{CalibrationPlan, CalibrationReport, CalibrationSweep};
use heddle::units::Estimate;

use super::output::Output;
use super::progress::CalibrationBar;
use super::table::table;
use super::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Seconds to spend on each device; up to twice as many if the driver compiles
    /// kernels for the first time.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = seconds)]
    budget: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.1..=600.0).contains(seconds))
        .ok_or_else(|| "a number of seconds from 0.1 to 600".to_owned())
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let runtime = open(config)?;
    let reports = measure(&runtime, Duration::from_secs_f64(arguments.budget))?;
    // The result is printed even if it cannot be kept.
    let saved = runtime.save_models();
    let files = saved.as_deref().unwrap_or_default();
    if output.is_json() {
        output.object(&serde_json::json!({
            "machine": runtime.machine(),
            "devices": reports,
            "files": files,
        }))?;
    } else {
        for report in &reports {
            print(&runtime, report, output)?;
        }
        for file in files {
            output.line(format_args!("\nsaved to {}", file.display()))?;
        }
    }
    match saved {
        Ok(_) if config.cache_folder().is_none() => Err(Failure::NoCacheFolder),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::ModelsNotKept(error)),
    }
}

/// Measures every device and shows the progress.
pub(super) fn measure(
    runtime: &Runtime,
    budget: Duration,
) -> Result<Vec<CalibrationReport>, Failure> {
    let plan = CalibrationPlan::default().with(|it| it.budget = budget);
    let bar = CalibrationBar::new();
    Ok(runtime.calibrate(&plan, &mut |step| bar.show(&step))?)
}

fn print(runtime: &Runtime, report: &CalibrationReport, output: &mut Output) -> io::Result<()> {
    output.heading(format_args!(
        "{}, measured in {}",
        report.device, report.spent
    ))?;
    let mut list = table(&[
        "operation ",
        "type ",
        "sizes ",
        "smallest",
        "largest",
        "confidence",
    ]);
    for sweep in &report.sweeps {
        let (Some(first), Some(last)) = (sweep.sizes.first(), sweep.sizes.last()) else {
            continue;
        };
        let [smallest, largest] = [*first, *last].map(|size| reading(runtime, report, sweep, size));
        list.add_row([
            sweep.name.to_owned(),
            sweep.dtype.map_or("", heddle::DType::name).to_owned(),
            format!("{first} to {last}"),
            smallest
                .as_ref()
                .map_or_else(String::new, |(time, _)| time.clone()),
            largest
                .as_ref()
                .map_or_else(String::new, |(time, _)| time.clone()),
            largest.map_or_else(String::new, |(_, confidence)| confidence),
        ]);
    }
    output.line(list)?;
    if let Some(message) = &report.lost {
        output.line(format_args!(
            "  {} was lost and gets no more work; its measurements are not saved ({message})",
            report.device
        ))?;
    }
    for sweep in report.sweeps.iter().filter(|sweep| sweep.sizes.is_empty()) {
        let why = sweep.stopped.as_deref().unwrap_or("no size to measure");
        output.line(format_args!("  {} was not measured: {why}", sweep.name))?;
    }
    Ok(())
}

/// Returns the fitted model's prediction for one size and its confidence.
fn reading(
    runtime: &Runtime,
    report: &CalibrationReport,
    sweep: &CalibrationSweep,
    size: usize,
) -> Option<(String, String)> {
    let probe = runtime
        .probes()
        .iter()
        .find(|probe| probe.kind().name() == sweep.name && Some(probe.dtype()) == sweep.dtype)?;
    let described = probe.describe(size, Residency::Host);
    let candidate = runtime.router().candidate(&described, report.device);
    candidate.cost.map(|cost| {
        (
            Estimate(cost.total_ns()).to_string(),
            format!("{:.0} %", candidate.confidence * 100.0),
        )
    })
}
