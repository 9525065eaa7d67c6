//! A recorded run: spans, memory, routing and counts, apart from the profiler that
//! collected them.
//!
//! The content of a recording is in `span`, `machine`, `memory`, `routing` and
//! `counters`; its file in `file`, with one module for each version of the format.
//!
//! A recording is plain data: it can be analysed, changed, compared and written,
//! and refers to nothing in the process that made it.

mod bounded_list;
mod ceiling;
mod columns;
mod counters;
mod file;
mod machine;
mod memory;
mod routing;
mod span;
mod version1;
mod version2;
mod weight;

pub use ceiling::Ceilings;
pub use counters::{Counters, RecordedBatches, RecordedFallback, RecordedPool};
pub use file::WrittenFile;
pub use machine::{DeviceDescription, MachineDescription};
pub use memory::{MemorySample, Pressure};
pub use routing::{Alternative, RoutingLog, RoutingRow};
pub use span::{Breakdown, RecordedSpan, ThreadName};
pub(crate) use span::{compute_self_times, is_gpu};

use crate::summary::Summary;

/// A run.
///
/// ```
/// use heddle_profile::{Profiler, Recording};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.json");
/// let recording = Profiler::new(1_024).recording();
/// recording.write(&path)?;
/// assert_eq!(Recording::read(&path)?, recording);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recording {
    /// A description of the run, given by the caller.
    pub label: String,
    /// When it was taken, in milliseconds since 1970; zero if unknown.
    pub created_unix_ms: u64,
    /// When its profiler began, in microseconds since 1970; zero if unknown. Recordings of
    /// one profiler agree in it.
    pub started_unix_us: u64,
    /// The machine it ran on.
    pub machine: MachineDescription,
    /// How often its profiler had been cleared; zero in a recording read from a file.
    pub clears: u64,
    /// The number of spans overwritten before these were taken.
    pub overwritten: u64,
    /// The number of older spans left out because the file would have exceeded its
    /// cap.
    pub left_out: u64,
    /// The sampling ratio: about one span in this many was recorded.
    pub sampled_one_in: u32,
    /// The threads of the spans, by number.
    pub threads: Vec<ThreadName>,
    /// The spans kept, sorted by start, thread and longest first, so that a
    /// parent comes before its children.
    pub spans: Vec<RecordedSpan>,
    /// Memory over time.
    pub memory: Vec<MemorySample>,
    /// Routing decisions and their predictions.
    pub routing: Vec<RoutingRow>,
    /// Counts besides the spans.
    pub counters: Counters,
}

impl Default for Recording {
    fn default() -> Self {
        Self {
            label: String::new(),
            created_unix_ms: 0,
            started_unix_us: 0,
            machine: MachineDescription::default(),
            clears: 0,
            overwritten: 0,
            left_out: 0,
            sampled_one_in: 1,
            threads: Vec::new(),
            spans: Vec::new(),
            memory: Vec::new(),
            routing: Vec::new(),
            counters: Counters::default(),
        }
    }
}

impl Recording {
    /// The number of spans the run recorded, missing ones included.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.overwritten
            .saturating_add(self.left_out)
            .saturating_add(self.spans.len() as u64)
    }

    /// The number of recorded spans that are missing here.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.overwritten.saturating_add(self.left_out)
    }

    /// The summary table of these spans.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(&self.spans, self.missing())
    }

    /// The name of a thread, or its number if it has none.
    #[must_use]
    pub fn thread_name(&self, id: u32) -> String {
        self.threads
            .iter()
            .find(|thread| thread.id == id && !thread.name.is_empty())
            .map_or_else(|| format!("thread {id}"), |thread| thread.name.to_string())
    }
}
