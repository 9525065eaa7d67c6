//! Whether freed blocks are kept, chosen when a device is set up.

use std::time::Duration;

use super::pool::MemoryPool;
use super::storage::{Block, Refusal, Storage, StreamIndex, StreamSet, delegate_storage};
use super::unpooled::Unpooled;
use crate::units::Bytes;

/// A [`MemoryPool`] or [`Unpooled`].
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per device")]
pub enum Reuse<S: Storage> {
    /// Freed blocks are kept for the next request.
    Pooled(MemoryPool<S>),
    /// Freed blocks are freed below at once.
    Unpooled(Unpooled<S>),
}

impl<S: Storage> Reuse<S> {
    fn part(&self) -> &dyn Storage {
        match self {
            Self::Pooled(pool) => pool,
            Self::Unpooled(unpooled) => unpooled,
        }
    }

    /// Changes the most that is kept and for how long, if there is a pool.
    pub fn keep(&self, maximum: Bytes, idle: Duration) {
        if let Self::Pooled(pool) = self {
            pool.keep(maximum, idle);
        }
    }

    /// The part below.
    pub fn upstream(&self) -> &S {
        match self {
            Self::Pooled(pool) => pool.upstream(),
            Self::Unpooled(unpooled) => unpooled.upstream(),
        }
    }
}

impl<S: Storage> Storage for Reuse<S> {
    #[inline]
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        match self {
            Self::Pooled(pool) => pool.allocate(bytes, stream),
            Self::Unpooled(unpooled) => unpooled.allocate(bytes, stream),
        }
    }

    #[inline]
    fn free(&self, block: Block, busy: StreamSet) {
        match self {
            Self::Pooled(pool) => pool.free(block, busy),
            Self::Unpooled(unpooled) => unpooled.free(block, busy),
        }
    }

    #[inline]
    fn granted(&self, bytes: Bytes) -> Bytes {
        match self {
            Self::Pooled(pool) => pool.granted(bytes),
            Self::Unpooled(unpooled) => unpooled.granted(bytes),
        }
    }

    delegate_storage!(self => self.part(); streams, release, tick, driver_free, reading);
}
