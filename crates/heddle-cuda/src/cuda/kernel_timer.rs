//! The device time of one execution: of its kernels and of nothing else.
//!
//! Our own kernels are launched between stamps, where the device's clock allows it (see
//! `timestamps`). Kernels of a library are enclosed in events: an interval opens before a
//! kernel and closes before the next command that is not one, so transfers and waits
//! between kernels do not count. On an idle device the first event is stamped before the
//! kernel's launch has reached it, so such an interval is never shorter than those 2 to 4
//! µs.

use std::sync::Arc;

use heddle_runtime::Error;
use heddle_runtime::units::Nanos;

use super::context::Context;
use super::state::CudaState;
use super::stream::{Event, EventPurpose, Stream};
use super::timestamps::{KernelLaunch, TimestampedLaunches};

/// Intervals that may be unread at once: more than a chunked map has chunks in flight, so
/// that it never waits to read one.
const PAIRS: usize = 32;

/// A timer of the kernels on one stream.
#[derive(Debug)]
pub(super) struct KernelTimer {
    pairs: Vec<(Event, Event)>,
    /// Intervals begun since `start`, closed or not.
    begun: usize,
    /// Of those, the number already added to `total`.
    read: usize,
    /// Created with the first launch to be timed.
    timestamped: Option<TimestampedLaunches>,
    /// The stamps' total when `start` was called.
    stamped_before: u64,
    tail: StreamTail,
    is_running: bool,
    total: Nanos,
}

/// The last thing queued on the stream, as far as timing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamTail {
    /// Nothing, or a command that is not timed.
    Other,
    /// Kernels of an interval that is still open.
    Interval,
    /// A launch between stamps.
    Stamp,
}

/// How the end of the last kernels is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelEnd {
    /// By the event after them.
    Event,
    /// By their stamp.
    Stamp,
}

impl KernelTimer {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let pairs = (0..PAIRS)
            .map(|_| {
                let start = Event::new(context, EventPurpose::Time)?;
                Ok((start, Event::new(context, EventPurpose::Time)?))
            })
            .collect::<Result<_, Error>>()?;
        Ok(Self {
            pairs,
            begun: 0,
            read: 0,
            timestamped: None,
            stamped_before: 0,
            tail: StreamTail::Other,
            is_running: false,
            total: Nanos(0),
        })
    }

    /// Starts from zero. No interval may be pending.
    pub(super) fn start(&mut self) {
        self.begun = 0;
        self.read = 0;
        self.stamped_before = self
            .timestamped
            .as_ref()
            .map_or(0, TimestampedLaunches::spent);
        self.tail = StreamTail::Other;
        self.is_running = true;
        self.total = Nanos(0);
    }

    /// Queues one of our own kernels, timed if the timer is running.
    ///
    /// # Safety
    /// As [`TimestampedLaunches::launch`].
    #[allow(unsafe_code)]
    pub(super) unsafe fn launch(
        &mut self,
        state: &CudaState,
        kernel_launch: KernelLaunch<'_>,
        stream: &Stream,
    ) -> Result<(), Error> {
        if !self.is_running || !state.has_fine_clock {
            self.kernel_begins(stream)?;
            // SAFETY: the caller's promise.
            return unsafe { kernel_launch.launch(&state.context, stream) };
        }
        self.kernels_end(stream)?;
        if self.timestamped.is_none() {
            let timestamped =
                TimestampedLaunches::new(&state.context, &state.kernels, &kernel_launch, stream)?;
            self.stamped_before = timestamped.spent();
            self.timestamped = Some(timestamped);
        }
        if let Some(timestamped) = &mut self.timestamped {
            // SAFETY: the caller's promise.
            unsafe { timestamped.launch(&kernel_launch, stream)? };
            self.tail = StreamTail::Stamp;
        }
        Ok(())
    }

    /// Called before a kernel that does not time itself is queued.
    pub(super) fn kernel_begins(&mut self, stream: &Stream) -> Result<(), Error> {
        if !self.is_running || self.tail == StreamTail::Interval {
            return Ok(());
        }
        if self.begun - self.read == PAIRS {
            self.pairs[self.read % PAIRS].1.synchronize()?;
            self.read_oldest()?;
        }
        self.pairs[self.begun % PAIRS].0.record(stream)?;
        self.begun += 1;
        self.tail = StreamTail::Interval;
        Ok(())
    }

    /// Called before a command that is not a kernel is queued or waited for. Returns how to
    /// observe the end of the kernels queued just before, if there are any.
    pub(super) fn kernels_end(&mut self, stream: &Stream) -> Result<Option<KernelEnd>, Error> {
        match std::mem::replace(&mut self.tail, StreamTail::Other) {
            StreamTail::Other => Ok(None),
            StreamTail::Stamp => Ok(Some(KernelEnd::Stamp)),
            StreamTail::Interval => {
                self.last_event().record(stream)?;
                Ok(Some(KernelEnd::Event))
            }
        }
    }

    /// Waits until the kernels with this end have run.
    pub(super) fn wait(&self, end: KernelEnd, stream: &Stream) -> Result<(), Error> {
        match (end, &self.timestamped) {
            (KernelEnd::Stamp, Some(timestamped)) => timestamped.wait(stream),
            (KernelEnd::Stamp, None) => stream.synchronize(),
            (KernelEnd::Event, _) => self.last_event().synchronize(),
        }
    }

    /// The event after the last interval.
    fn last_event(&self) -> &Event {
        &self.pairs[self.begun.saturating_sub(1) % PAIRS].1
    }

    /// Stops and returns how long kernels ran. The stream must be synchronized.
    pub(super) fn stop(&mut self) -> Result<Nanos, Error> {
        self.is_running = false;
        while self.read < self.begun {
            self.read_oldest()?;
        }
        if let Some(timestamped) = &self.timestamped {
            self.total += timestamped.since(self.stamped_before);
        }
        Ok(self.total)
    }

    /// Stops and returns the time measured so far, so that a nested execution can be timed
    /// on its own. The stream must be synchronized.
    pub(super) fn pause(&mut self) -> Result<Option<Nanos>, Error> {
        if self.is_running {
            self.stop().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Continues after a [`pause`](Self::pause).
    pub(super) fn resume(&mut self, measured: Option<Nanos>) {
        if let Some(total) = measured {
            self.start();
            self.total = total;
        }
    }

    /// Adds the oldest unread interval, which has ended.
    fn read_oldest(&mut self) -> Result<(), Error> {
        let (start, end) = &self.pairs[self.read % PAIRS];
        self.read += 1;
        self.total += end.since(start)?;
        Ok(())
    }
}
