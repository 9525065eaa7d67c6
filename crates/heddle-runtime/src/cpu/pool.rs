//! The threads CPU kernels run on, and when it pays to wake them.

use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;

use crate::error::Error;
use crate::units::Bytes;

/// Work below this is done by the calling thread alone.
///
/// A copy alone and with one helper, on two cores of an EPYC Zen 4 that other
/// work kept busy (bench `ops`, group `threshold`): 256 KiB 7 and 18 µs, 512 KiB
/// 16 and 24. From 1 MiB on three runs disagreed: two threads lost every larger
/// size in the first, won every one in the second and split in the third, so
/// this is where sharing begins to pay on a machine with a core to spare.
pub const PARALLEL_FROM: Bytes = Bytes(2 << 20);

/// Threads owned by one runtime. The global rayon pool stays the caller's.
#[derive(Debug)]
pub struct Pool {
    workers: ThreadPool,
}

impl Pool {
    /// A pool of `threads` threads, or as many as the machine offers this process.
    pub fn new(threads: Option<usize>) -> Result<Self, Error> {
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .thread_name(|index| format!("heddle-{index}"))
            .build()
            .map_err(|error| Error::Device {
                device: crate::device::DeviceId::CPU,
                message: format!("cannot start its threads: {error}"),
            })?;
        Ok(Self { workers })
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.current_num_threads()
    }

    /// The rayon pool, for parallel iterators: `pool.rayon().install(…)`.
    #[must_use]
    pub fn rayon(&self) -> &ThreadPool {
        &self.workers
    }

    /// Whether work of this cost is worth more than one thread.
    #[must_use]
    pub fn is_worth_sharing(&self, cost: Bytes) -> bool {
        cost >= PARALLEL_FROM && self.threads() > 1
    }

    /// Calls `work` on every part, in any order, on the calling thread and, if
    /// `cost` is worth it, on helpers.
    ///
    /// `cost` is the bytes the parts touch together, times how much slower than
    /// a copy the work is. Threads take the next part when they are free, so a
    /// core that is busy elsewhere delays one part and not its share.
    pub fn each<I>(&self, cost: Bytes, parts: I, work: impl Fn(I::Item) + Sync)
    where
        I: Iterator + Send,
    {
        let helpers = match parts.size_hint().1 {
            Some(count) => self.threads().min(count).saturating_sub(1),
            None => self.threads() - 1,
        };
        if helpers == 0 || !self.is_worth_sharing(cost) {
            parts.for_each(work);
            return;
        }
        let parts = Mutex::new(parts);
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let take_turns = || {
            while let Some(part) = next() {
                work(part);
            }
        };
        // In place, so that the caller computes instead of sleeping: one wake-up
        // less than `install`, and none at all when the helpers come late.
        self.workers.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| take_turns());
            }
            take_turns();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_part_is_worked_on_once() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(Some(threads)).unwrap();
            for cost in [Bytes(0), PARALLEL_FROM] {
                let seen: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
                pool.each(cost, seen.iter(), |count| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
                assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn small_work_stays_on_the_calling_thread() {
        let pool = Pool::new(Some(2)).unwrap();
        let caller = std::thread::current().id();
        pool.each(Bytes(PARALLEL_FROM.0 - 1), 0..100, |_| {
            assert_eq!(std::thread::current().id(), caller);
        });
    }
}
