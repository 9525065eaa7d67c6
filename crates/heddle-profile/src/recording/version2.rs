//! The second file format: a header, a table of strings, spans as columns.
//!
//! Everything but spans is first written to memory, so that the rest of the cap is
//! known before the first span is written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::bounded_list::rows;
use super::columns::{self, Columns};
use super::file::FORMAT;
use super::{
    Counters, MachineDescription, MemorySample, RecordedSpan, Recording, RoutingRow, ThreadName,
};
use crate::name::Name;

pub(super) const VERSION: u64 = 2;

/// The counts and the punctuation take fewer bytes than this.
const FRAME_BYTES: u64 = 400;

/// Memory samples take at most one part in this many of a file.
const MEMORY_SHARE: u64 = 4;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct SpanCounts {
    recorded: u64,
    kept: u64,
    written: u64,
    overwritten: u64,
    sampled_one_in: u32,
    cap_bytes: u64,
    cap_reached: bool,
}

#[derive(Deserialize)]
struct RecordingDocument {
    #[serde(default)]
    label: String,
    #[serde(default)]
    created_unix_ms: u64,
    #[serde(default)]
    started_unix_us: u64,
    #[serde(default)]
    machine: MachineDescription,
    counts: SpanCounts,
    #[serde(default, deserialize_with = "rows")]
    threads: Vec<ThreadName>,
    #[serde(deserialize_with = "rows")]
    strings: Vec<Name>,
    spans: Columns,
    #[serde(default, deserialize_with = "rows")]
    memory: Vec<MemorySample>,
    #[serde(default, deserialize_with = "rows")]
    routing: Vec<RoutingRow>,
    #[serde(default)]
    counters: Counters,
}

pub(super) fn read(json: &[u8]) -> Result<Recording, serde_json::Error> {
    let document: RecordingDocument = serde_json::from_slice(json)?;
    let counts = document.counts;
    Ok(Recording {
        label: document.label,
        created_unix_ms: document.created_unix_ms,
        started_unix_us: document.started_unix_us,
        machine: document.machine,
        clears: 0,
        overwritten: counts.overwritten,
        left_out: counts.kept.saturating_sub(counts.written),
        sampled_one_in: counts.sampled_one_in.max(1),
        threads: document.threads,
        spans: document.spans.into_spans(&document.strings)?,
        memory: document.memory,
        routing: document.routing,
        counters: document.counters,
    })
}

/// Writes a recording and returns how many of its spans fitted.
pub(super) fn write(
    recording: &Recording,
    cap_bytes: u64,
    file: &mut impl Write,
) -> io::Result<u64> {
    let strings = strings(&recording.spans);
    let memory = newest(&recording.memory, cap_bytes / MEMORY_SHARE)?;
    let mut head = Vec::new();
    field(&mut head, "label", &recording.label)?;
    field(&mut head, "created_unix_ms", &recording.created_unix_ms)?;
    field(&mut head, "started_unix_us", &recording.started_unix_us)?;
    field(&mut head, "machine", &recording.machine)?;
    let mut tail = Vec::new();
    field(&mut tail, "threads", &recording.threads)?;
    field(&mut tail, "strings", &strings.keys().collect::<Vec<_>>())?;
    field(&mut tail, "memory", &memory)?;
    field(&mut tail, "routing", &recording.routing)?;
    field(&mut tail, "counters", &recording.counters)?;

    let taken = (head.len() + tail.len()) as u64 + FRAME_BYTES;
    let plan = columns::FilePlan::new(&recording.spans, &strings, cap_bytes.saturating_sub(taken));
    let written = plan.rows() as u64;
    let held = recording.spans.len() as u64;
    let counts = SpanCounts {
        recorded: recording.recorded(),
        kept: held.saturating_add(recording.left_out),
        written,
        overwritten: recording.overwritten,
        sampled_one_in: recording.sampled_one_in,
        // In the file, zero means no cap.
        cap_bytes: if cap_bytes == u64::MAX { 0 } else { cap_bytes },
        cap_reached: written < held || recording.left_out > 0,
    };
    write!(file, "{{\"format\":{FORMAT:?},\"version\":{VERSION}")?;
    file.write_all(&head)?;
    file.write_all(b",\"counts\":")?;
    serde_json::to_writer(&mut *file, &counts)?;
    file.write_all(&tail)?;
    file.write_all(b",\"spans\":")?;
    plan.write(file)?;
    file.write_all(b"}\n")?;
    Ok(written)
}

fn field(buffer: &mut Vec<u8>, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(buffer, ",\"{name}\":")?;
    serde_json::to_writer(buffer, value)?;
    Ok(())
}

/// Every name of the spans, with its index in the table.
fn strings(spans: &[RecordedSpan]) -> BTreeMap<Name, u64> {
    let mut strings = BTreeMap::new();
    for span in spans {
        for name in [&span.operation, &span.element, &span.device, &span.backend] {
            if !strings.contains_key(name.as_str()) {
                strings.insert(name.clone(), 0);
            }
        }
    }
    for (index, place) in (0..).zip(strings.values_mut()) {
        *place = index;
    }
    strings
}

/// The newest samples that fit into `most_bytes`.
fn newest(samples: &[MemorySample], most_bytes: u64) -> io::Result<&[MemorySample]> {
    let mut remaining = most_bytes;
    for (index, sample) in samples.iter().enumerate().rev() {
        let bytes = serde_json::to_vec(sample)?.len() as u64 + 1;
        match remaining.checked_sub(bytes) {
            Some(left) => remaining = left,
            None => return Ok(&samples[index + 1..]),
        }
    }
    Ok(samples)
}
