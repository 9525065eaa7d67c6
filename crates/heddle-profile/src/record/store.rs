//! All chunks of one profiler, oldest first, bounded by its capacity.
//!
//! Appending to a chunk is in `desk`.
//!
//! A recording thread never waits for another. A lock is held for some hundred
//! nanoseconds, but the system can suspend the thread that holds it for
//! milliseconds. So a thread that finds the `Shelves` locked keeps its full chunks
//! at its own `Place`, where readers see them, and moves them to the shelves at the
//! next exchange. A place has a lock too, shared with readers only.

use std::collections::VecDeque;
use std::hint;
use std::iter;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::chunk::{Chunk, Mark};
use super::packed::{SIZED_SCOPE_WORDS, SPAN_WORDS};

/// 8,192 words are 64 KiB, 1,365 scopes: large enough to make the lock rare, small
/// enough to be allocated in microseconds. In the bench of 16 recording threads,
/// chunks of 1,536 words were four times as slow as those of 6,144, most likely
/// because the threads contended for the lock.
const LARGEST_CHUNK_WORDS: usize = 8_192;

/// The most chunks at a place while the shelves are locked, full or in reserve: 2
/// MiB. Beyond that the oldest is overwritten.
const MOST_WAITING: usize = 32;

/// How often a held lock is tried again: some microseconds, longer than a running
/// thread holds it, and less than allocating a chunk takes.
const TRIES: usize = 256;

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
struct Piece {
    chunk: Arc<Chunk>,
    from: Mark,
}

impl Piece {
    fn new(chunk: &Arc<Chunk>) -> Self {
        Self {
            chunk: Arc::clone(chunk),
            from: Mark::default(),
        }
    }

    fn records(&self) -> usize {
        (self.chunk.mark().records - self.from.records) as usize
    }

    fn written(&self) -> Written {
        Written {
            chunk: Arc::clone(&self.chunk),
            from: self.from,
            to: self.chunk.mark(),
        }
    }
}

/// A part of a chunk that no longer changes.
#[derive(Debug)]
pub(crate) struct Written {
    chunk: Arc<Chunk>,
    from: Mark,
    to: Mark,
}

impl Written {
    pub(crate) fn records(&self) -> usize {
        (self.to.records - self.from.records) as usize
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.chunk.read(self.from, self.to)
    }
}

/// The recorded chunks at one moment.
#[derive(Debug)]
pub(crate) struct Holdings {
    /// Oldest first: exact within a thread, by chunk between threads.
    pub(crate) pieces: Vec<Written>,
    /// Records in chunks that were already overwritten.
    pub(crate) evicted: u64,
}

impl Holdings {
    pub(crate) fn held(&self) -> usize {
        self.pieces.iter().map(Written::records).sum()
    }
}

/// The chunks at one place: full ones that wait to be shelved, then the open one.
#[derive(Debug, Default)]
struct AtPlace {
    pieces: VecDeque<Piece>,
    /// As many spare chunks as once waited: were they returned to the shared spare
    /// ones, the same number would be allocated the next time.
    reserve: Vec<Arc<Chunk>>,
    /// Records overwritten here because the shelves were locked for too long.
    evicted: u64,
}

/// The position of one thread at a time. A thread that ends leaves it, with its
/// half-filled chunk, to the next thread.
#[derive(Debug, Default)]
pub(crate) struct Place {
    held: Mutex<AtPlace>,
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, AtPlace> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place, and the chunk to write to.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) number: usize,
    pub(crate) place: Arc<Place>,
    pub(crate) chunk: Arc<Chunk>,
}

#[derive(Debug)]
struct Shelves {
    full: VecDeque<Piece>,
    full_records: usize,
    evicted: u64,
    places: Vec<Arc<Place>>,
    vacant: Vec<usize>,
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
    shelves: Mutex<Shelves>,
}

impl Store {
    pub(crate) fn new(capacity_spans: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            capacity_spans,
            chunk_words: chunk_words(capacity_spans),
            shelves: Mutex::new(Shelves {
                full: VecDeque::new(),
                full_records: 0,
                evicted: 0,
                places: Vec::new(),
                vacant: Vec::new(),
                spare: Vec::new(),
            }),
        }
    }

    /// Ignores poison: under this lock only a failed allocation could leave the
    /// shelves half changed, and that aborts.
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, or `None` if its holder seems to be suspended.
    fn lock_soon(&self) -> Option<MutexGuard<'_, Shelves>> {
        for _ in 0..TRIES {
            match self.shelves.try_lock() {
                Ok(shelves) => return Some(shelves),
                Err(TryLockError::Poisoned(shelves)) => return Some(shelves.into_inner()),
                Err(TryLockError::WouldBlock) => hint::spin_loop(),
            }
        }
        None
    }

    fn chunk(&self) -> Arc<Chunk> {
        Arc::new(Chunk::new(self.chunk_words))
    }

    /// Allocates as many chunks as the capacity can require.
    pub(crate) fn make_room(&self) {
        let needed = self
            .capacity_spans
            .saturating_mul(SPAN_WORDS)
            .div_ceil(self.chunk_words);
        let held = |shelves: &Shelves| shelves.full.len() + shelves.spare.len();
        while held(&self.lock()) < needed {
            // Outside the lock, like every allocation here.
            let chunk = self.chunk();
            self.lock().spare.push(chunk);
        }
    }

    /// Takes a place for the calling thread, with a chunk that may be partly
    /// filled.
    pub(crate) fn sit(&self) -> Taken {
        let mut shelves = self.lock();
        if let Some(number) = shelves.vacant.pop() {
            let place = Arc::clone(&shelves.places[number]);
            let open = place
                .lock()
                .pieces
                .back()
                .map(|piece| Arc::clone(&piece.chunk));
            if let Some(chunk) = open {
                return Taken {
                    number,
                    place,
                    chunk,
                };
            }
        }
        let (number, place, chunk) = (shelves.places.len(), Arc::<Place>::default(), self.chunk());
        place.lock().pieces.push_back(Piece::new(&chunk));
        shelves.places.push(Arc::clone(&place));
        Taken {
            number,
            place,
            chunk,
        }
    }

    /// Returns the place for the next thread.
    pub(crate) fn leave(&self, place: usize) {
        self.lock().vacant.push(place);
    }

    /// Takes the full chunk of a place and returns an empty one, in the steady
    /// state the memory of an old chunk. Waits for no other recording thread.
    pub(crate) fn exchange(&self, place: &Place) -> Arc<Chunk> {
        let spare = match self.lock_soon() {
            Some(mut shelves) => {
                shelves.shelve(place, self.capacity_spans);
                shelves.spare()
            }
            None => place.lock().make_room(),
        };
        // Allocated outside the lock: new memory takes microseconds.
        let chunk = spare.unwrap_or_else(|| self.chunk());
        place.lock().pieces.push_back(Piece::new(&chunk));
        chunk
    }

    /// Everything recorded so far, at one moment. Recording continues.
    pub(crate) fn holdings(&self) -> Holdings {
        let shelves = self.lock();
        let mut holdings = Holdings {
            pieces: shelves.full.iter().map(Piece::written).collect(),
            evicted: shelves.evicted,
        };
        for place in &shelves.places {
            let held = place.lock();
            holdings.evicted += held.evicted;
            holdings
                .pieces
                .extend(held.pieces.iter().map(Piece::written));
        }
        holdings
    }

    /// The number of records, overwritten ones included.
    pub(crate) fn recorded(&self) -> u64 {
        let shelves = self.lock();
        let at_places: u64 = shelves
            .places
            .iter()
            .map(|place| {
                let held = place.lock();
                let records: usize = held.pieces.iter().map(Piece::records).sum();
                held.evicted + records as u64
            })
            .sum();
        shelves.evicted + shelves.full_records as u64 + at_places
    }

    /// Removes every record and frees the memory of full chunks.
    pub(crate) fn clear(&self) {
        let mut shelves = self.lock();
        let full = mem::take(&mut shelves.full);
        let spare = mem::take(&mut shelves.spare);
        let mut reserves = Vec::new();
        shelves.full_records = 0;
        shelves.evicted = 0;
        for place in &shelves.places {
            let mut held = place.lock();
            held.evicted = 0;
            reserves.append(&mut held.reserve);
            // Every chunk but the open one is full and goes with the next exchange.
            for piece in &mut held.pieces {
                piece.from = piece.chunk.mark();
            }
        }
        drop(shelves);
        drop((full, spare, reserves));
    }
}

impl AtPlace {
    /// A chunk from the reserve; or, where the most chunks wait already, the oldest
    /// one, emptied, unless a reader still holds it.
    fn make_room(&mut self) -> Option<Arc<Chunk>> {
        if let Some(chunk) = self.reserve.pop() {
            return Some(chunk);
        }
        if self.pieces.len() < MOST_WAITING {
            return None;
        }
        let oldest = self.pieces.pop_front()?;
        self.evicted += oldest.records() as u64;
        emptied(oldest.chunk)
    }
}

impl Shelves {
    /// Moves a place's chunks to the full ones, and those no longer needed to the
    /// spare ones. Where several had waited, the place gets a spare chunk for each
    /// but the one it requests now.
    fn shelve(&mut self, place: &Place, capacity_spans: usize) {
        let mut held = place.lock();
        let waited = held.pieces.len().saturating_sub(1);
        for piece in held.pieces.drain(..) {
            self.full_records += piece.records();
            self.full.push_back(piece);
        }
        self.evicted += mem::take(&mut held.evicted);
        while let Some(oldest) = self.full.front().map(Piece::records)
            && self.full_records - oldest >= capacity_spans
        {
            self.full_records -= oldest;
            self.evicted += oldest as u64;
            if let Some(piece) = self.full.pop_front() {
                self.spare.push(piece.chunk);
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

#[cfg(test)]
mod tests;
