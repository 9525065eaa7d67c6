//! The GPU's part in ARC evaluations: options, calibration, and a report of what ran there
//! or why nothing did.

use std::collections::BTreeMap;
use std::io;
use std::ops::Add;
use std::time::Duration;

use heddle::Runtime;
use heddle::arc::gpu::{CpuReason, EvaluateProbe, Flag, Flags, LaunchSettings, probes};
use heddle::arc::operations::{EvaluationTotals, evaluation_totals};
use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::ops::Probe;
use heddle::route::{CalibrationPlan, calibrate};
use heddle::units::{Estimate, Nanos};
use heddle::{Description, Residency};
use serde::Serialize;

use super::grouped;
use crate::cli::output::Output;
use crate::cli::{Failure, calibrate as calibration, size};

/// Evaluations below which the CPU finishes sooner than a GPU could be measured.
const WORTH_MEASURING: u64 = 20_000;
/// Time per device to measure all operations, if no models are saved, and to measure
/// evaluations alone.
const ALL: Duration = Duration::from_secs(5);
const EVALUATIONS: Duration = Duration::from_secs(2);

/// The option that sets the memory of a warp.
#[derive(Debug, clap::Args)]
pub(super) struct Caps {
    /// Memory of a GPU warp, such as cells=64k,rows=8k; evaluations that need more are
    /// evaluated again on the CPU.
    #[arg(long, value_name = "CAPS", value_parser = parse)]
    gpu_caps: Option<heddle::arc::gpu::Caps>,
}

impl Caps {
    /// Returns the launch settings of the option, else of the configuration.
    pub(super) fn launch(&self, config: &Config) -> Result<LaunchSettings, Failure> {
        launch(self.gpu_caps, config)
    }
}

/// Returns the launch settings of the configuration.
pub(in crate::cli) fn arc_launch(config: &Config) -> Result<LaunchSettings, Failure> {
    launch(None, config)
}

fn launch(
    option: Option<heddle::arc::gpu::Caps>,
    config: &Config,
) -> Result<LaunchSettings, Failure> {
    let caps = match (option, &config.arc.gpu_caps) {
        (Some(caps), _) => caps,
        (None, Some(text)) => parse(text).map_err(|why| Failure::Usage {
            message: format!("arc.gpu_caps = \"{text}\": {why}"),
            hint: "set it in heddle.toml, in HEDDLE_ARC_GPU_CAPS or with --gpu-caps".to_owned(),
        })?,
        (None, None) => heddle::arc::gpu::Caps::default(),
    };
    Ok(LaunchSettings::default().with(|it| it.caps = caps))
}

/// Parses caps; those not named keep their defaults.
fn parse(text: &str) -> Result<heddle::arc::gpu::Caps, String> {
    let mut caps = heddle::arc::gpu::Caps::default();
    for cap in text.split(',').filter(|cap| !cap.is_empty()) {
        let (name, value) = cap.split_once('=').ok_or_else(usage)?;
        let value = u32::try_from(size::parse(value.trim())?)
            .ok()
            .filter(|value| *value > 0)
            .ok_or_else(|| format!("{} is not from 1 to {}", value.trim(), u32::MAX))?;
        let cap = caps.named().find(|(known, _)| *known == name.trim());
        *cap.ok_or_else(usage)?.1 = value;
    }
    Ok(caps)
}

fn usage() -> String {
    let mut caps = heddle::arc::gpu::Caps::default();
    let names: Vec<&str> = caps.named().map(|(name, _)| name).collect();
    format!(
        "caps are {}, each a whole number, such as cells=64k,rows=8k",
        names.join(", ")
    )
}

/// Returns the description of evaluations for the router.
pub(super) fn description(evaluations: u64) -> Description {
    let one = EvaluateProbe.describe(1, Residency::Host).work.max(1);
    let examples = evaluations.div_ceil(one) as usize;
    let mut description = EvaluateProbe.describe(examples, Residency::Host);
    description.work = evaluations;
    description
}

/// Measures evaluations on the devices without a model, if the router may choose a GPU and
/// the job is large enough. Returns whether any device was measured.
pub(super) fn measure_unknown(
    runtime: &Runtime,
    config: &Config,
    evaluations: u64,
    notes: &mut Vec<String>,
) -> Result<bool, Failure> {
    let is_routable = |device: &DeviceId| device.has_kernels() && !device.is_emulated();
    let devices: Vec<DeviceId> = runtime.devices().map(|device| device.id()).collect();
    if config.device.is_some() || !devices.iter().any(is_routable) || evaluations < WORTH_MEASURING
    {
        return Ok(false);
    }
    if !runtime.has_models() {
        notes.push("this machine had not been measured, so it was measured first".to_owned());
        calibration::measure(runtime, ALL)?;
        return Ok(true);
    }
    let described = description(evaluations);
    let mut any = false;
    for device in runtime.devices() {
        let id = device.id();
        let is_known = runtime.router().candidate(&described, id).cost.is_some();
        if is_known || !(is_routable(&id) || id == DeviceId::CPU) {
            continue;
        }
        let plan = CalibrationPlan::default().with(|it| it.budget = EVALUATIONS);
        notes.push(format!(
            "evaluations had not been measured on {id}, so they were measured first"
        ));
        calibrate(runtime.router(), &**device, &probes(), &plan, &mut |_| {})?;
        any = true;
    }
    Ok(any)
}

/// The GPUs' part in the evaluations.
#[derive(Debug, Default, Serialize)]
pub(super) struct GpuReport {
    /// The GPUs of the runtime.
    devices: Vec<String>,
    /// Whether any evaluation ran on a GPU.
    used: bool,
    /// Whether the job was shared with the CPU.
    shared: bool,
    /// Why no evaluation, or not every one, ran on a GPU.
    why_not: Option<String>,
    /// Operations that fell back from a GPU.
    fallbacks: Vec<String>,
    launches: u64,
    evaluations: u64,
    /// Flagged evaluations by reason.
    flagged: BTreeMap<&'static str, u64>,
    /// Flagged evaluations as a share of `evaluations`.
    flagged_share: f64,
    /// CPU time of evaluating them again, mostly while a launch still ran.
    redone_time: Nanos,
    /// Time by the GPUs' own clocks.
    device_time: Nanos,
    transfer_time: Nanos,
    /// Time from the first upload to the last download, with the part of lowering that
    /// was not hidden.
    time: Nanos,
    evaluations_per_second: Option<f64>,
    /// Measured in this run, without evaluations repeated after a flag. `None` where the
    /// job was shared: the CPU then ran other evaluations, often the longest.
    cpu_evaluations_per_second: Option<f64>,
    /// Predicted time of the GPUs' evaluations on the CPU.
    predicted_cpu_time: Option<Nanos>,
}

impl GpuReport {
    /// Returns the report of the spans recorded so far; `None` without a GPU.
    pub(super) fn new(
        runtime: &Runtime,
        config: &Config,
        flags: &Flags,
        on_cpu: Option<&CpuReason>,
    ) -> Option<Self> {
        let ids = runtime.devices().map(|device| device.id());
        let gpus: Vec<DeviceId> = ids.filter(|id| id.has_own_memory()).collect();
        if gpus.is_empty() {
            return None;
        }
        let evaluation_totals = evaluation_totals(runtime);
        let of = |id: &DeviceId| {
            evaluation_totals
                .get(&id.to_string())
                .copied()
                .unwrap_or_default()
        };
        let sum = gpus
            .iter()
            .map(of)
            .fold(EvaluationTotals::default(), EvaluationTotals::add);
        let cpu = of(&DeviceId::CPU);
        let is_shared = on_cpu == Some(&CpuReason::Shared);
        let predicted = (sum.evaluations > 0).then(|| {
            let described = description(sum.evaluations);
            runtime.router().candidate(&described, DeviceId::CPU).cost
        });
        Some(GpuReport {
            used: sum.evaluations > 0,
            shared: is_shared,
            why_not: on_cpu.map(|why| why_not(why, sum.evaluations > 0, config)),
            fallbacks: fallbacks(runtime),
            launches: sum.operations,
            evaluations: sum.evaluations,
            flagged: Flag::ALL
                .map(|flag| (flag.name(), flags.count(flag)))
                .into_iter()
                .collect(),
            flagged_share: flags.total() as f64 / sum.evaluations.max(1) as f64,
            redone_time: cpu.repeated_time,
            device_time: sum.device_time,
            transfer_time: sum.transfer_time,
            time: sum.time,
            evaluations_per_second: rate(&sum),
            cpu_evaluations_per_second: rate(&cpu).filter(|_| !is_shared),
            predicted_cpu_time: predicted
                .flatten()
                .map(|cost| Nanos(cost.total_ns() as u64)),
            devices: gpus.iter().map(ToString::to_string).collect(),
        })
    }

    /// Prints the evaluations on GPUs and those flagged.
    pub(super) fn print_counts(&self, output: &mut Output) -> io::Result<()> {
        output.line(format_args!(
            "{}: {} evaluations in {} {}, time {}; device time {}, transfers {}",
            self.devices.join(", "),
            grouped(self.evaluations),
            grouped(self.launches),
            if self.launches == 1 {
                "launch"
            } else {
                "launches"
            },
            self.time,
            self.device_time,
            self.transfer_time,
        ))?;
        output.line(format_args!(
            "flagged and evaluated again on the CPU: {} ({:.2} %) in {}{}",
            grouped(self.flagged.values().sum()),
            self.flagged_share * 100.0,
            self.redone_time,
            reasons(&self.flagged),
        ))
    }

    /// Prints the counts, the comparison with the CPU, and why evaluations ran on the CPU.
    pub(super) fn print(&self, output: &mut Output) -> io::Result<()> {
        if self.used {
            self.print_counts(output)?;
            if let Some(speedup_text) = self.speedup_text() {
                output.line(speedup_text)?;
            }
        } else {
            let names = self.devices.join(", ");
            output.line(format_args!("{names}: present and not used"))?;
        }
        for fallback in &self.fallbacks {
            output.line(format_args!("fallback: {fallback}"))?;
        }
        match &self.why_not {
            Some(why) if self.used => output.line(format_args!("some ran on the CPU: {why}")),
            Some(why) => output.line(format_args!("reason: {why}")),
            None => Ok(()),
        }
    }

    /// Compares the GPUs' speed with the CPU's.
    fn speedup_text(&self) -> Option<String> {
        let per_second = |rate: f64| grouped(rate as u64);
        let gpu = self.evaluations_per_second?;
        Some(if self.shared {
            format!(
                "GPU against CPU: not compared, because each ran different evaluations; `heddle arc \
                 bench --device {}` runs the same on both",
                self.devices.first()?
            )
        } else if let Some(cpu) = self.cpu_evaluations_per_second {
            format!(
                "GPU against CPU, measured: {} against {} evaluations per second, {:.3} times",
                per_second(gpu),
                per_second(cpu),
                gpu / cpu,
            )
        } else if let Some(predicted) = self.predicted_cpu_time {
            format!(
                "GPU against CPU: {} measured, {} predicted on the CPU",
                self.time,
                Estimate(predicted.0 as f64),
            )
        } else {
            format!(
                "GPU against CPU: {} evaluations per second; the CPU was not measured",
                per_second(gpu),
            )
        })
    }
}

/// Describes the fallbacks: count, devices and cause.
fn fallbacks(runtime: &Runtime) -> Vec<String> {
    let rows = runtime.report().fallbacks.into_iter();
    rows.map(|row| {
        let (from, to) = (row.from, row.to);
        format!("{} from {from} to {to}: {}", row.count, row.message)
    })
    .collect()
}

/// Returns `: 3 cells, 2 rows`, or an empty string.
fn reasons(flagged: &BTreeMap<&str, u64>) -> String {
    let parts: Vec<String> = flagged
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(": {}", parts.join(", "))
    }
}

/// Returns evaluations per second, without repeated ones.
fn rate(totals: &EvaluationTotals) -> Option<f64> {
    let count = totals.evaluations - totals.repeated;
    (count > 0).then(|| count as f64 / totals.time.as_duration().as_secs_f64().max(1e-9))
}

fn why_not(why: &CpuReason, used: bool, config: &Config) -> String {
    match why {
        CpuReason::Timed => {
            "a time limit was set, and the GPU kernel cannot read the clock".to_owned()
        }
        CpuReason::Shared if !used => {
            "the CPU had finished everything before a launch would have; --device forces a device"
                .to_owned()
        }
        CpuReason::Shared => {
            "the CPU took a share by its speed, and the longest evaluations; --device forces a device".to_owned()
        }
        CpuReason::Decided(decision) => {
            let mut parts = vec![decision.to_string()];
            let others = decision
                .candidates
                .iter()
                .filter(|candidate| candidate.device != decision.device);
            parts.extend(others.map(|other| match other.cost {
                Some(cost) => {
                    let predicted = Estimate(cost.total_ns());
                    format!("{predicted} predicted on {}", other.device)
                }
                None => format!("{} was not measured", other.device),
            }));
            if config.device.is_none() {
                parts.push("--device forces a device".to_owned());
            }
            parts.join("; ")
        }
        _ => "for another reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_caps_keep_their_defaults() {
        let default = heddle::arc::gpu::Caps::default();
        let caps = parse("cells=2k, rows=16").unwrap();
        assert_eq!((caps.cells, caps.rows), (2_000, 16));
        assert_eq!(caps.values, default.values);
        assert_eq!(parse(""), Ok(default));
        for text in [
            "cells", "cells=x", "cells=0", "cell=1", "rows=9G", "=", "cells=-1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("bytes=1").unwrap_err().contains("cells, rows"));
    }

    #[test]
    fn a_gpu_is_compared_only_on_equal_work() {
        let mut report = GpuReport {
            devices: vec!["cuda:0".to_owned()],
            evaluations_per_second: Some(5e6),
            cpu_evaluations_per_second: Some(2e6),
            ..GpuReport::default()
        };
        assert!(report.speedup_text().unwrap().ends_with(", 2.500 times"));
        report.cpu_evaluations_per_second = None;
        assert!(report.speedup_text().unwrap().ends_with("was not measured"));
        report.shared = true;
        let speedup_text = report.speedup_text().unwrap();
        assert!(
            speedup_text.contains("arc bench --device cuda:0"),
            "{speedup_text}"
        );
        assert!(!speedup_text.contains("times"), "{speedup_text}");
    }
}
