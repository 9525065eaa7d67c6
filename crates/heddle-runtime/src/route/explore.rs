//! Decides when to run an operation on a device that is not expected to be fastest.
//!
//! A device that is never chosen is never measured, and one that was slow once would stay
//! unused for ever. Exploration is rare and paid from a budget of time: the *extra* time over
//! the device that would have been chosen stays below `explore_share` of the time of all
//! operations, plus [`ALLOWANCE_NS`], so that it can start where little is known. The predicted
//! extra is charged with the decision and replaced by the measured one afterwards, so an
//! underestimate delays the next exploration. The first run of a kind on a device is not
//! charged: it includes loading and is not learned, once per process.

use std::sync::atomic::{AtomicU64, Ordering};

use super::decision::Candidate;
use super::entry::DeviceEntry;

/// Extra time that may be spent before the share of all time allows any, on devices about which
/// too little is known. Measuring a known device again is paid from the share alone.
pub const ALLOWANCE_NS: u64 = 2_000_000;
/// Operations of a kind after which a device's measurements are stale.
const STALE_AFTER: u64 = 256;
/// Operations between explorations where too little is known.
const LOW_CONFIDENCE_AFTER: u64 = 16;
/// Operations between explorations where nothing is known, or where the last measurement
/// contradicted the curve.
const DOUBTED_AFTER: u64 = 4;
/// Confidence below which too little is known.
const LOW_CONFIDENCE: f32 = 0.3;
/// A device known to be this many times slower is not explored: it would have to become that
/// much faster to matter.
const MAX_COST_RATIO: f64 = 32.0;
/// The extra time assumed for work of a size never measured on a device, as a multiple of the
/// best time. A high value would make long operations, which are the ones worth exploring, too
/// expensive to try.
const UNTRIED_COST_FACTOR: f64 = 1.0;

/// The time that explorations may take and have taken.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct ExplorationBudget {
    share: f64,
    /// Time of all decided operations.
    total_ns: AtomicU64,
    /// Extra time of explorations: measured where known, else predicted.
    extra_ns: AtomicU64,
}

impl ExplorationBudget {
    pub(super) fn new(share: f64) -> Self {
        Self {
            share: if share.is_nan() {
                0.0
            } else {
                share.clamp(0.0, 1.0)
            },
            total_ns: AtomicU64::new(0),
            extra_ns: AtomicU64::new(0),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.share > 0.0
    }

    /// Charges `extra_ns` if it fits the share and the allowance.
    fn charge(&self, extra_ns: u64, allowance_ns: u64) -> bool {
        let total = self.total_ns.load(Ordering::Relaxed) as f64;
        let limit = allowance_ns.saturating_add((total * self.share) as u64);
        self.extra_ns
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |spent| {
                spent
                    .checked_add(extra_ns)
                    .filter(|&charged| charged <= limit)
            })
            .is_ok()
    }

    pub(super) fn spend(&self, total_ns: u64) {
        self.total_ns.fetch_add(total_ns, Ordering::Relaxed);
    }

    /// Replaces a charge with the measured extra time.
    pub(super) fn correct_charge(&self, charged_ns: u64, actual_ns: u64) {
        let corrected = |spent: u64| spent.saturating_sub(charged_ns).saturating_add(actual_ns);
        self.extra_ns
            .update(Ordering::Relaxed, Ordering::Relaxed, corrected);
    }

    pub(super) fn total_ns(&self) -> u64 {
        self.total_ns.load(Ordering::Relaxed)
    }

    pub(super) fn extra_ns(&self) -> u64 {
        self.extra_ns.load(Ordering::Relaxed)
    }

    /// Whether to run on the device of `device_entry` although another device would take `best_ns`.
    /// Charges the extra time if so. `clock` counts the operations of the kind.
    pub(super) fn explores(
        &self,
        device_entry: &DeviceEntry,
        candidate: &Candidate,
        extra_ns: impl FnOnce() -> u64,
        best_ns: f64,
        clock: u64,
    ) -> bool {
        let explored = device_entry.explored.load(Ordering::Relaxed);
        let (since, rest, allowance) =
            if candidate.cost.is_none() || device_entry.model.is_doubted() {
                (explored, DOUBTED_AFTER, ALLOWANCE_NS)
            } else if candidate.confidence < LOW_CONFIDENCE {
                // Runs of other sizes or residencies do not apply to this one.
                (explored, LOW_CONFIDENCE_AFTER, ALLOWANCE_NS)
            } else {
                let ran = device_entry.ran.load(Ordering::Relaxed);
                (explored.max(ran), STALE_AFTER, 0)
            };
        if clock.saturating_sub(since) < rest {
            return false;
        }
        if is_too_costly(candidate, best_ns) {
            return false;
        }
        let extra = extra_ns();
        if !self.charge(extra, allowance) {
            return false;
        }
        // Of several threads that arrive here at once, one explores.
        let first = device_entry
            .explored
            .compare_exchange(explored, clock, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
        if !first {
            self.correct_charge(extra, 0);
        }
        first
    }
}

/// Whether a device would have to be [`MAX_COST_RATIO`] times faster than it is known to be. For a
/// device not measured near this size, the fixed cost is used, which every size pays.
fn is_too_costly(candidate: &Candidate, best_ns: f64) -> bool {
    candidate.cost.is_some_and(|cost| {
        let known_ns = if candidate.confidence < LOW_CONFIDENCE {
            cost.overhead_ns + cost.transfer_ns
        } else {
            cost.total_ns()
        };
        known_ns > (MAX_COST_RATIO + 1.0) * best_ns
    })
}

/// The extra time of running on `candidate` instead of a device that takes `best_ns`. Work far
/// from every measured size is assumed to need at most [`UNTRIED_COST_FACTOR`] times the best time more.
/// `transfer_ns`, the cost of its transfers, is predicted in any case, so operands that need little
/// transfer are explored first.
pub(super) fn extra_ns(
    candidate: &Candidate,
    transfer_ns: impl FnOnce() -> f64,
    best_ns: f64,
) -> u64 {
    let extra = match candidate.cost {
        None => UNTRIED_COST_FACTOR * best_ns + transfer_ns(),
        Some(cost) => {
            let known = cost.total_ns() - best_ns;
            if candidate.confidence < LOW_CONFIDENCE {
                known.min(UNTRIED_COST_FACTOR * best_ns + cost.transfer_ns)
            } else {
                known
            }
        }
    };
    extra.max(0.0) as u64
}
