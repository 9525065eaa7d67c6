//! Timing a future.
//!
//! A future may be polled on any number of threads, with pauses in between. It
//! gives one span, from the first poll to completion or drop, recorded on the
//! thread on which it ended.

use std::future::{Future, poll_fn};
use std::pin::pin;

use crate::global;
use crate::name::{CallSite, NameId};
use crate::profiler::Profiler;
use crate::record::thread_buffer::{OpenScope, ScopeStart, with_thread_buffer};

/// Times a future on the global profiler, as `#[profiled]` does for an `async fn`.
/// A future that is never polled is not recorded.
pub async fn timed<F: Future>(site: &'static CallSite, future: F) -> F::Output {
    match global::active() {
        Some(profiler) => follow(profiler, site.id(), future).await,
        None => future.await,
    }
}

impl Profiler {
    /// Times a future on this profiler.
    pub async fn time_async<F: Future>(&self, name: &'static str, future: F) -> F::Output {
        if self.enabled() {
            follow(self, Self::name_id(name), future).await
        } else {
            future.await
        }
    }
}

async fn follow<F: Future>(profiler: &Profiler, name: NameId, future: F) -> F::Output {
    let Some(timed_future) = TimedFuture::begin(profiler, name) else {
        return future.await;
    };
    let mut future = pin!(future);
    poll_fn(|context| {
        let _visit = timed_future.enter_poll();
        future.as_mut().poll(context)
    })
    .await
}

/// A future in progress. It is recorded when this is dropped.
struct TimedFuture<'a> {
    profiler: &'a Profiler,
    scope: OpenScope,
}

impl<'a> TimedFuture<'a> {
    fn begin(profiler: &'a Profiler, name: NameId) -> Option<Self> {
        let (store, one_in) = (profiler.store(), profiler.sampled_one_in());
        let scope = with_thread_buffer(|thread_buffer| {
            let id =
                thread_buffer.begin(store, one_in, ScopeStart::new(name), || profiler.ticks())?;
            // The scope is open on a thread only during a poll.
            thread_buffer.take(store, id)
        })?;
        Some(Self { profiler, scope })
    }

    /// Opens the scope on this thread for the duration of one poll.
    fn enter_poll(&self) -> PollGuard<'_> {
        with_thread_buffer(|thread_buffer| thread_buffer.put(self.profiler.store(), self.scope));
        PollGuard { timed_future: self }
    }
}

impl Drop for TimedFuture<'_> {
    fn drop(&mut self) {
        let ticks = self.profiler.ticks();
        with_thread_buffer(|thread_buffer| {
            thread_buffer.end_taken(self.profiler.store(), &self.scope, ticks);
        });
    }
}

/// One poll.
struct PollGuard<'a> {
    timed_future: &'a TimedFuture<'a>,
}

impl Drop for PollGuard<'_> {
    fn drop(&mut self) {
        let TimedFuture { profiler, scope } = self.timed_future;
        with_thread_buffer(|thread_buffer| thread_buffer.take(profiler.store(), scope.id));
    }
}
