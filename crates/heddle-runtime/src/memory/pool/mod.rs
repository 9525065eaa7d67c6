//! Keeps memory for reuse, because a request to the driver is slow.
//!
//! A driver takes some 100 µs for a large block and stops the device to free one. The pool
//! serves a request from the bin of its size class. Failing that, it joins free neighbours and
//! splits the smallest span that is large enough. Failing that, it takes a new region from
//! below. The lock is never held during a call to the part below.

mod freed_blocks;
mod region_map;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use self::freed_blocks::FreedBlocks;
use self::region_map::RegionMap;
use super::clock::TimeSource;
use super::pending_streams::PendingStreams;
use super::size_class::{self, PAGE};
use super::storage::{Block, Inherited, Refusal, Storage, StorageReading, StreamIndex, StreamSet};
use crate::units::{Bytes, Nanos};

/// Requests of at least this size get a region of their own. Smaller ones share regions of one
/// page and leave large spans whole while they can.
const LARGE: u64 = PAGE / 2;
/// More free blocks than this are not joined to serve one request while there is an
/// alternative: joining takes some 150 ns per block, and a workload of very many small blocks
/// would pay for all of them at every large request.
const JOINED_AT_ONCE: usize = 1024;
/// The number of times per idle period that idle memory is searched.
const IDLE_CHECKS_PER_PERIOD: u32 = 16;

/// The settings of a [`MemoryPool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolSettings {
    /// The most bytes it may hold, used or not.
    pub maximum: Bytes,
    /// How long a region may lie unused before it is released.
    pub idle: Duration,
    /// Whether [`Storage::queued`] is called before work is queued. A block may then be freed
    /// with every stream that ever used it; only those with work outstanding keep it waiting.
    pub tracks_queued_work: bool,
}

/// Keeps freed blocks for the next request.
#[derive(Debug)]
pub struct MemoryPool<S: Storage> {
    upstream: S,
    settings: RwLock<PoolSettings>,
    clock: Arc<dyn TimeSource>,
    pending_streams: PendingStreams,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    freed_blocks: FreedBlocks,
    region_map: RegionMap,
    used: u64,
    held: u64,
    hits: u64,
    misses: u64,
    next_idle_check: Nanos,
    /// The number of times each stream was synchronized.
    sync_counts: [u32; 64],
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            maximum: Bytes(u64::MAX),
            idle: Duration::from_mins(5),
            tracks_queued_work: false,
        }
    }
}

impl<S: Storage> MemoryPool<S> {
    /// Creates a pool that takes its regions from `upstream`.
    pub fn new(upstream: S, settings: PoolSettings, clock: Arc<dyn TimeSource>) -> Self {
        Self {
            upstream,
            settings: RwLock::new(settings),
            clock,
            pending_streams: PendingStreams::new(settings.tracks_queued_work),
            state: Mutex::new(State {
                freed_blocks: FreedBlocks::new(),
                region_map: RegionMap::default(),
                used: 0,
                held: 0,
                hits: 0,
                misses: 0,
                next_idle_check: Nanos(0),
                sync_counts: [0; 64],
            }),
        }
    }

    /// The part below.
    pub fn upstream(&self) -> &S {
        &self.upstream
    }

    /// Changes the most it may hold and for how long. Memory beyond a lower maximum is released
    /// as it becomes idle.
    pub fn keep(&self, maximum: Bytes, idle: Duration) {
        let mut settings = self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        settings.maximum = maximum;
        settings.idle = idle;
        self.lock().next_idle_check = Nanos(0);
    }

    fn settings(&self) -> PoolSettings {
        *self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a request whose bin is empty.
    #[cold]
    fn allocate_on_miss(&self, asked: Bytes, size: u64) -> Result<Block, Refusal> {
        let exhausted = Refusal::Exhausted { asked };
        let maximum = self.settings().maximum;
        let (bytes, idle_regions) = {
            let mut state = self.lock();
            if let Some(block) = state.fit_or_join(size) {
                return Ok(block);
            }
            let Some(planned) = state.plan_region(size, maximum.0) else {
                return state.fit_anywhere(size).ok_or(exhausted);
            };
            planned
        };
        self.return_upstream(idle_regions);
        match self.region(bytes, size) {
            Ok(region) => {
                let now = self.clock.now();
                let mut state = self.lock();
                state.held = state.held - bytes + region.bytes.0;
                state.region_map.add(region, now);
                state.misses += 1;
                state
                    .region_map
                    .fit(size, u64::MAX)
                    .map(|address| state.grant(address, size))
                    .ok_or(exhausted)
            }
            Err(refusal) => {
                let mut state = self.lock();
                state.held -= bytes;
                // Another thread may have freed a block since, and a small request may now
                // split a large span.
                state.fit_anywhere(size).ok_or(match refusal {
                    Refusal::DriverError(fault) => Refusal::DriverError(fault),
                    _ => exhausted,
                })
            }
        }
    }

    /// Takes a region from below, of only the request's size if there is no more.
    fn region(&self, bytes: u64, size: u64) -> Result<Block, Refusal> {
        match self.upstream.allocate(Bytes(bytes), None) {
            Err(Refusal::Exhausted { .. } | Refusal::OverLimit { .. }) if bytes > size => {
                self.upstream.allocate(Bytes(size), None)
            }
            other => other,
        }
    }

    fn return_upstream(&self, regions: Vec<Block>) -> Bytes {
        let bytes = regions.iter().map(|region| region.bytes).sum();
        for region in regions {
            self.upstream.free(region, StreamSet::NONE);
        }
        bytes
    }
}

impl State {
    fn grant(&mut self, address: u64, size: u64) -> Block {
        self.used += size;
        Block::new(address, Bytes(size))
    }

    /// The work that `stream` has queued up to now.
    fn inherited(&self, stream: StreamIndex) -> Inherited {
        Inherited {
            stream,
            sync_count: self.sync_counts[usize::from(stream.index())],
        }
    }

    /// The stream whose work the block inherited, unless it was synchronized since.
    fn outstanding(&self, block: &Block) -> StreamSet {
        match block.inherited {
            Some(work) if work == self.inherited(work.stream) => work.stream.as_set(),
            _ => StreamSet::NONE,
        }
    }

    fn mark_synchronized(&mut self, streams: StreamSet) {
        let mut left = streams.0;
        while left != 0 {
            let count = &mut self.sync_counts[left.trailing_zeros() as usize];
            *count = count.wrapping_add(1);
            left &= left - 1;
        }
        self.freed_blocks.mark_synchronized(streams);
    }

    /// Takes a block from the free spans, or from those that result from joining freed blocks
    /// with their neighbours, if they are not too many.
    fn fit_or_join(&mut self, size: u64) -> Option<Block> {
        let most = if size < LARGE { PAGE } else { u64::MAX };
        let mut fitting = self.region_map.fit(size, most);
        let is_worth_it = self.freed_blocks.ready_bytes >= size
            && self.freed_blocks.ready_blocks <= JOINED_AT_ONCE;
        if fitting.is_none() && is_worth_it {
            self.join(Nanos(u64::MAX));
            fitting = self.region_map.fit(size, most);
        }
        self.hit(fitting, size)
    }

    /// Takes a block from any span that is large enough.
    fn fit_anywhere(&mut self, size: u64) -> Option<Block> {
        self.join(Nanos(u64::MAX));
        let fitting = self.region_map.fit(size, u64::MAX);
        self.hit(fitting, size)
    }

    fn hit(&mut self, address: Option<u64>, size: u64) -> Option<Block> {
        address.map(|address| {
            self.hits += 1;
            self.grant(address, size)
        })
    }

    /// Joins freed blocks, idle since `before` or longer, with their neighbours.
    fn join(&mut self, before: Nanos) {
        let region_map = &mut self.region_map;
        self.freed_blocks.drain(before, |(address, size, since)| {
            region_map.put(address, size, since);
        });
    }

    /// Takes out idle regions; see [`RegionMap::release`].
    fn take_idle(&mut self, wanted: u64, before: Nanos) -> Vec<Block> {
        let regions = self.region_map.release(wanted, before);
        self.held -= regions.iter().map(|region| region.bytes.0).sum::<u64>();
        regions
    }

    /// Counts a new region as held and returns how large it may be, and which idle regions must
    /// be released for it. `None` if the maximum does not allow it.
    fn plan_region(&mut self, size: u64, maximum: u64) -> Option<(u64, Vec<Block>)> {
        let whole = size.checked_next_multiple_of(PAGE)?;
        if size > maximum {
            return None;
        }
        let excess = (self.held.saturating_add(whole)).saturating_sub(maximum);
        if excess > 0 {
            self.join(Nanos(u64::MAX));
        }
        let busy = self.held - self.region_map.idle_bytes().min(excess);
        if busy.saturating_add(size) > maximum {
            return None;
        }
        let idle_regions = self.take_idle(excess, Nanos(u64::MAX));
        let available = maximum.saturating_sub(self.held);
        let bytes = if whole <= available { whole } else { size };
        self.held += bytes;
        Some((bytes, idle_regions))
    }
}

impl<S: Storage> Storage for MemoryPool<S> {
    #[inline]
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let size = size_class::size_class(bytes);
        {
            let mut state = self.lock();
            if let Some((address, unsynchronized)) = state.freed_blocks.take(size, stream) {
                state.hits += 1;
                let mut block = state.grant(address, size);
                block.inherited = unsynchronized.map(|stream| state.inherited(stream));
                return Ok(block);
            }
        }
        self.allocate_on_miss(bytes, size)
    }

    #[inline]
    fn free(&self, block: Block, busy: StreamSet) {
        let now = self.clock.approximate_now();
        let mut state = self.lock();
        let busy = self
            .pending_streams
            .narrow(busy.or(state.outstanding(&block)));
        state.used -= block.bytes.0;
        state
            .freed_blocks
            .put(block.address, block.bytes.0, busy, now);
    }

    fn queued(&self, streams: StreamSet) {
        self.pending_streams.queued(streams);
    }

    fn synchronized(&self, streams: StreamSet) {
        self.pending_streams.synchronized(streams);
        self.lock().mark_synchronized(streams);
    }

    fn unsynchronized(&self) -> StreamSet {
        self.pending_streams.unsynchronized()
    }

    fn release(&self, wanted: Bytes) -> Bytes {
        let regions = {
            let mut state = self.lock();
            state.join(Nanos(u64::MAX));
            state.take_idle(wanted.0, Nanos(u64::MAX))
        };
        self.return_upstream(regions)
    }

    fn tick(&self) -> Bytes {
        let now = self.clock.now();
        let pause = self.settings().idle;
        let idle = Nanos::from(pause);
        let regions = {
            let mut state = self.lock();
            if now < state.next_idle_check {
                return Bytes(0);
            }
            state.next_idle_check = now + Nanos::from(pause / IDLE_CHECKS_PER_PERIOD);
            let Some(before) = now.0.checked_sub(idle.0).map(Nanos) else {
                return Bytes(0);
            };
            state.join(before);
            state.take_idle(u64::MAX, before)
        };
        self.return_upstream(regions)
    }

    fn granted(&self, bytes: Bytes) -> Bytes {
        Bytes(size_class::size_class(bytes))
    }

    fn driver_free(&self) -> Option<Bytes> {
        self.upstream.driver_free()
    }

    /// Freed blocks that have not been joined yet count one by one for the largest free block;
    /// a refused request has joined them all.
    fn reading(&self) -> StorageReading {
        let state = self.lock();
        StorageReading {
            used: Bytes(state.used),
            held: Bytes(state.held),
            waiting: Bytes(state.freed_blocks.waiting_bytes),
            largest_free_block: Bytes(state.region_map.largest().max(state.freed_blocks.largest())),
            hits: state.hits,
            misses: state.misses,
        }
    }
}

impl<S: Storage> Drop for MemoryPool<S> {
    fn drop(&mut self) {
        self.trim();
    }
}

#[cfg(test)]
mod tests;
