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

/// A limit many times longer than the child needs.
const LIMIT: Duration = Duration::from_mins(2);

#[test]
fn a_forked_child_computes_what_its_parent_did() {
    let work = EveryWorkload::new(2);
    let expected = work.compute();

    // SAFETY: no other thread of this process holds a lock that the child needs: the
    // worker threads are idle, and the test harness waits for this thread.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "cannot fork");
    if child == 0 {
        let same = catch_unwind(AssertUnwindSafe(|| work.compute() == expected));
        let code = i32::from(!same.unwrap_or(false));
        // SAFETY: ends the child without running the parent's test harness.
        unsafe { libc::_exit(code) };
    }
    let status = wait(child);
    assert_eq!(status, Some(0), "the child failed or, if none, did not end");
    assert!(work.compute() == expected, "the parent goes on");
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
