//! A trace for viewers: the JSON of Chrome's trace event format, which Perfetto
//! opens.
//!
//! The host is one process with a track for each thread; each GPU is a process with
//! a track for each stream. An arrow leads from a launch to its kernel. Memory is
//! shown as counters.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use super::count::ByteCounter;
use super::events::{
    Events, KernelSlice, Micros, Quoted, Track, kernel_events, name_track, slice_event,
};
use super::subtracks::{Slice, subtracks};
use crate::atomic_file::write_whole;
use crate::error::ProfileError;
use crate::recording::{Ceilings, MemorySample, RecordedSpan, Recording, WrittenFile};

/// The process id of the host.
const HOST: usize = 1;

/// A track with the largest number of digits.
const WIDEST: Track = Track {
    process: 99_999,
    thread: 9_999_999,
};

/// The largest size of a track's or a counter's event without its names.
const EVENT_BYTES: u64 = 400;

/// The largest size of an escaped byte.
const ESCAPED: u64 = 6;

impl Recording {
    /// Writes the trace within `cap_bytes`; if there is more, the newest spans.
    pub fn write_trace(
        &self,
        path: impl AsRef<Path>,
        cap_bytes: u64,
    ) -> Result<WrittenFile, ProfileError> {
        let first = self.first_traced(cap_bytes);
        let bytes = write_whole(path, |mut file| Trace::new(self, first).write(&mut file))?;
        Ok(WrittenFile {
            bytes,
            spans: (self.spans.len() - first) as u64,
            left_out: first as u64,
        })
    }

    /// The whole trace as text.
    #[must_use]
    pub fn trace(&self) -> String {
        let mut text = Vec::new();
        // Writing to a `Vec` does not fail, and everything written is UTF-8.
        let _ = Trace::new(self, 0).write(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// The first span to write, by the largest size of each, so the file stays
    /// slightly below the cap.
    fn first_traced(&self, cap_bytes: u64) -> usize {
        let names: u64 = self
            .threads
            .iter()
            .map(|thread| ESCAPED * thread.name.len() as u64)
            .sum();
        let samples: u64 = self
            .memory
            .iter()
            .map(|sample| ESCAPED * sample.device.len() as u64)
            .sum();
        let events = 2 * self.threads.len() + 16 + 2 * self.memory.len();
        let other = EVENT_BYTES * events as u64 + 2 * names + 2 * samples;
        let mut count = ByteCounter { bytes: other };
        let ceilings = self.ceilings();
        for (row, span) in self.spans.iter().enumerate().rev() {
            // Counting does not fail.
            let _ = count_span(row, span, &ceilings, &mut count);
            if count.bytes > cap_bytes {
                return row + 1;
            }
        }
        0
    }
}

/// The largest size of the events of one span.
fn count_span(
    row: usize,
    span: &RecordedSpan,
    ceilings: &Ceilings,
    count: &mut ByteCounter,
) -> io::Result<()> {
    let mut events = Events {
        file: count,
        any: true,
    };
    slice_event(
        span,
        ceilings,
        slice(span),
        WIDEST,
        "operation",
        &mut events,
    )?;
    match kernel(row, span) {
        Some(kernel) => kernel_events(&kernel, WIDEST, WIDEST, &mut events),
        None => Ok(()),
    }
}

struct Trace<'a> {
    recording: &'a Recording,
    first: usize,
    /// The process ids of the GPUs, from 2 on.
    gpus: BTreeMap<&'a str, usize>,
    ceilings: Ceilings,
}

impl<'a> Trace<'a> {
    fn new(recording: &'a Recording, first: usize) -> Self {
        let spans = recording.spans[first..]
            .iter()
            .filter(|span| span.is_on_gpu() && span.device_ns.is_some())
            .map(|span| span.device.as_str());
        let samples = recording.memory.iter().map(|sample| &*sample.device);
        let names: BTreeSet<&str> = spans
            .chain(samples)
            .filter(|name| crate::recording::is_gpu(name))
            .collect();
        Self {
            recording,
            first,
            gpus: names.into_iter().zip(HOST + 1..).collect(),
            ceilings: recording.ceilings(),
        }
    }

    fn spans(&self) -> &'a [RecordedSpan] {
        &self.recording.spans[self.first..]
    }

    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        write!(
            file,
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"label\":{},\"left_out\":{},\"overwritten\":{}}},\"traceEvents\":[",
            Quoted(&self.recording.label),
            self.first,
            self.recording.overwritten,
        )?;
        let mut events = Events { file, any: false };
        let host = self.host_tracks();
        self.name_processes(&mut events)?;
        self.host_slices(&host, &mut events)?;
        self.kernels(&host, &mut events)?;
        for sample in &self.recording.memory {
            self.counters(sample, &mut events)?;
        }
        writeln!(file, "\n]}}")
    }

    fn name_processes(&self, events: &mut Events<'_, impl Write>) -> io::Result<()> {
        let host = self.recording.machine.cpu.as_str();
        let host = if host.is_empty() { "host" } else { host };
        let gpus = self.gpus.iter().map(|(&name, &process)| (process, name));
        for (process, name) in std::iter::once((HOST, host)).chain(gpus) {
            events.event(format_args!(
                "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":{}}}",
                Quoted(name)
            ))?;
            events.event(format_args!(
                "\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{process},\"tid\":0,\"args\":{{\"sort_index\":{process}}}"
            ))?;
        }
        Ok(())
    }

    /// The lane of every span within its thread.
    fn host_tracks(&self) -> Vec<(u32, usize)> {
        let mut rows_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (row, span) in self.spans().iter().enumerate() {
            rows_of.entry(span.thread).or_default().push(row);
        }
        let mut tracks = vec![(0, 0); self.spans().len()];
        for (thread, mut rows) in rows_of {
            // The spans of a hand-made recording may be in any order.
            rows.sort_by_key(|&row| {
                let span = &self.spans()[row];
                (span.start_ns, std::cmp::Reverse(span.total_ns), row)
            });
            let slices: Vec<Slice> = rows.iter().map(|&row| slice(&self.spans()[row])).collect();
            for (row, subtrack) in rows.into_iter().zip(subtracks(&slices)) {
                tracks[row] = (thread, subtrack);
            }
        }
        tracks
    }

    fn host_slices(
        &self,
        host: &[(u32, usize)],
        events: &mut Events<'_, impl Write>,
    ) -> io::Result<()> {
        let numbers = numbered(host.iter().copied());
        for (&(thread, subtrack), track) in &numbers {
            let name = self.recording.thread_name(thread);
            name_track(HOST, *track, &name, subtrack, events)?;
        }
        for (span, track) in self.spans().iter().zip(host) {
            slice_event(
                span,
                &self.ceilings,
                slice(span),
                Track {
                    process: HOST,
                    thread: numbers[track],
                },
                if span.is_scope() {
                    "scope"
                } else {
                    "operation"
                },
                events,
            )?;
        }
        Ok(())
    }

    fn kernels(
        &self,
        host: &[(u32, usize)],
        events: &mut Events<'_, impl Write>,
    ) -> io::Result<()> {
        let hosts = numbered(host.iter().copied());
        for (&gpu, &process) in &self.gpus {
            let kernels = self.kernels_of(gpu);
            let tracks = stream_tracks(&kernels);
            let numbers = numbered(tracks.iter().copied());
            for (&(stream, subtrack), &track) in &numbers {
                let name = match stream {
                    None => "kernels".to_owned(),
                    Some(stream) => format!("stream {stream}"),
                };
                name_track(process, track, &name, subtrack, events)?;
            }
            for (kernel, track) in kernels.iter().zip(&tracks) {
                let to = Track {
                    process,
                    thread: numbers[track],
                };
                let from = Track {
                    process: HOST,
                    thread: hosts[&host[kernel.row]],
                };
                kernel_events(kernel, from, to, events)?;
            }
        }
        Ok(())
    }

    /// The kernels of a GPU, by start.
    fn kernels_of(&self, gpu: &str) -> Vec<KernelSlice<'a>> {
        let mut kernels: Vec<KernelSlice<'a>> = self
            .spans()
            .iter()
            .enumerate()
            .filter(|(_, span)| span.device == *gpu)
            .filter_map(|(row, span)| kernel(row, span))
            .collect();
        kernels.sort_by_key(|kernel| {
            let Slice { start_ns, end_ns } = kernel.slice;
            (start_ns, std::cmp::Reverse(end_ns), kernel.row)
        });
        kernels
    }

    fn counters(
        &self,
        sample: &MemorySample,
        events: &mut Events<'_, impl Write>,
    ) -> io::Result<()> {
        let process = self.gpus.get(&*sample.device).copied().unwrap_or(HOST);
        let at = Micros(sample.at_ns);
        events.event(format_args!(
            "\"ph\":\"C\",\"name\":{},\"pid\":{process},\"tid\":0,\"ts\":{at},\"args\":{{\"allocated\":{},\"reserved\":{},\"pooled\":{}}}",
            Quoted(&format!("memory of {} (bytes)", sample.device)),
            sample.allocated,
            sample.reserved,
            sample.pooled,
        ))?;
        events.event(format_args!(
            "\"ph\":\"C\",\"name\":{},\"pid\":{process},\"tid\":0,\"ts\":{at},\"args\":{{\"level\":{}}}",
            Quoted(&format!("pressure on {}", sample.device)),
            sample.pressure as u8,
        ))
    }
}

/// A span's kernel, if its device timed one.
fn kernel(row: usize, span: &RecordedSpan) -> Option<KernelSlice<'_>> {
    let device_ns = span.device_ns.filter(|_| span.is_on_gpu())?;
    // A kernel without a start is drawn at its latest possible place. No kernel may
    // seem to begin before its launch.
    let latest = span.end_ns().saturating_sub(device_ns);
    let start_ns = span.device_start_ns.unwrap_or(latest).max(span.start_ns);
    Some(KernelSlice {
        span,
        row,
        slice: Slice {
            start_ns,
            end_ns: start_ns.saturating_add(device_ns),
        },
        placed: span.device_start_ns.is_some(),
    })
}

fn slice(span: &RecordedSpan) -> Slice {
    Slice {
        start_ns: span.start_ns,
        end_ns: span.end_ns(),
    }
}

/// Numbers the distinct keys from 1, in order.
fn numbered<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let keys: BTreeSet<K> = keys.collect();
    keys.into_iter().zip(1..).collect()
}

/// The stream of every kernel and its lane there.
fn stream_tracks(kernels: &[KernelSlice<'_>]) -> Vec<(Option<u32>, usize)> {
    let mut indices_of: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
    for (index, kernel) in kernels.iter().enumerate() {
        indices_of
            .entry(kernel.span.stream)
            .or_default()
            .push(index);
    }
    let mut tracks = vec![(None, 0); kernels.len()];
    for (stream, indices) in indices_of {
        let slices: Vec<Slice> = indices.iter().map(|&index| kernels[index].slice).collect();
        for (index, subtrack) in indices.into_iter().zip(subtracks(&slices)) {
            tracks[index] = (stream, subtrack);
        }
    }
    tracks
}
