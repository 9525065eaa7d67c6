//! The router: it decides for each operation and learns from each measurement.
//!
//! Deciding only reads and takes no lock, so that many threads may decide at once. Counts are
//! updated when the measurement arrives. The exception is an exploration, which must be charged
//! before it runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::append_table::AppendTable;
use super::decision::{Candidate, Decision, Override, PredictedCost, Reason};
use super::entry::KindEntry;
use super::explore::{ExplorationBudget, extra_ns};
use super::policy::{Exclusion, Policy};
use super::saved_model::CurveModel;
use super::settings::RouteSettings;
use super::transfer::TransferModel;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::{Description, Kind};

/// Adopted models for kinds that this process has not used yet.
pub(super) type UnusedModels = BTreeMap<(String, DType), CurveModel>;

/// Chooses a device for every operation and learns from its measured cost.
#[derive(Debug)]
pub struct Router {
    settings: RouteSettings,
    pub(super) policy: Policy,
    pub(super) transfer_models: TransferModel,
    pub(super) entries: AppendTable<KindEntry>,
    pub(super) unused_models: Box<[Mutex<UnusedModels>]>,
    pub(super) budget: ExplorationBudget,
    verifications: AtomicU64,
}

/// The effect of a forced device on one operation.
enum Forced {
    /// No device is forced.
    No,
    /// The device of this slot is forced.
    To(usize, Override),
    /// The forced device cannot run the operation.
    Impossible(DeviceId, Override),
}

impl Router {
    /// Creates a router over these devices, with no measurements.
    #[must_use]
    pub fn new(devices: &[DeviceId], settings: RouteSettings) -> Self {
        Self {
            policy: Policy::new(devices, &settings),
            transfer_models: TransferModel::new(devices),
            entries: AppendTable::new(),
            unused_models: devices.iter().map(|_| Mutex::default()).collect(),
            budget: ExplorationBudget::new(settings.explore_share),
            verifications: AtomicU64::new(0),
            settings,
        }
    }

    /// Chooses a device for the operation. `runs_on` returns whether it has an implementation
    /// for a device; `force` is the caller's own choice.
    pub fn decide(
        &self,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
        force: Option<DeviceId>,
    ) -> Result<Decision, Error> {
        self.choose(d, runs_on, force, self.budget.is_open())
    }

    /// Returns the decision that would be made without exploration. Changes nothing.
    pub fn preview(
        &self,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
        force: Option<DeviceId>,
    ) -> Result<Decision, Error> {
        self.choose(d, runs_on, force, false)
    }

    /// The cost of the operation on one device, as far as it was measured.
    #[must_use]
    pub fn candidate(&self, d: &Description, device: DeviceId) -> Candidate {
        match self.policy.slot(device) {
            Some(slot) => self.cost_candidate(self.entry(d), slot, d),
            None => Candidate {
                device,
                cost: None,
                samples: 0,
                confidence: 0.0,
            },
        }
    }

    /// Whether the next operation is one of the share that is run twice. They are evenly
    /// spaced, so a share of a tenth is exactly every tenth operation.
    #[must_use]
    pub fn wants_verify(&self) -> bool {
        let share = self.settings.verify_share;
        if share.is_nan() || share <= 0.0 {
            return false;
        }
        let before = self.verifications.fetch_add(1, Ordering::Relaxed) as f64;
        ((before + 1.0) * share).floor() > (before * share).floor()
    }

    /// The device to verify a decision on, or to fall back to: the cheapest of the other
    /// candidates that is not lost.
    #[must_use]
    pub fn second_choice(&self, decision: &Decision) -> Option<DeviceId> {
        let cost =
            |candidate: &Candidate| candidate.cost.map_or(f64::INFINITY, |cost| cost.total_ns());
        decision
            .candidates
            .iter()
            .filter(|candidate| candidate.device != decision.device)
            .filter(|candidate| {
                self.policy
                    .slot(candidate.device)
                    .is_some_and(|slot| !self.policy.is_lost(slot))
            })
            .min_by(|one, other| cost(one).total_cmp(&cost(other)))
            .map(|candidate| candidate.device)
    }

    /// Takes a device out of routing permanently.
    pub fn mark_lost(&self, device: DeviceId) {
        self.policy.mark_lost(device);
    }

    /// The lost devices, in device order.
    #[must_use]
    pub fn lost(&self) -> Vec<DeviceId> {
        self.policy.lost()
    }

    fn choose(
        &self,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
        force: Option<DeviceId>,
        explore: bool,
    ) -> Result<Decision, Error> {
        let entry = self.entry(d);
        let forced = self.forced(entry, d, runs_on, force)?;
        let mut decision = Decision {
            device: DeviceId::CPU,
            candidates: smallvec::SmallVec::new(),
            reason: Reason::OnlyDevice,
        };
        let mut below_minimum = false;
        for slot in 0..self.policy.devices.len() {
            let exclusion = match forced {
                Forced::To(chosen, _) if chosen == slot => None,
                _ => self.policy.excludes(slot, d, runs_on),
            };
            match exclusion {
                None => decision
                    .candidates
                    .push(self.cost_candidate(entry, slot, d)),
                Some(rule) => below_minimum |= rule == Exclusion::BelowMinimum,
            }
        }
        if let Forced::To(slot, by) = forced {
            decision.device = self.policy.devices[slot];
            decision.reason = Reason::Forced { by };
            return Ok(decision);
        }
        let Some(first) = decision.candidates.first() else {
            return Err(self.policy.nothing_left(d, runs_on));
        };
        decision.device = first.device;
        if decision.candidates.len() > 1 {
            if self.settings.smart {
                self.compare(entry, d, &mut decision, explore);
            } else {
                take_first_gpu(&mut decision);
            }
        } else if below_minimum {
            decision.reason = Reason::BelowMinimum {
                bytes: d.input(),
                minimum: self.policy.min_gpu(),
            };
        }
        if let Forced::Impossible(forced, by) = forced {
            decision.reason = Reason::NotOnForced { forced, by };
        }
        Ok(decision)
    }

    /// The forced device in effect: the call's, else the kind's, else the process's.
    fn forced(
        &self,
        entry: &KindEntry,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
        call: Option<DeviceId>,
    ) -> Result<Forced, Error> {
        let (device, by) = match (call, entry.forced, self.settings.device) {
            (None, None, None) => return Ok(Forced::No),
            (Some(device), _, _) => (device, Override::Call),
            (None, Some(device), _) => (device, Override::Kind),
            (None, None, Some(device)) => (device, Override::Process),
        };
        let slot = self.policy.named(device)?;
        let (lost, runs) = (self.policy.is_lost(slot), runs_on(device));
        match by {
            _ if runs && !lost => Ok(Forced::To(slot, by)),
            Override::Kind | Override::Process => Ok(Forced::Impossible(device, by)),
            Override::Call if lost => Err(Error::NoCandidate {
                operation: d.kind.name(),
                why: format!("{device} was requested, but is lost"),
            }),
            Override::Call => Err(Error::NotImplementedOn {
                operation: d.kind.name(),
                device,
            }),
        }
    }

    /// Chooses the lowest cost, or a device that needs measuring.
    #[inline]
    fn compare(&self, entry: &KindEntry, d: &Description, decision: &mut Decision, explore: bool) {
        let Some(Ranking {
            best: (best, best_ns),
            runner_up,
        }) = Ranking::of(&decision.candidates)
        else {
            decision.reason = Reason::NothingMeasured;
            if let Some(nearest) = decision
                .candidates
                .iter()
                .min_by_key(|candidate| d.missing(candidate.device))
            {
                decision.device = nearest.device;
            }
            return;
        };
        if explore && let Some(device) = self.worth_measuring(entry, d, decision, (best, best_ns)) {
            decision.device = device;
            decision.reason = Reason::Exploring { instead_of: best };
            return;
        }
        decision.device = best;
        decision.reason = match runner_up {
            Some((runner_up, ns)) => Reason::Cheapest {
                ratio: ns / best_ns,
                runner_up,
            },
            None => Reason::OnlyMeasured,
        };
    }

    fn worth_measuring(
        &self,
        entry: &KindEntry,
        d: &Description,
        decision: &Decision,
        (best, best_ns): (DeviceId, f64),
    ) -> Option<DeviceId> {
        let clock = entry.clock.load(Ordering::Relaxed);
        decision
            .candidates
            .iter()
            .filter(|candidate| candidate.device != best)
            .filter(|candidate| !candidate.device.is_emulated())
            .find(|candidate| {
                let extra_ns = || self.extra_ns(d, candidate, best_ns);
                self.policy.slot(candidate.device).is_some_and(|slot| {
                    self.budget.explores(
                        &entry.per_device[slot],
                        candidate,
                        extra_ns,
                        best_ns,
                        clock,
                    )
                })
            })
            .map(|candidate| candidate.device)
    }

    pub(super) fn extra_ns(&self, d: &Description, candidate: &Candidate, best_ns: f64) -> u64 {
        let transfer_ns = || self.transfer_models.transfer_cost(d, candidate.device).ns;
        extra_ns(candidate, transfer_ns, best_ns)
    }

    #[inline]
    fn cost_candidate(&self, entry: &KindEntry, slot: usize, d: &Description) -> Candidate {
        let device = self.policy.devices[slot];
        let model = &entry.per_device[slot].model;
        let reading = model.read(d.work);
        let transfer_cost = self.transfer_models.transfer_cost(d, device);
        Candidate {
            device,
            cost: reading.map(|reading| PredictedCost {
                transfer_ns: transfer_cost.ns,
                overhead_ns: reading.floor_ns,
                work_ns: reading.ns - reading.floor_ns,
            }),
            samples: model.samples(),
            // Each component of the cost weighs by its time.
            confidence: reading.map_or(0.0, |reading| {
                (reading.ns * reading.confidence + transfer_cost.trusted_ns)
                    / (reading.ns + transfer_cost.ns)
            }) as f32,
        }
    }

    pub(super) fn entry(&self, d: &Description) -> &KindEntry {
        self.entries
            .entry(entry_index(d.kind, d.dtype), || self.new_entry(d))
    }

    #[cold]
    fn new_entry(&self, d: &Description) -> KindEntry {
        let entry = KindEntry::new(
            d.kind,
            d.dtype,
            self.settings.kinds.get(d.kind.name()).copied(),
            self.policy.devices.len(),
        );
        for (device_entry, unused_models) in entry.per_device.iter().zip(&self.unused_models) {
            let key = (d.kind.name().to_owned(), d.dtype);
            let adopted = unused_models
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&key);
            if let Some(model) = adopted {
                device_entry.model.adopt(&model);
            }
        }
        entry
    }
}

/// The index of a kind's row for an element type.
pub(super) fn entry_index(kind: &Kind, dtype: DType) -> usize {
    kind.id() * DType::ALL.len() + dtype.index()
}

/// The two lowest costs.
struct Ranking {
    best: (DeviceId, f64),
    runner_up: Option<(DeviceId, f64)>,
}

impl Ranking {
    /// Ranks the candidates; of equals the first wins. `None` when none has a cost.
    #[inline]
    fn of(candidates: &[Candidate]) -> Option<Self> {
        let mut costs = candidates.iter().filter_map(|candidate| {
            let cost = candidate.cost.as_ref()?;
            Some((candidate.device, cost.total_ns()))
        });
        let mut ranking = Self {
            best: costs.next()?,
            runner_up: None,
        };
        for one in costs {
            if one.1 < ranking.best.1 {
                ranking.runner_up = Some(ranking.best);
                ranking.best = one;
            } else if ranking.runner_up.is_none_or(|(_, ns)| one.1 < ns) {
                ranking.runner_up = Some(one);
            }
        }
        Some(ranking)
    }
}

fn take_first_gpu(decision: &mut Decision) {
    decision.reason = Reason::NotSmart;
    if let Some(gpu) = decision
        .candidates
        .iter()
        .find(|candidate| candidate.device.has_own_memory() && !candidate.device.is_emulated())
    {
        decision.device = gpu.device;
    }
}
