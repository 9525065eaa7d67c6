//! How much of a device an operation used, estimated.
//!
//! A device's ceiling is the bandwidth in its description, if there is one, else the best
//! rate any operation reached on it in the same run. A run that never used a device
//! well has a low ceiling, which makes its other operations seem better, so every
//! figure derived from it is called estimated.

use std::collections::BTreeMap;

use super::{RecordedSpan, Recording};
use crate::name::Name;

/// Spans that computed for less than this are shorter than the clock can measure.
pub(crate) const LEAST_COMPUTING_NS: u64 = 1_000;

/// The largest number of bytes a second of each device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    bytes_per_s: BTreeMap<Name, f64>,
}

impl Ceilings {
    /// A device's ceiling; `None` where nothing was measured.
    #[must_use]
    pub fn of(&self, device: &str) -> Option<f64> {
        self.bytes_per_s.get(device).copied()
    }

    /// The bandwidth of a span as a share of its device's ceiling, from 0 to 1.
    #[must_use]
    pub fn estimated_utilisation(&self, span: &RecordedSpan) -> Option<f64> {
        Some((span.bandwidth_bytes_per_s()? / self.of(&span.device)?).min(1.0))
    }
}

impl Recording {
    /// The largest rate of each device, as far as this run shows it.
    #[must_use]
    pub fn ceilings(&self) -> Ceilings {
        let mut bytes_per_s: BTreeMap<Name, f64> = BTreeMap::new();
        let measured = self
            .spans
            .iter()
            .filter(|span| !span.is_scope() && span.computing_ns() >= LEAST_COMPUTING_NS);
        for span in measured {
            let Some(rate) = span.bandwidth_bytes_per_s() else {
                continue;
            };
            match bytes_per_s.get_mut(&span.device) {
                Some(best) => *best = best.max(rate),
                None => {
                    bytes_per_s.insert(span.device.clone(), rate);
                }
            }
        }
        for device_description in &self.machine.devices {
            if let Some(known) = device_description.bandwidth_bytes_per_s {
                bytes_per_s.insert(device_description.id.as_str().into(), known as f64);
            }
        }
        Ceilings { bytes_per_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::DeviceDescription;

    fn span(device: &str, bytes_in: u64, device_ns: u64) -> RecordedSpan {
        RecordedSpan {
            device: device.into(),
            bytes_in,
            device_ns: Some(device_ns),
            ..RecordedSpan::default()
        }
    }

    #[test]
    fn the_best_of_the_run_is_the_ceiling_unless_it_is_known() {
        let mut recording = Recording {
            spans: vec![
                span("cuda:0", 8_000, 2_000),
                span("cuda:0", 2_000, 2_000),
                // Too short to be trusted.
                span("cuda:0", 9_000, 10),
                span("simt:0", 0, 2_000),
            ],
            ..Recording::default()
        };
        let ceilings = recording.ceilings();
        assert_eq!(ceilings.of("cuda:0"), Some(4e9));
        assert_eq!(ceilings.of("simt:0"), None);
        let shares: Vec<_> = recording
            .spans
            .iter()
            .map(|span| ceilings.estimated_utilisation(span))
            .collect();
        assert_eq!(shares, [Some(1.0), Some(0.25), Some(1.0), None]);
        recording.machine.devices.push(DeviceDescription {
            id: "cuda:0".to_owned(),
            bandwidth_bytes_per_s: Some(16_000_000_000),
            ..DeviceDescription::default()
        });
        assert_eq!(recording.ceilings().of("cuda:0"), Some(1.6e10));
    }
}
