//! Conversion of records in memory to spans.
//!
//! Operations are timed by `Instant` and scopes by the tick counter. The two clocks
//! are read a few hundred nanoseconds apart, so an operation that seems to begin
//! just before its scope is moved inside it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::clock::{TickScale, Timebase};
use crate::name::{self, Name};
use crate::record::packed::{PackedDevice, Unpacked, device_name, unpack};
use crate::record::store::{ChunkPart, RecordedChunks, Store};
use crate::record::thread;
use crate::recording::{RecordedSpan, ThreadName, compute_self_times};
use crate::span::{Clock, Span};

/// The largest disagreement of the two clocks.
const NEAR_NS: u64 = 20_000;

/// The content of a profiler at one moment.
pub(crate) struct ProfilerSnapshot {
    pub(crate) spans: Vec<RecordedSpan>,
    pub(crate) threads: Vec<ThreadName>,
    pub(crate) overwritten: u64,
    pub(crate) clears: u64,
}

/// Reads everything a profiler holds. Recording continues.
pub(crate) fn take(store: &Store, base: &Timebase) -> ProfilerSnapshot {
    let recorded_chunks = store.recorded_chunks();
    // After the holdings, so that a scale measured over the whole time covers
    // every tick in them.
    let scale = base.scale();
    let excess = recorded_chunks.excess(store.capacity_spans);
    let overwritten = recorded_chunks.evicted + excess as u64;
    let clears = recorded_chunks.clears;

    let records = read(&recorded_chunks, &scale, excess);
    drop(recorded_chunks);
    let spans = link(records);
    let numbers: BTreeSet<u32> = spans.iter().map(|span| span.thread).collect();
    ProfilerSnapshot {
        threads: numbers
            .into_iter()
            .map(|id| ThreadName {
                id,
                name: thread::name(id).unwrap_or_default(),
            })
            .collect(),
        spans,
        overwritten,
        clears,
    }
}

/// All records but the oldest `excess`.
fn read(recorded_chunks: &RecordedChunks, scale: &TickScale, excess: usize) -> Vec<Unpacked> {
    let mut records = Vec::with_capacity(recorded_chunks.held() - excess);
    let parts = recorded_chunks.parts.iter();
    records.extend(
        parts
            .flat_map(|partial_chunk| records_of(partial_chunk, scale))
            .skip(excess),
    );
    records
}

fn records_of(partial_chunk: &ChunkPart, scale: &TickScale) -> impl Iterator<Item = Unpacked> {
    let mut words = partial_chunk.words();
    std::iter::from_fn(move || unpack(&mut words, scale))
}

/// A map by id. Ids already differ in their low bits, and a recording may have
/// millions.
type ById<T> = HashMap<u64, T, BuildHasherDefault<IdHasher>>;

#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0.rotate_left(8) ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        // Fibonacci hashing: the table also uses the upper bits, which so depend on
        // all of the id.
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Sorts records and turns ids into row numbers.
fn link(mut records: Vec<Unpacked>) -> Vec<RecordedSpan> {
    attach(&mut records);
    // Ids rise within a thread, so of two spans with the same start and length the
    // outer one comes first. Only the keys are sorted, because records are large.
    let mut order: Vec<_> = records
        .iter()
        .zip(0_usize..)
        .map(|(record, at)| {
            let Span {
                start_ns, total_ns, ..
            } = record.figures;
            (start_ns, record.thread, Reverse(total_ns), record.id, at)
        })
        .collect();
    order.sort_unstable();
    // Nothing runs inside an operation.
    let rows: ById<u32> = order
        .iter()
        .zip(0..)
        .filter(|((.., at), _)| records[*at].backend == name::NameId::SCOPE)
        .map(|(&(_, _, _, id, _), row)| (id, row))
        .collect();
    let names = name::names();
    let mut devices: BTreeMap<(u16, Option<u16>), Name> = BTreeMap::new();
    let mut device = |packed: PackedDevice| {
        devices
            .entry((packed.kind.0, packed.index))
            .or_insert_with(|| device_name(packed, &names))
            .clone()
    };
    let mut spans: Vec<RecordedSpan> = order
        .iter()
        .map(|&(.., at)| &records[at])
        .zip(0..)
        .map(|(record, row): (_, u32)| RecordedSpan {
            operation: names[usize::from(record.operation.0)].clone(),
            element: names[usize::from(record.element.0)].clone(),
            device: device(record.device),
            backend: names[usize::from(record.backend.0)].clone(),
            thread: record.thread,
            parent: rows
                .get(&record.parent)
                .copied()
                .filter(|&parent| parent < row),
            ..figures(&record.figures)
        })
        .collect();
    compute_self_times(&mut spans);
    spans
}

/// Moves operations that cross the edge of their scope into it.
fn attach(records: &mut [Unpacked]) {
    let slots: ById<(u64, u64)> = records
        .iter()
        .filter(|record| record.backend == name::NameId::SCOPE)
        .map(|record| {
            let start = record.figures.start_ns;
            (
                record.id,
                (start, start.saturating_add(record.figures.total_ns)),
            )
        })
        .collect();
    for record in records {
        if record.backend == name::NameId::SCOPE {
            continue;
        }
        let Some(&(from, to)) = slots.get(&record.parent) else {
            continue;
        };
        let span = &mut record.figures;
        let latest = to.saturating_sub(span.total_ns).max(from);
        let moved = span.start_ns.clamp(from, latest);
        if moved.abs_diff(span.start_ns) <= NEAR_NS {
            span.start_ns = moved;
        } else {
            // It ran at another time and so not inside that scope.
            record.parent = 0;
        }
    }
}

fn figures(span: &Span) -> RecordedSpan {
    RecordedSpan {
        start_ns: span.start_ns,
        total_ns: span.total_ns,
        device_ns: span.device_ns,
        device_start_ns: span.device_start_ns,
        stream: span.stream,
        transfer_ns: span.transfer_ns,
        transfer_by_device: span.transfer_clock == Clock::Device,
        overhead_ns: span.overhead_ns,
        bytes_in: span.bytes_in,
        bytes_out: span.bytes_out,
        bytes_moved: span.bytes_moved,
        work: span.work,
        mem_allocated: span.mem_allocated,
        mem_peak: span.mem_peak,
        ..RecordedSpan::default()
    }
}
