//! Spans as columns of numbers.
//!
//! A column whose rows all hold its default is not written, and a missing column
//! reads as its default. So a run without a GPU writes nothing about streams.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Deserialize;
use serde::de::Error as _;

use super::RecordedSpan;
use super::bounded_list::spans;
use crate::name::Name;

/// A number, or no number.
type CellValue = Option<u64>;

/// One column: its name, the cell of a row, its default, and how a missing number
/// is written.
struct Column {
    name: &'static str,
    cell: fn(&SpanRow<'_>) -> CellValue,
    default: CellValue,
    none: &'static str,
}

/// A span with its names as indices into the string table and its parent as
/// numbered in the file.
struct SpanRow<'a> {
    span: &'a RecordedSpan,
    names: [u32; 4],
    parent: Option<u64>,
}

/// Bits that say which parts were measured by the device's clock.
const GPU_BY_DEVICE: u64 = 1;
const TRANSFER_BY_DEVICE: u64 = 4;

const fn number(name: &'static str, cell: fn(&SpanRow<'_>) -> CellValue) -> Column {
    Column {
        name,
        cell,
        default: Some(0),
        none: "0",
    }
}

const fn optional(
    name: &'static str,
    cell: fn(&SpanRow<'_>) -> CellValue,
    none: &'static str,
) -> Column {
    Column {
        name,
        cell,
        default: None,
        none,
    }
}

/// `start_ns` comes first and is always written: its length is the number of
/// rows, whatever `count` says.
const COLUMNS: [Column; 23] = [
    number("start_ns", |row| Some(row.span.start_ns)),
    number("operation", |row| Some(row.names[0].into())),
    number("element", |row| Some(row.names[1].into())),
    number("device", |row| Some(row.names[2].into())),
    number("backend", |row| Some(row.names[3].into())),
    optional("parent", |row| row.parent, "-1"),
    number("thread", |row| Some(row.span.thread.into())),
    number("total_ns", |row| Some(row.span.total_ns)),
    number("self_ns", |row| Some(row.span.self_ns)),
    number("gpu_ns", |row| Some(row.span.gpu_ns)),
    number("cpu_ns", |row| Some(row.span.cpu_ns)),
    number("transfer_ns", |row| Some(row.span.transfer_ns)),
    number("overhead_ns", |row| Some(row.span.overhead_ns)),
    number("device_clocked", |row| Some(clocks(row.span))),
    optional("device_ns", |row| row.span.device_ns, "null"),
    optional("device_start_ns", |row| row.span.device_start_ns, "null"),
    optional("stream", |row| row.span.stream.map(Into::into), "null"),
    number("bytes_in", |row| Some(row.span.bytes_in)),
    number("bytes_out", |row| Some(row.span.bytes_out)),
    number("bytes_moved", |row| Some(row.span.bytes_moved)),
    number("work", |row| Some(row.span.work)),
    number("mem_allocated", |row| Some(row.span.mem_allocated)),
    number("mem_peak", |row| Some(row.span.mem_peak)),
];

fn clocks(span: &RecordedSpan) -> u64 {
    let gpu = if span.is_on_gpu() && span.device_ns.is_some() {
        GPU_BY_DEVICE
    } else {
        0
    };
    let transfer = if span.transfer_by_device {
        TRANSFER_BY_DEVICE
    } else {
        0
    };
    gpu | transfer
}

fn text_len(cell: CellValue, none: &str) -> u64 {
    match cell {
        None => none.len() as u64,
        Some(number) => u64::from(number.checked_ilog10().unwrap_or(0)) + 1,
    }
}

/// Which rows go into a file, and which columns.
pub(super) struct FilePlan<'a> {
    spans: &'a [RecordedSpan],
    names: Vec<[u32; 4]>,
    /// Rows before this one are left out.
    first: usize,
    columns: Vec<&'static Column>,
}

impl<'a> FilePlan<'a> {
    /// As many of the newest spans as fit into `most_bytes`.
    pub(super) fn new(
        spans: &'a [RecordedSpan],
        strings: &BTreeMap<Name, u64>,
        most_bytes: u64,
    ) -> Self {
        let place = |name: &Name| strings.get(name.as_str()).map_or(0, |&place| place as u32);
        let mut plan = Self {
            spans,
            names: spans
                .iter()
                .map(|span| {
                    [&span.operation, &span.element, &span.device, &span.backend].map(place)
                })
                .collect(),
            first: 0,
            columns: Vec::new(),
        };
        plan.columns = COLUMNS
            .iter()
            .enumerate()
            .filter(|(index, column)| {
                *index == 0 || plan.all().any(|row| (column.cell)(&row) != column.default)
            })
            .map(|(_, column)| column)
            .collect();
        plan.first = plan.first_that_fits(most_bytes);
        plan
    }

    pub(super) fn rows(&self) -> usize {
        self.spans.len() - self.first
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = SpanRow<'_>> + ExactSizeIterator {
        self.spans
            .iter()
            .zip(&self.names)
            .map(|(span, &names)| SpanRow {
                span,
                names,
                parent: span
                    .parent
                    .and_then(|parent| (parent as usize).checked_sub(self.first))
                    .map(|parent| parent as u64),
            })
    }

    fn first_that_fits(&self, most_bytes: u64) -> usize {
        let frame: u64 = self
            .columns
            .iter()
            .map(|column| column.name.len() as u64 + 6)
            .sum();
        let mut remaining = most_bytes.saturating_sub(frame);
        for (index, row) in self.all().enumerate().rev() {
            let bytes: u64 = self
                .columns
                .iter()
                .map(|column| text_len((column.cell)(&row), column.none) + 1)
                .sum();
            match remaining.checked_sub(bytes) {
                Some(left) => remaining = left,
                None => return index + 1,
            }
        }
        0
    }

    pub(super) fn write(&self, file: &mut impl Write) -> io::Result<()> {
        write!(file, "{{\"count\":{}", self.rows())?;
        for column in &self.columns {
            write!(file, ",\"{}\":[", column.name)?;
            for (index, row) in self.all().skip(self.first).enumerate() {
                if index > 0 {
                    file.write_all(b",")?;
                }
                match (column.cell)(&row) {
                    Some(number) => write!(file, "{number}")?,
                    None => file.write_all(column.none.as_bytes())?,
                }
            }
            file.write_all(b"]")?;
        }
        file.write_all(b"}")
    }
}

/// The columns as read from a file; a missing column is empty.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Columns {
    count: u64,
    #[serde(deserialize_with = "spans")]
    start_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    operation: Vec<u32>,
    #[serde(deserialize_with = "spans")]
    element: Vec<u32>,
    #[serde(deserialize_with = "spans")]
    device: Vec<u32>,
    #[serde(deserialize_with = "spans")]
    backend: Vec<u32>,
    #[serde(deserialize_with = "spans")]
    parent: Vec<i64>,
    #[serde(deserialize_with = "spans")]
    thread: Vec<u32>,
    #[serde(deserialize_with = "spans")]
    total_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    self_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    gpu_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    cpu_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    transfer_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    overhead_ns: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    device_clocked: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    device_ns: Vec<Option<u64>>,
    #[serde(deserialize_with = "spans")]
    device_start_ns: Vec<Option<u64>>,
    #[serde(deserialize_with = "spans")]
    stream: Vec<Option<u32>>,
    #[serde(deserialize_with = "spans")]
    bytes_in: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    bytes_out: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    bytes_moved: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    work: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    mem_allocated: Vec<u64>,
    #[serde(deserialize_with = "spans")]
    mem_peak: Vec<u64>,
}

impl Columns {
    /// The spans, with their names looked up.
    pub(super) fn into_spans(
        self,
        strings: &[Name],
    ) -> Result<Vec<RecordedSpan>, serde_json::Error> {
        self.check()?;
        (0..self.start_ns.len())
            .map(|row| self.span(row, strings))
            .collect()
    }

    fn check(&self) -> Result<(), serde_json::Error> {
        let rows = self.start_ns.len();
        if self.count != rows as u64 {
            return Err(serde_json::Error::custom(format_args!(
                "the count is {} spans and the column start_ns has {rows}",
                self.count
            )));
        }
        let lengths = [
            ("operation", self.operation.len()),
            ("element", self.element.len()),
            ("device", self.device.len()),
            ("backend", self.backend.len()),
            ("parent", self.parent.len()),
            ("thread", self.thread.len()),
            ("total_ns", self.total_ns.len()),
            ("self_ns", self.self_ns.len()),
            ("gpu_ns", self.gpu_ns.len()),
            ("cpu_ns", self.cpu_ns.len()),
            ("transfer_ns", self.transfer_ns.len()),
            ("overhead_ns", self.overhead_ns.len()),
            ("device_clocked", self.device_clocked.len()),
            ("device_ns", self.device_ns.len()),
            ("device_start_ns", self.device_start_ns.len()),
            ("stream", self.stream.len()),
            ("bytes_in", self.bytes_in.len()),
            ("bytes_out", self.bytes_out.len()),
            ("bytes_moved", self.bytes_moved.len()),
            ("work", self.work.len()),
            ("mem_allocated", self.mem_allocated.len()),
            ("mem_peak", self.mem_peak.len()),
        ];
        match lengths
            .into_iter()
            .find(|&(_, length)| length != 0 && length != rows)
        {
            None => Ok(()),
            Some((name, length)) => Err(serde_json::Error::custom(format_args!(
                "the column {name:?} has {length} rows where there are {rows} spans"
            ))),
        }
    }

    fn span(&self, row: usize, strings: &[Name]) -> Result<RecordedSpan, serde_json::Error> {
        let name = |column: &[u32]| {
            let place = at(column, row) as usize;
            strings.get(place).cloned().ok_or_else(|| {
                serde_json::Error::custom(format_args!(
                    "span {row} has name {place}; the table has {} names",
                    strings.len()
                ))
            })
        };
        let parent = match self.parent.get(row) {
            None | Some(-1) => None,
            Some(&parent) => match u32::try_from(parent) {
                Ok(parent) if (parent as usize) < row => Some(parent),
                _ => {
                    return Err(serde_json::Error::custom(format_args!(
                        "span {row} has span {parent} as parent, which is not an earlier span"
                    )));
                }
            },
        };
        Ok(RecordedSpan {
            operation: name(&self.operation)?,
            element: name(&self.element)?,
            device: name(&self.device)?,
            backend: name(&self.backend)?,
            parent,
            thread: at(&self.thread, row),
            start_ns: at(&self.start_ns, row),
            total_ns: at(&self.total_ns, row),
            self_ns: at(&self.self_ns, row),
            gpu_ns: at(&self.gpu_ns, row),
            cpu_ns: at(&self.cpu_ns, row),
            transfer_ns: at(&self.transfer_ns, row),
            transfer_by_device: at(&self.device_clocked, row) & TRANSFER_BY_DEVICE != 0,
            overhead_ns: at(&self.overhead_ns, row),
            device_ns: at(&self.device_ns, row),
            device_start_ns: at(&self.device_start_ns, row),
            stream: at(&self.stream, row),
            bytes_in: at(&self.bytes_in, row),
            bytes_out: at(&self.bytes_out, row),
            bytes_moved: at(&self.bytes_moved, row),
            work: at(&self.work, row),
            mem_allocated: at(&self.mem_allocated, row),
            mem_peak: at(&self.mem_peak, row),
        })
    }
}

/// A cell of a column that may be missing, or its default.
fn at<T: Copy + Default>(column: &[T], row: usize) -> T {
    column.get(row).copied().unwrap_or_default()
}
