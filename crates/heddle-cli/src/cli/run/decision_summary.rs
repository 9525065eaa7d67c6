//! A summary of routing decisions: the reason for each kind and device, and the decision
//! that each unused device came nearest to winning.

use std::collections::BTreeMap;

use heddle::device::DeviceId;
use heddle::profile::RoutingLog;
use heddle::route::{Candidate, Decision, PredictedCost};
use heddle::units::Estimate;

/// Summarises decisions one by one.
#[derive(Debug, Default)]
pub(super) struct DecisionSummary {
    /// One reason per kind and device.
    pub(super) reasons: BTreeMap<(&'static str, DeviceId), String>,
    /// Per candidate device, the decision it came nearest to winning.
    nearest: BTreeMap<DeviceId, NearMiss>,
    /// All decisions with their measured times, for the recording.
    pub(super) decisions: RoutingLog,
}

/// A decision that a device did not win.
#[derive(Clone, Copy, Debug)]
struct NearMiss {
    /// The kind of operation.
    kind: &'static str,
    /// The predicted cost on that device.
    candidate_ns: f64,
    /// The part of it for transfers of operands and result.
    transfer_ns: f64,
    /// The device that was chosen.
    winner: DeviceId,
    /// The predicted cost on the chosen device.
    winner_ns: f64,
}

impl DecisionSummary {
    /// Adds one decision.
    pub(super) fn note(&mut self, kind: &'static str, decision: &Decision) {
        // Formatting a reason costs more than a tiny operation, so it is done once.
        self.reasons
            .entry((kind, decision.device))
            .or_insert_with(|| decision.to_string());
        let Some(won) = decision.chosen().and_then(|candidate| candidate.cost) else {
            return;
        };
        for candidate in &decision.candidates {
            if candidate.device != decision.device {
                self.note_miss(kind, decision.device, &won, candidate);
            }
        }
    }

    /// Adds a kind that ran on a device only to be measured there.
    pub(super) fn note_explored(&mut self, kind: &'static str, device: DeviceId) {
        self.reasons
            .entry((kind, device))
            .or_insert_with(|| format!("{device}: explored, to measure it there"));
    }

    fn note_miss(
        &mut self,
        kind: &'static str,
        winner: DeviceId,
        won: &PredictedCost,
        candidate: &Candidate,
    ) {
        let Some(cost) = candidate.cost else {
            return;
        };
        let miss = NearMiss {
            kind,
            candidate_ns: cost.total_ns(),
            transfer_ns: cost.transfer_ns,
            winner,
            winner_ns: won.total_ns(),
        };
        let known = self.nearest.entry(candidate.device).or_insert(miss);
        if miss.ratio() < known.ratio() {
            *known = miss;
        }
    }

    /// Returns a sentence that says why an unused device was not chosen.
    pub(super) fn why_unused(&self, device: DeviceId) -> String {
        let why = match self.nearest.get(&device) {
            Some(miss) => miss.to_string(),
            None => "no operation has a predicted cost there".to_owned(),
        };
        format!("{device} is present but was not worth using for this workload: {why}")
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
            "its closest decision was {}, predicted to take {} there ({} of it transfers) against {} on {}",
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
    use heddle::device::Timing;
    use heddle::route::{RouteSettings, Router};
    use heddle::units::Nanos;
    use heddle::{DType, Description, Kind, WorkUnit};

    use super::*;

    static MEASURED: Kind = Kind::new("measured", WorkUnit::Items);

    fn decision(cpu_ns: u64, gpu_ns: u64) -> Decision {
        let devices = [DeviceId::CPU, DeviceId::cuda(0)];
        let settings = RouteSettings::default().with(|it| it.explore_share = 0.0);
        let router = Router::new(&devices, settings);
        let description = Description::new(&MEASURED, DType::U8, 1);
        for (device, ns) in devices.into_iter().zip([cpu_ns, gpu_ns]).cycle().take(40) {
            router.observe(&description, device, &Timing::of(Nanos(ns)));
        }
        router.decide(&description, &|_| true, None).unwrap()
    }

    #[test]
    fn the_nearest_miss_is_reported() {
        let mut decision_summary = DecisionSummary::default();
        decision_summary.note("xor", &decision(100, 9000));
        decision_summary.note("matmul", &decision(1000, 2000));
        decision_summary.note("xor", &decision(100, 8000));
        let text = decision_summary.why_unused(DeviceId::cuda(0));
        assert!(
            text.starts_with("cuda:0 is present but was not worth using for this workload"),
            "{text}"
        );
        assert!(text.contains("matmul"), "{text}");
        let never = decision_summary.why_unused(DeviceId::cuda(1));
        assert!(never.contains("no operation"), "{never}");
    }
}
