//! What the routed rounds leave behind about their decisions: why operations went
//! where they went, and how near each device came to being chosen.

use std::collections::BTreeMap;

use heddle::device::DeviceId;
use heddle::profile::RoutingLog;
use heddle::route::{Candidate, Decision, PredictedCost};
use heddle::units::Estimate;

/// Collected decision by decision.
#[derive(Debug, Default)]
pub(super) struct DecisionSummary {
    /// One sentence per kind and device.
    pub(super) reasons: BTreeMap<(&'static str, DeviceId), String>,
    /// Per device that was considered, the decision it came nearest to winning.
    nearest: BTreeMap<DeviceId, NearMiss>,
    /// Every decision and what came of it, summed up for the recording.
    pub(super) decisions: RoutingLog,
}

/// A decision a device did not win.
#[derive(Clone, Copy, Debug)]
struct NearMiss {
    /// The kind of operation.
    kind: &'static str,
    /// What it would have cost there, as predicted.
    candidate_ns: f64,
    /// How much of that is moving operands and result.
    transfer_ns: f64,
    /// Who won.
    winner: DeviceId,
    /// What it would cost the winner, as predicted.
    winner_ns: f64,
}

impl DecisionSummary {
    /// Takes note of one decision.
    pub(super) fn note(&mut self, kind: &'static str, decision: &Decision) {
        // A sentence costs more than a tiny operation, so it is written once.
        self.reasons
            .entry((kind, decision.device))
            .or_insert_with(|| decision.to_string());
        let Some(won) = decision.chosen().and_then(|candidate| candidate.price) else {
            return;
        };
        for candidate in &decision.candidates {
            if candidate.device != decision.device {
                self.note_miss(kind, decision.device, &won, candidate);
            }
        }
    }

    /// Says of a kind that ran on a device only to be measured there.
    pub(super) fn note_explored(&mut self, kind: &'static str, device: DeviceId) {
        self.reasons
            .entry((kind, device))
            .or_insert_with(|| format!("{device}: measured once in a while"));
    }

    fn note_miss(
        &mut self,
        kind: &'static str,
        winner: DeviceId,
        won: &PredictedCost,
        candidate: &Candidate,
    ) {
        let Some(price) = candidate.price else {
            return;
        };
        let miss = NearMiss {
            kind,
            candidate_ns: price.total_ns(),
            transfer_ns: price.transfer_ns,
            winner,
            winner_ns: won.total_ns(),
        };
        let known = self.nearest.entry(candidate.device).or_insert(miss);
        if miss.ratio() < known.ratio() {
            *known = miss;
        }
    }

    /// In so many words, that a device which got nothing was not worth it.
    pub(super) fn why_unused(&self, device: DeviceId) -> String {
        let why = match self.nearest.get(&device) {
            Some(miss) => miss.to_string(),
            None => "no operation was ever priced there".to_owned(),
        };
        format!("{device} is present and was not worth using for this workload: {why}")
    }
}

impl NearMiss {
    fn ratio(&self) -> f64 {
        self.candidate_ns / self.winner_ns
    }
}

impl std::fmt::Display for NearMiss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "it came nearest with {}, predicted to take {} there ({} of it transfers) against {} on {}",
            self.kind,
            Estimate(self.candidate_ns),
            Estimate(self.transfer_ns),
            Estimate(self.winner_ns),
            self.winner,
        )
    }
}

#[cfg(test)]
mod tests {
    use heddle::route::Reason;

    use super::*;

    fn decision(cpu_ns: f64, gpu_ns: f64) -> Decision {
        let candidate = |device, work_ns| Candidate {
            device,
            price: Some(PredictedCost {
                work_ns,
                ..PredictedCost::default()
            }),
            samples: 1,
            confidence: 1.0,
        };
        Decision {
            device: DeviceId::CPU,
            candidates: [
                candidate(DeviceId::CPU, cpu_ns),
                candidate(DeviceId::cuda(0), gpu_ns),
            ]
            .into_iter()
            .collect(),
            reason: Reason::OnlyDevice,
        }
    }

    #[test]
    fn the_nearest_miss_is_reported() {
        let mut decision_summary = DecisionSummary::default();
        decision_summary.note("xor", &decision(100.0, 9000.0));
        decision_summary.note("matmul", &decision(1000.0, 2000.0));
        decision_summary.note("xor", &decision(100.0, 8000.0));
        let text = decision_summary.why_unused(DeviceId::cuda(0));
        assert!(
            text.starts_with("cuda:0 is present and was not worth using for this workload"),
            "{text}"
        );
        assert!(text.contains("matmul"), "{text}");
        let never = decision_summary.why_unused(DeviceId::cuda(1));
        assert!(never.contains("no operation"), "{never}");
    }
}
