//! All chunks of one profiler, oldest first, bounded by its capacity.
//!
//! Appending to a chunk is in `thread_buffer`.
//!
//! A recording thread never waits for another. A lock is held for some hundred
//! nanoseconds, but the system can suspend the thread that holds it for
//! milliseconds. So a thread that finds the `ChunkTable` locked keeps its full chunks
//! at its own `ThreadSlot`, where readers see them, and moves them to the table at the
//! next exchange. A slot has a lock too, shared with readers only.

use std::collections::VecDeque;
use std::iter;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, TryLockError};

use super::chunk::{Chunk, Mark};
use super::packed::{SIZED_SCOPE_WORDS, SPAN_WORDS};
use super::sync::{Arc, Mutex, MutexGuard, spin_loop};

/// 8,192 words are 64 KiB, 1,365 scopes: large enough to make the lock rare, small
/// enough to be allocated in microseconds. In the bench of 16 recording threads,
/// chunks of 1,536 words were four times as slow as those of 6,144, most likely
/// because the threads contended for the lock.
const LARGEST_CHUNK_WORDS: usize = 8_192;

/// The most chunks of a slot while the chunk table is locked, full or in reserve: 2
/// MiB. Beyond that the oldest is overwritten.
const MAX_WAITING_CHUNKS: usize = 32;

/// How often a held lock is tried again: some microseconds, longer than a running
/// thread holds it, and less than allocating a chunk takes.
const LOCK_ATTEMPTS: usize = if cfg!(all(test, heddle_models)) {
    1
} else {
    256
};

/// This many open chunks hold a quarter of the capacity.
const EXPECTED_THREADS: usize = 16;

/// The size of a chunk, limited so that open chunks do not hold most of the
/// capacity.
fn chunk_words(capacity_spans: usize) -> usize {
    let spans = capacity_spans / (4 * EXPECTED_THREADS);
    spans
        .saturating_mul(SIZED_SCOPE_WORDS)
        .clamp(SPAN_WORDS, LARGEST_CHUNK_WORDS)
}

/// A chunk, without the records from before the profiler was cleared.
#[derive(Clone, Debug)]
struct PartialChunk {
    chunk: Arc<Chunk>,
    from: Mark,
}

impl PartialChunk {
    fn new(chunk: &Arc<Chunk>) -> Self {
        Self {
            chunk: Arc::clone(chunk),
            from: Mark::default(),
        }
    }

    fn records(&self) -> usize {
        (self.chunk.mark().records - self.from.records) as usize
    }

    fn part(&self) -> ChunkPart {
        ChunkPart {
            chunk: Arc::clone(&self.chunk),
            from: self.from,
            to: self.chunk.mark(),
        }
    }
}

/// A part of a chunk that no longer changes.
#[derive(Debug)]
pub(crate) struct ChunkPart {
    chunk: Arc<Chunk>,
    from: Mark,
    to: Mark,
}

impl ChunkPart {
    pub(crate) fn records(&self) -> usize {
        (self.to.records - self.from.records) as usize
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.chunk.read(self.from, self.to)
    }
}

/// The recorded chunks at one moment.
#[derive(Debug)]
pub(crate) struct RecordedChunks {
    /// Oldest first: exact within a thread, by chunk between threads.
    pub(crate) parts: Vec<ChunkPart>,
    /// Records in chunks that were already overwritten.
    pub(crate) evicted: u64,
    /// How often the store was cleared before.
    pub(crate) clears: u64,
}

impl RecordedChunks {
    pub(crate) fn held(&self) -> usize {
        self.parts.iter().map(ChunkPart::records).sum()
    }

    /// The records beyond `capacity_spans`. Open chunks come on top of a full store:
    /// their oldest records count as overwritten before their memory is reused.
    pub(crate) fn excess(&self, capacity_spans: usize) -> usize {
        self.held().saturating_sub(capacity_spans)
    }
}

/// The chunks of one slot: full ones not yet in the chunk table, then the open one.
#[derive(Debug, Default)]
struct SlotChunks {
    parts: VecDeque<PartialChunk>,
    /// As many spare chunks as full ones once waited here. In the shared list other slots
    /// would take them, and as many would be allocated the next time.
    reserve: Vec<Arc<Chunk>>,
    /// Records overwritten here because the chunk table was locked for too long.
    evicted: u64,
}

/// The chunks that one thread writes to. When the thread ends, the next thread takes
/// over the slot with its half-filled chunk.
#[derive(Debug, Default)]
pub(crate) struct ThreadSlot {
    held: Mutex<SlotChunks>,
}

impl ThreadSlot {
    fn lock(&self) -> MutexGuard<'_, SlotChunks> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot, and the chunk to write to.
#[derive(Debug)]
pub(crate) struct ClaimedSlot {
    pub(crate) number: usize,
    pub(crate) slot: Arc<ThreadSlot>,
    pub(crate) chunk: Arc<Chunk>,
}

#[derive(Debug)]
struct ChunkTable {
    full: VecDeque<PartialChunk>,
    full_records: usize,
    evicted: u64,
    clears: u64,
    slots: Vec<Arc<ThreadSlot>>,
    free_slots: Vec<usize>,
    /// Empty chunks whose memory is used again.
    spare: Vec<Arc<Chunk>>,
}

/// All chunks of one profiler.
#[derive(Debug)]
pub(crate) struct Store {
    /// Distinguishes this store from every other store of the process.
    pub(crate) id: u64,
    pub(crate) capacity_spans: usize,
    chunk_words: usize,
    chunk_table: Mutex<ChunkTable>,
}

impl Store {
    pub(crate) fn new(capacity_spans: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            capacity_spans,
            chunk_words: chunk_words(capacity_spans),
            chunk_table: Mutex::new(ChunkTable {
                full: VecDeque::new(),
                full_records: 0,
                evicted: 0,
                clears: 0,
                slots: Vec::new(),
                free_slots: Vec::new(),
                spare: Vec::new(),
            }),
        }
    }

    /// Ignores poison: under this lock only a failed allocation could leave the
    /// table half changed, and that aborts.
    fn lock(&self) -> MutexGuard<'_, ChunkTable> {
        self.chunk_table
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, or `None` if its holder seems to be suspended.
    fn try_lock_briefly(&self) -> Option<MutexGuard<'_, ChunkTable>> {
        for _ in 0..LOCK_ATTEMPTS {
            match self.chunk_table.try_lock() {
                Ok(chunk_table) => return Some(chunk_table),
                Err(TryLockError::Poisoned(chunk_table)) => return Some(chunk_table.into_inner()),
                Err(TryLockError::WouldBlock) => spin_loop(),
            }
        }
        None
    }

    fn chunk(&self) -> Arc<Chunk> {
        Arc::new(Chunk::new(self.chunk_words))
    }

    /// Allocates as many chunks as the capacity can require.
    pub(crate) fn preallocate(&self) {
        let needed = self
            .capacity_spans
            .saturating_mul(SPAN_WORDS)
            .div_ceil(self.chunk_words);
        let held = |chunk_table: &ChunkTable| chunk_table.full.len() + chunk_table.spare.len();
        while held(&self.lock()) < needed {
            // Outside the lock, like every allocation here.
            let chunk = self.chunk();
            self.lock().spare.push(chunk);
        }
    }

    /// Takes a slot for the calling thread, with a chunk that may be partly filled.
    pub(crate) fn attach(&self) -> ClaimedSlot {
        let mut chunk_table = self.lock();
        if let Some(number) = chunk_table.free_slots.pop() {
            let slot = Arc::clone(&chunk_table.slots[number]);
            let open = slot
                .lock()
                .parts
                .back()
                .map(|partial_chunk| Arc::clone(&partial_chunk.chunk));
            if let Some(chunk) = open {
                return ClaimedSlot {
                    number,
                    slot,
                    chunk,
                };
            }
        }
        let (number, slot, chunk) = (
            chunk_table.slots.len(),
            Arc::<ThreadSlot>::default(),
            self.chunk(),
        );
        slot.lock().parts.push_back(PartialChunk::new(&chunk));
        chunk_table.slots.push(Arc::clone(&slot));
        ClaimedSlot {
            number,
            slot,
            chunk,
        }
    }

    /// Returns the slot, for the next thread.
    pub(crate) fn release_slot(&self, slot: usize) {
        self.lock().free_slots.push(slot);
    }

    /// Takes the full chunk of a slot and returns an empty one, in the steady state the
    /// memory of an old chunk. Waits for no other recording thread.
    pub(crate) fn exchange(&self, slot: &ThreadSlot) -> Arc<Chunk> {
        let spare = match self.try_lock_briefly() {
            Some(mut chunk_table) => {
                chunk_table.collect_full(slot, self.capacity_spans);
                chunk_table.spare()
            }
            None => slot.lock().reclaim(),
        };
        // Allocated outside the lock: new memory takes microseconds.
        let chunk = spare.unwrap_or_else(|| self.chunk());
        slot.lock().parts.push_back(PartialChunk::new(&chunk));
        chunk
    }

    /// Everything recorded so far, at one moment. Recording continues.
    pub(crate) fn recorded_chunks(&self) -> RecordedChunks {
        let chunk_table = self.lock();
        let mut recorded_chunks = RecordedChunks {
            parts: chunk_table.full.iter().map(PartialChunk::part).collect(),
            evicted: chunk_table.evicted,
            clears: chunk_table.clears,
        };
        for slot in &chunk_table.slots {
            let held = slot.lock();
            recorded_chunks.evicted += held.evicted;
            recorded_chunks
                .parts
                .extend(held.parts.iter().map(PartialChunk::part));
        }
        recorded_chunks
    }

    /// The number of records, overwritten ones included.
    pub(crate) fn recorded(&self) -> u64 {
        let chunk_table = self.lock();
        let in_slots: u64 = chunk_table
            .slots
            .iter()
            .map(|slot| {
                let held = slot.lock();
                let records: usize = held.parts.iter().map(PartialChunk::records).sum();
                held.evicted + records as u64
            })
            .sum();
        chunk_table.evicted + chunk_table.full_records as u64 + in_slots
    }

    /// The number of records that newer ones overwrote.
    pub(crate) fn overwritten(&self) -> u64 {
        let recorded_chunks = self.recorded_chunks();
        recorded_chunks.evicted + recorded_chunks.excess(self.capacity_spans) as u64
    }

    /// Removes every record and frees the memory of full chunks.
    pub(crate) fn clear(&self) {
        let mut chunk_table = self.lock();
        let full = mem::take(&mut chunk_table.full);
        let spare = mem::take(&mut chunk_table.spare);
        let mut reserves = Vec::new();
        chunk_table.full_records = 0;
        chunk_table.evicted = 0;
        chunk_table.clears += 1;
        for slot in &chunk_table.slots {
            let mut held = slot.lock();
            held.evicted = 0;
            reserves.append(&mut held.reserve);
            // Every chunk but the open one is full and goes with the next exchange.
            for partial_chunk in &mut held.parts {
                partial_chunk.from = partial_chunk.chunk.mark();
            }
        }
        drop(chunk_table);
        drop((full, spare, reserves));
    }
}

impl SlotChunks {
    /// A chunk from the reserve. If the reserve is empty and the slot has its most chunks,
    /// the oldest one, emptied, unless a reader still holds it.
    fn reclaim(&mut self) -> Option<Arc<Chunk>> {
        if let Some(chunk) = self.reserve.pop() {
            return Some(chunk);
        }
        if self.parts.len() < MAX_WAITING_CHUNKS {
            return None;
        }
        let oldest = self.parts.pop_front()?;
        self.evicted += oldest.records() as u64;
        emptied(oldest.chunk)
    }
}

impl ChunkTable {
    /// Moves a slot's chunks to the full ones, and those no longer needed to the spare
    /// ones. Where several had waited, the slot gets a spare chunk for each but the one
    /// it requests now.
    fn collect_full(&mut self, slot: &ThreadSlot, capacity_spans: usize) {
        let mut held = slot.lock();
        let waited = held.parts.len().saturating_sub(1);
        for partial_chunk in held.parts.drain(..) {
            self.full_records += partial_chunk.records();
            self.full.push_back(partial_chunk);
        }
        self.evicted += mem::take(&mut held.evicted);
        while let Some(oldest) = self.full.front().map(PartialChunk::records)
            && self.full_records - oldest >= capacity_spans
        {
            self.full_records -= oldest;
            self.evicted += oldest as u64;
            if let Some(partial_chunk) = self.full.pop_front() {
                self.spare.push(partial_chunk.chunk);
            }
        }
        held.reserve
            .extend(iter::from_fn(|| self.spare()).take(waited));
    }

    /// A spare chunk, emptied. A chunk that a reader still holds is left to the
    /// reader.
    fn spare(&mut self) -> Option<Arc<Chunk>> {
        while let Some(chunk) = self.spare.pop() {
            if let Some(chunk) = emptied(chunk) {
                return Some(chunk);
            }
        }
        None
    }
}

/// The chunk, emptied, unless it has another holder.
fn emptied(mut chunk: Arc<Chunk>) -> Option<Arc<Chunk>> {
    Arc::get_mut(&mut chunk)?.reset();
    Some(chunk)
}

#[cfg(all(test, heddle_models))]
mod models;
#[cfg(test)]
mod tests;
