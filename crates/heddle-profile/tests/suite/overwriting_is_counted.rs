//! For any capacity and number of threads, recorded = kept + overwritten.

use std::thread;

use heddle_profile::Profiler;
use heddle_testing::recorded::span;
use proptest::prelude::*;

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn one_thread_keeps_exactly_the_newest(capacity in 0_usize..3_000, count in 0_u64..6_000) {
        let profiler = Profiler::new(capacity);
        for start_ns in 0..count {
            profiler.record(span(start_ns));
        }
        let kept: Vec<u64> = profiler.spans().iter().map(|span| span.start_ns).collect();
        let newest: Vec<u64> = (count.saturating_sub(capacity as u64)..count).collect();
        prop_assert_eq!(&kept, &newest);
        prop_assert_eq!(profiler.recorded(), count);
        prop_assert_eq!(profiler.overwritten(), count - kept.len() as u64);
        prop_assert_eq!(profiler.summary().overwritten, profiler.overwritten());
        prop_assert_eq!(profiler.summary().totals.count, kept.len() as u64);
    }

    #[test]
    fn many_threads_lose_no_span_uncounted(
        capacity in 0_usize..2_000,
        counts in prop::collection::vec(0_u64..1_000, 1..6),
    ) {
        let profiler = Profiler::new(capacity);
        thread::scope(|scope| {
            for &count in &counts {
                let profiler = &profiler;
                scope.spawn(move || (0..count).for_each(|start_ns| profiler.record(span(start_ns))));
            }
        });
        let kept = profiler.spans().len();
        let recorded: u64 = counts.iter().sum();
        prop_assert_eq!(profiler.recorded(), recorded);
        prop_assert_eq!(profiler.recorded(), kept as u64 + profiler.overwritten());
        prop_assert!(kept as u64 <= recorded.min(capacity as u64));
    }
}

#[test]
fn the_largest_capacity_costs_nothing_until_it_is_used() {
    let profiler = Profiler::new(usize::MAX);
    for start_ns in 0..1_000 {
        profiler.record(span(start_ns));
    }
    assert_eq!(profiler.spans().len(), 1_000);
    assert_eq!(profiler.overwritten(), 0);
}
