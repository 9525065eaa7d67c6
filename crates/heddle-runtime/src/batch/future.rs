//! A result that is not available yet: a thread can wait for it, or a task await it.
//!
//! It resolves exactly once: a promise that is dropped without a result resolves to an error.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::error::Error;

enum State<T> {
    Waiting(Option<Waker>),
    Resolved(Result<T, Error>),
    /// The result was taken.
    Taken,
}

struct ResultCell<T> {
    state: Mutex<State<T>>,
    resolved: Condvar,
}

impl<T> ResultCell<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The side that provides the result.
pub struct Promise<T> {
    cell: Arc<ResultCell<T>>,
}

/// The side that receives the result.
#[must_use = "a result that is not waited for is lost"]
pub struct Pending<T> {
    cell: Arc<ResultCell<T>>,
}

/// Creates a promise and the pending result that it resolves.
pub fn promise<T>() -> (Promise<T>, Pending<T>) {
    let cell = Arc::new(ResultCell {
        state: Mutex::new(State::Waiting(None)),
        resolved: Condvar::new(),
    });
    let promise = Promise {
        cell: Arc::clone(&cell),
    };
    (promise, Pending { cell })
}

impl<T> Promise<T> {
    /// Provides the result.
    pub fn resolve_with(self, result: Result<T, Error>) {
        self.resolve(|| result);
    }

    /// Resolves the cell, unless it is resolved already.
    fn resolve(&self, result: impl FnOnce() -> Result<T, Error>) {
        let mut state = self.cell.lock();
        let State::Waiting(waker) = &mut *state else {
            return;
        };
        let waker = waker.take();
        *state = State::Resolved(result());
        drop(state);
        self.cell.resolved.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        self.resolve(|| {
            Err(Error::Panicked {
                what: "the work behind this result",
                message: "it ended without a result".to_owned(),
            })
        });
    }
}

impl<T> Pending<T> {
    /// Blocks until the result is available.
    pub fn wait(self) -> Result<T, Error> {
        let mut state = self.cell.lock();
        while matches!(*state, State::Waiting(_)) {
            state = self
                .cell
                .resolved
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        take_result(&mut state)
    }

    /// Blocks until the result is available, for at most `time`. Returns itself if it is not.
    pub fn wait_for(self, time: Duration) -> Result<Result<T, Error>, Self> {
        let start = Instant::now();
        let mut state = self.cell.lock();
        while matches!(*state, State::Waiting(_)) {
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                drop(state);
                return Err(self);
            }
            state = self
                .cell
                .resolved
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        Ok(take_result(&mut state))
    }

    /// Whether waiting would not block.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !matches!(*self.cell.lock(), State::Waiting(_))
    }
}

/// The result of a cell that is not open.
fn take_result<T>(state: &mut State<T>) -> Result<T, Error> {
    match mem::replace(state, State::Taken) {
        State::Resolved(result) => result,
        // Only a future that is polled after it was ready gets here.
        State::Waiting(_) | State::Taken => Err(Error::Panicked {
            what: "a future",
            message: "it was polled after it had returned its result".to_owned(),
        }),
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.cell.lock();
        if let State::Waiting(waker) = &mut *state {
            match waker {
                Some(known) => known.clone_from(context.waker()),
                None => *waker = Some(context.waker().clone()),
            }
            return Poll::Pending;
        }
        Poll::Ready(take_result(&mut state))
    }
}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Promise")
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pending(ready: {})", self.is_ready())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn waits_across_threads() {
        let (promise, pending) = promise();
        let thread = std::thread::spawn(move || pending.wait().unwrap());
        promise.resolve_with(Ok(7));
        assert_eq!(thread.join().unwrap(), 7);
    }

    #[test]
    fn a_future_is_woken_once_and_gives_its_result_once() {
        let (promise, mut pending) = promise();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut pending).poll(&mut context).is_pending());
        promise.resolve_with(Ok(7));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        let Poll::Ready(Ok(7)) = Pin::new(&mut pending).poll(&mut context) else {
            panic!("it was kept");
        };
        let Poll::Ready(Err(_)) = Pin::new(&mut pending).poll(&mut context) else {
            panic!("it was taken");
        };
    }

    #[test]
    fn a_promise_that_is_dropped_resolves_to_an_error() {
        let (promise, pending) = promise::<u8>();
        let pending = pending.wait_for(Duration::ZERO).unwrap_err();
        let waiting = std::thread::spawn(move || pending.wait_for(Duration::MAX));
        drop(promise);
        let pending = waiting.join().unwrap();
        assert!(matches!(pending, Ok(Err(Error::Panicked { .. }))));
    }
}
