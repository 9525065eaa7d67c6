//! Records storage events in a file, so that they can be replayed.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock::TimeSource;
use super::event::{AllocationEvent, LOG_VERSION, LogHeader, LogLine};
use super::site::AllocationSite;
use super::storage::{Block, Refusal, Storage, StreamIndex, StreamSet, delegate_storage};
use crate::device::DeviceId;
use crate::units::Bytes;

/// The destination of a log. The first failure to write ends the log, not the program;
/// [`finish`](Self::finish) returns it.
pub struct LogWriter {
    clock: Arc<dyn TimeSource>,
    sink: Mutex<LogSink>,
}

struct LogSink {
    to: Box<dyn Write + Send>,
    failure: Option<io::Error>,
}

/// Logs the requests to the part below.
#[derive(Debug)]
pub struct AllocationLog<S> {
    upstream: S,
    writer: Arc<LogWriter>,
}

impl LogWriter {
    /// Begins a log with its header. `to` should be buffered.
    pub fn new(
        to: impl Write + Send + 'static,
        device: DeviceId,
        capacity: Bytes,
        clock: Arc<dyn TimeSource>,
    ) -> Self {
        let writer = Self {
            clock,
            sink: Mutex::new(LogSink {
                to: Box::new(to),
                failure: None,
            }),
        };
        writer.lock().write(&LogHeader {
            heddle_allocation_log: LOG_VERSION,
            device: device.to_string(),
            capacity,
        });
        writer
    }

    /// Writes what is still buffered, and returns the first failure to write, if any.
    pub fn finish(&self) -> io::Result<()> {
        let mut sink = self.lock();
        match sink.failure.take() {
            Some(failure) => Err(failure),
            None => sink.to.flush(),
        }
    }

    pub(super) fn allocated(
        &self,
        site: AllocationSite,
        bytes: Bytes,
        stream: Option<StreamIndex>,
        address: Option<u64>,
    ) {
        self.note(AllocationEvent::Allocate {
            bytes,
            stream: stream.map(StreamIndex::index),
            address,
            site: Cow::Owned(site.to_string()),
        });
    }

    pub(super) fn note(&self, event: AllocationEvent<'_>) {
        let at = self.clock.now();
        self.lock().write(&LogLine { at, event });
    }

    fn lock(&self) -> MutexGuard<'_, LogSink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogSink {
    fn write(&mut self, line: &impl serde::Serialize) {
        if self.failure.is_some() {
            return;
        }
        // One write, so that a truncated log is cut within its last line.
        let written = serde_json::to_vec(line)
            .map_err(io::Error::from)
            .and_then(|mut text| {
                text.push(b'\n');
                self.to.write_all(&text)
            });
        self.failure = written.err();
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        // A caller that needs the failure has called `finish`.
        let _unreported = self.lock().to.flush();
    }
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LogWriter")
    }
}

impl<S: Storage> AllocationLog<S> {
    /// Logs the requests to `upstream`.
    pub fn new(upstream: S, writer: Arc<LogWriter>) -> Self {
        Self { upstream, writer }
    }
}

impl<S: Storage> Storage for AllocationLog<S> {
    #[track_caller]
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let granted = self.upstream.allocate(bytes, stream);
        let address = granted.as_ref().ok().map(|block| block.address);
        self.writer
            .allocated(AllocationSite::current(), bytes, stream, address);
        granted
    }

    fn free(&self, block: Block, busy: StreamSet) {
        // Logged before the free: once the block is free below, its address may be granted
        // again.
        self.writer.note(AllocationEvent::Free {
            address: block.address,
            busy: busy.0,
        });
        self.upstream.free(block, busy);
    }

    fn queued(&self, streams: StreamSet) {
        self.writer
            .note(AllocationEvent::Queued { streams: streams.0 });
        self.upstream.queued(streams);
    }

    fn synchronized(&self, streams: StreamSet) {
        self.writer
            .note(AllocationEvent::Synchronized { streams: streams.0 });
        self.upstream.synchronized(streams);
    }

    fn unsynchronized(&self) -> StreamSet {
        self.upstream.unsynchronized()
    }

    fn release(&self, wanted: Bytes) -> Bytes {
        self.writer.note(AllocationEvent::Trim);
        self.upstream.release(wanted)
    }

    delegate_storage!(self => self.upstream; tick, granted, driver_free, reading);
}
