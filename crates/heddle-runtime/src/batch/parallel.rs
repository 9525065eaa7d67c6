//! Runs closures on the CPU's worker threads, with a deadline and a token that are checked
//! before every item.
//!
//! A closure cannot be stopped from outside, so stopping is cooperative: no item starts after
//! the deadline or after the token is cancelled, and a long closure checks the token itself.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Runtime;
use crate::device::{DeviceId, ExecutionContext};
use crate::dtype::DType;
use crate::error::Error;
use crate::memory::{SystemClock, TimeSource};
use crate::operation::{Description, Kind, Operation, WorkUnit};
use crate::units::{Bytes, Nanos};

static PARALLEL: Kind = Kind::new("parallel", WorkUnit::Items);

/// Why no more items are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit was reached.
    TimedOut,
    /// The token was cancelled.
    Cancelled,
}

/// The outcome of one item.
#[derive(Debug, PartialEq, Eq)]
pub enum ParallelOutcome<R> {
    /// It returned this value.
    Done(R),
    /// It panicked with this message.
    Panicked(String),
    /// It was never started.
    NotStarted(Stop),
}

impl<R> ParallelOutcome<R> {
    /// Its value, if it returned.
    pub fn done(self) -> Option<R> {
        match self {
            Self::Done(value) => Some(value),
            Self::Panicked(_) | Self::NotStarted(_) => None,
        }
    }
}

/// Requests work to stop. Clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    deadline: Option<(Nanos, Arc<dyn TimeSource>)>,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the work to stop. Any holder of the token may call it, including the work
    /// itself.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Why to stop, or `None`.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        if self.cancelled.load(Ordering::Acquire) {
            return Some(Stop::Cancelled);
        }
        let (deadline, clock) = self.deadline.as_ref()?;
        (clock.now() >= *deadline).then_some(Stop::TimedOut)
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop().is_some()
    }
}

/// The settings of a parallel run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParallelSettings {
    /// The time from the start during which items may be started.
    pub timeout: Option<Duration>,
    /// Cancelled when the results are no longer wanted.
    pub token: CancelToken,
    /// The source of time.
    pub clock: Arc<dyn TimeSource>,
}

impl Default for ParallelSettings {
    fn default() -> Self {
        Self {
            timeout: None,
            token: CancelToken::new(),
            clock: Arc::new(SystemClock::new()),
        }
    }
}

/// Runs `work` on every item on the CPU's worker threads and returns each item's outcome, in
/// order.
pub(crate) fn execute<T: Send, R: Send>(
    runtime: &Runtime,
    items: Vec<T>,
    settings: &ParallelSettings,
    work: impl Fn(T, &CancelToken) -> R + Sync,
) -> Result<Vec<ParallelOutcome<R>>, Error> {
    let mut token = settings.token.clone();
    token.deadline = settings.timeout.map(|timeout| {
        let now = settings.clock.now();
        (now + Nanos::from(timeout), Arc::clone(&settings.clock))
    });
    runtime.run_on(
        DeviceId::CPU,
        Parallel {
            items: Some(items),
            token,
            work,
        },
    )
}

struct Parallel<T, F> {
    items: Option<Vec<T>>,
    token: CancelToken,
    work: F,
}

impl<T: Send, R: Send, F: Fn(T, &CancelToken) -> R + Sync> Operation for Parallel<T, F> {
    type Output = Vec<ParallelOutcome<R>>;

    fn describe(&self) -> Description {
        let count = self.items.as_ref().map_or(0, Vec::len);
        Description::new(&PARALLEL, DType::U8, count as u64)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        let pool = context.pool(PARALLEL.name())?;
        let items = self.items.take().unwrap_or_default();
        let mut outcomes: Vec<Option<ParallelOutcome<R>>> = Vec::new();
        outcomes.resize_with(items.len(), || None);
        let (token, work) = (&self.token, &self.work);
        // Items that were not started are dropped here, on one thread.
        let unstarted = Mutex::new(Vec::new());
        let parts = items.into_iter().zip(outcomes.iter_mut());
        // The cost of a closure is unknown, so it is always shared between threads.
        pool.each(Bytes(u64::MAX), parts, |(item, slot)| {
            *slot = Some(match token.stop() {
                Some(why) => {
                    unstarted
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(item);
                    ParallelOutcome::NotStarted(why)
                }
                None => match catch_unwind(AssertUnwindSafe(|| work(item, token))) {
                    Ok(value) => ParallelOutcome::Done(value),
                    Err(payload) => ParallelOutcome::Panicked(panic_message(payload)),
                },
            });
        });
        Ok(outcomes.into_iter().flatten().collect())
    }

    fn is_repeatable(&self) -> bool {
        false
    }
}

/// The message of a panic.
fn panic_message(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&'static str>().map_or_else(
            |_| "a value that is not text".to_owned(),
            |text| (*text).to_owned(),
        ),
    }
}
