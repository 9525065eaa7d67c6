//! The one contract that every part of the memory stack implements.
//!
//! A part that sits on another passes on what it does not change. Blocks are
//! numbers here: nothing in this folder touches the memory they name, which is
//! why every part can be tested on [`HostStorage`](super::HostStorage).

use std::sync::Arc;

use serde::Serialize;

use crate::error::Error;
use crate::units::Bytes;

/// A piece of memory on loan from a [`Storage`].
///
/// It cannot be copied, so it cannot be freed twice. Dropping it frees nothing.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a block that is dropped without being freed stays allocated"]
pub struct Block {
    /// Where it starts.
    pub address: u64,
    /// The size granted, at least what was asked for.
    pub bytes: Bytes,
    /// Work of an earlier owner that its stream's order keeps apart from the
    /// present one's. It is still there when this owner frees the block.
    pub(super) inherited: Option<Inherited>,
}

/// Work queued on `stream` before it settled for the `settlement`-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inherited {
    pub(super) stream: Stream,
    pub(super) settlement: u32,
}

/// One queue of work of a device: work on it runs in the order it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u8);

/// Streams with work queued on a block that nobody has waited for yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streams(pub u64);

/// Where memory comes from. Thread safe; no method waits for a device.
pub trait Storage: Send + Sync {
    /// A block of at least `bytes`. Work queued on `stream` and nowhere else
    /// does not keep a block from a request made for that same stream: the
    /// stream's own order keeps old and new work apart.
    fn allocate(&self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal>;

    /// Takes a block back. Nobody gets it, but for the exception above, before
    /// every stream in `busy` has settled.
    fn free(&self, block: Block, busy: Streams);

    /// Says that all work queued on these streams so far has run. Whoever calls
    /// it must keep new work off them until it returns.
    fn settled(&self, streams: Streams);

    /// Says that work is about to be queued on these streams. Heard by parts
    /// that were told to expect it, which then know better than a `busy` mask
    /// taken a moment earlier; see [`PoolSettings::hears_queued`](super::PoolSettings).
    fn queued(&self, _streams: Streams) {}

    /// The streams whose announced work has not settled; none where that is not
    /// heard.
    fn unsettled(&self) -> Streams {
        Streams::NONE
    }

    /// Gives at least `wanted` bytes that nobody uses back to where they came
    /// from, what was idle longest first, or as much as there is. Returns how
    /// much.
    fn release(&self, wanted: Bytes) -> Bytes;

    /// Gives back everything that nobody uses.
    fn trim(&self) -> Bytes {
        self.release(Bytes(u64::MAX))
    }

    /// Housekeeping that depends on time, such as giving back what has been idle
    /// for too long. Returns the bytes given back.
    fn tick(&self) -> Bytes {
        Bytes(0)
    }

    /// The size of the block that a request for `bytes` is granted, exactly.
    fn granted(&self, bytes: Bytes) -> Bytes {
        bytes
    }

    /// What the driver says is free, other processes' memory deducted; none
    /// where there is no driver to ask.
    fn driver_free(&self) -> Option<Bytes> {
        None
    }

    /// What there is now.
    fn reading(&self) -> StorageReading;
}

/// What a storage says at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StorageReading {
    /// Granted and not freed.
    pub used: Bytes,
    /// Taken from the bottom, used or not.
    pub held: Bytes,
    /// Freed, but with work still queued.
    pub waiting: Bytes,
    /// The largest block that could be had without asking the bottom.
    pub largest_free_block: Bytes,
    /// Requests served from what was held.
    pub hits: u64,
    /// Requests that had to ask the bottom.
    pub misses: u64,
}

/// Why there is no block.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The limit leaves less than that.
    #[error("{asked} exceed the {free} left of a limit of {capacity}")]
    OverLimit {
        /// Bytes asked for.
        asked: Bytes,
        /// Bytes left.
        free: Bytes,
        /// The limit.
        capacity: Bytes,
    },
    /// The memory itself has no such block.
    #[error("there is no block of {asked}")]
    Exhausted {
        /// Bytes asked for.
        asked: Bytes,
    },
    /// The device failed in a way that has nothing to do with memory.
    #[error(transparent)]
    Fault(Box<Error>),
}

impl Block {
    /// A block at rest.
    pub const fn new(address: u64, bytes: Bytes) -> Self {
        Self {
            address,
            bytes,
            inherited: None,
        }
    }
}

impl Stream {
    /// The stream with this number, below 64.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The set of this one.
    #[must_use]
    pub const fn alone(self) -> Streams {
        Streams(1 << self.0)
    }

    /// Its number.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }
}

impl Streams {
    /// No stream: the block is at rest.
    pub const NONE: Self = Self(0);
    /// Every stream there can be.
    pub const ALL: Self = Self(u64::MAX);

    /// Whether none is in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those in either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those here that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl StorageReading {
    /// Held and not used: what the next requests can have, some of it once
    /// their streams settle.
    #[must_use]
    pub fn pooled(&self) -> Bytes {
        self.held.saturating_sub(self.used)
    }

    /// The share of what is held that is used; 1 when nothing is held.
    #[must_use]
    pub fn utilisation(&self) -> f64 {
        share(self.used.0, self.held.0).unwrap_or(1.0)
    }

    /// The share of requests that did not ask the bottom; 0 before the first.
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

/// The methods that a part leaves to the one below it.
macro_rules! passes_on {
    ($self:ident => $below:expr; $($method:ident),*) => {
        $($crate::memory::storage::passes_on!(@ $self $below, $method);)*
    };
    (@ $self:ident $below:expr, allocate) => {
        fn allocate(&$self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal> {
            $below.allocate(bytes, stream)
        }
    };
    (@ $self:ident $below:expr, free) => {
        fn free(&$self, block: Block, busy: Streams) {
            $below.free(block, busy);
        }
    };
    (@ $self:ident $below:expr, upkeep) => {
        fn queued(&$self, streams: Streams) {
            $below.queued(streams);
        }
        fn settled(&$self, streams: Streams) {
            $below.settled(streams);
        }
        fn unsettled(&$self) -> Streams {
            $below.unsettled()
        }
        fn release(&$self, wanted: Bytes) -> Bytes {
            $below.release(wanted)
        }
        fn tick(&$self) -> Bytes {
            $below.tick()
        }
    };
    (@ $self:ident $below:expr, granted) => {
        fn granted(&$self, bytes: Bytes) -> Bytes {
            $below.granted(bytes)
        }
    };
    (@ $self:ident $below:expr, readings) => {
        fn driver_free(&$self) -> Option<Bytes> {
            $below.driver_free()
        }
        fn reading(&$self) -> $crate::memory::StorageReading {
            $below.reading()
        }
    };
}
pub(super) use passes_on;

impl<S: Storage + ?Sized> Storage for Arc<S> {
    passes_on!(self => **self; allocate, free, granted, upkeep, readings);
}

impl<S: Storage + ?Sized> Storage for Box<S> {
    passes_on!(self => **self; allocate, free, granted, upkeep, readings);
}
