//! The recent history of one device's memory: the last snapshots.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::pressure::PressureLevel;
use crate::units::{Bytes, Nanos};

/// The state of a device's memory at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Snapshot {
    /// The time, by the clock of the stack.
    pub at: Nanos,
    /// The bytes granted and not freed.
    pub allocated: Bytes,
    /// The bytes reserved by operations and not drawn yet.
    pub reserved: Bytes,
    /// The bytes held and not used.
    pub pooled: Bytes,
    /// The most bytes ever committed at once.
    pub peak: Bytes,
    /// The bytes free as the driver reports them, if there is a driver.
    pub driver_free: Option<Bytes>,
    /// The level of pressure.
    pub level: PressureLevel,
}

/// Keeps snapshots that are taken at a limited rate. Testing whether one is due takes one
/// atomic load and a comparison.
#[derive(Debug)]
pub(crate) struct SnapshotHistory {
    every: Nanos,
    keep: usize,
    next: AtomicU64,
    ring: Mutex<VecDeque<Snapshot>>,
}

impl SnapshotHistory {
    /// Keeps the last `keep` snapshots, at least `every` apart.
    #[must_use]
    pub(crate) fn new(every: Duration, keep: usize) -> Self {
        Self {
            every: Nanos::from(every),
            keep: keep.max(1),
            next: AtomicU64::new(0),
            ring: Mutex::default(),
        }
    }

    /// Whether enough time has passed since the last snapshot.
    #[inline]
    #[must_use]
    pub(crate) fn is_due(&self, now: Nanos) -> bool {
        now.0 >= self.next.load(Ordering::Relaxed)
    }

    /// As [`is_due`](Self::is_due), but true for only one of several concurrent callers.
    #[must_use]
    pub(crate) fn claim(&self, now: Nanos) -> bool {
        let next = (now + self.every).0;
        self.next
            .try_update(Ordering::AcqRel, Ordering::Relaxed, |due| {
                (now.0 >= due).then_some(next)
            })
            .is_ok()
    }

    /// Keeps a snapshot.
    pub(crate) fn record(&self, snapshot: Snapshot) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        if ring.len() == self.keep {
            ring.pop_front();
        }
        ring.push_back(snapshot);
    }

    /// The snapshots kept, oldest first.
    #[must_use]
    pub(crate) fn snapshots(&self) -> Vec<Snapshot> {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(at: u64) -> Snapshot {
        Snapshot {
            at: Nanos(at),
            allocated: Bytes(0),
            reserved: Bytes(0),
            pooled: Bytes(0),
            peak: Bytes(0),
            driver_free: None,
            level: PressureLevel::Low,
        }
    }

    #[test]
    fn keeps_the_last_thousand() {
        let snapshot_history = SnapshotHistory::new(Duration::from_millis(1), 1000);
        for at in 0..1500 {
            snapshot_history.record(snapshot(at));
        }
        let kept = snapshot_history.snapshots();
        assert_eq!(
            (kept.len(), kept[0].at, kept[999].at),
            (1000, Nanos(500), Nanos(1499))
        );
    }

    #[test]
    fn one_of_many_takes_the_snapshot_that_is_due() {
        let snapshot_history = SnapshotHistory::new(Duration::from_nanos(100), 10);
        assert!(snapshot_history.is_due(Nanos(0)) && snapshot_history.claim(Nanos(0)));
        assert!(!snapshot_history.claim(Nanos(0)) && !snapshot_history.is_due(Nanos(99)));
        let claims = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| snapshot_history.claim(Nanos(100))));
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(claims.iter().filter(|&&claimed| claimed).count(), 1);
    }
}
