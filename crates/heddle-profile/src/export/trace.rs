//! A trace for viewers: the JSON of Chrome's trace event format, which Perfetto
//! opens.
//!
//! The host is one process with a track for each thread; each GPU is a process
//! with a track for each stream. An arrow leads from the launch to its kernel.
//! Memory is counters.
//!
//! The one thing to know: times are microseconds, written with three decimals by
//! whole-number arithmetic. A float would round, and slices that nest would not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::count::Count;
use super::lanes::{Slice, lanes};
use crate::atomic_file;
use crate::error::ProfileError;
use crate::recording::{Ceilings, MemorySample, RecordedSpan, Recording, Written};

/// The process of the host's threads.
const HOST: usize = 1;

/// A track with as many digits as any has.
const WIDEST: Track = Track {
    process: 99_999,
    thread: 9_999_999,
};

/// What a track's or a counter's event takes beside its names.
const EVENT_BYTES: u64 = 400;

/// What an escaped byte takes at most.
const ESCAPED: u64 = 6;

impl Recording {
    /// Writes the trace within `cap_bytes`; where it is more, the newest spans.
    pub fn write_trace(
        &self,
        path: impl AsRef<Path>,
        cap_bytes: u64,
    ) -> Result<Written, ProfileError> {
        let first = self.first_traced(cap_bytes);
        let bytes =
            atomic_file::replace(path.as_ref(), |file| Trace::new(self, first).write(file))?;
        Ok(Written {
            bytes,
            spans: (self.spans.len() - first) as u64,
            left_out: first as u64,
        })
    }

    /// The whole trace as text.
    #[must_use]
    pub fn trace(&self) -> String {
        let mut text = Vec::new();
        // A `Vec` takes everything, and everything that is written is UTF-8.
        let _ = Trace::new(self, 0).write(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// By what a span takes at most, so the file is a little below the cap.
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
        let mut count = Count { bytes: other };
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

/// What the events of one span take at most.
fn count_span(
    row: usize,
    span: &RecordedSpan,
    ceilings: &Ceilings,
    count: &mut Count,
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

/// Nanoseconds written as microseconds.
struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

/// Text as JSON.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

/// A kernel as the device's clock saw it.
struct Kernel<'a> {
    span: &'a RecordedSpan,
    row: usize,
    slice: Slice,
    /// Whether the device said when it began.
    placed: bool,
}

/// Where a slice is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Track {
    process: usize,
    thread: usize,
}

struct Trace<'a> {
    recording: &'a Recording,
    first: usize,
    /// GPUs, processes from 2 on.
    gpus: BTreeMap<&'a str, usize>,
    ceilings: Ceilings,
}

/// Separates events by commas.
struct Events<'w, W> {
    file: &'w mut W,
    any: bool,
}

impl<W: Write> Events<'_, W> {
    fn event(&mut self, event: fmt::Arguments<'_>) -> io::Result<()> {
        let comma = if self.any { ",\n" } else { "\n" };
        self.any = true;
        write!(self.file, "{comma}{{{event}}}")
    }
}

#[derive(Serialize)]
struct Arguments<'a> {
    element: &'a str,
    device: &'a str,
    backend: &'a str,
    self_ns: u64,
    gpu_ns: u64,
    cpu_ns: u64,
    transfer_ns: u64,
    overhead_ns: u64,
    bytes_in: u64,
    bytes_out: u64,
    bytes_moved: u64,
    work: u64,
    #[serde(skip_serializing_if = "is_zero")]
    mem_allocated: u64,
    #[serde(skip_serializing_if = "is_zero")]
    mem_peak: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_bytes_per_s: Option<u64>,
    /// Of a thousand, so that it is a whole number.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_utilisation_permille: Option<u32>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde asks for"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
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
            // A recording that was put together by hand may be in any order.
            rows.sort_by_key(|&row| {
                let span = &self.spans()[row];
                (span.start_ns, std::cmp::Reverse(span.total_ns), row)
            });
            let slices: Vec<Slice> = rows.iter().map(|&row| slice(&self.spans()[row])).collect();
            for (row, lane) in rows.into_iter().zip(lanes(&slices)) {
                tracks[row] = (thread, lane);
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
        for (&(thread, lane), track) in &numbers {
            let name = self.recording.thread_name(thread);
            name_track(HOST, *track, &name, lane, events)?;
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
            for (&(stream, lane), &track) in &numbers {
                let name = match stream {
                    None => "kernels".to_owned(),
                    Some(stream) => format!("stream {stream}"),
                };
                name_track(process, track, &name, lane, events)?;
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

    /// The kernels of a GPU, by when they began.
    fn kernels_of(&self, gpu: &str) -> Vec<Kernel<'a>> {
        let mut kernels: Vec<Kernel<'a>> = self
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
fn kernel(row: usize, span: &RecordedSpan) -> Option<Kernel<'_>> {
    let device_ns = span.device_ns.filter(|_| span.is_on_gpu())?;
    // Without a time of its own a kernel is drawn where it ended at the latest.
    // Neither may seem to begin before its launch.
    let latest = span.end_ns().saturating_sub(device_ns);
    let start_ns = span.device_start_ns.unwrap_or(latest).max(span.start_ns);
    Some(Kernel {
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

/// Numbers from 1 for every track there is, in order.
fn numbered<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let keys: BTreeSet<K> = keys.collect();
    keys.into_iter().zip(1..).collect()
}

/// The stream of every kernel and its lane there.
fn stream_tracks(kernels: &[Kernel<'_>]) -> Vec<(Option<u32>, usize)> {
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
        for (index, lane) in indices.into_iter().zip(lanes(&slices)) {
            tracks[index] = (stream, lane);
        }
    }
    tracks
}

fn name_track(
    process: usize,
    track: usize,
    name: &str,
    lane: usize,
    events: &mut Events<'_, impl Write>,
) -> io::Result<()> {
    let name = match lane {
        0 => name.to_owned(),
        _ => format!("{name} ({})", lane + 1),
    };
    events.event(format_args!(
        "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{track},\"args\":{{\"name\":{}}}",
        Quoted(&name)
    ))?;
    events.event(format_args!(
        "\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{process},\"tid\":{track},\"args\":{{\"sort_index\":{track}}}"
    ))
}

fn slice_event(
    span: &RecordedSpan,
    ceilings: &Ceilings,
    slice: Slice,
    track: Track,
    category: &str,
    events: &mut Events<'_, impl Write>,
) -> io::Result<()> {
    let arguments = serde_json::to_string(&Arguments {
        element: &span.element,
        device: &span.device,
        backend: &span.backend,
        self_ns: span.self_ns,
        gpu_ns: span.gpu_ns,
        cpu_ns: span.cpu_ns,
        transfer_ns: span.transfer_ns,
        overhead_ns: span.overhead_ns,
        bytes_in: span.bytes_in,
        bytes_out: span.bytes_out,
        bytes_moved: span.bytes_moved,
        work: span.work,
        mem_allocated: span.mem_allocated,
        mem_peak: span.mem_peak,
        stream: span.stream,
        bandwidth_bytes_per_s: span.bandwidth_bytes_per_s().map(|rate| rate as u64),
        estimated_utilisation_permille: ceilings
            .estimated_utilisation(span)
            .map(|share| (share * 1_000.0).round() as u32),
    })?;
    events.event(format_args!(
        "\"ph\":\"X\",\"name\":{},\"cat\":\"{category}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{arguments}",
        Quoted(shown(&span.operation)),
        track.process,
        track.thread,
        Micros(slice.start_ns),
        Micros(slice.end_ns - slice.start_ns),
    ))
}

/// A kernel, and the arrow that leads to it.
fn kernel_events(
    kernel: &Kernel<'_>,
    from: Track,
    to: Track,
    events: &mut Events<'_, impl Write>,
) -> io::Result<()> {
    let Slice { start_ns, end_ns } = kernel.slice;
    let name = Quoted(shown(&kernel.span.operation));
    events.event(format_args!(
        "\"ph\":\"X\",\"name\":{name},\"cat\":\"kernel\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"clock\":\"device\",\"start\":\"{}\"}}",
        to.process,
        to.thread,
        Micros(start_ns),
        Micros(end_ns - start_ns),
        if kernel.placed { "measured" } else { "estimated" },
    ))?;
    for (phase, track, at_ns) in [
        ("\"ph\":\"s\"", from, kernel.span.start_ns),
        // Bound to the slice around it, not to the next one that begins.
        ("\"ph\":\"f\",\"bp\":\"e\"", to, start_ns),
    ] {
        events.event(format_args!(
            "{phase},\"name\":\"launch\",\"cat\":\"launch\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}",
            kernel.row,
            track.process,
            track.thread,
            Micros(at_ns),
        ))?;
    }
    Ok(())
}

/// A viewer shows nothing for an empty name.
fn shown(name: &str) -> &str {
    if name.is_empty() { "(no name)" } else { name }
}
