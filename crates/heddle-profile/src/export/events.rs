//! The events of a trace, one JSON object each.
//!
//! Times are microseconds, written with three decimals by integer arithmetic. A
//! float would round, and nested slices would no longer nest.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use super::subtracks::Slice;
use crate::recording::{Ceilings, RecordedSpan};

/// Nanoseconds written as microseconds.
pub(super) struct Micros(pub(super) u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

/// Text as JSON.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

/// A kernel as measured by the device's clock.
pub(super) struct KernelSlice<'a> {
    pub(super) span: &'a RecordedSpan,
    pub(super) row: usize,
    pub(super) slice: Slice,
    /// Whether the device reported its start.
    pub(super) placed: bool,
}

/// The track of a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Track {
    pub(super) process: usize,
    pub(super) thread: usize,
}

/// Separates events by commas.
pub(super) struct Events<'w, W> {
    pub(super) file: &'w mut W,
    pub(super) any: bool,
}

impl<W: Write> Events<'_, W> {
    pub(super) fn event(&mut self, event: fmt::Arguments<'_>) -> io::Result<()> {
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
    /// In thousandths, so that it is an integer.
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

pub(super) fn name_track(
    process: usize,
    track: usize,
    name: &str,
    subtrack: usize,
    events: &mut Events<'_, impl Write>,
) -> io::Result<()> {
    let name = match subtrack {
        0 => name.to_owned(),
        _ => format!("{name} ({})", subtrack + 1),
    };
    events.event(format_args!(
        "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{track},\"args\":{{\"name\":{}}}",
        Quoted(&name)
    ))?;
    events.event(format_args!(
        "\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{process},\"tid\":{track},\"args\":{{\"sort_index\":{track}}}"
    ))
}

pub(super) fn slice_event(
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
pub(super) fn kernel_events(
    kernel: &KernelSlice<'_>,
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
        // Binds the arrow to the enclosing slice, not to the next one that begins.
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
