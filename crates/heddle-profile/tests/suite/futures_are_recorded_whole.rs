//! A future is one span, on whichever threads and however often it is polled, even if it
//! is dropped before its end.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use heddle_profile::Profiler;
use heddle_testing::recorded::{find, parent_of, pending_once};

#[test]
fn a_future_is_one_span_over_all_its_polls() {
    let profiler = Profiler::new(64);
    let waker = Waker::noop();
    let mut context = Context::from_waker(waker);
    let mut future = pin!(profiler.time_async("future", async {
        drop(profiler.scope("first part"));
        pending_once().await;
        drop(profiler.scope("second part"));
        7
    }));
    let outer = profiler.scope("outer");
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    // A scope that runs here between two polls is not inside the future.
    drop(profiler.scope("meanwhile"));
    drop(outer);
    drop(profiler.scope("between"));
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(7));
    let spans = profiler.spans();
    let parents: Vec<_> = [
        "future",
        "first part",
        "meanwhile",
        "between",
        "second part",
    ]
    .map(|name| parent_of(&spans, find(&spans, name)))
    .into();
    assert_eq!(
        parents,
        [
            Some("outer"),
            Some("future"),
            Some("outer"),
            None,
            Some("future")
        ]
    );
}

#[test]
fn a_future_that_is_dropped_early_is_recorded() {
    let profiler = Profiler::new(64);
    let waker = Waker::noop();
    {
        let mut future = pin!(profiler.time_async("future", pending_once()));
        let polled = future.as_mut().poll(&mut Context::from_waker(waker));
        assert_eq!(polled, Poll::Pending);
        assert_eq!(profiler.recorded(), 0);
    }
    assert_eq!(profiler.recorded(), 1);
}
