//! How much of the work recorded on GPUs has a time by the GPU's own clock.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;

/// Spans on GPUs, and how many have a time by the device's own clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceTimeCoverage {
    /// The spans that ran on a GPU.
    pub spans: u64,
    /// The spans with a time by the GPU's clock.
    pub timed: u64,
    /// The operations with spans that lack such a time, by operation and device.
    pub unproven: Vec<UntimedOperation>,
}

/// An operation with spans that have no time by the device's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UntimedOperation {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// Its spans on that device.
    pub spans: u64,
    /// Its spans with a time by the device's clock.
    pub timed: u64,
}

impl DeviceTimeCoverage {
    /// The share with a device time, from 0 to 1; 1 if there are no spans.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.spans == 0 {
            1.0
        } else {
            self.timed as f64 / self.spans as f64
        }
    }

    /// Whether every span on a GPU has a time by the device's clock.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.timed == self.spans
    }
}

impl Recording {
    /// How much of the GPU work has a time by the GPU's own clock. Scopes make no
    /// claim and are not counted.
    #[must_use]
    pub fn device_time_coverage(&self) -> DeviceTimeCoverage {
        let mut rows: BTreeMap<(&Name, &Name), (u64, u64)> = BTreeMap::new();
        for span in &self.spans {
            if span.is_on_gpu() && !span.is_scope() {
                let (spans, timed) = rows.entry((&span.operation, &span.device)).or_default();
                *spans += 1;
                *timed += u64::from(span.device_ns.is_some());
            }
        }
        DeviceTimeCoverage {
            spans: rows.values().map(|row| row.0).sum(),
            timed: rows.values().map(|row| row.1).sum(),
            unproven: rows
                .into_iter()
                .filter(|(_, (spans, timed))| timed < spans)
                .map(|((operation, device), (spans, timed))| UntimedOperation {
                    operation: operation.clone(),
                    device: device.clone(),
                    spans,
                    timed,
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::RecordedSpan;

    #[test]
    fn what_the_device_did_not_time_is_named() {
        let span = |operation: &str, device: &str, device_ns| RecordedSpan {
            operation: operation.into(),
            device: device.into(),
            device_ns,
            ..RecordedSpan::default()
        };
        let recording = Recording {
            spans: vec![
                span("xor", "cpu", None),
                span("xor", "cuda:0", Some(3)),
                span("sum", "cuda:0", None),
                span("sum", "cuda:0", Some(0)),
            ],
            ..Recording::default()
        };
        let coverage = recording.device_time_coverage();
        assert_eq!((coverage.spans, coverage.timed), (3, 2));
        assert!(!coverage.is_whole());
        assert_eq!(coverage.unproven.len(), 1);
        assert_eq!(coverage.unproven[0].operation, "sum");
        let none = Recording::default().device_time_coverage();
        assert!(none.is_whole() && (none.share() - 1.0).abs() < 1e-12);
    }
}
