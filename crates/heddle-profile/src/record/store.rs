//! All chunks of one profiler, oldest first, bounded by its capacity.
//!
//! Appending to a chunk is the business of `desk`.
//!
//! The one thing to know: a place is where one thread at a time sits with an
//! open chunk. A thread that ends leaves its place, half-filled chunk and all, to
//! the next that comes, so threads may come and go and memory stays within the
//! capacity plus one chunk for each thread that records at the same time.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chunk::{Chunk, Mark};
use super::packed::{SIZED_SCOPE_WORDS, SPAN_WORDS};

/// 4,096 words are 32 KiB, 682 scopes: large enough to make the lock rare, small
/// enough to be allocated in microseconds.
const LARGEST_CHUNK_WORDS: usize = 4_096;

/// As many open chunks as this hold a quarter of the capacity.
const EXPECTED_THREADS: usize = 64;

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
    /// Where it was filled.
    place: usize,
}

impl Piece {
    fn records(&self) -> usize {
        (self.chunk.mark().records - self.from.records) as usize
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

/// Where a thread writes.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) number: usize,
    pub(crate) chunk: Arc<Chunk>,
}

#[derive(Debug)]
struct Shelves {
    full: VecDeque<Piece>,
    full_records: usize,
    evicted: u64,
    places: Vec<Piece>,
    vacant: Vec<usize>,
    /// Chunks that are no longer needed, by the place that filled them, whose
    /// thread may still have them in its cache. On two cores no gain could be
    /// measured.
    spare: Vec<Vec<Arc<Chunk>>>,
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

    fn chunk(&self) -> Arc<Chunk> {
        Arc::new(Chunk::new(self.chunk_words))
    }

    /// A place for the calling thread, with a chunk that may be partly filled.
    pub(crate) fn sit(&self) -> Place {
        let mut shelves = self.lock();
        if let Some(number) = shelves.vacant.pop() {
            return Place {
                number,
                chunk: Arc::clone(&shelves.places[number].chunk),
            };
        }
        let (number, chunk) = (shelves.places.len(), self.chunk());
        shelves.places.push(Piece {
            chunk: Arc::clone(&chunk),
            from: Mark::default(),
            place: number,
        });
        shelves.spare.push(Vec::new());
        Place { number, chunk }
    }

    /// Leaves the place to the next thread.
    pub(crate) fn leave(&self, place: usize) {
        self.lock().vacant.push(place);
    }

    /// Takes the full chunk of a place and gives an empty one, which in the
    /// steady state is memory of an old chunk.
    pub(crate) fn exchange(&self, place: usize) -> Arc<Chunk> {
        let mut shelves = self.lock();
        shelves.shelve(place, self.capacity_spans);
        let chunk = shelves.reuse(place).unwrap_or_else(|| self.chunk());
        shelves.places[place] = Piece {
            chunk: Arc::clone(&chunk),
            from: Mark::default(),
            place,
        };
        chunk
    }

    /// What was recorded so far, as of one moment. Recording goes on meanwhile.
    pub(crate) fn holdings(&self) -> Holdings {
        let shelves = self.lock();
        let pieces = shelves
            .full
            .iter()
            .chain(&shelves.places)
            .map(|piece| Written {
                chunk: Arc::clone(&piece.chunk),
                from: piece.from,
                to: piece.chunk.mark(),
            })
            .collect();
        Holdings {
            pieces,
            evicted: shelves.evicted,
        }
    }

    /// How many records there were, those given up included.
    pub(crate) fn recorded(&self) -> u64 {
        let shelves = self.lock();
        let open: usize = shelves.places.iter().map(Piece::records).sum();
        shelves.evicted + (shelves.full_records + open) as u64
    }

    /// Forgets every record and gives the memory of full chunks back.
    pub(crate) fn clear(&self) {
        let mut shelves = self.lock();
        let full = mem::take(&mut shelves.full);
        let spare: Vec<_> = shelves.spare.iter_mut().map(mem::take).collect();
        shelves.full_records = 0;
        shelves.evicted = 0;
        for piece in &mut shelves.places {
            piece.from = piece.chunk.mark();
        }
        drop(shelves);
        drop((full, spare));
    }
}

impl Shelves {
    /// Moves a place's chunk to the full ones, and those that are no longer
    /// needed to the spare ones.
    fn shelve(&mut self, place: usize, capacity_spans: usize) {
        let piece = self.places[place].clone();
        self.full_records += piece.records();
        self.full.push_back(piece);
        while let Some(oldest) = self.full.front().map(Piece::records)
            && self.full_records - oldest >= capacity_spans
        {
            self.full_records -= oldest;
            self.evicted += oldest as u64;
            if let Some(piece) = self.full.pop_front() {
                self.spare[piece.place].push(piece.chunk);
            }
        }
    }

    /// A spare chunk, emptied: of this place if there is one, else of another.
    fn reuse(&mut self, place: usize) -> Option<Arc<Chunk>> {
        let places = self.spare.len();
        for next in 0..places {
            let spare = &mut self.spare[(place + next) % places];
            while let Some(mut chunk) = spare.pop() {
                // One that a reader still holds is left to the reader.
                if let Some(empty) = Arc::get_mut(&mut chunk) {
                    empty.reset();
                    return Some(chunk);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a place's chunk with records of one word and exchanges it.
    fn fill(store: &Store, place: &mut Place, first: u64) {
        let mut mark = place.chunk.mark();
        let mut word = first;
        while let Some(next) = place.chunk.append(mark, &[word]) {
            (mark, word) = (next, word + 1);
        }
        place.chunk = store.exchange(place.number);
    }

    fn words(store: &Store) -> Vec<u64> {
        let holdings = store.holdings();
        holdings.pieces.iter().flat_map(Written::words).collect()
    }

    #[test]
    fn open_chunks_hold_at_most_a_quarter_of_the_capacity() {
        for capacity in [10_000, 65_536, 1 << 20, usize::MAX] {
            let scopes = chunk_words(capacity) / SIZED_SCOPE_WORDS;
            assert!(EXPECTED_THREADS * scopes <= capacity / 4, "{capacity}");
        }
        // The longest record always fits.
        assert!(chunk_words(0) >= SPAN_WORDS);
    }

    #[test]
    fn the_oldest_chunk_makes_room_and_lends_its_memory() {
        let store = Store::new(SPAN_WORDS);
        let mut place = store.sit();
        let first = Arc::as_ptr(&place.chunk);
        fill(&store, &mut place, 0);
        assert_eq!(words(&store), (0..17).collect::<Vec<_>>());
        fill(&store, &mut place, 100);
        assert_eq!(words(&store), (100..117).collect::<Vec<_>>());
        assert_eq!(Arc::as_ptr(&place.chunk), first);
        assert_eq!(store.recorded(), 34);
        assert_eq!(store.holdings().evicted, 17);
    }

    #[test]
    fn what_a_reader_holds_is_not_written_over() {
        let store = Store::new(SPAN_WORDS);
        let mut place = store.sit();
        fill(&store, &mut place, 0);
        let before = store.holdings();
        for round in 1..5 {
            fill(&store, &mut place, round * 100);
        }
        let seen: Vec<u64> = before.pieces.iter().flat_map(Written::words).collect();
        assert_eq!(seen, (0..17).collect::<Vec<_>>());
    }

    #[test]
    fn a_place_that_was_left_is_taken_up_where_it_was() {
        let store = Store::new(1_000);
        let place = store.sit();
        let mark = place.chunk.append(Mark::default(), &[7]).unwrap();
        store.leave(place.number);
        let again = store.sit();
        assert_eq!((again.number, again.chunk.mark()), (place.number, mark));
    }

    #[test]
    fn clearing_forgets_what_open_chunks_hold_too() {
        let store = Store::new(1_000);
        let mut place = store.sit();
        fill(&store, &mut place, 0);
        let mark = place.chunk.append(Mark::default(), &[7]).unwrap();
        store.clear();
        assert_eq!((store.recorded(), words(&store)), (0, vec![]));
        place.chunk.append(mark, &[8]).unwrap();
        assert_eq!((store.recorded(), words(&store)), (1, vec![8]));
    }
}
