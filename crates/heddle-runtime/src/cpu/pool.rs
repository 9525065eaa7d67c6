//! The worker threads of the CPU, and the cost from which they are used.

use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError};

use crate::device::DeviceId;
use crate::error::Error;
use crate::units::Bytes;

/// Work that costs less than this is done by the calling thread alone.
///
/// A copy on one thread and on two, on two cores of an EPYC Zen 4 that other work kept busy
/// (bench `ops`, group `threshold`): 256 KiB took 7 and 18 µs, 512 KiB took 16 and 24. From 1
/// MiB on three runs disagreed: two threads lost every larger size in the first, won every one
/// in the second and split in the third. This is therefore where sharing begins to pay on a
/// machine with an idle core.
pub const PARALLEL_FROM: Bytes = Bytes(2 << 20);

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
    /// Creates a pool of `threads` threads, or as many as the process may use.
    pub fn new(threads: Option<usize>) -> Result<Self, Error> {
        Self::for_device(DeviceId::CPU, threads)
    }

    /// Creates a pool for the kernels of an emulated device, whose name its threads get.
    pub fn for_device(device: DeviceId, threads: Option<usize>) -> Result<Self, Error> {
        let pool = Self::unstarted(device, threads);
        if pool.threads() == 1 {
            return Ok(pool);
        }
        let workers = pool
            .shared
            .start()
            .map_err(|error| Error::device(device, format!("cannot start its threads: {error}")))?;
        // The cell of a new pool is empty, so this does not fail.
        let _ = pool
            .shared
            .first
            .set(Workers::of_this_process(Some(workers)));
        Ok(pool)
    }

    /// Creates a pool whose threads are started when work is first shared between them.
    #[must_use]
    pub fn deferred(threads: Option<usize>) -> Self {
        Self::unstarted(DeviceId::CPU, threads)
    }

    /// Returns the pool of functions that are called without a runtime: as many threads as the
    /// process may use, started when first needed.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<CpuPool> = LazyLock::new(|| CpuPool::deferred(None));
        &SHARED
    }

    fn unstarted(device: DeviceId, threads: Option<usize>) -> Self {
        let offered = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.filter(|&threads| threads > 0);
        Self {
            shared: Arc::new(Shared {
                device,
                threads: threads.unwrap_or_else(offered),
                first: OnceLock::new(),
            }),
        }
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Returns the rayon pool of this process, for parallel iterators within its `install`.
    ///
    /// Returns `None` for a single thread, and in a forked child that cannot start threads: the
    /// caller then does all of the work itself. It reads the process id, which is a system call, so
    /// it is called only where work is shared.
    #[must_use]
    pub fn rayon(&self) -> Option<&ThreadPool> {
        if self.threads() == 1 {
            return None;
        }
        let start = || Workers::of_this_process(self.shared.start().ok());
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
    fn start(&self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let name = if self.device == DeviceId::CPU {
            "heddle".to_owned()
        } else {
            self.device.to_string()
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(move |index| format!("{name}-{index}"))
            .build()
    }
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
            let pool = CpuPool::new(Some(threads)).unwrap();
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
        let pool = CpuPool::new(Some(2)).unwrap();
        let caller = std::thread::current().id();
        pool.each(Bytes(PARALLEL_FROM.0 - 1), 0..100, |_| {
            assert_eq!(std::thread::current().id(), caller);
        });
    }
}
