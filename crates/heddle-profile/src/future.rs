//! Timing a future.
//!
//! A future may be polled on any number of threads, with pauses in between. It
//! gives one span, from the first poll to completion or drop, recorded on the
//! thread on which it ended.

use std::future::{Future, poll_fn};
use std::pin::pin;

use crate::global;
use crate::name::{NameId, Site};
use crate::profiler::Profiler;
use crate::record::desk::{OpenScope, Opening, with_desk};

/// Times a future on the global profiler, as `#[profiled]` does for an `async fn`.
/// A future that is never polled is not recorded.
pub async fn timed<F: Future>(site: &'static Site, future: F) -> F::Output {
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
    let Some(journey) = Journey::begin(profiler, name) else {
        return future.await;
    };
    let mut future = pin!(future);
    poll_fn(|context| {
        let _visit = journey.visit();
        future.as_mut().poll(context)
    })
    .await
}

/// A future in progress. It is recorded when this is dropped.
struct Journey<'a> {
    profiler: &'a Profiler,
    scope: OpenScope,
}

impl<'a> Journey<'a> {
    fn begin(profiler: &'a Profiler, name: NameId) -> Option<Self> {
        let (store, one_in) = (profiler.store(), profiler.sampled_one_in());
        let scope = with_desk(|desk| {
            let id = desk.begin(store, one_in, Opening::new(name), || profiler.ticks())?;
            // The scope is open on a thread only during a poll.
            desk.take(store, id)
        })?;
        Some(Self { profiler, scope })
    }

    /// Opens the scope on this thread for the duration of one poll.
    fn visit(&self) -> Visit<'_> {
        with_desk(|desk| desk.put(self.profiler.store(), self.scope));
        Visit { journey: self }
    }
}

impl Drop for Journey<'_> {
    fn drop(&mut self) {
        let ticks = self.profiler.ticks();
        with_desk(|desk| desk.end_taken(self.profiler.store(), &self.scope, ticks));
    }
}

/// One poll.
struct Visit<'a> {
    journey: &'a Journey<'a>,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let Journey { profiler, scope } = self.journey;
        with_desk(|desk| desk.take(profiler.store(), scope.id));
    }
}
