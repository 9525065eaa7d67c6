//! `heddle run`: a mixed workload with no set-up.
//!
//! Calibrates if no cost models are saved, runs the workload routed, always on the CPU and
//! always on each GPU, and shows which device each operation ran on, why, and what routing
//! gained or cost.

mod comparison;
mod decision_summary;
mod grids;
mod show;
mod workload;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle::config::Config;
use heddle::device::Accelerator;
use heddle::error::with_causes;
use heddle::memory::AcceleratorMemory;
use heddle::profile::is_standard_output;
use heddle::{Error, Runtime, recording};

use super::arc::arc_launch;
use super::output::{Output, note};
use super::profile::report;
use super::{Failure, calibrate, open, save_models};
use comparison::Comparison;
use workload::Workload;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Rounds of the workload, for each variant: routed and always on one device.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,

    /// Seed of the workload's data.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,

    /// Write the spans of the routed rounds to this file (default: in the cache folder).
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,

    /// Log every allocation on a GPU to this file, for `heddle memory replay`.
    #[arg(long, value_name = "FILE")]
    memory_log: Option<PathBuf>,
}

/// Time per device to measure every operation.
const CALIBRATION: Duration = Duration::from_secs(5);

/// Span capacity: enough for ten rounds.
const SPANS: usize = 1 << 18;

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut config = with_span_capacity(config);
    if let Some(log) = &arguments.memory_log {
        config.memory.log = Some(log.clone());
    }
    let config = &config;
    let runtime = open(config)?;
    let calibrated = !runtime.has_models();
    if calibrated {
        calibrate::measure(&runtime, CALIBRATION)?;
    }
    let workload = Workload::new(&runtime, arc_launch(config)?, arguments.seed)?;
    let comparison = Comparison::run(&runtime, config, &workload, arguments.rounds)?;
    print_recomputed(&runtime);
    let models = save_models(&runtime);
    let asked = arguments.profile.as_deref();
    for file in [asked, arguments.memory_log.as_deref()]
        .into_iter()
        .flatten()
    {
        output.leave_standard_output_to(file);
    }
    let (profile, kept) = keep_profile(&runtime, config, &comparison, asked);
    let page = profile.as_deref().and_then(keep_report);
    // The results are printed even if a file cannot be written.
    let kept = kept.and(finish_logs(&runtime, config));
    show::result(
        &show::RunSummary {
            runtime: &runtime,
            comparison: &comparison,
            lattices: workload.lattices(),
            evaluations: workload.evaluations(),
            forced: config.device,
            calibrated,
            models: &models,
            profile: profile.as_deref(),
            report: page.as_deref(),
        },
        output,
    )?;
    drop((comparison, workload));
    print_live_allocations(&runtime);
    kept
}

/// Prints the allocations that remain after every array was dropped.
fn print_live_allocations(runtime: &Runtime) {
    for live_allocations in runtime.live_allocations() {
        note(live_allocations);
    }
}

/// Returns the configuration with a span capacity for all rounds, unless the user set
/// one: the report is made of spans.
fn with_span_capacity(config: &Config) -> Config {
    let mut config = config.clone();
    if config.profile == Config::default().profile {
        config.profile.capacity_spans = SPANS;
    }
    config
}

/// Writes the buffered rest of the allocation logs.
fn finish_logs(runtime: &Runtime, config: &Config) -> Result<(), Failure> {
    let Some(path) = &config.memory.log else {
        return Ok(());
    };
    let mut logged = false;
    for device in runtime.devices() {
        let memory = device.accelerator().and_then(Accelerator::memory);
        if let Some(log) = memory.and_then(AcceleratorMemory::log) {
            logged = true;
            log.finish().map_err(|source| Error::File {
                action: "write",
                path: path.clone(),
                source,
            })?;
        }
    }
    if !logged {
        note(format_args!(
            "nothing was logged to {}: there is no GPU",
            path.display()
        ));
    }
    Ok(())
}

/// Prints what was computed again after the loss of a device.
fn print_recomputed(runtime: &Runtime) {
    for row in runtime.report().recomputed {
        note(format_args!(
            "{} x {} computed again because {} was lost (first: {})",
            row.count, row.what, row.lost, row.message
        ));
    }
}

/// Writes the spans to the named file, else to the cache folder. Returns the file, if it was
/// written, and a failure if it was named and was not.
fn keep_profile(
    runtime: &Runtime,
    config: &Config,
    comparison: &Comparison,
    asked: Option<&Path>,
) -> (Option<PathBuf>, Result<(), Failure>) {
    let recording = recording::take(
        runtime,
        "heddle run",
        &comparison.decision_summary.decisions,
    );
    if let Some(file) = asked {
        let written = recording.write(file);
        return (
            written.is_ok().then(|| file.to_owned()),
            written.map(drop).map_err(Failure::from),
        );
    }
    let kept = config.cache_folder().and_then(|folder| {
        let file = folder.join("last-run.json");
        // The user did not request the default file, so it may fail to be written.
        match recording.write(&file) {
            Ok(_) => Some(file),
            Err(error) => {
                note(format_args!(
                    "the spans of this run are not kept: {}",
                    with_causes(&error)
                ));
                None
            }
        }
    });
    (kept, Ok(()))
}

/// Writes a report page next to the recording, if possible. Next to a pipe or a device there
/// is none.
fn keep_report(profile: &Path) -> Option<PathBuf> {
    if is_standard_output(profile) || !profile.is_file() {
        return None;
    }
    let file = profile.with_extension("html");
    let written = report::page_of(profile).and_then(|page| report::write(&file, &page));
    match written {
        Ok(_) => Some(file),
        Err(error) => {
            note(format_args!(
                "the report of this run is not kept: {}",
                with_causes(&error)
            ));
            None
        }
    }
}
