//! What evaluations took where, by recorded spans.

use super::{EVALUATE, EVALUATE_AGAIN, EVALUATE_ON_CPU, PREPARE};
use heddle_runtime::Runtime;
use heddle_runtime::units::Nanos;
use std::collections::BTreeMap;

/// Evaluations that ran on each device, by the spans recorded so far.
#[must_use]
pub fn by_device(runtime: &Runtime) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for span in runtime.profiler().spans() {
        if is_evaluation(&span.operation) {
            *found.entry(span.device.to_string()).or_default() += span.work;
        }
    }
    found
}

fn is_evaluation(operation: &str) -> bool {
    let kinds = [&EVALUATE, &EVALUATE_AGAIN, &EVALUATE_ON_CPU];
    kinds.iter().any(|kind| kind.name() == operation)
}

/// What evaluations cost a device, by the spans recorded so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationTotals {
    /// Operations; on a GPU each is one launch.
    pub operations: u64,
    /// Evaluations.
    pub evaluations: u64,
    /// Those of them that had been flagged elsewhere.
    pub repeated: u64,
    /// By the system's clock, without those.
    pub time: Nanos,
    /// The same of those alone: of each operation the whole, though it may have
    /// shared the device with others.
    pub repeated_time: Nanos,
    /// By the device's own; none of a processor.
    pub device_time: Nanos,
    /// Between host and device, as far as nothing was computed meanwhile; with what was
    /// brought there ahead.
    pub transfer_time: Nanos,
}

/// What evaluations cost each device, by the spans recorded so far.
#[must_use]
pub fn evaluation_totals(runtime: &Runtime) -> BTreeMap<String, EvaluationTotals> {
    let mut found: BTreeMap<String, EvaluationTotals> = BTreeMap::new();
    for span in runtime.profiler().spans() {
        if is_evaluation(&span.operation) {
            let effort = found.entry(span.device.to_string()).or_default();
            effort.operations += 1;
            effort.evaluations += span.work;
            if &*span.operation == EVALUATE_AGAIN.name() {
                effort.repeated += span.work;
                effort.repeated_time += Nanos(span.total_ns);
                continue;
            }
            effort.time += Nanos(span.total_ns);
            effort.device_time += Nanos(span.device_ns.unwrap_or(0));
            effort.transfer_time += Nanos(span.transfer_ns);
        } else if &*span.operation == PREPARE.name() {
            let effort = found.entry(span.device.to_string()).or_default();
            effort.transfer_time += Nanos(span.transfer_ns);
        }
    }
    found
}
