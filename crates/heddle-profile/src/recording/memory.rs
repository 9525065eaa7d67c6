//! A device's memory at one moment.

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// How full a device's memory is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// Plenty of room.
    #[default]
    Low,
    /// Filling up.
    Moderate,
    /// Clean-up is near or under way.
    High,
    /// The next large request may not fit.
    Critical,
}

impl Pressure {
    /// As a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A device's memory at one moment, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySample {
    /// When, in nanoseconds since the profiler's epoch.
    pub at_ns: u64,
    /// Whose memory.
    pub device: Name,
    /// In use.
    pub allocated: u64,
    /// Promised and not yet allocated.
    pub reserved: u64,
    /// Held for reuse.
    pub pooled: u64,
    /// What could still be had.
    pub free: u64,
    /// The most this process may use.
    pub limit: u64,
    /// How full it is.
    pub pressure: Pressure,
}
