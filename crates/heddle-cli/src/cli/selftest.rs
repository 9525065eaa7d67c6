//! `heddle selftest`: compares the results of devices with the CPU's.
//!
//! The suite is [`heddle::conformance`]; this file selects the devices and prints the
//! report.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use heddle::arc::gpu as arc;
use heddle::config::Config;
use heddle::conformance::{ConformanceReport, Depth, Suite};
use heddle::device::DeviceId;
use heddle::lattice::sweep;
use heddle::units::Nanos;
use heddle::{DiscoveredDevices, Runtime};

use super::output::Output;
use super::progress::SelftestBar;
use super::table::table;
use super::{Failure, open_devices};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Seed of the random operands (default: different each time).
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Also test arrays of some tens of millions of elements.
    #[arg(long)]
    thorough: bool,

    /// Test no arrays of more than some thousand elements: for an emulated GPU.
    #[arg(long, conflicts_with = "thorough")]
    quick: bool,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let discovery = DiscoveredDevices::find(config)?;
    let runtime = open_devices(&discovery, config)?;
    let depth = match (arguments.quick, arguments.thorough) {
        (true, _) => Depth::Quick,
        (false, true) => Depth::Thorough,
        (false, false) => Depth::Standard,
    };
    let arrays = Suite::of_arrays(depth, arguments.seed.unwrap_or_else(fresh_seed));
    let cases = sweep::cases().into_iter().chain(arc::cases());
    let suite = cases.fold(arrays, Suite::with);
    let subjects = subjects(&runtime, config);
    let mut trials = Vec::new();
    for &device in &subjects {
        let bar = SelftestBar::new(device);
        let start = Instant::now();
        let report = suite.run(&runtime, device, &mut |progress| bar.show(&progress))?;
        trials.push((report, Nanos::from(start.elapsed())));
    }
    if output.is_json() {
        let reports: Vec<_> = trials.iter().map(|(report, _)| report).collect();
        output.object(&serde_json::json!({
            "machine": runtime.machine(),
            "why_no_gpu": discovery.why_no_gpu(),
            "passed": reports.iter().all(|report| report.is_pass()),
            "reports": reports,
        }))?;
    } else {
        if config.device.is_none() && subjects == [DeviceId::CPU] {
            let why = discovery.why_no_gpu().unwrap_or("none may be used");
            output.line(format_args!(
                "There is no GPU ({why}), so the CPU with all its threads is compared with one CPU thread."
            ))?;
        }
        for (report, spent) in &trials {
            print(report, *spent, output)?;
        }
    }
    let unfit: Vec<String> = trials
        .iter()
        .filter(|(report, _)| !report.is_pass())
        .map(|(report, _)| report.device.to_string())
        .collect();
    if unfit.is_empty() {
        return Ok(());
    }
    Err(Failure::Unfit {
        devices: unfit.join(", "),
    })
}

/// Returns the configured device, else every device but the CPU, else the CPU.
fn subjects(runtime: &Runtime, config: &Config) -> Vec<DeviceId> {
    if let Some(device) = config.device {
        return vec![device];
    }
    let others: Vec<DeviceId> = runtime
        .devices()
        .map(|device| device.id())
        .filter(|&device| device != DeviceId::CPU)
        .collect();
    if others.is_empty() {
        vec![DeviceId::CPU]
    } else {
        others
    }
}

/// Returns a seed from the clock, so that runs cover different operands.
fn fresh_seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64 % 1_000_000_007)
}

fn print(report: &ConformanceReport, spent: Nanos, output: &mut Output) -> std::io::Result<()> {
    output.heading(format_args!("{}, seed {}", report.device, report.seed))?;
    let mut list = table(&["operation ", "types ", "cases", "failed", "device time"]);
    for kind in &report.kinds {
        let types: Vec<&str> = kind.dtypes.iter().map(|dtype| dtype.name()).collect();
        list.add_row([
            kind.operation.to_owned(),
            types.join(" "),
            kind.cases.to_string(),
            kind.failed.to_string(),
            time(kind.device_time),
        ]);
    }
    output.line(list)?;
    if !report.differences.is_empty() {
        output.heading(format_args!(
            "First differences (cpu against {})",
            report.device
        ))?;
    }
    for row in &report.differences {
        output.line(format_args!(
            "  {} {}, {}: {}",
            row.operation, row.dtype, row.case, row.difference
        ))?;
    }
    let on_device = match report.device_time {
        Some(time) => format!("device time {time}, "),
        None => String::new(),
    };
    output.line(format_args!(
        "\n{} {}: {} of {} cases agree with the CPU, {on_device}total time {spent}.",
        report.device,
        if report.is_pass() { "passed" } else { "FAILED" },
        report.passed,
        report.passed + report.failed + report.absent,
    ))?;
    if !report.is_pass() {
        // A case's operands depend on its index in the suite, and so on the depth.
        let depth = match report.depth {
            Some(Depth::Quick) => " --quick",
            Some(Depth::Thorough) => " --thorough",
            Some(Depth::Standard) | None => "",
        };
        output.line(format_args!(
            "To repeat with the same operands: heddle selftest --device {} --seed {}{depth}",
            report.device, report.seed
        ))?;
    }
    Ok(())
}

/// Formats the time by the device's own clock, or `-` if the device has none.
fn time(time: Option<Nanos>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}
