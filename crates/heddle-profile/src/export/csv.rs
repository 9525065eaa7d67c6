//! Spans as CSV, one row each, with a header row.

use std::io;
use std::path::Path;

use super::count::ByteCounter;
use crate::atomic_file::write_whole;
use crate::error::ProfileError;
use crate::recording::{Ceilings, RecordedSpan, Recording, WrittenFile};

const TITLES: [&str; 26] = [
    "row",
    "parent",
    "operation",
    "element",
    "device",
    "backend",
    "thread",
    "start_ns",
    "total_ns",
    "self_ns",
    "gpu_ns",
    "cpu_ns",
    "transfer_ns",
    "overhead_ns",
    "clock",
    "device_ns",
    "device_start_ns",
    "stream",
    "bytes_in",
    "bytes_out",
    "bytes_moved",
    "work",
    "mem_allocated",
    "mem_peak",
    "bandwidth_bytes_per_s",
    "estimated_utilisation",
];

impl Recording {
    /// Writes the spans as CSV (RFC 4180) within `cap_bytes`; if there are more,
    /// the newest ones. Unknown values are empty fields.
    pub fn write_csv(
        &self,
        path: impl AsRef<Path>,
        cap_bytes: u64,
    ) -> Result<WrittenFile, ProfileError> {
        let mut spans = 0;
        let bytes = write_whole(path, |file| {
            let ceilings = self.ceilings();
            let first = self.first_row_that_fits(cap_bytes, &ceilings)?;
            spans = (self.spans.len() - first) as u64;
            let mut table = csv::Writer::from_writer(file);
            table.write_record(TITLES).map_err(io::Error::other)?;
            for (row, span) in self.spans.iter().enumerate().skip(first) {
                table
                    .write_record(self.fields(row, span, &ceilings))
                    .map_err(io::Error::other)?;
            }
            table.flush()
        })?;
        Ok(WrittenFile {
            bytes,
            spans,
            left_out: self.spans.len() as u64 - spans,
        })
    }

    fn first_row_that_fits(&self, cap_bytes: u64, ceilings: &Ceilings) -> io::Result<usize> {
        let mut table = csv::Writer::from_writer(ByteCounter::default());
        table.write_record(TITLES).map_err(io::Error::other)?;
        for (row, span) in self.spans.iter().enumerate().rev() {
            table
                .write_record(self.fields(row, span, ceilings))
                .map_err(io::Error::other)?;
            table.flush()?;
            if table.get_ref().bytes > cap_bytes {
                return Ok(row + 1);
            }
        }
        Ok(0)
    }

    fn fields(&self, row: usize, span: &RecordedSpan, ceilings: &Ceilings) -> [String; 26] {
        let some = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        [
            row.to_string(),
            some(span.parent.map(Into::into)),
            span.operation.to_string(),
            span.element.to_string(),
            span.device.to_string(),
            span.backend.to_string(),
            self.thread_name(span.thread),
            span.start_ns.to_string(),
            span.total_ns.to_string(),
            span.self_ns.to_string(),
            span.gpu_ns.to_string(),
            span.cpu_ns.to_string(),
            span.transfer_ns.to_string(),
            span.overhead_ns.to_string(),
            match span.clock() {
                crate::Clock::System => "system".to_owned(),
                crate::Clock::Device => "device".to_owned(),
            },
            some(span.device_ns),
            some(span.device_start_ns),
            some(span.stream.map(Into::into)),
            span.bytes_in.to_string(),
            span.bytes_out.to_string(),
            span.bytes_moved.to_string(),
            span.work.to_string(),
            span.mem_allocated.to_string(),
            span.mem_peak.to_string(),
            span.bandwidth_bytes_per_s()
                .map_or_else(String::new, |rate| format!("{rate:.0}")),
            ceilings
                .estimated_utilisation(span)
                .map_or_else(String::new, |share| format!("{share:.4}")),
        ]
    }
}
