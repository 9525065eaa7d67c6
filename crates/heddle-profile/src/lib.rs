//! Where every microsecond of a Heddle run went.
//!
//! Here live the record of one executed operation ([`Span`]), the thing that
//! collects them ([`Profiler`]), the table made of them ([`Summary`]) and the
//! file they are kept in ([`Recording`]). What does not live here: timing
//! itself. Whoever runs an operation measures it and hands over a finished
//! span.
//!
//! The one thing to know: a profiler keeps at most the number of spans it was
//! made for. Older ones are overwritten, and counted, so that
//! `recorded == kept + overwritten` always holds and a partial picture never
//! passes for a whole one.
//!
//! ```
//! use heddle_profile::{DeviceTag, Profiler, Span};
//! use std::time::Instant;
//!
//! let profiler = Profiler::new(65_536);
//! let start = Instant::now();
//! // … the operation runs here …
//! profiler.record(Span {
//!     operation: "xor",
//!     element: "u8",
//!     device: DeviceTag { kind: "cuda", index: Some(0) },
//!     backend: "native",
//!     start_ns: profiler.since_epoch_ns(start),
//!     total_ns: 12_000,
//!     device_ns: Some(2_500),
//!     transfer_ns: 8_000,
//!     overhead_ns: 1_500,
//!     bytes_in: 2_048,
//!     bytes_out: 1_024,
//!     bytes_moved: 2_048,
//!     work: 1_024,
//!     thread: 0, // `record` fills this in
//! });
//!
//! let summary = profiler.summary();
//! assert_eq!(summary.rows[0].operation, "xor");
//! assert_eq!(summary.rows[0].device, "cuda:0");
//! assert_eq!(summary.rows[0].p99_ns, 12_000);
//! assert_eq!(summary.totals.device_ns, 2_500);
//! ```

mod error;
mod history;
mod profiler;
mod recording;
mod shard;
mod span;
mod summary;

pub use error::ProfileError;
pub use profiler::Profiler;
pub use recording::{RecordedSpan, Recording};
pub use span::{Clock, DeviceTag, Span};
pub use summary::{Summary, SummaryRow, Totals};

/// Makes the README's example a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
