//! A queue of operations of many callers, which are run together.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Batchable;
use super::caller_queues::CallerQueues;
use super::future::Pending;
use super::mixed::{AnyJob, Job, Jobs};
use crate::Runtime;
use crate::device::DeviceId;
use crate::error::Error;
use crate::memory::{SystemClock, TimeSource};
use crate::units::Nanos;

/// The settings of a queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueueSettings {
    /// The number of items that starts a batch at once.
    pub max_batch: usize,
    /// The longest time an item waits for others.
    pub max_delay: Duration,
    /// The number of items the queue holds before callers have to wait.
    pub capacity: usize,
    /// The source of time.
    pub clock: Arc<dyn TimeSource>,
}

impl Default for QueueSettings {
    /// 1,024 items or 200 µs, 16,384 items at once.
    fn default() -> Self {
        Self {
            max_batch: 1024,
            max_delay: Duration::from_micros(200),
            capacity: 16 << 10,
            clock: Arc::new(SystemClock::new()),
        }
    }
}

/// Merges the operations of concurrent callers. Dropping it runs the operations it holds.
///
/// Its thread does not survive a fork: a queue that a forked child inherits takes no operations,
/// and what it held then is left to the parent.
///
/// Callers take turns: each batch takes one item of every caller in turn, and a caller that
/// fills the queue does not block the others. A thread is a caller; tasks that share threads
/// can each create a [`caller`](Self::caller).
///
/// ```
/// use heddle_runtime::batch::{Queue, QueueSettings};
/// use heddle_runtime::ops::Xor;
/// use heddle_runtime::{Array, Runtime};
///
/// let queue = Queue::new(&Runtime::new()?, QueueSettings::default())?;
/// let result = queue.submit(Xor::new(&Array::from_slice(b"a"), &Array::from_slice(b"b"))?)?;
/// assert_eq!(result.wait()?.as_slice()?, [3]);
/// # Ok::<(), heddle_runtime::Error>(())
/// ```
pub struct Queue {
    shared: Arc<QueueShared>,
    worker: Option<JoinHandle<()>>,
}

struct QueueShared {
    /// The process that its thread runs in.
    owner: u32,
    runtime: Runtime,
    settings: QueueSettings,
    state: Mutex<State>,
    /// Signalled when an item was added or the queue was closed.
    item_added: Condvar,
    /// Signalled when there is space again or the queue was closed.
    space_freed: Condvar,
}

struct State {
    queues: CallerQueues<Box<dyn AnyJob>>,
    closed: bool,
}

/// One of several callers that share a thread.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    queue: &'a Queue,
    id: u64,
}

static CALLERS: AtomicU64 = AtomicU64::new(0);

fn new_caller() -> u64 {
    CALLERS.fetch_add(1, Ordering::Relaxed)
}

fn this_thread() -> u64 {
    thread_local! {
        static ID: Cell<Option<u64>> = const { Cell::new(None) };
    }
    ID.with(|id| {
        id.get().unwrap_or_else(|| {
            let new = new_caller();
            id.set(Some(new));
            new
        })
    })
}

impl Queue {
    /// Creates a queue with its own worker thread, which runs the batches.
    pub fn new(runtime: &Runtime, settings: QueueSettings) -> Result<Self, Error> {
        let shared = Arc::new(QueueShared {
            owner: std::process::id(),
            runtime: runtime.clone(),
            state: Mutex::new(State {
                queues: CallerQueues::new(settings.capacity),
                closed: false,
            }),
            settings,
            item_added: Condvar::new(),
            space_freed: Condvar::new(),
        });
        let worker = thread::Builder::new()
            .name("heddle-queue".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || shared.work()
            })
            .map_err(|error| {
                Error::device(
                    DeviceId::CPU,
                    format!("cannot start a queue's thread: {error}"),
                )
            })?;
        Ok(Self {
            shared,
            worker: Some(worker),
        })
    }

    /// Submits one operation, and waits while the queue is full. Fails once the queue is
    /// closed.
    pub fn submit<B: Batchable + 'static>(
        &self,
        operation: B,
    ) -> Result<Pending<B::Output>, Error> {
        self.shared.submit(this_thread(), operation, true)
    }

    /// Submits one operation, or fails with [`Error::QueueFull`].
    pub fn try_submit<B: Batchable + 'static>(
        &self,
        operation: B,
    ) -> Result<Pending<B::Output>, Error> {
        self.shared.submit(this_thread(), operation, false)
    }

    /// Creates a caller with its own turns.
    #[must_use]
    pub fn caller(&self) -> Caller<'_> {
        Caller {
            queue: self,
            id: new_caller(),
        }
    }

    /// The number of items that have not been started.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.lock().map_or(0, |state| state.queues.len())
    }

    /// Whether no items are waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes no more operations, runs the remaining ones and returns when all of them have
    /// their results.
    pub fn close(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        let Some(worker) = self.worker.take() else {
            return;
        };
        if self.shared.check_process().is_err() {
            // In a forked child there is no thread to wait for.
            std::mem::forget(worker);
            return;
        }
        if let Ok(mut state) = self.shared.lock() {
            state.closed = true;
            drop(state);
            self.shared.item_added.notify_all();
            self.shared.space_freed.notify_all();
            // The worker catches panics of what it runs, and dropped promises have resolved.
            let _ = worker.join();
        }
    }
}

impl Caller<'_> {
    /// As [`Queue::submit`].
    pub fn submit<B: Batchable + 'static>(
        &self,
        operation: B,
    ) -> Result<Pending<B::Output>, Error> {
        self.queue.shared.submit(self.id, operation, true)
    }

    /// As [`Queue::try_submit`].
    pub fn try_submit<B: Batchable + 'static>(
        &self,
        operation: B,
    ) -> Result<Pending<B::Output>, Error> {
        self.queue.shared.submit(self.id, operation, false)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.finish();
    }
}

impl QueueShared {
    /// Locks the state. Fails instead of waiting for a thread that a fork left behind.
    fn lock(&self) -> Result<MutexGuard<'_, State>, Error> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                self.check_process()?;
                Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    fn check_process(&self) -> Result<(), Error> {
        if self.owner == std::process::id() {
            return Ok(());
        }
        Err(Error::QueueOfParent { owner: self.owner })
    }

    fn submit<B: Batchable + 'static>(
        &self,
        caller: u64,
        operation: B,
        waits: bool,
    ) -> Result<Pending<B::Output>, Error> {
        let (job, pending) = Job::new(operation);
        let job: Box<dyn AnyJob> = Box::new(job);
        let mut state = self.lock()?;
        if !state.closed && !state.queues.has_capacity_for(caller) {
            if !waits {
                return Err(Error::QueueFull {
                    capacity: state.queues.capacity(),
                });
            }
            self.check_process()?;
            state.queues.wait(caller);
            while !state.closed && !state.queues.has_capacity_for(caller) {
                state = self
                    .space_freed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.queues.stop_waiting(caller);
            // Callers that were held back for this one may submit now.
            self.space_freed.notify_all();
        }
        if state.closed {
            return Err(Error::QueueClosed);
        }
        state.queues.add(caller, job, self.settings.clock.now());
        // The worker is only woken for the first and the last item of a batch.
        let held = state.queues.len();
        drop(state);
        if held == 1 || held >= self.most() {
            self.item_added.notify_one();
        }
        Ok(pending.provided_by(self.owner))
    }

    /// The number of items that makes a batch due, at most the capacity: a full queue does not
    /// wait.
    fn most(&self) -> usize {
        let capacity = self.settings.capacity.max(1);
        self.settings.max_batch.clamp(1, capacity)
    }

    fn work(&self) {
        while let Some(jobs) = self.next_batch() {
            self.space_freed.notify_all();
            let mut all = Jobs::default();
            for job in jobs {
                all.push(job);
            }
            // Promises that a panic drops resolve to errors; the queue continues.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                all.run(&self.runtime, self.runtime.batch_counters());
            }));
        }
    }

    /// Waits until a batch is due. Returns `None` when the queue is closed and empty.
    fn next_batch(&self) -> Option<Vec<Box<dyn AnyJob>>> {
        let most = self.most();
        let delay = Nanos::from(self.settings.max_delay);
        let mut state = self.lock().ok()?;
        loop {
            let due = state.queues.due_in(most, delay, self.settings.clock.now());
            match due {
                None if state.closed => return None,
                None => {
                    state = self
                        .item_added
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Some(left) if left > Nanos(0) && !state.closed => {
                    state = self
                        .item_added
                        .wait_timeout(state, left.as_duration())
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                Some(_) => return Some(state.queues.take(most)),
            }
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({} waiting)", self.len())
    }
}
