//! A result that is not available yet: a thread can wait for it, or a task await it.
//!
//! It resolves exactly once: a promise that is dropped without a result resolves to an error.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use oneshot::{Receiver, RecvTimeoutError, Sender};

use crate::error::Error;

/// The side that provides the result.
pub struct Promise<T>(Sender<Result<T, Error>>);

/// The side that receives the result.
#[must_use = "a result that is not waited for is lost"]
pub struct Pending<T> {
    /// `None` once a future has returned the result.
    receiver: Option<Receiver<Result<T, Error>>>,
    /// The process whose thread provides the result, where it is another thread.
    owner: Option<u32>,
}

/// Creates a promise and the pending result that it resolves.
pub fn promise<T>() -> (Promise<T>, Pending<T>) {
    let (sender, receiver) = oneshot::channel();
    let pending = Pending {
        receiver: Some(receiver),
        owner: None,
    };
    (Promise(sender), pending)
}

impl<T> Promise<T> {
    /// Provides the result.
    pub fn resolve_with(self, result: Result<T, Error>) {
        // Fails where no one waits for the result any more.
        let _ = self.0.send(result);
    }
}

impl<T> Pending<T> {
    /// The same result, provided by a thread of the process `owner`.
    pub(super) fn provided_by(mut self, owner: u32) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Blocks until the result is available. Fails in a forked child, which does not have the
    /// thread that would provide it.
    pub fn wait(self) -> Result<T, Error> {
        let receiver = self.receiver.ok_or_else(returned_before)?;
        check_arrival(&receiver, self.owner)?;
        receiver.recv().unwrap_or_else(|_| Err(no_result()))
    }

    /// Blocks until the result is available, for at most `time`. Returns itself if it is not.
    pub fn wait_for(self, time: Duration) -> Result<Result<T, Error>, Self> {
        let Some(receiver) = &self.receiver else {
            return Ok(Err(returned_before()));
        };
        if let Err(error) = check_arrival(receiver, self.owner) {
            return Ok(Err(error));
        }
        match receiver.recv_timeout(time) {
            Ok(result) => Ok(result),
            Err(RecvTimeoutError::Disconnected) => Ok(Err(no_result())),
            Err(RecvTimeoutError::Timeout) => Err(self),
        }
    }
}

/// Fails if the result is not there and never will be. The process id, which takes a system call,
/// is read only where the caller would have to wait.
fn check_arrival<T>(
    receiver: &Receiver<Result<T, Error>>,
    owner: Option<u32>,
) -> Result<(), Error> {
    match owner {
        Some(owner) if !receiver.has_message() && owner != std::process::id() => {
            Err(Error::QueueOfParent { owner })
        }
        _ => Ok(()),
    }
}

fn no_result() -> Error {
    Error::Panicked {
        what: "the work behind this result",
        message: "it ended without a result".to_owned(),
    }
}

/// Only a future that is polled after it was ready gets this.
fn returned_before() -> Error {
    Error::Panicked {
        what: "a future",
        message: "it was polled after it had returned its result".to_owned(),
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let owner = self.owner;
        let Some(receiver) = &mut self.receiver else {
            return Poll::Ready(Err(returned_before()));
        };
        if let Err(error) = check_arrival(receiver, owner) {
            self.receiver = None;
            return Poll::Ready(Err(error));
        }
        let polled = Pin::new(receiver).poll(context);
        polled.map(|received| {
            self.receiver = None;
            received.unwrap_or_else(|_| Err(no_result()))
        })
    }
}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Promise")
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

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
