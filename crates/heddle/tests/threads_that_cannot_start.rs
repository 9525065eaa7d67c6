//! Where the system refuses threads, fewer compute, or the caller alone; the result is the same.
//!
//! A separate test binary, because it forks its process and limits the child's address space.

#![cfg(target_os = "linux")]
#![allow(
    unsafe_code,
    reason = "the standard library neither forks nor sets limits"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heddle::{Array, Config, Runtime};

/// Asked for; each may take 130 MiB of address space, with what the allocator reserves for it.
const THREADS: usize = 12;

const MIB: usize = 1 << 20;

/// Limits this process to so much more address space than it has now.
fn limit_addresses(more: usize) {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmSize:"));
    let kib: usize = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let most = (kib * 1024 + more) as libc::rlim_t;
    let limit = libc::rlimit {
        rlim_cur: most,
        rlim_max: most,
    };
    // SAFETY: the limit is initialised and only read.
    let set = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(set, 0);
}

/// Whether a child with so much more address space computes the right result on so many worker
/// threads.
fn computes(more: usize, (least, most): (usize, usize)) -> bool {
    let values: Vec<u8> = (0..8 * MIB).map(|at| at as u8).collect();
    let (bytes, key) = (Array::from_slice(&values), Array::from_slice(&[1_u8]));
    // SAFETY: the child allocates and starts threads; this process has one that does, which waits.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "cannot fork");
    if child == 0 {
        let computed = catch_unwind(AssertUnwindSafe(|| {
            limit_addresses(more);
            let config = Config::default().with(|it| it.threads = Some(THREADS));
            let builder = Runtime::builder().config(config).without_model_cache();
            let runtime = builder.build().unwrap();
            let result = runtime.xor(&bytes, &key).unwrap();
            let result = result.as_slice().unwrap();
            assert!(result.iter().zip(&values).all(|(a, b)| *a == b ^ 1));
            let pool = runtime.pool();
            let started = pool
                .rayon()
                .map_or(0, rayon::ThreadPool::current_num_threads);
            assert!((least..=most).contains(&started), "{started}");
            let told = format!("cpu works with {started} worker threads of {THREADS}");
            let notes = runtime.notes();
            let noted = notes.iter().filter(|note| note.starts_with(&told)).count();
            assert_eq!(noted, usize::from(started < THREADS), "{notes:?}");
        }));
        // SAFETY: ends the child without running the parent's test harness.
        unsafe { libc::_exit(i32::from(computed.is_err())) };
    }
    let mut status = 0;
    // SAFETY: the child is ours, and `status` outlives the call.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}

#[test]
fn fewer_threads_or_none_compute_the_same() {
    assert!(computes(48 * MIB, (0, 0)), "the caller alone");
    assert!(computes(512 * MIB, (1, THREADS - 1)), "fewer threads");
    assert!(computes(4096 * MIB, (THREADS, THREADS)), "all threads");
}
