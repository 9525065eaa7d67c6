//! The first file format: spans as plain objects, no parents. Only read.

use serde::Deserialize;

use super::bounded_list::spans;
use super::{RecordedSpan, Recording, compute_self_times};
use crate::name::Name;

pub(super) const VERSION: u64 = 1;

#[derive(Deserialize)]
struct RecordingDocument {
    overwritten: u64,
    #[serde(deserialize_with = "spans")]
    spans: Vec<SpanObject>,
}

#[derive(Deserialize)]
struct SpanObject {
    operation: Name,
    element: Name,
    device: Name,
    backend: Name,
    start_ns: u64,
    total_ns: u64,
    device_ns: Option<u64>,
    transfer_ns: u64,
    overhead_ns: u64,
    bytes_in: u64,
    bytes_out: u64,
    bytes_moved: u64,
    work: u64,
    thread: u32,
}

pub(super) fn read(json: &[u8]) -> Result<Recording, serde_json::Error> {
    let document: RecordingDocument = serde_json::from_slice(json)?;
    let mut spans: Vec<RecordedSpan> = document
        .spans
        .into_iter()
        .map(SpanObject::into_span)
        .collect();
    compute_self_times(&mut spans);
    Ok(Recording {
        overwritten: document.overwritten,
        spans,
        ..Recording::default()
    })
}

impl SpanObject {
    fn into_span(self) -> RecordedSpan {
        RecordedSpan {
            operation: self.operation,
            element: self.element,
            device: self.device,
            backend: self.backend,
            thread: self.thread,
            start_ns: self.start_ns,
            total_ns: self.total_ns,
            transfer_ns: self.transfer_ns,
            overhead_ns: self.overhead_ns,
            device_ns: self.device_ns,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            bytes_moved: self.bytes_moved,
            work: self.work,
            ..RecordedSpan::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_version_1_is_still_read() {
        let json = br#"{"format":"heddle-profile","version":1,"overwritten":3,"spans":[
            {"operation":"xor","element":"u8","device":"cuda:0","backend":"native",
             "start_ns":5,"total_ns":100,"device_ns":40,"transfer_ns":30,"overhead_ns":20,
             "bytes_in":8,"bytes_out":4,"bytes_moved":12,"work":4,"thread":2}]}"#;
        let recording = read(json).unwrap();
        let span = &recording.spans[0];
        assert_eq!(recording.recorded(), 4);
        assert_eq!((span.operation.as_str(), span.device_ns), ("xor", Some(40)));
        assert_eq!((span.self_ns, span.parent), (100, None));
        assert_eq!(
            (span.gpu_ns, span.transfer_ns, span.overhead_ns),
            (40, 30, 30)
        );
    }
}
