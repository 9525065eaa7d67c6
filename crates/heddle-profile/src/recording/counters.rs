//! Counts besides the spans.

use serde::{Deserialize, Serialize};

use super::bounded_list::rows;

use crate::name::Name;

/// Operations that ran on another device than the one they were sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedFallback {
    /// The operation.
    pub operation: Name,
    /// The device it was sent to.
    pub from: Name,
    /// The device it ran on.
    pub to: Name,
    /// The reason.
    pub cause: String,
    /// How often.
    pub count: u64,
}

/// Launches that merged small work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedBatches {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// Launches.
    pub batches: u64,
    /// Items in all of them.
    pub items: u64,
}

/// Requests for memory that a pool served or passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedPool {
    /// The device.
    pub device: Name,
    /// Requests served from memory held for reuse.
    pub hits: u64,
    /// Requests passed on to the driver.
    pub misses: u64,
}

/// Counts besides the spans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Fallbacks.
    #[serde(deserialize_with = "rows")]
    pub fallbacks: Vec<RecordedFallback>,
    /// Batches by operation and device.
    #[serde(deserialize_with = "rows")]
    pub batches: Vec<RecordedBatches>,
    /// Memory pools by device.
    #[serde(deserialize_with = "rows")]
    pub pools: Vec<RecordedPool>,
}
