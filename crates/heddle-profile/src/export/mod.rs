//! Exports of a recording for other programs: traces, collapsed stacks, tables,
//! metrics.
//!
//! The recording's own file is in `recording`. An export cannot be read back as a
//! recording. Every file is written atomically, within a cap, and says what the cap
//! left out.

mod collapsed;
mod count;
mod counters;
mod csv;
mod events;
mod exposition;
mod prometheus;
mod subtracks;
mod trace;

pub use prometheus::Metrics;
