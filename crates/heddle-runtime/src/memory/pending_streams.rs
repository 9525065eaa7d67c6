//! Tracks which streams have work outstanding.

use std::sync::atomic::{AtomicU64, Ordering};

use super::storage::StreamSet;

/// Streams with announced work that were not synchronized since.
///
/// A block's `busy` mask is taken before the lock that makes the block wait. If its stream
/// is synchronized in between, the block would wait for work that has run. So the mask is narrowed
/// here, under that lock. A stream is removed here before the lock is taken to find the blocks
/// that wait for it, so no block is missed. Where queued work is not announced, nothing is
/// narrowed.
#[derive(Debug)]
pub(super) struct PendingStreams {
    is_tracking: bool,
    streams: AtomicU64,
}

impl PendingStreams {
    pub(super) fn new(is_tracking: bool) -> Self {
        let at_first = if is_tracking {
            StreamSet::NONE
        } else {
            StreamSet::ALL
        };
        Self {
            is_tracking,
            streams: AtomicU64::new(at_first.0),
        }
    }

    pub(super) fn queued(&self, streams: StreamSet) {
        if self.is_tracking {
            self.streams.fetch_or(streams.0, Ordering::SeqCst);
        }
    }

    pub(super) fn synchronized(&self, streams: StreamSet) {
        if self.is_tracking {
            self.streams.fetch_and(!streams.0, Ordering::SeqCst);
        }
    }

    /// The streams with announced work.
    pub(super) fn unsynchronized(&self) -> StreamSet {
        if self.is_tracking {
            StreamSet(self.streams.load(Ordering::SeqCst))
        } else {
            StreamSet::NONE
        }
    }

    /// The streams of `busy` that still have work outstanding.
    pub(super) fn narrow(&self, busy: StreamSet) -> StreamSet {
        busy.and(StreamSet(self.streams.load(Ordering::SeqCst)))
    }
}
