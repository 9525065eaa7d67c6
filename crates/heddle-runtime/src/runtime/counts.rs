//! What happened on the road beside the ordinary.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::fallback::{FallbackCause, FallbackCount, RecomputedCount};
use crate::device::DeviceId;
use crate::operation::Kind;

/// Counters of one runtime.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) failures: AtomicU64,
    pub(super) verified: AtomicU64,
    pub(super) unverifiable: AtomicU64,
    pub(super) differed: AtomicU64,
    fallbacks: Mutex<BTreeMap<Turn, Told>>,
    recomputed: Mutex<BTreeMap<Loss, Told>>,
}

/// What fell back, from where to where and why.
type Turn = (&'static str, DeviceId, DeviceId, FallbackCause);

/// What was computed again, and the device that was lost with arrays of it.
type Loss = (&'static str, DeviceId);

/// How often, and what was said the first time.
type Told = (u64, String);

impl Counts {
    pub(super) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a fallback. Of each sort the first message is kept.
    pub(super) fn fell_back(
        &self,
        kind: &'static Kind,
        from: DeviceId,
        to: DeviceId,
        cause: FallbackCause,
        message: impl FnOnce() -> String,
    ) {
        let mut fallbacks = self
            .fallbacks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        fallbacks
            .entry((kind.name(), from, to, cause))
            .or_insert_with(|| (0, message()))
            .0 += 1;
    }

    /// Counts something that was computed again. Of each sort the first message
    /// is kept.
    pub(super) fn recomputed(&self, what: &'static str, lost: DeviceId, message: String) {
        let mut recomputed = self
            .recomputed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        recomputed.entry((what, lost)).or_insert((0, message)).0 += 1;
    }

    pub(super) fn recomputations(&self) -> Vec<RecomputedCount> {
        let recomputed = self
            .recomputed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        recomputed
            .iter()
            .map(|(&(what, lost), (count, message))| RecomputedCount {
                what,
                lost,
                message: message.clone(),
                count: *count,
            })
            .collect()
    }

    pub(super) fn fallbacks(&self) -> Vec<FallbackCount> {
        let fallbacks = self
            .fallbacks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        fallbacks
            .iter()
            .map(
                |(&(operation, from, to, cause), (count, message))| FallbackCount {
                    operation,
                    from,
                    to,
                    cause,
                    message: message.clone(),
                    count: *count,
                },
            )
            .collect()
    }
}
