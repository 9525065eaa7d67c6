//! The thread states of one block: which threads run, which wait and which have returned.
//!
//! Bookkeeping only, without fiber switches: it decides whether a thread that arrives at a
//! collective may continue at once, and which waiting threads may continue.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

use super::warp::{LANES, Warp, WarpArrival};

/// Which block-wide barrier. Mirrors the enumeration in `collectives.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BarrierKind {
    Plain,
    Count,
    And,
    Or,
}

impl BarrierKind {
    pub(super) fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Plain,
            1 => Self::Count,
            2 => Self::And,
            _ => Self::Or,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "__syncthreads",
            Self::Count => "__syncthreads_count",
            Self::And => "__syncthreads_and",
            Self::Or => "__syncthreads_or",
        }
    }
}

/// A barrier call in the kernel's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Barrier {
    pub(super) kind: BarrierKind,
    pub(super) line: u32,
}

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadState {
    Unstarted,
    Running,
    Ready,
    AtBarrier(Barrier, u32),
    InWarp(WarpArrival),
    Exited,
}

/// A thread of the block.
pub(super) struct Thread {
    pub(super) state: Cell<ThreadState>,
    /// The result of the last collective it waited for.
    pub(super) result: Cell<u64>,
}

/// The most threads of a block.
pub(super) const MAX_THREADS: usize = 1024;

/// The threads of one block. The tables have the size of the largest block, so that a new
/// block needs no allocation.
pub(super) struct ThreadBlock {
    threads: Vec<Thread>,
    pub(super) warps: Vec<Warp>,
    ready: RefCell<VecDeque<usize>>,
    size: Cell<usize>,
    started: Cell<usize>,
    alive: Cell<usize>,
    at_barrier: Cell<usize>,
    /// Yields of threads since the last other progress.
    pauses: Cell<u64>,
}

/// Consecutive yields after which a block counts as spinning for ever. With the atomics
/// between two yields that is about a hundred million atomics.
const PAUSE_LIMIT: u64 = 100_000;

impl ThreadBlock {
    pub(super) fn new() -> Self {
        let thread = || Thread {
            state: Cell::new(ThreadState::Unstarted),
            result: Cell::new(0),
        };
        Self {
            threads: std::iter::repeat_with(thread).take(MAX_THREADS).collect(),
            warps: std::iter::repeat_with(Warp::default)
                .take(MAX_THREADS / LANES)
                .collect(),
            ready: RefCell::new(VecDeque::with_capacity(MAX_THREADS)),
            size: Cell::new(0),
            started: Cell::new(0),
            alive: Cell::new(0),
            at_barrier: Cell::new(0),
            pauses: Cell::new(0),
        }
    }

    /// Starts a new block of `threads` threads.
    pub(super) fn reset(&self, threads: usize) {
        self.size.set(threads.min(MAX_THREADS));
        for thread in self.threads() {
            thread.state.set(ThreadState::Unstarted);
        }
        for (index, warp) in self.warps.iter().enumerate() {
            warp.reset(threads.saturating_sub(index * LANES));
        }
        self.ready.borrow_mut().clear();
        self.started.set(0);
        self.alive.set(self.size.get());
        self.at_barrier.set(0);
        self.pauses.set(0);
    }

    /// The block's threads, in order.
    pub(super) fn threads(&self) -> &[Thread] {
        &self.threads[..self.size.get()]
    }

    /// Marks the next thread that has not started as running and returns it.
    pub(super) fn start_next(&self) -> Option<usize> {
        let thread = self.started.get();
        self.threads().get(thread)?.state.set(ThreadState::Running);
        self.started.set(thread + 1);
        Some(thread)
    }

    /// Marks a thread that waited and may continue as running and returns it.
    pub(super) fn take_ready(&self) -> Option<usize> {
        let thread = self.ready.borrow_mut().pop_front()?;
        self.threads[thread].state.set(ThreadState::Running);
        Some(thread)
    }

    /// Whether every thread has returned.
    pub(super) fn is_done(&self) -> bool {
        self.alive.get() == 0
    }

    /// Makes the thread wait at a barrier. True if every live thread has arrived.
    pub(super) fn arrive(&self, thread: usize, barrier: Barrier, value: u32) -> bool {
        self.threads[thread]
            .state
            .set(ThreadState::AtBarrier(barrier, value));
        self.at_barrier.set(self.at_barrier.get() + 1);
        self.complete_barrier(Some(thread))
    }

    /// Marks the thread as returned, and releases the threads that waited for it alone.
    pub(super) fn exit(&self, thread: usize) {
        self.threads[thread].state.set(ThreadState::Exited);
        self.alive.set(self.alive.get() - 1);
        self.pauses.set(0);
        self.leave_warp(thread);
        self.complete_barrier(None);
    }

    /// Puts the running thread at the end of the queue. False if the block has done nothing
    /// else for too long.
    pub(super) fn pause(&self, thread: usize) -> bool {
        self.release(thread, None);
        self.pauses.set(self.pauses.get() + 1);
        self.pauses.get() < PAUSE_LIMIT
    }

    /// Notes progress other than a yield.
    pub(super) fn note_progress(&self) {
        self.pauses.set(0);
    }

    /// Lets a thread continue: at once if it is the running one, else in turn.
    pub(super) fn release(&self, thread: usize, running: Option<usize>) {
        if running == Some(thread) {
            self.threads[thread].state.set(ThreadState::Running);
        } else {
            self.threads[thread].state.set(ThreadState::Ready);
            self.ready.borrow_mut().push_back(thread);
        }
    }

    /// If all threads that have not exited wait at the same barrier, gives them its result.
    fn complete_barrier(&self, running: Option<usize>) -> bool {
        if self.at_barrier.get() != self.alive.get() || self.alive.get() == 0 {
            return false;
        }
        let mut common_barrier = None;
        let mut yes = 0;
        for thread in self.threads() {
            if let ThreadState::AtBarrier(barrier, value) = thread.state.get() {
                if *common_barrier.get_or_insert(barrier) != barrier {
                    return false;
                }
                yes += u64::from(value);
            }
        }
        let Some(Barrier { kind, .. }) = common_barrier else {
            return false;
        };
        let result = match kind {
            BarrierKind::Plain => 0,
            BarrierKind::Count => yes,
            BarrierKind::And => u64::from(yes == self.alive.get() as u64),
            BarrierKind::Or => u64::from(yes > 0),
        };
        for (index, thread) in self.threads().iter().enumerate() {
            if matches!(thread.state.get(), ThreadState::AtBarrier(..)) {
                thread.result.set(result);
                self.release(index, running);
            }
        }
        self.at_barrier.set(0);
        self.note_progress();
        true
    }

    /// The collectives that threads wait at, for the message about a deadlock.
    pub(super) fn describe_waiting(&self) -> String {
        let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (index, thread) in self.threads().iter().enumerate() {
            let place = match thread.state.get() {
                ThreadState::AtBarrier(barrier, _) => {
                    format!("at {} (line {})", barrier.kind.name(), barrier.line)
                }
                ThreadState::InWarp(arrival) => format!(
                    "in {} (line {}, mask {:#010x})",
                    arrival.kind.name(),
                    arrival.line,
                    arrival.mask
                ),
                ThreadState::Exited => "nowhere (returned)".to_owned(),
                ThreadState::Unstarted | ThreadState::Running | ThreadState::Ready => {
                    "nowhere".to_owned()
                }
            };
            places.entry(place).or_insert((0, index)).0 += 1;
        }
        let mut parts: Vec<_> = places.into_iter().collect();
        parts.sort_by_key(|(_, (_, first))| *first);
        let parts: Vec<String> = parts
            .into_iter()
            .map(|(place, (count, first))| match count {
                1 => format!("thread {first} waits {place}"),
                _ => format!("{count} threads from thread {first} on wait {place}"),
            })
            .collect();
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(threads: usize) -> ThreadBlock {
        let block = ThreadBlock::new();
        block.reset(threads);
        while block.start_next().is_some() {}
        block
    }

    const HERE: Barrier = Barrier {
        kind: BarrierKind::Count,
        line: 5,
    };

    #[test]
    fn the_last_to_arrive_does_not_wait() {
        let block = started(3);
        assert!(!block.arrive(1, HERE, 1));
        assert!(!block.arrive(0, HERE, 0));
        assert!(block.arrive(2, HERE, 1));
        assert_eq!(block.threads()[2].state.get(), ThreadState::Running);
        assert_eq!((block.take_ready(), block.take_ready()), (Some(0), Some(1)));
        assert!(
            block
                .threads()
                .iter()
                .all(|thread| thread.result.get() == 2)
        );
    }

    #[test]
    fn exited_threads_are_not_waited_for() {
        let block = started(2);
        assert!(!block.arrive(0, HERE, 1));
        block.exit(1);
        assert_eq!(block.take_ready(), Some(0));
    }

    #[test]
    fn two_barriers_are_not_one() {
        let block = started(2);
        assert!(!block.arrive(0, HERE, 0));
        assert!(!block.arrive(1, Barrier { line: 6, ..HERE }, 0));
        assert_eq!(
            block.describe_waiting(),
            "thread 0 waits at __syncthreads_count (line 5); \
             thread 1 waits at __syncthreads_count (line 6)"
        );
    }
}
