//! Counts of fallbacks, retries, splits and failures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::fallback::{FallbackCause, FallbackCount, RecomputedCount, RetryCount, SplitCount};
use crate::batch::BatchCounters;
use crate::device::DeviceId;
use crate::operation::Kind;
use crate::units::Bytes;

/// The counters of one runtime.
#[derive(Debug, Default)]
pub(super) struct RuntimeCounters {
    pub(super) failures: AtomicU64,
    pub(super) verified: AtomicU64,
    pub(super) unverifiable: AtomicU64,
    pub(super) differed: AtomicU64,
    pub(super) batches: BatchCounters,
    fallbacks: Mutex<BTreeMap<FallbackKey, CountAndMessage>>,
    recomputed: Mutex<BTreeMap<KindOnDevice, CountAndMessage>>,
    splits: Mutex<BTreeMap<KindOnDevice, (u64, Bytes, Bytes)>>,
    retries: Mutex<BTreeMap<KindOnDevice, CountAndMessage>>,
}

/// The operation, where it fell back from and to, and why.
type FallbackKey = (&'static str, DeviceId, DeviceId, FallbackCause);

/// The operation, and the device concerned.
type KindOnDevice = (&'static str, DeviceId);

/// The count, and the first message.
type CountAndMessage = (u64, String);

impl RuntimeCounters {
    pub(super) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a fallback. The first message of each kind is kept.
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

    /// Counts a computation that was repeated. The first message of each kind is kept.
    pub(super) fn recomputed(&self, what: &'static str, lost: DeviceId, message: String) {
        let mut recomputed = self
            .recomputed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        recomputed.entry((what, lost)).or_insert((0, message)).0 += 1;
    }

    /// Counts an operation that got less memory than it requested. The first figures of each
    /// kind are kept.
    pub(super) fn split(&self, kind: &'static Kind, on: DeviceId, asked: Bytes, granted: Bytes) {
        let mut splits = self.splits.lock().unwrap_or_else(PoisonError::into_inner);
        let case = (kind.name(), on);
        splits.entry(case).or_insert((0, asked, granted)).0 += 1;
    }

    /// Counts an operation that is run again on the device where it ran out of memory.
    pub(super) fn retried(
        &self,
        kind: &'static Kind,
        on: DeviceId,
        message: impl FnOnce() -> String,
    ) {
        let mut retries = self.retries.lock().unwrap_or_else(PoisonError::into_inner);
        let count = retries.entry((kind.name(), on));
        count.or_insert_with(|| (0, message())).0 += 1;
    }

    pub(super) fn splits(&self) -> Vec<SplitCount> {
        let splits = self.splits.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = splits.iter();
        counters
            .map(
                |(&(operation, device), &(count, asked, granted))| SplitCount {
                    operation,
                    device,
                    asked,
                    granted,
                    count,
                },
            )
            .collect()
    }

    pub(super) fn retries(&self) -> Vec<RetryCount> {
        let retries = self.retries.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = retries.iter();
        counters
            .map(|(&(operation, device), (count, message))| RetryCount {
                operation,
                device,
                message: message.clone(),
                count: *count,
            })
            .collect()
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
