//! Chunks and store under every interleaving of their threads, and every value that the
//! orderings let a load return. Run by
//! `RUSTFLAGS="--cfg heddle_models" cargo test -p heddle-profile --lib models`.
//!
//! Each model was seen to fail on these changes:
//!
//! | change | model that fails |
//! |---|---|
//! | `Chunk::append` stores the mark relaxed | `a_reader_sees_whole_records` |
//! | `Chunk::mark` loads it relaxed | `a_reader_sees_whole_records` |
//! | `emptied` empties a chunk that a reader holds | `what_a_reader_holds_is_not_written_over` |
//! | `Store::attach` leaves the slot it takes among the free ones | `two_threads_lose_no_record` |
//! | `Store::recorded` unlocks the table before it counts what slots hold | `the_count_of_records_never_falls` |

use std::sync::Arc;

use loom::{model, thread};

use super::*;

/// A store whose chunks hold two records of one word, with room for one of them.
fn small_store() -> Arc<Store> {
    let mut store = Store::new(1);
    store.chunk_words = 2;
    Arc::new(store)
}

/// Records words from `first` on, as a thread buffer does.
struct Writer {
    store: Arc<Store>,
    slot: ClaimedSlot,
    mark: Mark,
}

impl Writer {
    fn new(store: &Arc<Store>) -> Self {
        let slot = store.attach();
        Self {
            store: Arc::clone(store),
            mark: slot.chunk.mark(),
            slot,
        }
    }

    fn write(&mut self, word: u64) {
        self.mark = self
            .slot
            .chunk
            .append(self.mark, &[word])
            .unwrap_or_else(|| {
                self.slot.chunk = self.store.exchange(&self.slot.slot);
                self.slot.chunk.append(Mark::default(), &[word]).unwrap()
            });
    }
}

/// Starts a thread that records words from 1 to `last`.
fn write(store: &Arc<Store>, last: u64) -> thread::JoinHandle<()> {
    let store = Arc::clone(store);
    thread::spawn(move || {
        let mut writer = Writer::new(&store);
        for word in 1..=last {
            writer.write(word);
        }
        store.release_slot(writer.slot.number);
    })
}

#[test]
fn a_reader_sees_whole_records() {
    model(|| {
        let chunk = Arc::new(Chunk::new(4));
        let writer = thread::spawn({
            let chunk = Arc::clone(&chunk);
            move || {
                let mark = chunk.append(Mark::default(), &[1, 2]).unwrap();
                chunk.append(mark, &[3, 4]).unwrap();
            }
        });
        let mark = chunk.mark();
        let words: Vec<u64> = chunk.read(Mark::default(), mark).collect();
        assert_eq!(words, (1..=u64::from(mark.words)).collect::<Vec<_>>());
        assert_eq!(mark.words, 2 * mark.records);
        writer.join().unwrap();
    });
}

#[test]
fn what_a_reader_holds_is_not_written_over() {
    model(|| {
        let store = small_store();
        let writer = write(&store, 7);
        // Words are counted from 1, so what is evicted says which come next.
        let recorded_chunks = store.recorded_chunks();
        let words: Vec<u64> = recorded_chunks
            .parts
            .iter()
            .flat_map(ChunkPart::words)
            .collect();
        let first = recorded_chunks.evicted + 1;
        let expected: Vec<u64> = (first..first + recorded_chunks.held() as u64).collect();
        assert_eq!(words, expected);
        drop(recorded_chunks);
        writer.join().unwrap();
        assert_eq!(store.recorded(), 7);
    });
}

#[test]
fn two_threads_lose_no_record() {
    model(|| {
        let store = small_store();
        // One thread continues the slot of an earlier one, the other gets a new slot.
        store.release_slot(store.attach().number);
        let other = write(&store, 3);
        write(&store, 3).join().unwrap();
        other.join().unwrap();
        let recorded_chunks = store.recorded_chunks();
        assert_eq!(store.recorded(), 6);
        assert_eq!(recorded_chunks.evicted + recorded_chunks.held() as u64, 6);
    });
}

#[test]
fn the_count_of_records_never_falls() {
    model(|| {
        let store = small_store();
        let writer = write(&store, 5);
        let before = store.recorded();
        let after = store.recorded();
        assert!(before <= after, "{before} records became {after}");
        writer.join().unwrap();
    });
}
