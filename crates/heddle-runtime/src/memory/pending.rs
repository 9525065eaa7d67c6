//! Which streams have work outstanding.

use std::sync::atomic::{AtomicU64, Ordering};

use super::storage::Streams;

/// Streams with work that nobody has waited for, as far as we are told.
///
/// A block's `busy` mask is taken before the lock that puts the block to wait.
/// If its stream settles in between, the block would wait for work that has run.
/// So the mask is narrowed here, under that lock; since a stream is struck off
/// here before the lock is taken to look for what waits on it, no block is
/// missed. Nobody who is not told about queued work narrows anything.
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

    /// Those we were told of.
    pub(super) fn unsettled(&self) -> Streams {
        if self.told {
            Streams(self.streams.load(Ordering::SeqCst))
        } else {
            Streams::NONE
        }
    }

    /// Those of `busy` that still are.
    pub(super) fn narrow(&self, busy: Streams) -> Streams {
        busy.and(Streams(self.streams.load(Ordering::SeqCst)))
    }
}
