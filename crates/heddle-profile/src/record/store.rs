//! All chunks of one profiler, oldest first, bounded by its capacity.
//!
//! Appending to a chunk is the business of `desk`.
//!
//! The one thing to know: a thread that records never waits for another. A lock
//! is held for some hundred nanoseconds, but whoever holds it can be set aside by
//! the system for milliseconds. So a thread that finds the shelves locked keeps
//! its full chunks at its own place, where readers see them, and shelves them the
//! next time. Its place has a lock too, but one it shares with readers alone.

use std::collections::VecDeque;
use std::hint;
use std::iter;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::chunk::{Chunk, Mark};
use super::packed::{SIZED_SCOPE_WORDS, SPAN_WORDS};

/// 8,192 words are 64 KiB, 1,365 scopes: large enough to make the lock rare, small
/// enough to be allocated in microseconds. In the bench of 16 recording threads chunks
/// of 1,536 words were four times as slow as those of 6,144, most likely because the
/// threads met at the lock.
const LARGEST_CHUNK_WORDS: usize = 8_192;

/// Chunks that a place has for the time that the shelves are locked, full or in
/// reserve, 2 MiB; beyond them the oldest makes room.
const MOST_WAITING: usize = 32;

/// How often a locked lock is tried again: some microseconds, longer than it is held
/// by threads that run, and less than a chunk takes to be allocated.
const TRIES: usize = 256;

/// As many open chunks as this hold a quarter of the capacity.
const EXPECTED_THREADS: usize = 16;

/// How large a chunk is: never so large that open ones hold most of the capacity.
fn chunk_words(capacity_spans: usize) -> usize {
    let spans = capacity_spans / (4 * EXPECTED_THREADS);
    spans
        .saturating_mul(SIZED_SCOPE_WORDS)
        .clamp(SPAN_WORDS, LARGEST_CHUNK_WORDS)
}

/// A chunk, without what was in it when the profiler was cleared.
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

/// A part of a chunk that will not change any more.
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

/// What was recorded, as of one moment.
#[derive(Debug)]
pub(crate) struct Holdings {
    /// Oldest first; within a thread exactly, between threads by the chunk.
    pub(crate) pieces: Vec<Written>,
    /// Records in chunks that were given up before.
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
    /// As many as once waited, for the next time: were they only left among the
    /// spare ones, each time would allocate as many again.
    reserve: Vec<Arc<Chunk>>,
    /// Records given up here, because shelving was held up for too long.
    evicted: u64,
}

/// Where one thread at a time sits. A thread that ends leaves its place,
/// half-filled chunk and all, to the next that comes.
#[derive(Debug, Default)]
pub(crate) struct Place {
    held: Mutex<AtPlace>,
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, AtPlace> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place taken, and the chunk to write to.
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
    /// Chunks that are no longer needed, whose memory is.
    spare: Vec<Arc<Chunk>>,
}

/// All chunks of one profiler.
#[derive(Debug)]
pub(crate) struct Store {
    /// Told apart from every other store of the process.
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

    /// Takes no notice of poison: nothing that runs under this lock can leave
    /// the shelves half changed but a failed allocation, which aborts.
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless whoever holds it seems to have been set aside.
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

    /// Allocates as many chunks as the capacity can come to need.
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

    /// A place for the calling thread, with a chunk that may be partly filled.
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

    /// Leaves the place to the next thread.
    pub(crate) fn leave(&self, place: usize) {
        self.lock().vacant.push(place);
    }

    /// Takes the full chunk of a place and gives an empty one, which in the
    /// steady state is memory of an old chunk. Waits for no other thread that
    /// records.
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

    /// What was recorded so far, as of one moment. Recording goes on meanwhile.
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

    /// How many records there were, those given up included.
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

    /// Forgets every record and gives the memory of full chunks back.
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
    /// One in reserve; or, where as many chunks wait as may, the oldest, emptied,
    /// unless a reader still has it.
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
    /// Moves a place's chunks to the full ones, and those that are no longer
    /// needed to the spare ones. Where several had waited, the place gets spare
    /// ones for all but the one it asks for now.
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

    /// A spare chunk, emptied. One that a reader still holds is left to the
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

/// The chunk with nothing in it, unless someone else has it too.
fn emptied(mut chunk: Arc<Chunk>) -> Option<Arc<Chunk>> {
    Arc::get_mut(&mut chunk)?.reset();
    Some(chunk)
}

#[cfg(test)]
mod tests;
