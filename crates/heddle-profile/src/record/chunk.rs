//! A block of records with one writing thread and any number of readers.
//!
//! The meaning of a record's words is in `packed`.
//!
//! Invariant: a word is written once, before the mark moves past it, and does not
//! change again while anything but the store holds the chunk. So a reader that
//! stays below the mark needs no lock, and the writer needs only plain stores.

use std::sync::atomic::Ordering;

use super::sync::AtomicU64;

/// How far a chunk is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Words written.
    pub(crate) words: u32,
    /// Records in them.
    pub(crate) records: u32,
}

impl Mark {
    fn pack(self) -> u64 {
        u64::from(self.records) << 32 | u64::from(self.words)
    }

    fn unpack(packed: u64) -> Self {
        Self {
            words: packed as u32,
            records: (packed >> 32) as u32,
        }
    }
}

/// A block of words, filled from the front.
///
/// The mark moves with every record, so it has its own pair of cache lines (128
/// bytes: x86 fetches lines in pairs). With two cores recording, a span took 31 ns
/// with this and 33 to 35 ns without, in the few quiet rounds.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Chunk {
    words: Box<[AtomicU64]>,
    mark: AtomicU64,
}

impl Chunk {
    pub(crate) fn new(words: usize) -> Self {
        Self {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            mark: AtomicU64::new(0),
        }
    }

    /// The current mark.
    pub(crate) fn mark(&self) -> Mark {
        Mark::unpack(self.mark.load(Ordering::Acquire))
    }

    /// Appends a record after `mark`, which must be this chunk's, and returns the
    /// new mark, or `None` if the record does not fit.
    ///
    /// Only the thread that owns the chunk calls this.
    #[inline]
    pub(crate) fn append<const WORDS: usize>(
        &self,
        mark: Mark,
        record: &[u64; WORDS],
    ) -> Option<Mark> {
        let from = mark.words as usize;
        let slots = self.words.get(from..from + WORDS)?;
        for (slot, &word) in slots.iter().zip(record) {
            slot.store(word, Ordering::Relaxed);
        }
        let mark = Mark {
            words: mark.words + WORDS as u32,
            records: mark.records + 1,
        };
        self.mark.store(mark.pack(), Ordering::Release);
        Some(mark)
    }

    /// The words from one mark to a later one.
    pub(crate) fn read(&self, from: Mark, to: Mark) -> impl Iterator<Item = u64> {
        self.words[from.words as usize..to.words as usize]
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
    }

    /// Empties the chunk. The exclusive reference proves that no reader is left.
    pub(crate) fn reset(&mut self) {
        self.mark.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_in_order_until_it_is_full() {
        let mut chunk = Chunk::new(5);
        let first = chunk.append(Mark::default(), &[1, 2]).unwrap();
        let second = chunk.append(first, &[3, 4]).unwrap();
        assert_eq!(chunk.append(second, &[5, 6]), None);
        assert_eq!(chunk.mark(), second);
        assert_eq!(second.records, 2);
        let words = |from, to| chunk.read(from, to).collect::<Vec<_>>();
        assert_eq!(words(Mark::default(), second), [1, 2, 3, 4]);
        assert_eq!(words(first, second), [3, 4]);
        chunk.reset();
        assert_eq!(chunk.mark(), Mark::default());
    }
}
