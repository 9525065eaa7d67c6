//! The profiler of Heddle: where the time of a run went.
//!
//! Recording: a finished operation ([`Span`]), a section of code ([`span!`],
//! [`Profiler::scope`], [`time`]) and their collector ([`Profiler`]). Analysis: a
//! run apart from its profiler ([`Recording`]), its table ([`Summary`]) and
//! everything computed from it.
//!
//! A profiler keeps at most its capacity of spans. Older spans are overwritten and
//! counted: `recorded == kept + overwritten` always holds, so a partial recording
//! is never mistaken for a complete one.
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
//!     ..Span::default()
//! });
//!
//! let summary = profiler.summary();
//! assert_eq!(summary.rows[0].operation, "xor");
//! assert_eq!(summary.rows[0].device, "cuda:0");
//! assert_eq!(summary.rows[0].p99_ns, 12_000);
//! assert_eq!(summary.totals.device_ns, 2_500);
//! ```

mod analysis;
mod atomic_file;
mod bounded_file;
mod clock;
mod compare;
mod error;
mod export;
mod future;
mod global;
mod name;
mod profiler;
mod record;
mod recording;
#[cfg(feature = "report")]
pub mod report;
mod scope;
#[cfg(feature = "server")]
mod server;
mod snapshot;
mod span;
mod suggest;
mod summary;
mod terminal;
mod with;

pub use analysis::{
    Bottleneck, DeviceTimeCoverage, TimeCategory, Tree, TreeNode, UntimedOperation,
};
pub use atomic_file::{
    TEMPORARY_PREFIX, is_regular_output, is_standard_output, write_file, write_whole,
};
pub use bounded_file::{Admit, read_file, read_regular_file, read_rest};
pub use compare::{
    CompareSettings, Comparison, ComparisonOutcome, Interval, MemoryChange, OperationChange,
    RoutingChange, WholeChange,
};
pub use error::{ProfileError, file_hint};
pub use export::Metrics;
pub use future::timed;
pub use global::{global, install, is_on, time};
/// Times every call of a function on the global profiler, an `async fn` too.
///
/// ```
/// use heddle_profile::{global, profiled};
///
/// #[profiled]
/// fn solve(rows: u32) -> u32 {
///     step(rows) + 1
/// }
///
/// #[profiled(name = "step \"hard\"")]
/// fn step(rows: u32) -> u32 {
///     rows * 2
/// }
///
/// global().set_enabled(true);
/// assert_eq!(solve(3), 7);
/// let spans = global().spans();
/// assert_eq!(spans[0].operation, "solve");
/// assert_eq!(spans[1].operation, "step \"hard\"");
/// assert_eq!(spans[1].parent, Some(0));
/// ```
pub use heddle_profile_macros::profiled;
pub use name::{CallSite, Name};
pub use profiler::Profiler;
pub use recording::{
    Alternative, Breakdown, Ceilings, Counters, DeviceDescription, MachineDescription,
    MemorySample, Pressure, RecordedBatches, RecordedFallback, RecordedPool, RecordedSpan,
    Recording, RoutingLog, RoutingRow, ThreadName, WrittenFile,
};
pub use scope::{Attributes, Scope, ToBytes};
#[cfg(feature = "server")]
pub use server::{MetricsServer, ServerLimits};
pub use span::{Clock, DeviceTag, Span};
pub use suggest::{Advice, Suggestion};
pub use summary::{Summary, SummaryRow, Totals};
pub use terminal::{is_obeyed_by_terminals, standard_output};

/// Compiles the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
