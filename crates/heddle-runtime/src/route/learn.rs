//! Learning from measurements, and the reports on all of them.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::decision::{Decision, Reason};
use super::entry::KindEntry;
use super::regret;
use super::report::{KindDecisionCounts, KindRegret, RouteCounts};
use super::router::{Router, entry_index};
use super::saved_model::{DeviceModel, KindModel};
use super::transfer::Direction;
use crate::device::{DeviceId, Timing};
use crate::operation::Description;
use crate::units::{Bytes, Nanos};

impl Router {
    /// Learns from the measurement of a decided operation, taken on
    /// `decision.device`. `d` is the description the decision was made for.
    pub fn learn(&self, d: &Description, decision: &Decision, timing: &Timing) {
        let Some(slot) = self.policy.slot(decision.device) else {
            return;
        };
        let entry = self.entry(d);
        let device_entry = &entry.per_device[slot];
        let clock = entry.clock.fetch_add(1, Ordering::Relaxed) + 1;
        device_entry.ran.store(clock, Ordering::Relaxed);
        device_entry.decisions.fetch_add(1, Ordering::Relaxed);
        self.budget.spend(timing.total.0);
        let first = device_entry.is_first_run();
        if let Reason::Exploring { instead_of } = decision.reason {
            let mut candidates = decision.candidates.iter();
            let best_ns = candidates
                .find(|candidate| candidate.device == instead_of)
                .and_then(|candidate| candidate.cost)
                .map_or(0.0, |cost| cost.total_ns());
            let charged = decision
                .chosen()
                .map_or(0, |candidate| self.extra_ns(d, candidate, best_ns));
            // Loading is paid once and is no part of the cost of exploring. If it were charged,
            // starting one library would stop all exploration for a long time.
            let extra = if first {
                0
            } else {
                timing.total.0.saturating_sub(best_ns as u64)
            };
            self.budget.correct_charge(charged, extra);
            device_entry.explorations.fetch_add(1, Ordering::Relaxed);
            device_entry
                .explore_ns
                .fetch_add(timing.total.0, Ordering::Relaxed);
        }
        if !first {
            self.measure(entry, slot, d, timing, true);
        }
    }

    /// Learns from a measurement outside a decision: calibration or verification.
    pub fn observe(&self, d: &Description, device: DeviceId, timing: &Timing) {
        let Some(slot) = self.policy.slot(device) else {
            return;
        };
        let entry = self.entry(d);
        let clock = entry.clock.load(Ordering::Relaxed);
        entry.per_device[slot].ran.store(clock, Ordering::Relaxed);
        if !entry.per_device[slot].is_first_run() {
            self.measure(entry, slot, d, timing, false);
        }
    }

    /// Learns from the time of one transfer.
    pub(super) fn observe_transfer(
        &self,
        device: DeviceId,
        direction: Direction,
        bytes: Bytes,
        time: Nanos,
    ) {
        if let Some(device_model) = self.transfer_models.device_model(device) {
            device_model
                .direction_model(direction)
                .learn(bytes.0, time.0);
        }
    }

    fn measure(
        &self,
        entry: &KindEntry,
        slot: usize,
        d: &Description,
        timing: &Timing,
        decided: bool,
    ) {
        let devices = &self.policy.devices;
        let model = &entry.per_device[slot].model;
        let mut busy_ns = timing.busy().0;
        if timing.is_overlapped() {
            // Transfers hid the launches together with the kernels, and only the kernels are
            // timed. Without the launches, the same work would have one time with transfers and
            // another without, and the measurements would contradict each other.
            let floor_ns = model.read(d.work).map_or(0.0, |reading| reading.floor_ns);
            busy_ns = busy_ns.saturating_add(floor_ns as u64).min(timing.total.0);
        }
        model.learn(d.work, busy_ns);
        self.transfer_models
            .learn(d, devices[slot], &timing.exposed());
        let class = regret::class(d, devices);
        entry
            .regret
            .enter(d.work, class, slot, timing.total.0, decided);
    }

    /// The time that better decisions would have saved, per kind, sorted by name.
    #[must_use]
    pub fn regret(&self) -> Vec<KindRegret> {
        self.regret_beside(&[])
    }

    /// As [`regret`](Self::regret), with the measurements of other routers over the same
    /// devices. Their measured costs count as evidence; their decisions do not count.
    #[must_use]
    pub fn regret_beside(&self, others: &[&Self]) -> Vec<KindRegret> {
        let others: Vec<&&Self> = others
            .iter()
            .filter(|other| other.policy.devices == self.policy.devices)
            .collect();
        let mut kinds: BTreeMap<&'static str, KindRegret> = BTreeMap::new();
        for entry in self.entries.iter() {
            let kind = entry.kind.name();
            let regret = kinds.entry(kind).or_insert_with(|| KindRegret {
                kind,
                operations: 0,
                spent: Nanos(0),
                regret: Nanos(0),
                unmeasured: 0,
            });
            let at = entry_index(entry.kind, entry.dtype);
            let tables: Vec<_> = others
                .iter()
                .filter_map(|other| Some(&other.entries.get(at)?.regret))
                .collect();
            entry.regret.sum_into(&tables, regret);
        }
        kinds.into_values().collect()
    }

    /// Makes [`regret`](Self::regret) count only decisions from now on. Earlier measurements
    /// still count as costs of their device.
    pub fn restart_regret(&self) {
        for entry in self.entries.iter() {
            entry.regret.restart();
        }
    }

    /// The decisions so far, counted when their measurement is learned.
    #[must_use]
    pub fn decision_counts(&self) -> RouteCounts {
        let mut counts: BTreeMap<(&'static str, DeviceId), (u64, u64)> = BTreeMap::new();
        let mut explore_ns = 0;
        for entry in self.entries.iter() {
            for (device_entry, &device) in entry.per_device.iter().zip(&self.policy.devices) {
                let decisions = device_entry.decisions.load(Ordering::Relaxed);
                if decisions > 0 {
                    let count = counts.entry((entry.kind.name(), device)).or_default();
                    count.0 += decisions;
                    count.1 += device_entry.explorations.load(Ordering::Relaxed);
                    explore_ns += device_entry.explore_ns.load(Ordering::Relaxed);
                }
            }
        }
        let (time, extra) = (self.budget.total_ns(), self.budget.extra_ns());
        RouteCounts {
            decisions: counts.values().map(|count| count.0).sum(),
            explorations: counts.values().map(|count| count.1).sum(),
            kinds: counts
                .into_iter()
                .map(
                    |((kind, device), (decisions, explorations))| KindDecisionCounts {
                        kind,
                        device,
                        decisions,
                        explorations,
                    },
                )
                .collect(),
            time: Nanos(time),
            explore_time: Nanos(explore_ns),
            explore_extra: Nanos(extra),
            explore_share: extra as f64 / time.max(1) as f64,
        }
    }

    /// Everything learned about a device, for saving. It includes what was adopted and not used
    /// since.
    #[must_use]
    pub fn device_model(&self, device: DeviceId) -> DeviceModel {
        let (Some(slot), Some(device_model)) = (
            self.policy.slot(device),
            self.transfer_models.device_model(device),
        ) else {
            return DeviceModel::default();
        };
        let mut kinds = self.unused_models[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for entry in self.entries.iter() {
            let curve = entry.per_device[slot].model.saved();
            if !curve.bins.is_empty() {
                kinds.insert((entry.kind.name().to_owned(), entry.dtype), curve);
            }
        }
        DeviceModel {
            up: device_model.up.saved(),
            down: device_model.down.saved(),
            kinds: kinds
                .into_iter()
                .map(|((kind, dtype), curve)| KindModel { kind, dtype, curve })
                .collect(),
        }
    }

    /// Replaces what is known about a device by a saved model. Curves that the model does not
    /// have stay as they are.
    pub fn adopt(&self, device: DeviceId, model: DeviceModel) {
        let (Some(slot), Some(device_model)) = (
            self.policy.slot(device),
            self.transfer_models.device_model(device),
        ) else {
            return;
        };
        device_model.up.adopt(&model.up);
        device_model.down.adopt(&model.down);
        let mut unused_models = self.unused_models[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unused_models.extend(
            model
                .kinds
                .into_iter()
                .map(|saved| ((saved.kind, saved.dtype), saved.curve)),
        );
        for entry in self.entries.iter() {
            if let Some(curve) = unused_models.remove(&(entry.kind.name().to_owned(), entry.dtype))
            {
                entry.per_device[slot].model.adopt(&curve);
            }
        }
    }
}
