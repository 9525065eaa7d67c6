//! The full chunks of spans, oldest first, bounded by the capacity.
//!
//! Chunks still being filled are in `shard`; the two meet in `profiler`.
//!
//! The one thing to know: chunks are exchanged, not copied. A thread hands in
//! a full chunk and leaves with an empty one, which in the steady state is the
//! oldest chunk's memory, so nothing is allocated and the lock around this is
//! held for a few pointer moves.

use std::collections::VecDeque;

use crate::span::Span;

/// How many chunks are open at once, one per shard.
pub(crate) const SHARDS: usize = 64;

/// 64 spans are 10 KiB: large enough to make the shared lock rare, small
/// enough that all open chunks together stay under 1 MiB.
const LARGEST_CHUNK_SPANS: usize = 64;

/// How many spans a chunk holds.
///
/// All open chunks together may hold a quarter of the capacity, so a span that
/// waits in one is never the one to be overwritten. A small capacity gets
/// chunks of one span, that is, a plain ring.
fn chunk_spans(capacity_spans: usize) -> usize {
    (capacity_spans / (4 * SHARDS)).clamp(1, LARGEST_CHUNK_SPANS)
}

/// Full chunks, oldest first.
#[derive(Debug)]
pub(crate) struct History {
    chunks: VecDeque<Vec<Span>>,
    chunk_spans: usize,
    most_chunks: usize,
}

impl History {
    pub(crate) fn new(capacity_spans: usize) -> Self {
        let chunk_spans = chunk_spans(capacity_spans);
        Self {
            chunks: VecDeque::new(),
            chunk_spans,
            most_chunks: capacity_spans.div_ceil(chunk_spans),
        }
    }

    pub(crate) fn chunk_spans(&self) -> usize {
        self.chunk_spans
    }

    /// Takes in a full chunk and gives back an empty one.
    pub(crate) fn exchange(&mut self, full: Vec<Span>) -> Vec<Span> {
        self.chunks.push_back(full);
        if self.chunks.len() > self.most_chunks
            && let Some(mut oldest) = self.chunks.pop_front()
        {
            oldest.clear();
            return oldest;
        }
        Vec::with_capacity(self.chunk_spans)
    }

    /// Every span held, in the order the chunks came in.
    pub(crate) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.chunks.iter().flatten()
    }

    /// Forgets every span and gives the memory back.
    pub(crate) fn clear(&mut self) {
        self.chunks = VecDeque::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(history: &History) -> Vec<u64> {
        history.spans().map(|span| span.start_ns).collect()
    }

    #[test]
    fn open_chunks_hold_at_most_a_quarter_of_the_capacity() {
        for capacity in [256, 512, 1_000, 16_384, 1_000_000] {
            let open = SHARDS * chunk_spans(capacity);
            assert!(open <= capacity / 4, "{open} spans open of {capacity}");
        }
        assert_eq!(chunk_spans(0), 1);
        assert_eq!(chunk_spans(usize::MAX), LARGEST_CHUNK_SPANS);
    }

    #[test]
    fn the_oldest_chunk_makes_room() {
        let mut history = History::new(2);
        for start_ns in 0..5 {
            let empty = history.exchange(vec![Span::sample(start_ns)]);
            assert!(empty.is_empty());
        }
        assert_eq!(starts(&history), [3, 4]);
    }

    #[test]
    fn a_full_history_reuses_the_oldest_chunks_memory() {
        let mut history = History::new(1);
        let first = vec![Span::sample(0)];
        let address = first.as_ptr();
        history.exchange(first);
        let reused = history.exchange(vec![Span::sample(1)]);
        assert_eq!(reused.as_ptr(), address);
    }

    #[test]
    fn a_capacity_of_nothing_keeps_nothing() {
        let mut history = History::new(0);
        history.exchange(vec![Span::sample(0)]);
        assert!(starts(&history).is_empty());
    }
}
