//! Keeps memory for reuse, because a request to the driver is slow.
//!
//! A driver takes some 100 µs for a large block and stops the device to free one. The pool
//! serves a request from the bin of its size class. Failing that, it joins free neighbours and
//! splits the smallest span that is large enough. Failing that, it takes a new region from
//! below. The lock is never held during a call to the part below.

mod bins;
mod ground;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use self::bins::Bins;
use self::ground::Ground;
use super::class::{self, PAGE};
use super::clock::Clock;
use super::pending::Pending;
use super::storage::{Block, Inherited, Refusal, Storage, StorageReading, Stream, Streams};
use crate::units::{Bytes, Nanos};

/// Requests of at least this size get a region of their own. Smaller ones share regions of one
/// page and leave large spans whole while they can.
const LARGE: u64 = PAGE / 2;
/// More free blocks than this are not joined to serve one request while there is an
/// alternative: joining takes some 150 ns per block, and a workload of very many small blocks
/// would pay for all of them at every large request.
const JOINED_AT_ONCE: usize = 1024;
/// The number of times per idle period that idle memory is searched.
const LOOKS_PER_IDLE: u32 = 16;

/// The settings of a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSettings {
    /// The most bytes it may hold, used or not.
    pub maximum: Bytes,
    /// How long a region may lie unused before it is released.
    pub idle: Duration,
    /// Whether [`Storage::queued`] is called before work is queued. A block may then be freed
    /// with every stream that ever used it; only those with work outstanding keep it waiting.
    pub hears_queued: bool,
}

/// Keeps freed blocks for the next request.
#[derive(Debug)]
pub struct Pool<S: Storage> {
    below: S,
    settings: RwLock<PoolSettings>,
    clock: Arc<dyn Clock>,
    pending: Pending,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bins: Bins,
    ground: Ground,
    used: u64,
    held: u64,
    hits: u64,
    misses: u64,
    next_look: Nanos,
    /// The number of times each stream has settled.
    settlements: [u32; 64],
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            maximum: Bytes(u64::MAX),
            idle: Duration::from_mins(5),
            hears_queued: false,
        }
    }
}

impl<S: Storage> Pool<S> {
    /// Creates a pool that takes its regions from `below`.
    pub fn new(below: S, settings: PoolSettings, clock: Arc<dyn Clock>) -> Self {
        Self {
            below,
            settings: RwLock::new(settings),
            clock,
            pending: Pending::new(settings.hears_queued),
            state: Mutex::new(State {
                bins: Bins::new(),
                ground: Ground::default(),
                used: 0,
                held: 0,
                hits: 0,
                misses: 0,
                next_look: Nanos(0),
                settlements: [0; 64],
            }),
        }
    }

    /// The part below.
    pub fn below(&self) -> &S {
        &self.below
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
        self.lock().next_look = Nanos(0);
    }

    fn settings(&self) -> PoolSettings {
        *self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a request whose bin is empty.
    #[cold]
    fn allocate_otherwise(&self, asked: Bytes, size: u64) -> Result<Block, Refusal> {
        let exhausted = Refusal::Exhausted { asked };
        let maximum = self.settings().maximum;
        let (bytes, victims) = {
            let mut state = self.lock();
            if let Some(block) = state.fit_or_join(size) {
                return Ok(block);
            }
            let Some(room) = state.make_room(size, maximum.0) else {
                return state.fit_anywhere(size).ok_or(exhausted);
            };
            room
        };
        self.give_below(victims);
        match self.region(bytes, size) {
            Ok(region) => {
                let now = self.clock.now();
                let mut state = self.lock();
                state.held = state.held - bytes + region.bytes.0;
                state.ground.add(region, now);
                state.misses += 1;
                state
                    .ground
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
                    Refusal::Fault(fault) => Refusal::Fault(fault),
                    _ => exhausted,
                })
            }
        }
    }

    /// Takes a region from below, of only the request's size if there is no more.
    fn region(&self, bytes: u64, size: u64) -> Result<Block, Refusal> {
        match self.below.allocate(Bytes(bytes), None) {
            Err(Refusal::Exhausted { .. } | Refusal::OverLimit { .. }) if bytes > size => {
                self.below.allocate(Bytes(size), None)
            }
            other => other,
        }
    }

    fn give_below(&self, regions: Vec<Block>) -> Bytes {
        let bytes = regions.iter().map(|region| region.bytes).sum();
        for region in regions {
            self.below.free(region, Streams::NONE);
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
    fn inherited(&self, stream: Stream) -> Inherited {
        Inherited {
            stream,
            settlement: self.settlements[usize::from(stream.index())],
        }
    }

    /// The stream whose work the block inherited, unless it has settled since.
    fn outstanding(&self, block: &Block) -> Streams {
        match block.inherited {
            Some(work) if work == self.inherited(work.stream) => work.stream.alone(),
            _ => Streams::NONE,
        }
    }

    fn settle(&mut self, streams: Streams) {
        let mut left = streams.0;
        while left != 0 {
            let count = &mut self.settlements[left.trailing_zeros() as usize];
            *count = count.wrapping_add(1);
            left &= left - 1;
        }
        self.bins.settle(streams);
    }

    /// Takes a block from the free spans, or from those that result from joining freed blocks
    /// with their neighbours, if they are not too many.
    fn fit_or_join(&mut self, size: u64) -> Option<Block> {
        let most = if size < LARGE { PAGE } else { u64::MAX };
        let mut fitting = self.ground.fit(size, most);
        let is_worth_it = self.bins.ready_bytes >= size && self.bins.ready_blocks <= JOINED_AT_ONCE;
        if fitting.is_none() && is_worth_it {
            self.join(Nanos(u64::MAX));
            fitting = self.ground.fit(size, most);
        }
        self.hit(fitting, size)
    }

    /// Takes a block from any span that is large enough.
    fn fit_anywhere(&mut self, size: u64) -> Option<Block> {
        self.join(Nanos(u64::MAX));
        let fitting = self.ground.fit(size, u64::MAX);
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
        let ground = &mut self.ground;
        self.bins.drain(before, |(address, size, since)| {
            ground.put(address, size, since);
        });
    }

    /// Takes out idle regions; see [`Ground::release`].
    fn take_idle(&mut self, wanted: u64, before: Nanos) -> Vec<Block> {
        let regions = self.ground.release(wanted, before);
        self.held -= regions.iter().map(|region| region.bytes.0).sum::<u64>();
        regions
    }

    /// Counts a new region as held and returns how large it may be, and which idle regions must
    /// be released for it. `None` if the maximum does not allow it.
    fn make_room(&mut self, size: u64, maximum: u64) -> Option<(u64, Vec<Block>)> {
        let whole = size.checked_next_multiple_of(PAGE)?;
        if size > maximum {
            return None;
        }
        let excess = (self.held.saturating_add(whole)).saturating_sub(maximum);
        if excess > 0 {
            self.join(Nanos(u64::MAX));
        }
        let busy = self.held - self.ground.idle_bytes().min(excess);
        if busy.saturating_add(size) > maximum {
            return None;
        }
        let victims = self.take_idle(excess, Nanos(u64::MAX));
        let room = maximum.saturating_sub(self.held);
        let bytes = if whole <= room { whole } else { size };
        self.held += bytes;
        Some((bytes, victims))
    }
}

impl<S: Storage> Storage for Pool<S> {
    #[inline]
    fn allocate(&self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal> {
        let size = class::class(bytes);
        {
            let mut state = self.lock();
            if let Some((address, unsettled)) = state.bins.take(size, stream) {
                state.hits += 1;
                let mut block = state.grant(address, size);
                block.inherited = unsettled.map(|stream| state.inherited(stream));
                return Ok(block);
            }
        }
        self.allocate_otherwise(bytes, size)
    }

    #[inline]
    fn free(&self, block: Block, busy: Streams) {
        let now = self.clock.roughly_now();
        let mut state = self.lock();
        let busy = self.pending.narrow(busy.or(state.outstanding(&block)));
        state.used -= block.bytes.0;
        state.bins.put(block.address, block.bytes.0, busy, now);
    }

    fn queued(&self, streams: Streams) {
        self.pending.queued(streams);
    }

    fn settled(&self, streams: Streams) {
        self.pending.settled(streams);
        self.lock().settle(streams);
    }

    fn unsettled(&self) -> Streams {
        self.pending.unsettled()
    }

    fn release(&self, wanted: Bytes) -> Bytes {
        let regions = {
            let mut state = self.lock();
            state.join(Nanos(u64::MAX));
            state.take_idle(wanted.0, Nanos(u64::MAX))
        };
        self.give_below(regions)
    }

    fn tick(&self) -> Bytes {
        let now = self.clock.now();
        let pause = self.settings().idle;
        let idle = Nanos::from(pause);
        let regions = {
            let mut state = self.lock();
            if now < state.next_look {
                return Bytes(0);
            }
            state.next_look = now + Nanos::from(pause / LOOKS_PER_IDLE);
            let Some(before) = now.0.checked_sub(idle.0).map(Nanos) else {
                return Bytes(0);
            };
            state.join(before);
            state.take_idle(u64::MAX, before)
        };
        self.give_below(regions)
    }

    fn granted(&self, bytes: Bytes) -> Bytes {
        Bytes(class::class(bytes))
    }

    fn driver_free(&self) -> Option<Bytes> {
        self.below.driver_free()
    }

    /// Freed blocks that have not been joined yet count one by one for the largest free block;
    /// a refused request has joined them all.
    fn reading(&self) -> StorageReading {
        let state = self.lock();
        StorageReading {
            used: Bytes(state.used),
            held: Bytes(state.held),
            waiting: Bytes(state.bins.waiting_bytes),
            largest_free_block: Bytes(state.ground.largest().max(state.bins.largest())),
            hits: state.hits,
            misses: state.misses,
        }
    }
}

impl<S: Storage> Drop for Pool<S> {
    fn drop(&mut self) {
        self.trim();
    }
}

#[cfg(test)]
mod tests;
