//! The chunk a thread is filling.
//!
//! Full chunks are in `history`. A shard belongs to the profiler, not to its
//! thread, so a thread that ends loses nothing and a thread that begins costs
//! nothing.
//!
//! The one thing to know: threads are dealt to a fixed number of shards by
//! their number. With no more threads than shards each has a lock of its own,
//! which nobody else wants outside a snapshot; with more, a few share one.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::history::{History, SHARDS};
use crate::span::Span;

static NEXT_THREAD: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static THREAD: u32 = NEXT_THREAD.fetch_add(1, Ordering::Relaxed);
}

/// The calling thread's number.
pub(crate) fn thread_number() -> u32 {
    THREAD.with(|number| *number)
}

/// Locks, taking no notice of poison: nothing that runs under these locks can
/// leave spans half written.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An open chunk and how many spans ever went through it.
#[derive(Debug, Default)]
pub(crate) struct Open {
    pub(crate) chunk: Vec<Span>,
    pub(crate) recorded: u64,
}

/// One open chunk behind its own lock, on cache lines of its own so that
/// neighbouring threads do not slow each other (128: x86 fetches lines in
/// pairs).
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(Mutex<Open>);

/// All open chunks.
#[derive(Debug)]
pub(crate) struct Shards {
    shards: Box<[Shard]>,
    chunk_spans: usize,
}

impl Shards {
    /// Shards that hand their chunks to `history`.
    pub(crate) fn new(history: &History) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            chunk_spans: history.chunk_spans(),
        }
    }

    /// Keeps a span; every so often that completes a chunk, which goes to
    /// `history`.
    pub(crate) fn push(&self, span: Span, history: &Mutex<History>) {
        let mut open = lock(&self.shards[span.thread as usize % SHARDS].0);
        open.chunk.push(span);
        open.recorded += 1;
        if open.chunk.len() >= self.chunk_spans {
            let full = mem::take(&mut open.chunk);
            open.chunk = lock(history).exchange(full);
        }
    }

    /// Locks every shard, in order, so that a snapshot is of one moment.
    /// `history` is always locked after shards, never before.
    pub(crate) fn lock_all(&self) -> Vec<MutexGuard<'_, Open>> {
        self.shards.iter().map(|shard| lock(&shard.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_number_and_shares_it_with_no_other() {
        let here = thread_number();
        assert_eq!(here, thread_number());
        let there = std::thread::spawn(thread_number).join().unwrap();
        assert_ne!(here, there);
    }

    #[test]
    fn a_full_chunk_moves_to_the_history() {
        let history = Mutex::new(History::new(512));
        let shards = Shards::new(&lock(&history));
        assert_eq!(shards.chunk_spans, 2);
        for start_ns in 0..3 {
            shards.push(Span::sample(start_ns), &history);
        }
        assert_eq!(lock(&history).spans().count(), 2);
        let open = shards.lock_all();
        assert_eq!(open[0].chunk, [Span::sample(2)]);
        assert_eq!(open[0].recorded, 3);
    }
}
