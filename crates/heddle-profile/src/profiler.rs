//! Collecting spans while operations run, and looking at them.
//!
//! What a summary contains is in `summary`, what a file contains in
//! `recording`; here is only how spans come in and go out.
//!
//! The one thing to know: recording takes the thread's own shard lock and, once
//! per chunk, the history's. Looking takes all of them at once, so recording
//! threads wait while a snapshot is copied.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::history::History;
use crate::recording::Recording;
use crate::shard::{Shards, lock, thread_number};
use crate::span::Span;
use crate::summary::Summary;

/// Collects spans from any number of threads, within a fixed capacity.
///
/// A handle: clones are cheap and share everything.
#[derive(Clone)]
pub struct Profiler {
    shared: Arc<Shared>,
}

struct Shared {
    enabled: AtomicBool,
    epoch: Instant,
    capacity_spans: usize,
    shards: Shards,
    history: Mutex<History>,
}

/// The spans kept at one moment, and how many were lost by then.
struct Snapshot {
    spans: Vec<Span>,
    overwritten: u64,
}

impl Profiler {
    /// A profiler that keeps the newest `capacity_spans` spans, and is enabled.
    ///
    /// Its epoch is now. Memory is taken as spans arrive, 160 bytes each, and
    /// stays within 1 MiB of what the capacity itself takes, however many
    /// threads record.
    #[must_use]
    pub fn new(capacity_spans: usize) -> Self {
        let history = History::new(capacity_spans);
        Self {
            shared: Arc::new(Shared {
                enabled: AtomicBool::new(true),
                epoch: Instant::now(),
                capacity_spans,
                shards: Shards::new(&history),
                history: Mutex::new(history),
            }),
        }
    }

    /// Whether spans are being recorded. One relaxed atomic load.
    #[inline]
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.shared.enabled.load(Ordering::Relaxed)
    }

    /// Starts or stops recording. What was recorded stays.
    pub fn set_enabled(&self, on: bool) {
        self.shared.enabled.store(on, Ordering::Relaxed);
    }

    /// Nanoseconds from the profiler's epoch to `at`; zero if `at` is earlier.
    #[must_use]
    pub fn since_epoch_ns(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.shared.epoch);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Records a span and fills in its thread. Does nothing while disabled.
    #[inline]
    pub fn record(&self, span: Span) {
        if self.enabled() {
            self.keep(span);
        }
    }

    // Apart from `record` so that a disabled call site inlines to a load and a
    // branch.
    fn keep(&self, mut span: Span) {
        span.thread = thread_number();
        self.shared.shards.push(span, &self.shared.history);
    }

    /// How many spans were recorded since the profiler began or was cleared,
    /// those overwritten since included.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        let open = self.shared.shards.lock_all();
        open.iter().map(|open| open.recorded).sum()
    }

    /// How many of the recorded spans were overwritten by newer ones.
    #[must_use]
    pub fn overwritten(&self) -> u64 {
        self.recorded()
            .saturating_sub(self.shared.capacity_spans as u64)
    }

    /// The spans kept, sorted by start and then by thread.
    ///
    /// These are the newest in the order of recording. That order is exact
    /// within a thread; a thread's last few spans, fewer than 64, may be kept
    /// in place of newer ones of other threads.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        self.snapshot().spans
    }

    /// Forgets every span, sets both counts to zero and gives the memory back.
    /// The epoch stays.
    pub fn clear(&self) {
        let mut open = self.shared.shards.lock_all();
        for open in &mut open {
            **open = <_>::default();
        }
        lock(&self.shared.history).clear();
    }

    /// The table of the spans kept.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let Snapshot { spans, overwritten } = self.snapshot();
        Summary::of(&spans, overwritten)
    }

    /// The spans kept, in the form that can be written to a file.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let Snapshot { spans, overwritten } = self.snapshot();
        Recording {
            overwritten,
            spans: spans.iter().map(Into::into).collect(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let open = self.shared.shards.lock_all();
        let history = lock(&self.shared.history);
        let recorded: u64 = open.iter().map(|open| open.recorded).sum();

        let held = || {
            history
                .spans()
                .chain(open.iter().flat_map(|open| &open.chunk))
        };
        // Open chunks come on top of a full history: its oldest spans count as
        // overwritten already, though their memory is not yet reused.
        let excess = held().count().saturating_sub(self.shared.capacity_spans);
        let mut spans: Vec<Span> = held().skip(excess).copied().collect();
        drop(history);
        drop(open);

        spans.sort_by_key(|span| (span.start_ns, span.thread));
        Snapshot {
            spans,
            overwritten: recorded.saturating_sub(self.shared.capacity_spans as u64),
        }
    }
}

impl fmt::Debug for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiler")
            .field("enabled", &self.enabled())
            .field("capacity_spans", &self.shared.capacity_spans)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn starts(profiler: &Profiler) -> Vec<u64> {
        profiler.spans().iter().map(|span| span.start_ns).collect()
    }

    #[test]
    fn a_span_is_small() {
        // The figure `Profiler::new` promises.
        assert!(size_of::<Span>() <= 160, "{} bytes", size_of::<Span>());
    }

    #[test]
    fn an_instant_before_the_epoch_is_zero() {
        let before = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        let profiler = Profiler::new(1);
        assert_eq!(profiler.since_epoch_ns(before), 0);
        let later = profiler.shared.epoch + Duration::from_micros(3);
        assert_eq!(profiler.since_epoch_ns(later), 3_000);
    }

    #[test]
    fn spans_come_sorted_by_start() {
        let profiler = Profiler::new(8);
        for start_ns in [5, 1, 3] {
            profiler.record(Span::sample(start_ns));
        }
        assert_eq!(starts(&profiler), [1, 3, 5]);
    }

    #[test]
    fn the_newest_spans_are_kept_exactly() {
        // 1,000 is not a multiple of its chunk of 3.
        let profiler = Profiler::new(1_000);
        for start_ns in 0..2_500 {
            profiler.record(Span::sample(start_ns));
        }
        assert_eq!(starts(&profiler), (1_500..2_500).collect::<Vec<_>>());
        assert_eq!(profiler.overwritten(), 1_500);
    }

    #[test]
    fn clearing_forgets_spans_and_counts_but_not_the_epoch() {
        let profiler = Profiler::new(2);
        let epoch = profiler.shared.epoch;
        for start_ns in 0..5 {
            profiler.record(Span::sample(start_ns));
        }
        profiler.clear();
        assert_eq!((profiler.recorded(), profiler.overwritten()), (0, 0));
        assert!(profiler.spans().is_empty());
        assert_eq!(profiler.since_epoch_ns(epoch), 0);
        profiler.record(Span::sample(7));
        assert_eq!(starts(&profiler), [7]);
    }

    #[test]
    fn clones_share_everything() {
        let profiler = Profiler::new(4);
        profiler.clone().record(Span::sample(1));
        profiler.clone().set_enabled(false);
        assert!(!profiler.enabled());
        assert_eq!(profiler.recorded(), 1);
    }
}
