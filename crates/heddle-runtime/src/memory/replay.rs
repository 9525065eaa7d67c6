//! Replays an allocation log on any stack.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use serde::Serialize;

use super::clock::ManualClock;
use super::event::{AllocationEvent, LOG_VERSION, LogHeader, LogLine};
use super::storage::{Block, Refusal, Storage, StreamIndex, StreamSet};
use crate::error::Error;
use crate::memory::admit_host;
use crate::units::{Bytes, Nanos};

/// The result of replaying a log on a stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayReport {
    /// Events replayed.
    pub events: u64,
    /// Requests replayed.
    pub allocations: u64,
    /// Requests refused in this replay.
    pub refusals: u64,
    /// Requests that were refused when the log was written.
    pub refusals_logged: u64,
    /// The most bytes granted at once.
    pub peak_used: Bytes,
    /// The most bytes held from the bottom at once.
    pub peak_held: Bytes,
    /// The share of requests served from held memory.
    pub hit_rate: f64,
    /// The largest fragmentation at any request that reached the bottom: the share of the
    /// unused bytes that is not in the largest free block.
    pub fragmentation: f64,
    /// Blocks that the log never freed. The replay freed them at its end.
    pub blocks_left: u64,
}

/// Why a log could not be replayed to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The log could not be read.
    #[error("line {line} of the log cannot be read")]
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// The system's error.
        source: io::Error,
    },
    /// There is no header, or it has another version.
    #[error("this is no allocation log of version {LOG_VERSION}: its first line is {found:?}")]
    NotALog {
        /// The first line, shortened.
        found: String,
    },
    /// The log ends within a line: its writer was interrupted.
    #[error("the log is cut off in line {line}; replayed up to there: {} events", .report.events)]
    Truncated {
        /// The line, from 1.
        line: u64,
        /// The result of the lines before it.
        report: Box<ReplayReport>,
    },
    /// A line that is not a known event.
    #[error("line {line} of the log is no event: {message}")]
    BadLine {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// A line that is longer than any event.
    #[error("line {line} of the log is longer than {MAX_LINE_BYTES} bytes, so it is no event")]
    LineTooLong {
        /// The line, from 1.
        line: u64,
    },
    /// The host has no memory for the blocks that the log holds.
    #[error("line {line} of the log cannot be replayed")]
    Memory {
        /// The line, from 1.
        line: u64,
        /// What was asked for and what is free.
        #[source]
        source: Box<Error>,
    },
    /// The stack failed for a reason other than memory.
    #[error("line {line} of the log cannot be replayed")]
    DriverError {
        /// The line, from 1.
        line: u64,
        /// The stack's refusal.
        #[source]
        refusal: Refusal,
    },
}

/// The requests between two checks of the host's memory.
const CHECKED_REQUESTS: u64 = 1 << 14;

/// What a block takes on the host: here, in the stack and in its pool, measured with three million.
const MEMORY_PER_BLOCK: u64 = 128;

/// Most bytes of a line, with its end. An event has some 200, and the path of a source file.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Replays the log on the stack. Requests that the stack refuses are counted and left out, as
/// are their frees. In any case, every block is freed at the end.
pub fn replay(log: impl BufRead, stack: &dyn Storage) -> Result<ReplayReport, ReplayError> {
    replay_at(log, stack, None)
}

/// As [`replay`], with the stack's clock set to the time of each event, so that idle memory is
/// released as it would have been.
pub fn replay_in_time(
    log: impl BufRead,
    stack: &dyn Storage,
    clock: &ManualClock,
) -> Result<ReplayReport, ReplayError> {
    replay_at(log, stack, Some(clock))
}

fn replay_at(
    log: impl BufRead,
    stack: &dyn Storage,
    clock: Option<&ManualClock>,
) -> Result<ReplayReport, ReplayError> {
    let mut lines = LogLines { log, line: 0 };
    lines.header()?;
    let mut run = ReplayRun {
        stack,
        clock,
        blocks: HashMap::new(),
        report: ReplayReport::default(),
        misses: stack.reading().misses,
    };
    let ended = run.all(&mut lines);
    let report = run.finish();
    match ended {
        Ok(()) => Ok(report),
        Err(ReplayError::Truncated { line, .. }) => Err(ReplayError::Truncated {
            line,
            report: Box::new(report),
        }),
        Err(other) => Err(other),
    }
}

impl LogHeader {
    /// Reads the header of a log, which is its first line.
    pub fn read(log: impl BufRead) -> Result<Self, ReplayError> {
        LogLines { log, line: 0 }.header()
    }
}

struct LogLines<L> {
    log: L,
    line: u64,
}

impl<L: BufRead> LogLines<L> {
    fn header(&mut self) -> Result<LogHeader, ReplayError> {
        let not_a_log = |found: &str| ReplayError::NotALog {
            found: found.trim_end().chars().take(80).collect(),
        };
        let line = match self.next() {
            Ok(line) => line.unwrap_or_default(),
            Err(ReplayError::LineTooLong { .. }) => return Err(not_a_log("very long")),
            Err(ReplayError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::InvalidData =>
            {
                return Err(not_a_log("not text"));
            }
            Err(error) => return Err(error),
        };
        serde_json::from_str::<LogHeader>(&line)
            .ok()
            .filter(|header| header.heddle_allocation_log == LOG_VERSION)
            .ok_or_else(|| not_a_log(&line))
    }

    /// The next line with its end, if it has one.
    fn next(&mut self) -> Result<Option<String>, ReplayError> {
        self.line += 1;
        let mut bytes = Vec::new();
        let mut line = self.log.by_ref().take(MAX_LINE_BYTES + 1);
        let read = line.read_until(b'\n', &mut bytes);
        if bytes.len() as u64 > MAX_LINE_BYTES {
            return Err(ReplayError::LineTooLong { line: self.line });
        }
        let text = read.and_then(|_| {
            String::from_utf8(bytes)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        });
        match text {
            Ok(text) if text.is_empty() => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(source) => Err(ReplayError::Unreadable {
                line: self.line,
                source,
            }),
        }
    }
}

struct ReplayRun<'a> {
    stack: &'a dyn Storage,
    clock: Option<&'a ManualClock>,
    /// The blocks of the replay by their addresses in the log.
    blocks: HashMap<u64, Block>,
    report: ReplayReport,
    misses: u64,
}

impl ReplayRun<'_> {
    fn all(&mut self, lines: &mut LogLines<impl BufRead>) -> Result<(), ReplayError> {
        while let Some(text) = lines.next()? {
            let line = lines.line;
            match serde_json::from_str::<LogLine<'_>>(&text) {
                Ok(LogLine { at, event }) => {
                    self.pass(at);
                    self.admit(&event)
                        .map_err(|source| ReplayError::Memory { line, source })?;
                    self.event(&event)
                        .map_err(|refusal| ReplayError::DriverError { line, refusal })?;
                }
                Err(_) if !text.ends_with('\n') => {
                    return Err(ReplayError::Truncated {
                        line,
                        report: Box::default(),
                    });
                }
                Err(error) => {
                    return Err(ReplayError::BadLine {
                        line,
                        message: error.to_string(),
                    });
                }
            }
        }
        Ok(())
    }

    fn pass(&self, until: Nanos) {
        if let Some(clock) = self.clock {
            clock.advance_to(until);
            self.stack.tick();
        }
    }

    /// Checks the memory for the requests to come. A log may hold any number of blocks.
    fn admit(&self, event: &AllocationEvent<'_>) -> Result<(), Box<Error>> {
        let is_request = matches!(
            event,
            AllocationEvent::Allocate {
                address: Some(_),
                ..
            }
        );
        if is_request && self.report.allocations.is_multiple_of(CHECKED_REQUESTS) {
            // The tables of blocks double when they are full.
            let blocks = CHECKED_REQUESTS + self.blocks.len() as u64;
            let bytes = Bytes(blocks * MEMORY_PER_BLOCK);
            admit_host("the blocks of an allocation log", bytes)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &AllocationEvent<'_>) -> Result<(), Refusal> {
        self.report.events += 1;
        match *event {
            AllocationEvent::Allocate {
                bytes,
                stream,
                address,
                ..
            } => self.allocate(bytes, stream.and_then(StreamIndex::new), address)?,
            AllocationEvent::Free { address, busy } => {
                if let Some(block) = self.blocks.remove(&address) {
                    self.stack.free(block, StreamSet(busy));
                }
            }
            AllocationEvent::Queued { streams } => self.stack.queued(StreamSet(streams)),
            AllocationEvent::Synchronized { streams } => {
                self.stack.synchronized(StreamSet(streams));
            }
            AllocationEvent::Trim => {
                self.stack.trim();
            }
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        bytes: Bytes,
        stream: Option<StreamIndex>,
        address: Option<u64>,
    ) -> Result<(), Refusal> {
        let Some(address) = address else {
            // The request was refused when the log was written, so it is skipped here too.
            self.report.refusals_logged += 1;
            return Ok(());
        };
        self.report.allocations += 1;
        match self.stack.allocate(bytes, stream) {
            Ok(block) => {
                if let Some(lost) = self.blocks.insert(address, block) {
                    self.stack.free(lost, StreamSet::NONE);
                }
            }
            Err(fault @ Refusal::DriverError(_)) => return Err(fault),
            Err(_) => self.report.refusals += 1,
        }
        self.read_peaks();
        Ok(())
    }

    /// Takes the readings that a request may have changed.
    fn read_peaks(&mut self) {
        let reading = self.stack.reading();
        let report = &mut self.report;
        report.peak_used = report.peak_used.max(reading.used);
        report.peak_held = report.peak_held.max(reading.held);
        if reading.misses > self.misses {
            self.misses = reading.misses;
            report.fragmentation = report.fragmentation.max(reading.fragmentation());
        }
    }

    fn finish(mut self) -> ReplayReport {
        self.report.blocks_left = self.blocks.len() as u64;
        for (_, block) in self.blocks.drain() {
            self.stack.free(block, StreamSet::NONE);
        }
        self.report.hit_rate = self.stack.reading().hit_rate();
        self.report
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, repeat};

    use super::*;

    const HEADER: &str = "{\"heddle_allocation_log\":1,\"device\":\"simt:0\",\"capacity\":1024}\n";

    #[test]
    fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
        let endless = BufReader::new(repeat(0));
        assert!(matches!(
            LogHeader::read(endless),
            Err(ReplayError::NotALog { .. })
        ));
        let mut lines = LogLines {
            log: BufReader::new(HEADER.as_bytes().chain(repeat(b' '))),
            line: 0,
        };
        assert_eq!(lines.header().unwrap().capacity, Bytes(1024));
        assert!(matches!(
            lines.next(),
            Err(ReplayError::LineTooLong { line: 2 })
        ));
    }
}
