//! Tracks which streams have work outstanding.

use std::sync::atomic::{AtomicU64, Ordering};

use super::storage::Streams;

/// Streams with announced work that has not settled.
///
/// A block's `busy` mask is taken before the lock that makes the block wait. If its stream
/// settles in between, the block would wait for work that has run. So the mask is narrowed
/// here, under that lock. A stream is removed here before the lock is taken to find the blocks
/// that wait for it, so no block is missed. A part that does not hear of queued work narrows
/// nothing.
#[derive(Debug)]
pub(super) struct Pending {
    told: bool,
    streams: AtomicU64,
}

impl Pending {
    pub(super) fn new(told: bool) -> Self {
        let at_first = if told { Streams::NONE } else { Streams::ALL };
        Self {
            told,
            streams: AtomicU64::new(at_first.0),
        }
    }

    pub(super) fn queued(&self, streams: Streams) {
        if self.told {
            self.streams.fetch_or(streams.0, Ordering::SeqCst);
        }
    }

    pub(super) fn settled(&self, streams: Streams) {
        if self.told {
            self.streams.fetch_and(!streams.0, Ordering::SeqCst);
        }
    }

    /// The streams with announced work.
    pub(super) fn unsettled(&self) -> Streams {
        if self.told {
            Streams(self.streams.load(Ordering::SeqCst))
        } else {
            Streams::NONE
        }
    }

    /// The streams of `busy` that still have work outstanding.
    pub(super) fn narrow(&self, busy: Streams) -> Streams {
        busy.and(Streams(self.streams.load(Ordering::SeqCst)))
    }
}
