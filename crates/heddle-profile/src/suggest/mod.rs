//! Suggestions for a run, each with the time it would save.
//!
//! Each kind of advice has a function here; none is given without figures from the
//! run itself.
//!
//! A saving is a prediction: how much less the measured times of this run would
//! have been, had everything else stayed the same.

mod launches;
mod moves;
mod tuning;

use std::cmp::Reverse;

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;

/// What a suggestion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Advice {
    /// Another device was measured to be faster.
    Move,
    /// Launches carry too little work.
    Batch,
    /// Operands are transferred that could stay on the device.
    KeepResident,
    /// Operations were routed without a measurement.
    Calibrate,
    /// Predictions are far from the measurements.
    Recalibrate,
    /// Spans on a device have no time by that device's clock.
    ProveDevice,
    /// The pool passes too many requests on to the driver.
    GrowPool,
}

/// One suggestion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Suggestion {
    /// What it is about.
    pub advice: Advice,
    /// The operation it is about; empty if it is about all.
    pub operation: Name,
    /// The device it is about; empty if none.
    pub device: Name,
    /// What was found, with its figures.
    pub found: String,
    /// The recommended action: a command or a setting.
    pub action: String,
    /// How much shorter this run would have been, as predicted; `None` where this
    /// run does not show it.
    pub predicted_saving_ns: Option<u64>,
    /// The same as a share of the run's time, from 0 to 1.
    pub predicted_share: Option<f64>,
}

impl Suggestion {
    fn new(advice: Advice, operation: &Name, device: &Name) -> Self {
        Self {
            advice,
            operation: operation.clone(),
            device: device.clone(),
            found: String::new(),
            action: String::new(),
            predicted_saving_ns: None,
            predicted_share: None,
        }
    }
}

impl Recording {
    /// The suggestions for this run, by descending saving.
    #[must_use]
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut list = moves::suggest(self);
        list.extend(launches::suggest(self));
        list.extend(tuning::suggest(self));
        let all_ns = self.summary().totals.self_ns;
        for suggestion in &mut list {
            suggestion.predicted_share = suggestion
                .predicted_saving_ns
                .filter(|_| all_ns > 0)
                .map(|ns| (ns as f64 / all_ns as f64).min(1.0));
        }
        list.sort_by(|a, b| {
            let order = |s: &Suggestion| {
                (
                    Reverse(s.predicted_saving_ns),
                    s.advice,
                    s.operation.clone(),
                    s.device.clone(),
                )
            };
            order(a).cmp(&order(b))
        });
        list
    }
}

/// A duration with a readable unit.
pub(crate) fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    if value < 10.0 {
        format!("{value:.2} {unit}")
    } else if value < 100.0 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures() {
        assert_eq!(time(7.0), "7.00 ns");
        assert_eq!(time(1_234.0), "1.23 µs");
        assert_eq!(time(45_600_000.0), "45.6 ms");
        assert_eq!(time(123e9), "123 s");
    }

    #[test]
    fn a_run_of_nothing_suggests_nothing() {
        assert_eq!(Recording::default().suggestions(), []);
    }
}
