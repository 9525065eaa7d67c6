//! The contract that every part of the memory stack implements.
//!
//! A part on top of another passes on what it does not change. Blocks are numbers here: nothing
//! in this folder touches the memory they name, so every part can be tested on
//! [`SimulatedStorage`](super::SimulatedStorage).

use std::sync::Arc;

use serde::Serialize;

use crate::error::Error;
use crate::units::Bytes;

/// A piece of memory granted by a [`Storage`].
///
/// It cannot be copied, so it cannot be freed twice. Dropping it frees nothing.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a block that is dropped without being freed stays allocated"]
pub struct Block {
    /// The address of its first byte.
    pub address: u64,
    /// The size granted, at least the size requested.
    pub bytes: Bytes,
    /// Queued work of an earlier owner on a stream whose order protects the present owner. It
    /// is still outstanding when this owner frees the block.
    pub(super) inherited: Option<Inherited>,
}

/// Work queued on `stream` before it was synchronized for the `sync_count`-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inherited {
    pub(super) stream: StreamIndex,
    pub(super) sync_count: u32,
}

/// One queue of work of a device. Its work runs in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamIndex(u8);

/// Streams with work queued on a block that have not been synchronized since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSet(pub u64);

/// A source of memory. Thread safe; no method waits for a device.
pub trait Storage: Send + Sync {
    /// Allocates a block of at least `bytes`. Work queued only on `stream` does not keep a
    /// block from a request made for that same stream: the stream's own order separates old and
    /// new work.
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal>;

    /// Frees a block. It is not granted again, except as above, before every stream in `busy`
    /// has been synchronized.
    fn free(&self, block: Block, busy: StreamSet);

    /// Records that all work queued on these streams so far has run. The caller must keep new
    /// work off them until this returns.
    fn synchronized(&self, streams: StreamSet);

    /// Records that work is about to be queued on these streams. Parts that were set up to
    /// track this use it in place of a `busy` mask taken a moment earlier; see
    /// [`PoolSettings::tracks_queued_work`](super::PoolSettings).
    fn queued(&self, _streams: StreamSet) {}

    /// The streams that have announced work and were not synchronized since; none if the storage
    /// does not record that.
    fn unsynchronized(&self) -> StreamSet {
        StreamSet::NONE
    }

    /// Releases at least `wanted` unused bytes to their source, the longest idle first, or as
    /// many as there are. Returns the bytes released.
    fn release(&self, wanted: Bytes) -> Bytes;

    /// Releases all unused memory.
    fn trim(&self) -> Bytes {
        self.release(Bytes(u64::MAX))
    }

    /// Runs maintenance that depends on time, such as releasing memory that has been idle for
    /// too long. Returns the bytes released.
    fn tick(&self) -> Bytes {
        Bytes(0)
    }

    /// The exact size of the block that a request for `bytes` is granted.
    fn granted(&self, bytes: Bytes) -> Bytes {
        bytes
    }

    /// The bytes free as the driver reports them, without other processes' memory; `None` if
    /// there is no driver.
    fn driver_free(&self) -> Option<Bytes> {
        None
    }

    /// Returns the current state.
    fn reading(&self) -> StorageReading;
}

/// The state of a storage at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StorageReading {
    /// The bytes granted and not freed.
    pub used: Bytes,
    /// The bytes taken from the bottom, used or not.
    pub held: Bytes,
    /// The bytes freed, but with work still queued.
    pub waiting: Bytes,
    /// The largest block available without a request to the bottom.
    pub largest_free_block: Bytes,
    /// Requests served from held memory.
    pub hits: u64,
    /// Requests that went to the bottom.
    pub misses: u64,
}

/// Why a block was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The limit leaves less than the request.
    #[error("{asked} exceed the {free} left of a limit of {capacity}")]
    OverLimit {
        /// Bytes requested.
        asked: Bytes,
        /// Bytes left.
        free: Bytes,
        /// The limit.
        capacity: Bytes,
    },
    /// The memory itself has no such block.
    #[error("there is no block of {asked}")]
    Exhausted {
        /// Bytes requested.
        asked: Bytes,
    },
    /// The device failed for a reason other than memory.
    #[error(transparent)]
    DriverError(Box<Error>),
}

impl Block {
    /// A block with no work outstanding.
    pub const fn new(address: u64, bytes: Bytes) -> Self {
        Self {
            address,
            bytes,
            inherited: None,
        }
    }
}

impl StreamIndex {
    /// The stream with this number, which must be below 64.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The set of this stream alone.
    #[must_use]
    pub const fn as_set(self) -> StreamSet {
        StreamSet(1 << self.0)
    }

    /// The stream's number.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }
}

impl StreamSet {
    /// No stream: the block has no work outstanding.
    pub const NONE: Self = Self(0);
    /// Every stream.
    pub const ALL: Self = Self(u64::MAX);

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The streams in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The streams in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The streams in this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl StorageReading {
    /// The bytes held and not used: available to the next requests, some of them once their
    /// streams are synchronized.
    #[must_use]
    pub fn pooled(&self) -> Bytes {
        self.held.saturating_sub(self.used)
    }

    /// The used share of the held bytes; 1 when nothing is held.
    #[must_use]
    pub fn utilisation(&self) -> f64 {
        share(self.used.0, self.held.0).unwrap_or(1.0)
    }

    /// The share of requests that did not reach the bottom; 0 before the first.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        share(self.hits, self.hits + self.misses).unwrap_or(0.0)
    }

    /// The share of the unused bytes that is not in the largest free block.
    #[must_use]
    pub fn fragmentation(&self) -> f64 {
        share(self.largest_free_block.0, self.pooled().0).map_or(0.0, |largest| 1.0 - largest)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The methods that a part passes on to the one below it.
macro_rules! delegate_storage {
    ($self:ident => $upstream:expr; $($method:ident),*) => {
        $($crate::memory::storage::delegate_storage!(@ $self $upstream, $method);)*
    };
    (@ $self:ident $upstream:expr, allocate) => {
        fn allocate(&$self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
            $upstream.allocate(bytes, stream)
        }
    };
    (@ $self:ident $upstream:expr, free) => {
        fn free(&$self, block: Block, busy: StreamSet) {
            $upstream.free(block, busy);
        }
    };
    (@ $self:ident $upstream:expr, streams) => {
        fn queued(&$self, streams: StreamSet) {
            $upstream.queued(streams);
        }
        fn synchronized(&$self, streams: StreamSet) {
            $upstream.synchronized(streams);
        }
        fn unsynchronized(&$self) -> StreamSet {
            $upstream.unsynchronized()
        }
    };
    (@ $self:ident $upstream:expr, release) => {
        fn release(&$self, wanted: Bytes) -> Bytes {
            $upstream.release(wanted)
        }
    };
    (@ $self:ident $upstream:expr, tick) => {
        fn tick(&$self) -> Bytes {
            $upstream.tick()
        }
    };
    (@ $self:ident $upstream:expr, granted) => {
        fn granted(&$self, bytes: Bytes) -> Bytes {
            $upstream.granted(bytes)
        }
    };
    (@ $self:ident $upstream:expr, driver_free) => {
        fn driver_free(&$self) -> Option<Bytes> {
            $upstream.driver_free()
        }
    };
    (@ $self:ident $upstream:expr, reading) => {
        fn reading(&$self) -> $crate::memory::StorageReading {
            $upstream.reading()
        }
    };
}
pub(super) use delegate_storage;

impl<S: Storage + ?Sized> Storage for Arc<S> {
    delegate_storage!(self => **self; allocate, free, granted, streams, release, tick, driver_free, reading);
}

impl<S: Storage + ?Sized> Storage for Box<S> {
    delegate_storage!(self => **self; allocate, free, granted, streams, release, tick, driver_free, reading);
}
