//! When to run something where it is not expected to be fastest.
//!
//! A device that is never chosen is never measured, and one that was slow once
//! would stay so forever. Exploration is rare and paid from a budget of time:
//! the *extra* time over the device that would have been chosen stays below
//! `explore_share` of the time of all operations, plus [`ALLOWANCE_NS`] so that
//! it can start at all. The predicted extra is charged when the decision is
//! made and replaced by the measured one when it is known, so a surprise is paid
//! back before the next exploration.

use std::sync::atomic::{AtomicU64, Ordering};

use super::decision::Candidate;
use super::row::Cell;

/// Extra time that may be spent before the share of all time allows any.
pub const ALLOWANCE_NS: u64 = 2_000_000;
/// Operations of a kind after which a device's measurements are stale.
const STALE_AFTER: u64 = 256;
/// Operations between explorations where too little is known.
const THIN_AFTER: u64 = 16;
/// Operations between explorations where nothing is known or the last
/// measurement contradicted what is.
const DOUBTED_AFTER: u64 = 4;
/// Confidence below which too little is known.
const THIN: f32 = 0.3;
/// A device known to be this many times dearer is left alone: it would have to
/// become that much faster to matter.
const HOPELESS: f64 = 32.0;
/// How many times slower than the best a device is taken to be that was never
/// measured.
const UNTRIED: f64 = 4.0;

/// The time explorations may take and have taken.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Budget {
    share: f64,
    /// Time of all decided operations.
    total_ns: AtomicU64,
    /// Extra time of explorations, as far as known, else as predicted.
    extra_ns: AtomicU64,
}

impl Budget {
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

    /// Charges `extra_ns` if they fit.
    fn charge(&self, extra_ns: u64) -> bool {
        let total = self.total_ns.load(Ordering::Relaxed) as f64;
        let limit = ALLOWANCE_NS.saturating_add((total * self.share) as u64);
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

    /// Replaces a charge by what it came to.
    pub(super) fn settle(&self, charged_ns: u64, actual_ns: u64) {
        let settled = |spent: u64| spent.saturating_sub(charged_ns).saturating_add(actual_ns);
        self.extra_ns
            .update(Ordering::Relaxed, Ordering::Relaxed, settled);
    }

    pub(super) fn total_ns(&self) -> u64 {
        self.total_ns.load(Ordering::Relaxed)
    }

    pub(super) fn extra_ns(&self) -> u64 {
        self.extra_ns.load(Ordering::Relaxed)
    }

    /// Whether to run on the device of `cell` although `best_ns` is to be had
    /// elsewhere. Charges the extra time if so. `clock` counts operations of the
    /// kind.
    pub(super) fn explores(
        &self,
        cell: &Cell,
        candidate: &Candidate,
        extra_ns: impl FnOnce() -> u64,
        best_ns: f64,
        clock: u64,
    ) -> bool {
        let explored = cell.explored.load(Ordering::Relaxed);
        let (since, rest) = if candidate.price.is_none() || cell.model.is_doubted() {
            (explored, DOUBTED_AFTER)
        } else if candidate.confidence < THIN {
            // Runs of other sizes or residencies say nothing about this one.
            (explored, THIN_AFTER)
        } else {
            (explored.max(cell.ran.load(Ordering::Relaxed)), STALE_AFTER)
        };
        if clock.saturating_sub(since) < rest {
            return false;
        }
        let extra = extra_ns();
        let hopeless = candidate.confidence >= THIN && extra as f64 > HOPELESS * best_ns;
        if hopeless || !self.charge(extra) {
            return false;
        }
        // Of several threads that come to this at once, one goes.
        let first = cell
            .explored
            .compare_exchange(explored, clock, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
        if !first {
            self.settle(extra, 0);
        }
        first
    }
}

/// The extra time of running on `candidate` what `best_ns` could be had for. The
/// work of a device that was never measured is taken to be [`UNTRIED`] times
/// slower; `fare_ns`, what its transfers cost, is known all the same. So it is
/// tried on something small that need not move far.
pub(super) fn extra_ns(candidate: &Candidate, fare_ns: impl FnOnce() -> f64, best_ns: f64) -> u64 {
    let extra = match candidate.price {
        None => UNTRIED * best_ns + fare_ns(),
        Some(price) => price.total_ns() - best_ns,
    };
    extra.max(0.0) as u64
}
