//! A device's memory at one moment.

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// How full a device's memory is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// Plenty is free.
    #[default]
    Low,
    /// Filling up.
    Moderate,
    /// Memory will be reclaimed soon, or is being reclaimed.
    High,
    /// The next large request may not fit.
    Critical,
}

impl Pressure {
    /// The level's name.
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
#[non_exhaustive]
pub struct MemorySample {
    /// The time of the sample, in nanoseconds since the profiler's epoch.
    pub at_ns: u64,
    /// The device.
    pub device: Name,
    /// Bytes in use.
    pub allocated: u64,
    /// Bytes reserved and not yet allocated.
    pub reserved: u64,
    /// Bytes held for reuse.
    pub pooled: u64,
    /// Bytes that can still be allocated.
    pub free: u64,
    /// The most bytes this process may use.
    pub limit: u64,
    /// How full it is.
    pub pressure: Pressure,
}
