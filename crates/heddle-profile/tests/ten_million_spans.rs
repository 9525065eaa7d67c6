//! Ten million spans: memory stays bounded, nothing stalls for a millisecond, and
//! the file stays under its cap.
//!
//! A thread that the system sets aside for another program's sake is not stalled
//! by the profiler, so a stall is one by the wall and by the thread's own
//! processor time. What a thread waits for a lock is not in that; but a lock is
//! held only for what its holder computes, and that is. A machine that is set
//! aside whole by its host looks like a stall even so: one run in three without
//! any is proof enough, for what the profiler did itself it would do every time.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use heddle_profile::{Profiler, Recording};
use rustix::time::{ClockId, clock_gettime};

const CAPACITY: usize = 131_072;
const SPANS: u64 = 10_000_000;
const TOGETHER: u64 = 64;
const LIMIT: Duration = Duration::from_millis(1);

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

/// The longest that recording a few spans took.
#[derive(Clone, Copy, Default, Debug)]
struct Longest {
    /// By the wall, being set aside included.
    wall: Duration,
    /// By the wall and by the processor.
    stall: Duration,
}

impl Longest {
    fn of(self, other: Self) -> Self {
        Self {
            wall: self.wall.max(other.wall),
            stall: self.stall.max(other.stall),
        }
    }
}

fn record(profiler: &Profiler, count: u64) -> Longest {
    let mut longest = Longest::default();
    let mut before = (Instant::now(), processor_time());
    for index in 0..count / 2 {
        let _outer = profiler.scope("outer");
        drop(profiler.scope("inner").size(index));
        if index % (TOGETHER / 2) == 0 {
            let now = (Instant::now(), processor_time());
            let wall = now.0 - before.0;
            longest = longest.of(Longest {
                wall,
                stall: now.1.saturating_sub(before.1).min(wall),
            });
            before = (Instant::now(), processor_time());
        }
    }
    longest
}

/// Records all spans on four threads.
fn record_all(profiler: &Profiler) -> Longest {
    let start = Instant::now();
    let longest = thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| record(profiler, SPANS / 4)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .fold(Longest::default(), Longest::of)
    });
    println!(
        "{SPANS} spans on 4 threads in {:?}; longest {TOGETHER} spans: {longest:?}",
        start.elapsed()
    );
    longest
}

fn assert_no_stall(mut attempt: impl FnMut() -> Longest) {
    assert!(
        (0..3).any(|_| attempt().stall < LIMIT),
        "every attempt stalled for {LIMIT:?} or longer"
    );
}

#[test]
fn ten_million_spans_stay_bounded_and_never_stall() {
    let profiler = Profiler::new(CAPACITY);
    let before = resident_bytes();
    assert_no_stall(|| {
        profiler.clear();
        record_all(&profiler)
    });
    let grown = resident_bytes().saturating_sub(before);
    println!("memory grew by {grown} bytes");
    assert_eq!(profiler.recorded(), SPANS);
    assert!(grown < 32 << 20, "memory grew by {grown} bytes");
    check_file(&profiler.recording());
    // Looking takes memory, so this comes after memory was measured.
    assert_no_stall(|| record_while_looking(&profiler));
}

fn check_file(recording: &Recording) {
    const CAP: u64 = 4 << 20;
    assert_eq!(recording.spans.len(), CAPACITY);
    assert_eq!(recording.overwritten, SPANS - CAPACITY as u64);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let written = recording.write_capped(&path, CAP).unwrap();
    assert!(written.bytes <= CAP && written.left_out > 0, "{written:?}");
    // The cap is used, not only kept.
    assert!(written.bytes > CAP * 9 / 10, "{written:?}");
    let read = Recording::read(&path).unwrap();
    assert_eq!(read.left_out, written.left_out);
    assert_eq!(read.recorded(), SPANS);
    let whole = recording.write(&path).unwrap();
    assert_eq!(whole.left_out, 0);
    println!("{} spans took {} bytes", whole.spans, whole.bytes);
}

fn record_while_looking(profiler: &Profiler) -> Longest {
    thread::scope(|scope| {
        let recording = scope.spawn(|| record(profiler, 2_000_000));
        let mut looks = 0;
        while !recording.is_finished() {
            assert!(profiler.spans().len() <= CAPACITY);
            looks += 1;
        }
        let longest = recording.join().unwrap();
        println!("longest {TOGETHER} spans while looking {looks} times: {longest:?}");
        longest
    })
}
