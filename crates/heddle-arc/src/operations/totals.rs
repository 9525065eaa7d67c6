//! The number and time of evaluations on each device, from recorded spans.

use super::{EVALUATE, EVALUATE_AGAIN, EVALUATE_ON_CPU, PREPARE};
use heddle_runtime::Runtime;
use heddle_runtime::units::Nanos;
use std::collections::BTreeMap;
use std::ops::Add;

/// The number of evaluations that ran on each device, from the spans recorded so far.
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

/// The number and time of a device's evaluations, from the spans recorded so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvaluationTotals {
    /// The number of operations, one launch each on a GPU.
    pub operations: u64,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The evaluations among them that repeat ones a GPU flagged.
    pub repeated: u64,
    /// System time, without the repeated evaluations.
    pub time: Nanos,
    /// System time of the repeated evaluations: the whole time of each operation, though it
    /// may have shared the device with others.
    pub repeated_time: Nanos,
    /// Device time, without the repeated evaluations; 0 for the CPU.
    pub device_time: Nanos,
    /// Time of transfers between host and device that did not overlap computation, with the
    /// transfers made in advance.
    pub transfer_time: Nanos,
}

impl Add for EvaluationTotals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            operations: self.operations + other.operations,
            evaluations: self.evaluations + other.evaluations,
            repeated: self.repeated + other.repeated,
            time: self.time + other.time,
            repeated_time: self.repeated_time + other.repeated_time,
            device_time: self.device_time + other.device_time,
            transfer_time: self.transfer_time + other.transfer_time,
        }
    }
}

/// The number and time of each device's evaluations, from the spans recorded so far.
#[must_use]
pub fn evaluation_totals(runtime: &Runtime) -> BTreeMap<String, EvaluationTotals> {
    let mut found: BTreeMap<String, EvaluationTotals> = BTreeMap::new();
    for span in runtime.profiler().spans() {
        if is_evaluation(&span.operation) {
            let device_totals = found.entry(span.device.to_string()).or_default();
            device_totals.operations += 1;
            device_totals.evaluations += span.work;
            if &*span.operation == EVALUATE_AGAIN.name() {
                device_totals.repeated += span.work;
                device_totals.repeated_time += Nanos(span.total_ns);
                continue;
            }
            device_totals.time += Nanos(span.total_ns);
            device_totals.device_time += Nanos(span.device_ns.unwrap_or(0));
            device_totals.transfer_time += Nanos(span.transfer_ns);
        } else if &*span.operation == PREPARE.name() {
            let device_totals = found.entry(span.device.to_string()).or_default();
            device_totals.transfer_time += Nanos(span.transfer_ns);
        }
    }
    found
}
