//! Learning from measurements, and the reports on all of them.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::decision::{Decision, Reason};
use super::regret;
use super::report::{KindRegret, KindTally, RouteTally};
use super::router::{Router, place};
use super::row::Row;
use super::saved::{DeviceModel, KindModel};
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
        let row = self.row(d);
        let cell = &row.cells[slot];
        let clock = row.clock.fetch_add(1, Ordering::Relaxed) + 1;
        cell.ran.store(clock, Ordering::Relaxed);
        cell.decisions.fetch_add(1, Ordering::Relaxed);
        self.budget.spend(timing.total.0);
        let first = cell.is_first_run();
        if let Reason::Exploring { instead_of } = decision.reason {
            let mut candidates = decision.candidates.iter();
            let best_ns = candidates
                .find(|candidate| candidate.device == instead_of)
                .and_then(|candidate| candidate.price)
                .map_or(0.0, |price| price.total_ns());
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
            self.budget.settle(charged, extra);
            cell.explorations.fetch_add(1, Ordering::Relaxed);
            cell.explore_ns.fetch_add(timing.total.0, Ordering::Relaxed);
        }
        if !first {
            self.measure(row, slot, d, timing, true);
        }
    }

    /// Learns from a measurement outside a decision: calibration or verification.
    pub fn observe(&self, d: &Description, device: DeviceId, timing: &Timing) {
        let Some(slot) = self.policy.slot(device) else {
            return;
        };
        let row = self.row(d);
        let clock = row.clock.load(Ordering::Relaxed);
        row.cells[slot].ran.store(clock, Ordering::Relaxed);
        if !row.cells[slot].is_first_run() {
            self.measure(row, slot, d, timing, false);
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
        if let Some(bus) = self.buses.bus(device) {
            bus.way(direction).learn(bytes.0, time.0);
        }
    }

    fn measure(&self, row: &Row, slot: usize, d: &Description, timing: &Timing, decided: bool) {
        let devices = &self.policy.devices;
        let model = &row.cells[slot].model;
        let mut busy_ns = timing.busy().0;
        if timing.is_overlapped() {
            // Transfers hid the launches together with the kernels, and only the kernels are
            // timed. Without the launches, the same work would have one time with transfers and
            // another without, and the measurements would contradict each other.
            let floor_ns = model.read(d.work).map_or(0.0, |reading| reading.floor_ns);
            busy_ns = busy_ns.saturating_add(floor_ns as u64).min(timing.total.0);
        }
        model.learn(d.work, busy_ns);
        self.buses.learn(d, devices[slot], &timing.exposed());
        let class = regret::class(d, devices);
        row.book.enter(d.work, class, slot, timing.total.0, decided);
    }

    /// The time that better decisions would have saved, per kind, sorted by name.
    #[must_use]
    pub fn regret(&self) -> Vec<KindRegret> {
        self.regret_beside(&[])
    }

    /// As [`regret`](Self::regret), with the measurements of other routers over the same
    /// devices. Their measured costs count as evidence; their decisions are not judged.
    #[must_use]
    pub fn regret_beside(&self, witnesses: &[&Self]) -> Vec<KindRegret> {
        let witnesses: Vec<&&Self> = witnesses
            .iter()
            .filter(|witness| witness.policy.devices == self.policy.devices)
            .collect();
        let mut kinds: BTreeMap<&'static str, KindRegret> = BTreeMap::new();
        for row in self.rows.iter() {
            let kind = row.kind.name();
            let regret = kinds.entry(kind).or_insert_with(|| KindRegret {
                kind,
                operations: 0,
                spent: Nanos(0),
                regret: Nanos(0),
                unmeasured: 0,
            });
            let at = place(row.kind, row.dtype);
            let books: Vec<_> = witnesses
                .iter()
                .filter_map(|witness| Some(&witness.rows.get(at)?.book))
                .collect();
            row.book.sum_into(&books, regret);
        }
        kinds.into_values().collect()
    }

    /// Makes [`regret`](Self::regret) judge only decisions from now on. Earlier measurements
    /// still count as costs of their device.
    pub fn restart_regret(&self) {
        for row in self.rows.iter() {
            row.book.restart();
        }
    }

    /// The decisions so far, counted when their measurement is learned.
    #[must_use]
    pub fn tally(&self) -> RouteTally {
        let mut counts: BTreeMap<(&'static str, DeviceId), (u64, u64)> = BTreeMap::new();
        let mut explore_ns = 0;
        for row in self.rows.iter() {
            for (cell, &device) in row.cells.iter().zip(&self.policy.devices) {
                let decisions = cell.decisions.load(Ordering::Relaxed);
                if decisions > 0 {
                    let count = counts.entry((row.kind.name(), device)).or_default();
                    count.0 += decisions;
                    count.1 += cell.explorations.load(Ordering::Relaxed);
                    explore_ns += cell.explore_ns.load(Ordering::Relaxed);
                }
            }
        }
        let (time, extra) = (self.budget.total_ns(), self.budget.extra_ns());
        RouteTally {
            decisions: counts.values().map(|count| count.0).sum(),
            explorations: counts.values().map(|count| count.1).sum(),
            kinds: counts
                .into_iter()
                .map(|((kind, device), (decisions, explorations))| KindTally {
                    kind,
                    device,
                    decisions,
                    explorations,
                })
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
        let (Some(slot), Some(bus)) = (self.policy.slot(device), self.buses.bus(device)) else {
            return DeviceModel::default();
        };
        let mut kinds = self.waiting[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for row in self.rows.iter() {
            let curve = row.cells[slot].model.saved();
            if !curve.bins.is_empty() {
                kinds.insert((row.kind.name().to_owned(), row.dtype), curve);
            }
        }
        DeviceModel {
            up: bus.up.saved(),
            down: bus.down.saved(),
            kinds: kinds
                .into_iter()
                .map(|((kind, dtype), curve)| KindModel { kind, dtype, curve })
                .collect(),
        }
    }

    /// Replaces what is known about a device by a saved model. Curves that the model does not
    /// have stay as they are.
    pub fn adopt(&self, device: DeviceId, model: DeviceModel) {
        let (Some(slot), Some(bus)) = (self.policy.slot(device), self.buses.bus(device)) else {
            return;
        };
        bus.up.adopt(&model.up);
        bus.down.adopt(&model.down);
        let mut waiting = self.waiting[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        waiting.extend(
            model
                .kinds
                .into_iter()
                .map(|saved| ((saved.kind, saved.dtype), saved.curve)),
        );
        for row in self.rows.iter() {
            if let Some(curve) = waiting.remove(&(row.kind.name().to_owned(), row.dtype)) {
                row.cells[slot].model.adopt(&curve);
            }
        }
    }
}
