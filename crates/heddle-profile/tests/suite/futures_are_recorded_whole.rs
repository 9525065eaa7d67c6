//! A future is one span, however often it is polled, wherever, and whether it ends.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use heddle_profile::Profiler;
use heddle_testing::recorded::{find, parent_of, rest};

#[test]
fn a_future_is_one_span_over_all_its_polls() {
    let profiler = Profiler::new(64);
    let waker = Waker::noop();
    let mut context = Context::from_waker(waker);
    let mut future = pin!(profiler.time_async("journey", async {
        drop(profiler.scope("first leg"));
        rest().await;
        drop(profiler.scope("second leg"));
        7
    }));
    let outer = profiler.scope("outer");
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    // While it rests, what runs here is not inside it.
    drop(profiler.scope("meanwhile"));
    drop(outer);
    drop(profiler.scope("between"));
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(7));
    let spans = profiler.spans();
    let parents: Vec<_> = ["journey", "first leg", "meanwhile", "between", "second leg"]
        .map(|name| parent_of(&spans, find(&spans, name)))
        .into();
    assert_eq!(
        parents,
        [
            Some("outer"),
            Some("journey"),
            Some("outer"),
            None,
            Some("journey")
        ]
    );
}

#[test]
fn a_future_that_is_dropped_on_the_way_is_recorded() {
    let profiler = Profiler::new(64);
    let waker = Waker::noop();
    {
        let mut future = pin!(profiler.time_async("journey", rest()));
        let polled = future.as_mut().poll(&mut Context::from_waker(waker));
        assert_eq!(polled, Poll::Pending);
        assert_eq!(profiler.recorded(), 0);
    }
    assert_eq!(profiler.recorded(), 1);
}
