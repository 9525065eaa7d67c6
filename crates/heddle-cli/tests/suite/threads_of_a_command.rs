//! A command starts as many threads as `--threads` says.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_command_starts_as_many_threads_as_it_is_given() {
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["lattice", "distances", "--sizes", "300,300,300"])
        .args(["--threads", "3"])
        .current_dir(home.path())
        .env("HOME", home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let tasks = format!("/proc/{}/task", child.id());
    let (begun, mut most) = (Instant::now(), 0);
    while child.try_wait().unwrap().is_none() {
        let threads = std::fs::read_dir(&tasks).map_or(0, Iterator::count);
        most = most.max(threads);
        assert!(begun.elapsed() < Duration::from_mins(2));
        std::thread::sleep(Duration::from_millis(1));
    }
    // The main thread and the pool.
    assert_eq!(most, 4);
}
