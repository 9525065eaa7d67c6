//! Work on the CPU's worker threads: results are in order, a panic fails its item alone, and no
//! item starts after the deadline or the cancellation.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use heddle_runtime::Runtime;
use heddle_runtime::batch::{ParallelOutcome, ParallelSettings, Stop};
use heddle_runtime::config::Config;
use heddle_runtime::memory::ManualClock;

fn runtime(threads: usize) -> Runtime {
    let config = Config::default().with(|it| it.threads = Some(threads));
    Runtime::builder()
        .config(config)
        .without_model_cache()
        .build()
        .unwrap()
}

#[test]
fn results_are_in_order_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let runtime = runtime(threads);
        let items: Vec<u64> = (0..1000).collect();
        let settings = ParallelSettings::default();
        let outcomes = runtime
            .execute_parallel(items, &settings, |item, _| item * item)
            .unwrap();
        let values: Vec<u64> = outcomes
            .into_iter()
            .filter_map(ParallelOutcome::done)
            .collect();
        assert!(values.into_iter().eq((0..1000).map(|item| item * item)));
        let none = runtime.execute_parallel(Vec::<u8>::new(), &settings, |_, _| ());
        assert!(none.unwrap().is_empty());
    }
}

#[test]
fn a_panic_fails_its_item_alone() {
    let outcomes = runtime(2)
        .execute_parallel(
            (0..20).collect(),
            &ParallelSettings::default(),
            |item, _| {
                assert!(item % 7 != 3, "item {item} is unlucky");
                item
            },
        )
        .unwrap();
    for (item, outcome) in outcomes.into_iter().enumerate() {
        if item % 7 == 3 {
            assert_eq!(
                outcome,
                ParallelOutcome::Panicked(format!("item {item} is unlucky"))
            );
        } else {
            assert_eq!(outcome, ParallelOutcome::Done(item));
        }
    }
}

#[test]
fn no_item_starts_after_the_deadline() {
    let clock = Arc::new(ManualClock::default());
    let settings = ParallelSettings::default().with(|it| {
        it.timeout = Some(Duration::from_secs(10));
        it.clock = Arc::clone(&clock) as _;
    });
    // Every item takes three seconds of a clock that only items advance.
    let outcomes = runtime(1)
        .execute_parallel((0..8).collect(), &settings, |item: u32, token| {
            clock.advance(Duration::from_secs(3));
            (item, token.is_stopped())
        })
        .unwrap();
    let expected = [
        ParallelOutcome::Done((0, false)),
        ParallelOutcome::Done((1, false)),
        ParallelOutcome::Done((2, false)),
        // Started in time, and its token reports that the time is up.
        ParallelOutcome::Done((3, true)),
    ];
    assert_eq!(outcomes[..4], expected);
    let late = ParallelOutcome::NotStarted(Stop::TimedOut);
    assert!(outcomes[4..].iter().all(|outcome| *outcome == late));
}

#[test]
fn no_item_starts_after_cancellation() {
    let settings = ParallelSettings::default();
    let started = AtomicUsize::new(0);
    let outcomes = runtime(2)
        .execute_parallel((0..10_000).collect(), &settings, |item: u32, token| {
            let before = started.fetch_add(1, Ordering::Relaxed);
            if before == 10 {
                token.cancel();
            }
            // An item that starts between the count and the cancellation waits for it.
            while before > 10 && !token.is_stopped() {
                std::thread::yield_now();
            }
            item
        })
        .unwrap();
    let done = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, ParallelOutcome::Done(_)))
        .count();
    assert_eq!(done, started.into_inner());
    // The other thread may have been running an item.
    assert!((11..=12).contains(&done), "{done}");
    let rest = ParallelOutcome::NotStarted(Stop::Cancelled);
    assert_eq!(
        outcomes.iter().filter(|outcome| **outcome == rest).count(),
        10_000 - done
    );
}

#[test]
fn parallel_work_is_recorded_as_one_operation() {
    let runtime = runtime(2);
    let settings = ParallelSettings::default();
    runtime
        .execute_parallel(vec![1, 2, 3], &settings, |item, _| item)
        .unwrap();
    let report = runtime.report();
    assert_eq!(report.summary.totals.count, 1);
}
