//! Ten million spans: memory stays bounded, no thread stalls for a millisecond, and the
//! file stays under its cap.
//!
//! A stall is wall time not spent waiting for a core: computing, page faults, and waiting
//! for a lock. The system counts the waiting for a core per thread. It does not count time
//! in which a host suspends the whole machine, so the same loop also runs without a
//! profiler in each attempt, and stalls there have other causes. One attempt in three must
//! pass, because a stall that the profiler causes would occur in every attempt. Memory is
//! preallocated: the system's allocator has a lock, and with more threads than cores its
//! holder can be suspended for milliseconds (`mprotect`, by strace).
//!
//! This is a test binary of its own because it measures the memory of the process and the
//! stalls of its threads.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::{Duration, Instant};

use heddle_profile::{Profiler, Recording};

const CAPACITY: usize = 131_072;
const SPANS: u64 = 10_000_000;
const TOGETHER: u64 = 64;
const LIMIT: Duration = Duration::from_millis(1);

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

/// The time that the calling thread has waited for a core.
struct CoreWaitTime(File);

impl CoreWaitTime {
    fn new() -> Self {
        Self(File::open("/proc/thread-self/schedstat").unwrap())
    }

    fn elapsed(&self) -> Duration {
        // "time on a core, time waiting for one, time slices"; the times are in nanoseconds.
        let mut text = [0; 96];
        let length = self.0.read_at(&mut text, 0).unwrap();
        let text = str::from_utf8(&text[..length]).unwrap();
        let ns = text.split_ascii_whitespace().nth(1).unwrap();
        Duration::from_nanos(ns.parse().unwrap())
    }
}

/// The longest time that a few rounds took.
#[derive(Clone, Copy, Default, Debug)]
struct LongestRound {
    /// Wall time, waiting for a core included.
    wall: Duration,
    /// Wall time without waiting for a core.
    stall: Duration,
}

impl LongestRound {
    fn of(self, other: Self) -> Self {
        Self {
            wall: self.wall.max(other.wall),
            stall: self.stall.max(other.stall),
        }
    }
}

/// Runs rounds of two spans each and returns the longest times.
fn measure_rounds(spans: u64, round: impl Fn(u64)) -> LongestRound {
    let waiting = CoreWaitTime::new();
    let mut longest = LongestRound::default();
    let mut before = (Instant::now(), waiting.elapsed());
    for index in 0..spans / 2 {
        round(index);
        if index % (TOGETHER / 2) == 0 {
            // Time between the two readings must not count as a stall.
            let now = Instant::now();
            let waited = waiting.elapsed();
            let wall = now - before.0;
            longest = longest.of(LongestRound {
                wall,
                stall: wall.saturating_sub(waited.saturating_sub(before.1)),
            });
            before = (Instant::now(), waited);
        }
    }
    longest
}

fn on_four_threads(round: impl Fn(u64) + Sync) -> LongestRound {
    thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| measure_rounds(SPANS / 4, &round)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .fold(LongestRound::default(), LongestRound::of)
    })
}

/// The same loop without recording, which takes about as long.
fn without_recording() -> LongestRound {
    on_four_threads(|index| {
        for word in 0..32 {
            black_box(index ^ word);
        }
    })
}

fn record_round(profiler: &Profiler, index: u64) {
    let _outer = profiler.scope("outer");
    drop(profiler.scope("inner").size(index));
}

fn record_all(profiler: &Profiler) -> LongestRound {
    let start = Instant::now();
    let longest = on_four_threads(|index| record_round(profiler, index));
    println!(
        "{SPANS} spans on 4 threads in {:?}; longest {TOGETHER} spans: {longest:?}",
        start.elapsed()
    );
    longest
}

fn assert_no_stall(mut attempt: impl FnMut() -> LongestRound) {
    let is_ours = |_| {
        let found = attempt();
        let control = without_recording();
        println!("without recording: {control:?}");
        found.stall >= LIMIT.max(control.stall)
    };
    assert!(
        !(0..3).all(is_ours),
        "every attempt stalled for {LIMIT:?} or longer, and longer than without recording"
    );
}

#[test]
fn ten_million_spans_stay_bounded_and_never_stall() {
    let profiler = Profiler::new(CAPACITY);
    let before = resident_bytes();
    profiler.preallocate();
    assert_no_stall(|| record_all(&profiler));
    let grown = resident_bytes().saturating_sub(before);
    println!("memory grew by {grown} bytes");
    assert_eq!(profiler.recorded() % SPANS, 0);
    assert!(grown < 32 << 20, "memory grew by {grown} bytes");
    check_file(&profiler.recording());
    // Reading takes memory, so this comes after memory was measured.
    assert_no_stall(|| record_while_reading(&profiler));
}

fn check_file(recording: &Recording) {
    const CAP: u64 = 4 << 20;
    assert_eq!(recording.spans.len(), CAPACITY);
    let recorded = recording.recorded();
    assert_eq!(recorded % SPANS, 0);
    assert_eq!(recording.overwritten, recorded - CAPACITY as u64);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let written = recording.write_capped(&path, CAP).unwrap();
    assert!(written.bytes <= CAP && written.left_out > 0, "{written:?}");
    // The file nearly reaches the cap.
    assert!(written.bytes > CAP * 9 / 10, "{written:?}");
    let read = Recording::read(&path).unwrap();
    assert_eq!(read.left_out, written.left_out);
    assert_eq!(read.recorded(), recorded);
    let whole = recording.write(&path).unwrap();
    assert_eq!(whole.left_out, 0);
    println!("{} spans took {} bytes", whole.spans, whole.bytes);
}

fn record_while_reading(profiler: &Profiler) -> LongestRound {
    thread::scope(|scope| {
        let recording =
            scope.spawn(|| measure_rounds(2_000_000, |index| record_round(profiler, index)));
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
