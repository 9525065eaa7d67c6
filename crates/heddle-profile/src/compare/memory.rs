//! Peak memory in both runs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::CompareSettings;
use super::interval::ComparisonOutcome;
use crate::name::Name;
use crate::recording::Recording;

/// Peak memory of one device in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryChange {
    /// The device.
    pub device: Name,
    /// The peak in bytes, before and after.
    pub peak_bytes: [u64; 2],
    /// The verdict. A run has one peak, so there is no uncertainty to measure and
    /// only noise is left out.
    pub verdict: ComparisonOutcome,
}

pub(super) fn changes(runs: [&Recording; 2], settings: &CompareSettings) -> Vec<MemoryChange> {
    let [mut before, mut after] = runs.map(sampled);
    let seen = runs.map(by_span);
    // Samples are taken at intervals and may miss a peak; spans do not. The two
    // count differently, so both runs use one or the other.
    for (device, peak) in &mut before {
        if let (Some(old), Some(new)) = (seen[0].get(device), seen[1].get(device))
            && let Some(other) = after.get_mut(device)
        {
            (*peak, *other) = (*old, *new);
        }
    }
    before
        .iter()
        // A device that only one run recorded shows no change.
        .filter_map(|(&device, &peak)| {
            let peak_bytes = [peak, *after.get(device)?];
            let verdict = if peak_bytes == [0, 0] {
                ComparisonOutcome::NoChange
            } else {
                let ratio = peak_bytes[1] as f64 / peak_bytes[0].max(1) as f64;
                ComparisonOutcome::exactly(ratio, settings.noise)
            };
            Some(MemoryChange {
                device: device.clone(),
                peak_bytes,
                verdict,
            })
        })
        .collect()
}

/// The largest peak of any span.
fn by_span(run: &Recording) -> BTreeMap<&Name, u64> {
    let mut peaks: BTreeMap<&Name, u64> = BTreeMap::new();
    for span in run.spans.iter().filter(|span| span.mem_peak > 0) {
        let peak = peaks.entry(&span.device).or_default();
        *peak = (*peak).max(span.mem_peak);
    }
    peaks
}

/// The largest sample.
fn sampled(run: &Recording) -> BTreeMap<&Name, u64> {
    let mut peaks: BTreeMap<&Name, u64> = BTreeMap::new();
    for sample in &run.memory {
        let peak = peaks.entry(&sample.device).or_default();
        *peak = (*peak).max(sample.allocated);
    }
    peaks
}
