//! An append-only table whose entries never move and are read without a lock.
//!
//! Kinds get their ids while the process runs, so tables indexed by them have no known size,
//! and readers on the hot path must not wait while a table grows.

use std::fmt;

use super::once_lock::OnceLock;

/// The entries of the first chunk. Every further chunk is twice as long.
const FIRST: usize = if cfg!(all(test, heddle_models)) {
    2
} else {
    32
};
/// Enough chunks for every index that a `u32` id times the element types can have.
const CHUNKS: usize = 32;

type Chunk<T> = Box<[OnceLock<Box<T>>]>;

/// Entries by index, created on first use.
pub(super) struct AppendTable<T> {
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
}

impl<T> AppendTable<T> {
    pub(super) fn new() -> Self {
        Self {
            chunks: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The entry at `index`, created by `make` if it does not exist yet.
    #[inline]
    pub(super) fn entry(&self, index: usize, make: impl FnOnce() -> T) -> &T {
        let (chunk, place) = address(index);
        self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect())
            [place]
            .get_or_init(|| Box::new(make()))
    }

    /// The entry at `index`, if it exists.
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        let (chunk, place) = address(index);
        self.chunks[chunk].get()?[place].get().map(Box::as_ref)
    }

    /// The existing entries, by ascending index.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks
            .iter()
            .filter_map(OnceLock::get)
            .flat_map(|chunk| chunk.iter())
            .filter_map(|entry| entry.get().map(Box::as_ref))
    }
}

/// The chunk of an index, and the position within it.
#[inline]
fn address(index: usize) -> (usize, usize) {
    let chunk = (index / FIRST + 1).ilog2() as usize;
    (chunk, index - FIRST * ((1 << chunk) - 1))
}

impl<T: fmt::Debug> fmt::Debug for AppendTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(all(test, heddle_models))]
mod models;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_where_they_are() {
        let append_table = AppendTable::new();
        let first: *const usize = append_table.entry(0, || 0);
        for index in [31, 32, 95, 96, 5000] {
            assert_eq!(*append_table.entry(index, || index), index);
        }
        assert!(std::ptr::eq(first, append_table.entry(0, || 99)));
        assert_eq!(
            (
                append_table.get(96),
                append_table.get(97),
                append_table.get(1 << 20)
            ),
            (Some(&96), None, None)
        );
        let all: Vec<usize> = append_table.iter().copied().collect();
        assert_eq!(all, [0, 31, 32, 95, 96, 5000]);
    }
}
