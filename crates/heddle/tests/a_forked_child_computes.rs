//! A process computes and forks, and its child computes the same: worker threads do not
//! survive a fork, so the child has to start its own.
//!
//! A separate test binary, because it forks its process.

#![cfg(unix)]
#![allow(
    unsafe_code,
    reason = "the standard library cannot fork without starting another program"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod every_workload;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use every_workload::EveryWorkload;
use heddle::batch::{Pending, Queue, QueueSettings};
use heddle::ops::Xor;
use heddle::{Array, Error, Runtime};

/// A limit many times longer than the child needs.
const LIMIT: Duration = Duration::from_mins(2);

#[test]
fn a_forked_child_computes_what_its_parent_did() {
    let work = EveryWorkload::new(2);
    let expected = work.compute();
    let recorded = work.runtime.profiler().recorded();
    let server = heddle::metrics::serve(&work.runtime, "127.0.0.1:0".parse().unwrap()).unwrap();
    let queue = Queue::new(&work.runtime, slow_queue()).unwrap();
    let submitted = queue.submit(small()).unwrap();

    // SAFETY: no other thread of this process holds a lock that the child needs: the
    // worker threads are idle, and the test harness waits for this thread.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "cannot fork");
    if child == 0 {
        let right = catch_unwind(AssertUnwindSafe(|| {
            // Again with host buffers that the first results leave for reuse.
            assert!(work.compute() == expected);
            assert!(work.compute() == expected);
            assert!(work.runtime.profiler().recorded() > recorded);
            assert!(!work.runtime.profiler().spans().is_empty());
            uses_no_queue_of_the_parent(&work.runtime, queue, submitted);
            drop(server);
            drop(work);
        }));
        let code = i32::from(right.is_err());
        // SAFETY: ends the child without running the parent's test harness.
        unsafe { libc::_exit(code) };
    }
    let status = wait(child);
    assert_eq!(status, Some(0), "the child failed or, if none, did not end");
    assert!(work.compute() == expected, "the parent goes on");
    queue.close();
    assert_eq!(submitted.wait().unwrap().as_slice().unwrap(), [3]);
}

/// A queue that holds its operations until it is closed.
fn slow_queue() -> QueueSettings {
    let mut settings = QueueSettings::default();
    settings.max_delay = Duration::from_hours(1);
    settings.capacity = 2;
    settings
}

fn small() -> Xor<u8> {
    Xor::new(&Array::from_slice(&[1_u8]), &Array::from_slice(&[2_u8])).unwrap()
}

/// In the child, a queue of the parent fails instead of waiting for its thread, and a new queue
/// works.
fn uses_no_queue_of_the_parent(runtime: &Runtime, queue: Queue, submitted: Pending<Array<u8>>) {
    let is_refused = |result| matches!(result, Err(Error::QueueOfParent { .. }));
    assert!(is_refused(submitted.wait()));
    let here = queue.submit(small()).unwrap();
    assert!(is_refused(here.wait_for(LIMIT).unwrap()));
    // The queue is full now.
    assert!(matches!(
        queue.submit(small()),
        Err(Error::QueueOfParent { .. })
    ));
    drop(queue);
    let own = Queue::new(runtime, QueueSettings::default()).unwrap();
    assert_eq!(
        own.submit(small())
            .unwrap()
            .wait()
            .unwrap()
            .as_slice()
            .unwrap(),
        [3]
    );
    own.close();
}

/// Returns the child's status; `None` if it was killed at the limit.
fn wait(child: libc::pid_t) -> Option<libc::c_int> {
    let begun = Instant::now();
    let mut status = 0;
    while begun.elapsed() < LIMIT {
        // SAFETY: the child is ours, and `status` outlives the call.
        if unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // SAFETY: the child is ours and was not waited for yet.
    unsafe { libc::kill(child, libc::SIGKILL) };
    // SAFETY: as above, and `status` outlives the call.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    None
}
