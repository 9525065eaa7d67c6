//! The profiler: a handle that collects spans while operations run and reads them.
//!
//! `record` writes records to memory, `recording` is what is read. A snapshot does
//! not stop recording: it notes the chunks and how far each is filled, and reads
//! them while threads append after that mark.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::clock::Timebase;
use crate::global;
use crate::name::{self, NameId};
use crate::record::store::Store;
use crate::record::thread_buffer::with_thread_buffer;
use crate::recording::{MemorySample, RecordedSpan, Recording};
use crate::scope::Scope;
use crate::snapshot;
use crate::span::Span;
use crate::summary::Summary;

/// The largest number of memory samples kept; older ones are overwritten.
const MOST_MEMORY_SAMPLES: usize = 65_536;

/// Collects spans from any number of threads, within a fixed capacity.
///
/// A handle: clones are cheap and share everything.
#[derive(Clone)]
pub struct Profiler {
    shared: Arc<ProfilerShared>,
}

struct ProfilerShared {
    enabled: AtomicBool,
    /// Whether `span!` records here.
    is_global: AtomicBool,
    one_in: AtomicU32,
    base: Timebase,
    started_unix_us: u64,
    store: Arc<Store>,
    memory: Mutex<VecDeque<MemorySample>>,
}

impl Profiler {
    /// A profiler that keeps the newest `capacity_spans` spans, enabled.
    ///
    /// Its epoch is now. Memory is allocated as spans arrive, 48 to 136 bytes each,
    /// and stays within the capacity plus 64 KiB for each thread that records at
    /// the same time, or 2 MiB while that thread cannot hand over its full chunks.
    #[must_use]
    pub fn new(capacity_spans: usize) -> Self {
        Self {
            shared: Arc::new(ProfilerShared {
                enabled: AtomicBool::new(true),
                is_global: AtomicBool::new(false),
                one_in: AtomicU32::new(1),
                base: Timebase::new(),
                started_unix_us: since_1970().map_or(0, |since| since.as_micros() as u64),
                store: Arc::new(Store::new(capacity_spans)),
                memory: Mutex::default(),
            }),
        }
    }

    /// Allocates the memory of the whole capacity now, 136 bytes for each span, so
    /// that no recording thread waits for the system allocator later, which can
    /// take milliseconds when there are more threads than cores.
    /// [`clear`](Self::clear) frees it.
    pub fn preallocate(&self) {
        self.shared.store.preallocate();
    }

    /// Whether spans are being recorded. One relaxed atomic load.
    #[inline]
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.shared.enabled.load(Ordering::Relaxed)
    }

    /// Starts or stops recording. Recorded spans are kept; a scope that is open is
    /// recorded when it closes.
    pub fn set_enabled(&self, on: bool) {
        self.shared.enabled.store(on, Ordering::Relaxed);
        if self.shared.is_global.load(Ordering::Relaxed) {
            global::set_on(on);
        }
    }

    /// Records about one span in `n` from now on, chosen at random; all spans for 1
    /// and for 0. Spans inside a skipped span become children of its nearest
    /// recorded ancestor.
    pub fn sample_one_in(&self, n: u32) {
        self.shared.one_in.store(n.max(1), Ordering::Relaxed);
    }

    /// The sampling ratio: about one span in this many is recorded.
    #[must_use]
    pub fn sampled_one_in(&self) -> u32 {
        self.shared.one_in.load(Ordering::Relaxed)
    }

    /// The largest number of spans kept.
    #[must_use]
    pub fn capacity_spans(&self) -> usize {
        self.shared.store.capacity_spans
    }

    /// Nanoseconds from the profiler's epoch to `at`; zero if `at` is earlier.
    #[must_use]
    pub fn since_epoch_ns(&self, at: Instant) -> u64 {
        self.shared.base.since_epoch_ns(at)
    }

    /// Records a finished span with its thread and the scope it ran in. Does
    /// nothing while disabled.
    #[inline]
    pub fn record(&self, span: Span) {
        if self.enabled() {
            self.record_unlinked(&span);
        }
    }

    // Separate from `record` so that a disabled call site inlines to a load and a
    // branch.
    fn record_unlinked(&self, span: &Span) {
        let one_in = self.sampled_one_in();
        with_thread_buffer(|thread_buffer| thread_buffer.record(&self.shared.store, one_in, span));
    }

    /// Times the code until the guard is dropped, also during a panic.
    ///
    /// ```
    /// use heddle_profile::Profiler;
    ///
    /// let profiler = Profiler::new(1_024);
    /// {
    ///     let _outer = profiler.scope("solve");
    ///     let _inner = profiler.scope("step").size(4_096);
    /// }
    /// let spans = profiler.spans();
    /// assert_eq!(spans[1].operation, "step");
    /// assert_eq!(spans[1].parent, Some(0));
    /// ```
    #[inline]
    pub fn scope(&self, name: &'static str) -> Scope<'_> {
        if self.enabled() {
            Scope::open_static(self, name)
        } else {
            Scope::off()
        }
    }

    /// As [`scope`](Self::scope), with a name made at run time. Names are kept for
    /// the life of the process, at most 65,535 distinct ones, so a name should
    /// identify the operation and not the item.
    pub fn scope_named(&self, name: &str) -> Scope<'_> {
        if self.enabled() {
            Scope::open(self, name::intern(name))
        } else {
            Scope::off()
        }
    }

    /// Times a closure.
    ///
    /// ```
    /// let profiler = heddle_profile::Profiler::new(1_024);
    /// assert_eq!(profiler.time("add", || 2 + 2), 4);
    /// assert_eq!(profiler.recorded(), 1);
    /// ```
    pub fn time<R>(&self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let _scope = self.scope(name);
        work()
    }

    /// Records a sample of a device's memory; the newest 65,536 are kept. Does
    /// nothing while disabled.
    pub fn record_memory(&self, sample: MemorySample) {
        if !self.enabled() {
            return;
        }
        let mut memory = self.memory();
        if memory.len() >= MOST_MEMORY_SAMPLES {
            memory.pop_front();
        }
        memory.push_back(sample);
    }

    /// The number of spans recorded since the profiler was created or cleared,
    /// overwritten ones included.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.shared.store.recorded()
    }

    /// The number of recorded spans that newer ones overwrote. It can exceed what the
    /// capacity requires: while the system suspends one thread in the middle of an
    /// exchange, the others keep only some full chunks each.
    #[must_use]
    pub fn overwritten(&self) -> u64 {
        self.shared.store.overwritten()
    }

    /// The spans kept, sorted by start and then by thread.
    ///
    /// These are the newest in the order of recording. That order is exact within a
    /// thread; the last spans of a thread, up to a chunk of 64 KiB, may be kept in
    /// place of newer spans of other threads.
    #[must_use]
    pub fn spans(&self) -> Vec<RecordedSpan> {
        self.recording().spans
    }

    /// Removes every span and memory sample, sets both counts to zero and frees the
    /// memory. The epoch does not change.
    pub fn clear(&self) {
        self.shared.store.clear();
        self.memory().clear();
    }

    /// The table of the spans kept.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.recording().summary()
    }

    /// The spans and memory samples kept, as a recording that can be analysed and
    /// written to a file.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let taken = snapshot::take(&self.shared.store, &self.shared.base);
        let mut memory: Vec<MemorySample> = self.memory().iter().cloned().collect();
        memory.sort_by(|a, b| (a.at_ns, &a.device).cmp(&(b.at_ns, &b.device)));
        Recording {
            created_unix_ms: since_1970().map_or(0, |since| since.as_millis() as u64),
            started_unix_us: self.shared.started_unix_us,
            overwritten: taken.overwritten,
            clears: taken.clears,
            sampled_one_in: self.sampled_one_in(),
            threads: taken.threads,
            spans: taken.spans,
            memory,
            ..Recording::default()
        }
    }

    fn memory(&self) -> MutexGuard<'_, VecDeque<MemorySample>> {
        self.shared
            .memory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(crate) fn ticks(&self) -> u64 {
        self.shared.base.ticks()
    }

    #[inline]
    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.shared.store
    }

    /// The number of a name, through the calling thread's cache.
    pub(crate) fn name_id(name: &'static str) -> NameId {
        with_thread_buffer(|thread_buffer| thread_buffer.names().id(name))
    }

    pub(crate) fn become_global(&self) {
        self.shared.is_global.store(true, Ordering::Relaxed);
        global::set_on(self.enabled());
    }
}

impl fmt::Debug for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiler")
            .field("enabled", &self.enabled())
            .field("capacity_spans", &self.capacity_spans())
            .finish_non_exhaustive()
    }
}

fn since_1970() -> Option<Duration> {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::span::{Clock, DeviceTag};

    fn begun(start_ns: u64) -> Span {
        Span {
            start_ns,
            ..Span::default()
        }
    }

    #[test]
    fn spans_come_sorted_by_start() {
        let profiler = Profiler::new(8);
        for start_ns in [5, 1, 3] {
            profiler.record(begun(start_ns));
        }
        let starts: Vec<u64> = profiler.spans().iter().map(|span| span.start_ns).collect();
        assert_eq!(starts, [1, 3, 5]);
    }

    #[test]
    fn clearing_forgets_spans_and_counts_but_not_the_epoch() {
        let profiler = Profiler::new(2);
        let at = Instant::now();
        let before_ns = profiler.since_epoch_ns(at);
        for start_ns in 0..5 {
            profiler.record(begun(start_ns));
        }
        profiler.record_memory(MemorySample::default());
        profiler.clear();
        assert_eq!((profiler.recorded(), profiler.overwritten()), (0, 0));
        assert_eq!(profiler.recording().memory, []);
        assert_eq!(profiler.since_epoch_ns(at), before_ns);
        profiler.record(begun(7));
        assert_eq!(profiler.spans()[0].start_ns, 7);
    }

    #[test]
    fn clones_share_everything() {
        let profiler = Profiler::new(4);
        profiler.clone().record(begun(1));
        profiler.clone().set_enabled(false);
        assert!(!profiler.enabled());
        assert_eq!(profiler.recorded(), 1);
    }

    #[test]
    fn memory_samples_are_bounded_and_sorted() {
        let profiler = Profiler::new(4);
        let most = MOST_MEMORY_SAMPLES as u64;
        for at_ns in (0..most + 10).rev() {
            profiler.record_memory(MemorySample {
                at_ns,
                ..MemorySample::default()
            });
        }
        let memory = profiler.recording().memory;
        assert_eq!(memory.len() as u64, most);
        assert_eq!((memory[0].at_ns, memory[1].at_ns), (0, 1));
    }

    proptest! {
        #[test]
        fn a_span_is_kept_as_it_was_handed_over(
            numbers in any::<[u64; 10]>(),
            options in any::<(Option<u64>, Option<u64>, Option<u32>, Option<u16>)>(),
            by_device in any::<bool>(),
        ) {
            let [start_ns, total_ns, transfer_ns, overhead_ns, rest @ ..] = numbers;
            let [bytes_in, bytes_out, bytes_moved, work, mem_allocated, mem_peak] = rest;
            let (device_ns, device_start_ns, stream, index) = options;
            let profiler = Profiler::new(4);
            profiler.record(Span {
                operation: "xor",
                element: "u8",
                device: DeviceTag { kind: "npu", index },
                backend: "native",
                start_ns, total_ns, device_ns, device_start_ns, stream,
                transfer_ns,
                transfer_clock: if by_device { Clock::Device } else { Clock::System },
                overhead_ns,
                bytes_in, bytes_out, bytes_moved, work, mem_allocated, mem_peak,
            });
            let span = &profiler.spans()[0];
            prop_assert_eq!(&span.device, &*DeviceTag { kind: "npu", index }.to_string());
            prop_assert_eq!(&span.operation, "xor");
            prop_assert_eq!((&*span.element, &*span.backend), ("u8", "native"));
            prop_assert_eq!((span.start_ns, span.total_ns), (start_ns, total_ns));
            prop_assert_eq!((span.device_ns, span.device_start_ns), (device_ns, device_start_ns));
            prop_assert_eq!((span.stream, span.transfer_by_device), (stream, by_device));
            prop_assert_eq!((span.bytes_in, span.bytes_out), (bytes_in, bytes_out));
            prop_assert_eq!((span.bytes_moved, span.work), (bytes_moved, work));
            prop_assert_eq!((span.mem_allocated, span.mem_peak), (mem_allocated, mem_peak));
            // The parts never exceed the whole, whatever the span claimed.
            prop_assert_eq!(span.transfer_ns, transfer_ns.min(total_ns));
            let parts = [span.gpu_ns, span.cpu_ns, span.transfer_ns, span.overhead_ns];
            prop_assert_eq!(parts.iter().map(|&ns| u128::from(ns)).sum::<u128>(), total_ns.into());
        }
    }
}
