//! A runtime of three threads uses three for every workload and leaves rayon's global pool
//! to the program.
//!
//! A separate test binary, because it counts the threads of its process.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod every_workload;

use every_workload::EveryWorkload;

#[test]
fn no_workload_uses_more_threads_than_it_was_given_nor_the_global_pool() {
    let work = EveryWorkload::new(3);
    let _ = work.compute();
    let used = work.threads.lock().unwrap().clone();
    let ours = used.iter().filter(|name| name.starts_with("heddle-"));
    // The caller works with at most two of the pool's threads at a time.
    assert!(ours.count() <= 3, "{used:?}");
    assert!(
        used.iter()
            .filter(|name| !name.starts_with("heddle-"))
            .count()
            <= 1,
        "{used:?}"
    );
    assert_eq!(work.runtime.pool().threads(), 3);
    // Building the global pool fails if it was used before.
    let global = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global();
    assert!(global.is_ok(), "the global pool was started");
}
