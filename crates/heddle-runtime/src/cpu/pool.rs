//! The worker threads of the CPU, and the cost from which they are used.

use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use rayon::ThreadPool;

use super::workers::start_workers;
use crate::device::DeviceId;
use crate::units::Bytes;

/// Work that costs less than this is done by the calling thread alone.
///
/// A copy on one thread and on two, on two cores of an EPYC Zen 4 that other work kept busy
/// (bench `ops`, group `threshold`): 256 KiB took 7 and 18 µs, 512 KiB took 16 and 24. From 1
/// MiB on three runs disagreed: two threads lost every larger size in the first, won every one
/// in the second and split in the third. This is therefore where sharing begins to pay on a
/// machine with an idle core.
pub const PARALLEL_FROM: Bytes = Bytes(2 << 20);

/// The most threads of a pool for each CPU that the process may use.
///
/// Idle workers search each other for work before they sleep: 1,000 of them on two CPUs
/// took 1.3 s to come to rest, 65,536 did not in minutes.
const MOST_PER_CPU: usize = 8;

/// The threads that a pool may have on any machine.
const ALWAYS_ALLOWED: usize = 64;

/// The worker threads of one runtime. The global rayon pool is not used.
#[derive(Clone)]
pub struct CpuPool {
    shared: Arc<Shared>,
}

struct Shared {
    device: DeviceId,
    threads: usize,
    /// Empty until the threads are needed.
    first: OnceLock<Workers>,
    /// Why fewer threads than that were started.
    shortage: OnceLock<String>,
}

/// The worker threads of one process, and those of its forked child.
struct Workers {
    process: u32,
    /// `None` where the system refused to start them.
    threads: Option<ThreadPool>,
    /// A list, because references to the first stay valid without a lock: a lock
    /// that another thread held at the `fork` would stay held in the child.
    child: OnceLock<Box<Workers>>,
}

impl CpuPool {
    /// Creates a pool of `threads` threads, at most [`most_threads`](Self::most_threads), or of as
    /// many as the process may use. They are started when work is first shared between them.
    #[must_use]
    pub fn new(threads: Option<usize>) -> Self {
        Self::for_device(DeviceId::CPU, threads)
    }

    /// Creates a pool for the kernels of an emulated device, whose name its threads get.
    #[must_use]
    pub fn for_device(device: DeviceId, threads: Option<usize>) -> Self {
        let threads = threads.filter(|&threads| threads > 0);
        Self {
            shared: Arc::new(Shared {
                device,
                threads: threads
                    .map_or_else(visible_cpus, |threads| threads.min(Self::most_threads())),
                first: OnceLock::new(),
                shortage: OnceLock::new(),
            }),
        }
    }

    /// The most threads that a pool has: eight for each CPU that the process may use, or 64
    /// if that is more.
    #[must_use]
    pub fn most_threads() -> usize {
        visible_cpus()
            .saturating_mul(MOST_PER_CPU)
            .max(ALWAYS_ALLOWED)
    }

    /// Returns the pool of functions that are called without a runtime: as many threads as the
    /// process may use, started when first needed.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<CpuPool> = LazyLock::new(|| CpuPool::new(None));
        &SHARED
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Says in one line that fewer threads were started than the pool should have, and why; `None`
    /// as long as it has all of them.
    #[must_use]
    pub fn shortage(&self) -> Option<&str> {
        self.shared.shortage.get().map(String::as_str)
    }

    /// Returns the rayon pool of this process, for parallel iterators within its `install`.
    ///
    /// Returns `None` for a single thread, and where no thread can be started: the caller then does
    /// all of the work itself. It reads the process id, which is a system call, so
    /// it is called only where work is shared.
    #[must_use]
    pub fn rayon(&self) -> Option<&ThreadPool> {
        if self.threads() == 1 {
            return None;
        }
        let start = || Workers::of_this_process(self.shared.start());
        let mut last = self.shared.first.get_or_init(start);
        while let Some(child) = last.child.get() {
            last = child;
        }
        if last.process != std::process::id() {
            last = last.child.get_or_init(|| Box::new(start()));
        }
        last.threads.as_ref()
    }

    /// Whether work of this cost should be shared between threads.
    #[must_use]
    pub(crate) fn is_worth_sharing(&self, cost: Bytes) -> bool {
        cost >= PARALLEL_FROM && self.threads() > 1
    }

    /// Calls `work` on every part, in any order, on the calling thread and, if `cost` is large
    /// enough, on worker threads.
    ///
    /// `cost` is the bytes the parts touch together, times how much slower than a copy the work
    /// is. A thread takes the next part when it is free, so a core that is busy elsewhere
    /// delays one part and not an equal share.
    pub fn each<I>(&self, cost: Bytes, parts: I, work: impl Fn(I::Item) + Sync)
    where
        I: Iterator + Send,
    {
        let helpers = match parts.size_hint().1 {
            Some(count) => self.threads().min(count).saturating_sub(1),
            None => self.threads() - 1,
        };
        let is_shared = helpers > 0 && self.is_worth_sharing(cost);
        let Some(workers) = is_shared.then(|| self.rayon()).flatten() else {
            parts.for_each(work);
            return;
        };
        let parts = Mutex::new(parts);
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let take_turns = || {
            while let Some(part) = next() {
                work(part);
            }
        };
        // In place, so that the calling thread computes instead of sleeping: one wake-up less
        // than `install`, and none at all when the workers start late.
        workers.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| take_turns());
            }
            take_turns();
        });
    }

    /// Applies `map` to every item and returns the results in order; shared like the parts of
    /// [`each`](Self::each).
    pub fn map<T: Send, R: Send>(
        &self,
        cost: Bytes,
        items: impl ExactSizeIterator<Item = T> + Send,
        map: impl Fn(T) -> R + Sync,
    ) -> Vec<R> {
        let mut results: Vec<Option<R>> = Vec::new();
        results.resize_with(items.len(), || None);
        self.each(cost, items.zip(&mut results), |(item, result)| {
            *result = Some(map(item));
        });
        // Every item was mapped.
        results.into_iter().flatten().collect()
    }
}

impl fmt::Debug for CpuPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Pool({}, {} threads)",
            self.shared.device,
            self.threads()
        )
    }
}

impl Shared {
    /// Starts the threads; `None` where the calling thread has to compute alone.
    fn start(&self) -> Option<ThreadPool> {
        let (started, refused) = match start_workers(&self.name(), self.threads) {
            Ok(started) => (Some(started.threads), started.refused),
            Err(error) => (None, Some(error.to_string())),
        };
        if let Some(why) = refused {
            let count = started.as_ref().map_or(0, ThreadPool::current_num_threads);
            let (device, threads) = (self.device, self.threads);
            // The first shortage is told.
            let _ = self.shortage.set(format!(
                "{device} works with {count} worker threads of {threads} because the system refuses \
                 more: {why}; raise its limit of processes or memory, or set HEDDLE_THREADS"
            ));
        }
        started
    }

    fn name(&self) -> String {
        if self.device == DeviceId::CPU {
            "heddle".to_owned()
        } else {
            self.device.to_string()
        }
    }
}

/// The CPUs that the process may use.
fn visible_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Workers {
    fn of_this_process(threads: Option<ThreadPool>) -> Self {
        Self {
            process: std::process::id(),
            threads,
            child: OnceLock::new(),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Dropping a pool takes locks of its threads, and in a forked child the threads that
            // hold them do not exist.
            std::mem::forget(self.threads.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_part_is_processed_once() {
        for threads in [1, 2, 5] {
            let pool = CpuPool::new(Some(threads));
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
    fn more_threads_than_help_are_not_started() {
        let pool = CpuPool::new(Some(65_536));
        assert_eq!(pool.threads(), CpuPool::most_threads());
        assert!((64..65_536).contains(&pool.threads()));
        let begun = std::time::Instant::now();
        let sum: usize = pool
            .map(PARALLEL_FROM, 0..1_000_usize, |part| part)
            .iter()
            .sum();
        assert_eq!(sum, 499_500);
        assert!(begun.elapsed() < std::time::Duration::from_secs(5));
        assert_eq!(pool.shortage(), None);
    }

    #[test]
    fn small_work_stays_on_the_calling_thread() {
        let pool = CpuPool::new(Some(2));
        let caller = std::thread::current().id();
        pool.each(Bytes(PARALLEL_FROM.0 - 1), 0..100, |_| {
            assert_eq!(std::thread::current().id(), caller);
        });
    }
}
