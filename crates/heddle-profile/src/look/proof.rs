//! How much of what ran "on the GPU" the GPU itself vouches for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;

/// Spans on GPUs, and how many have a time by the device's own clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceProof {
    /// Spans that ran on a GPU.
    pub spans: u64,
    /// Those with a time by its clock.
    pub timed: u64,
    /// Operations where some are missing, by operation and device.
    pub unproven: Vec<Unproven>,
}

/// An operation of which the device does not vouch for every run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unproven {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// Its spans there.
    pub spans: u64,
    /// Those with a time by the device's clock.
    pub timed: u64,
}

impl DeviceProof {
    /// The share that is vouched for, from 0 to 1; all of nothing is all.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.spans == 0 {
            1.0
        } else {
            self.timed as f64 / self.spans as f64
        }
    }

    /// Whether the device vouches for everything that is said to have run on it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.timed == self.spans
    }
}

impl Recording {
    /// How much of what ran on GPUs has a time by their own clock. Code marked
    /// by hand claims nothing and is not counted.
    #[must_use]
    pub fn device_proof(&self) -> DeviceProof {
        let mut rows: BTreeMap<(&Name, &Name), (u64, u64)> = BTreeMap::new();
        for span in &self.spans {
            if span.is_on_gpu() && !span.is_scope() {
                let (spans, timed) = rows.entry((&span.operation, &span.device)).or_default();
                *spans += 1;
                *timed += u64::from(span.device_ns.is_some());
            }
        }
        DeviceProof {
            spans: rows.values().map(|row| row.0).sum(),
            timed: rows.values().map(|row| row.1).sum(),
            unproven: rows
                .into_iter()
                .filter(|(_, (spans, timed))| timed < spans)
                .map(|((operation, device), (spans, timed))| Unproven {
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
        let proof = recording.device_proof();
        assert_eq!((proof.spans, proof.timed), (3, 2));
        assert!(!proof.is_whole());
        assert_eq!(proof.unproven.len(), 1);
        assert_eq!(proof.unproven[0].operation, "sum");
        let none = Recording::default().device_proof();
        assert!(none.is_whole() && (none.share() - 1.0).abs() < 1e-12);
    }
}
