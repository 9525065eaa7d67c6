//! Records storage events in a file, so that they can be replayed.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock::Clock;
use super::event::{Event, LOG_VERSION, LogHeader, LogLine};
use super::site::Site;
use super::storage::{Block, Refusal, Storage, StorageReading, Stream, Streams};
use crate::device::DeviceId;
use crate::units::Bytes;

/// The destination of a log. The first failure to write ends the log, not the program;
/// [`finish`](Self::finish) returns it.
pub struct LogWriter {
    clock: Arc<dyn Clock>,
    sink: Mutex<Sink>,
}

struct Sink {
    to: Box<dyn Write + Send>,
    failure: Option<io::Error>,
}

/// Logs the requests to the part below.
#[derive(Debug)]
pub struct AllocationLog<S> {
    below: S,
    writer: Arc<LogWriter>,
}

impl LogWriter {
    /// Begins a log with its header. `to` should be buffered.
    pub fn new(
        to: impl Write + Send + 'static,
        device: DeviceId,
        capacity: Bytes,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let writer = Self {
            clock,
            sink: Mutex::new(Sink {
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
        site: Site,
        bytes: Bytes,
        stream: Option<Stream>,
        address: Option<u64>,
    ) {
        self.note(Event::Allocate {
            bytes,
            stream: stream.map(Stream::index),
            address,
            site: Cow::Owned(site.to_string()),
        });
    }

    pub(super) fn note(&self, event: Event<'_>) {
        let at = self.clock.now();
        self.lock().write(&LogLine { at, event });
    }

    fn lock(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink {
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
        let _unheard = self.lock().to.flush();
    }
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LogWriter")
    }
}

impl<S: Storage> AllocationLog<S> {
    /// Logs the requests to `below`.
    pub fn new(below: S, writer: Arc<LogWriter>) -> Self {
        Self { below, writer }
    }
}

impl<S: Storage> Storage for AllocationLog<S> {
    #[track_caller]
    fn allocate(&self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal> {
        let granted = self.below.allocate(bytes, stream);
        let address = granted.as_ref().ok().map(|block| block.address);
        self.writer
            .allocated(Site::current(), bytes, stream, address);
        granted
    }

    fn free(&self, block: Block, busy: Streams) {
        // Logged before the free: once the block is free below, its address may be granted
        // again.
        self.writer.note(Event::Free {
            address: block.address,
            busy: busy.0,
        });
        self.below.free(block, busy);
    }

    fn queued(&self, streams: Streams) {
        self.writer.note(Event::Queued { streams: streams.0 });
        self.below.queued(streams);
    }

    fn settled(&self, streams: Streams) {
        self.writer.note(Event::Settled { streams: streams.0 });
        self.below.settled(streams);
    }

    fn unsettled(&self) -> Streams {
        self.below.unsettled()
    }

    fn release(&self, wanted: Bytes) -> Bytes {
        self.writer.note(Event::Trim);
        self.below.release(wanted)
    }

    fn tick(&self) -> Bytes {
        self.below.tick()
    }

    fn granted(&self, bytes: Bytes) -> Bytes {
        self.below.granted(bytes)
    }

    fn driver_free(&self) -> Option<Bytes> {
        self.below.driver_free()
    }

    fn reading(&self) -> StorageReading {
        self.below.reading()
    }
}
