//! Timing of the workload, routed and always on one device, in alternating rounds.

use std::time::Instant;

use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::route::Router;
use heddle::units::Nanos;
use heddle::{Report, Runtime};
use serde::Serialize;

use super::decision_summary::DecisionSummary;
use super::workload::Workload;
use crate::cli::Failure;

/// One variant of running the workload: routed, or always on one device.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunVariant {
    /// "routed", "always cpu", "always cuda:0".
    pub(super) name: String,
    /// Time of each round, in nanoseconds.
    pub(super) rounds_ns: Vec<u64>,
}

impl RunVariant {
    fn new(name: String) -> Self {
        Self {
            name,
            rounds_ns: Vec::new(),
        }
    }

    /// Times one round and returns its number of operations.
    fn time(&mut self, runtime: &Runtime, workload: &Workload) -> Result<usize, Failure> {
        workload.evict_all();
        let start = Instant::now();
        let operations = workload.run(runtime)?;
        self.rounds_ns.push(start.elapsed().as_nanos() as u64);
        Ok(operations)
    }

    pub(super) fn median_ns(&self) -> u64 {
        let mut times = self.rounds_ns.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    pub(super) fn extremes_ns(&self) -> (u64, u64) {
        (
            self.rounds_ns.iter().copied().min().unwrap_or_default(),
            self.rounds_ns.iter().copied().max().unwrap_or_default(),
        )
    }
}

/// The times of all variants.
pub(super) struct Comparison {
    /// Routed first, then one for each device.
    pub(super) variants: Vec<RunVariant>,
    /// Operations in one round.
    pub(super) operations: usize,
    /// The routed runtime's report of the timed rounds.
    pub(super) report: Report,
    /// The reasons of the decisions.
    pub(super) decision_summary: DecisionSummary,
}

/// The routed time and the best measured time of any choice of devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegretSummary {
    /// The time of all routed operations of the timed rounds.
    pub(super) spent_ns: u64,
    /// The same with the best device for each operation. Operations that could not be
    /// compared count with their routed time.
    pub(super) best_ns: u64,
    /// The number of routed operations.
    pub(super) operations: u64,
    /// The number that could not be compared, because no other device ran a similar one.
    pub(super) not_compared: u64,
}

impl RegretSummary {
    /// Returns the routed time as a multiple of the best.
    pub(super) fn ratio(&self) -> f64 {
        self.spent_ns as f64 / self.best_ns.max(1) as f64
    }
}

impl Comparison {
    /// Runs `rounds` rounds of each variant, alternating, so that a slow phase of the
    /// machine affects all of them. Every round starts with its data on the host.
    pub(super) fn run(
        runtime: &Runtime,
        config: &Config,
        workload: &Workload,
        rounds: u32,
    ) -> Result<Self, Failure> {
        let forced_runtimes = forced_runtimes(runtime, config)?;
        let mut routed = RunVariant::new("routed".to_owned());
        let mut always: Vec<RunVariant> = forced_runtimes
            .iter()
            .map(|(device, _)| RunVariant::new(format!("always {device}")))
            .collect();
        // An untimed round: first page touches, first launches. The routed runtime comes
        // last, so that the kernels it explores are loaded by then.
        for candidate in forced_runtimes
            .iter()
            .map(|(_, forced)| forced)
            .chain([runtime])
        {
            workload.evict_all();
            workload.run(candidate)?;
        }
        // Every runtime is cleared: each pays for recording into fresh memory, and the
        // times of the first round do not count as measurements.
        for candidate in forced_runtimes
            .iter()
            .map(|(_, forced)| forced)
            .chain([runtime])
        {
            candidate.profiler().clear();
            candidate.router().restart_regret();
        }
        let mut operations = 0;
        for _ in 0..rounds {
            runtime.sample_memory();
            operations = routed.time(runtime, workload)?;
            runtime.sample_memory();
            for (variant, (_, forced)) in always.iter_mut().zip(&forced_runtimes) {
                variant.time(forced, workload)?;
            }
        }
        let report = compared_operations(runtime, &forced_runtimes);
        let mut decision_summary = run_and_record(runtime, workload)?;
        for row in report
            .routing
            .kinds
            .iter()
            .filter(|row| row.explorations > 0)
        {
            decision_summary.note_explored(row.kind, row.device);
        }
        let mut variants = vec![routed];
        // A variant that lost its device ran on another one, so it is left out.
        variants.extend(
            always
                .into_iter()
                .zip(&forced_runtimes)
                .filter(|(_, (device, forced))| !forced.router().lost().contains(device))
                .map(|(variant, _)| variant),
        );
        Ok(Self {
            variants,
            operations,
            report,
            decision_summary,
        })
    }

    pub(super) fn regret(&self) -> RegretSummary {
        let regret = &self.report.regret;
        let spent: Nanos = regret.iter().map(|kind| kind.spent).sum();
        let lost: Nanos = regret.iter().map(|kind| kind.regret).sum();
        RegretSummary {
            spent_ns: spent.0,
            best_ns: spent.saturating_sub(lost).0,
            operations: regret.iter().map(|kind| kind.operations).sum(),
            not_compared: regret.iter().map(|kind| kind.unmeasured).sum(),
        }
    }
}

/// Returns the routed runtime's report, with its regret computed from the measurements of
/// the forced runtimes as well: they ran the same operations.
fn compared_operations(runtime: &Runtime, forced_runtimes: &[(DeviceId, Runtime)]) -> Report {
    let others: Vec<&Router> = forced_runtimes
        .iter()
        .map(|(_, forced)| forced.router())
        .collect();
    let mut report = runtime.report();
    report.regret = runtime.router().regret_beside(&others);
    report
}

/// Runs one more routed round, untimed and without spans, and records the decisions:
/// recording a reason takes longer than a tiny operation.
fn run_and_record(runtime: &Runtime, workload: &Workload) -> Result<DecisionSummary, Failure> {
    let profiler = runtime.profiler();
    let was_enabled = profiler.enabled();
    profiler.set_enabled(false);
    let mut decision_summary = DecisionSummary::default();
    workload.evict_all();
    let done = workload.run_and_record(runtime, &mut decision_summary);
    profiler.set_enabled(was_enabled);
    done?;
    Ok(decision_summary)
}

/// Returns a runtime for each device that sends everything there. Each has cost models of
/// its own, so that the routed runtime learns only from its own measurements.
fn forced_runtimes(
    runtime: &Runtime,
    config: &Config,
) -> Result<Vec<(DeviceId, Runtime)>, Failure> {
    let lost = runtime.router().lost();
    runtime
        .devices()
        .filter(|device| !device.id().is_emulated())
        .filter(|device| !lost.contains(&device.id()))
        .map(|device| {
            let mut forced = config.clone();
            forced.device = Some(device.id());
            let forced = runtime
                .devices()
                .fold(Runtime::builder().config(forced), |builder, device| {
                    builder.device(device.clone())
                })
                .without_model_cache()
                .build()?;
            Ok((device.id(), forced))
        })
        .collect()
}
