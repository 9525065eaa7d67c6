//! Whether freed blocks are kept, chosen when a device is set up.

use std::time::Duration;

use super::direct::Direct;
use super::pool::Pool;
use super::storage::{Block, Refusal, Storage, Stream, Streams, passes_on};
use crate::units::Bytes;

/// A [`Pool`] or [`Direct`].
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per device")]
pub enum Reuse<S: Storage> {
    /// Freed blocks are kept for the next request.
    Pooled(Pool<S>),
    /// Freed blocks are freed below at once.
    Direct(Direct<S>),
}

impl<S: Storage> Reuse<S> {
    fn part(&self) -> &dyn Storage {
        match self {
            Self::Pooled(pool) => pool,
            Self::Direct(direct) => direct,
        }
    }

    /// Changes the most that is kept and for how long, if there is a pool.
    pub fn keep(&self, maximum: Bytes, idle: Duration) {
        if let Self::Pooled(pool) = self {
            pool.keep(maximum, idle);
        }
    }

    /// The part below.
    pub fn below(&self) -> &S {
        match self {
            Self::Pooled(pool) => pool.below(),
            Self::Direct(direct) => direct.below(),
        }
    }
}

impl<S: Storage> Storage for Reuse<S> {
    #[inline]
    fn allocate(&self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal> {
        match self {
            Self::Pooled(pool) => pool.allocate(bytes, stream),
            Self::Direct(direct) => direct.allocate(bytes, stream),
        }
    }

    #[inline]
    fn free(&self, block: Block, busy: Streams) {
        match self {
            Self::Pooled(pool) => pool.free(block, busy),
            Self::Direct(direct) => direct.free(block, busy),
        }
    }

    #[inline]
    fn granted(&self, bytes: Bytes) -> Bytes {
        match self {
            Self::Pooled(pool) => pool.granted(bytes),
            Self::Direct(direct) => direct.granted(bytes),
        }
    }

    passes_on!(self => self.part(); upkeep, readings);
}
