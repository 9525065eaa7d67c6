//! What was counted beside the spans.

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// Operations that could not stay where they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FallbackTally {
    /// The operation.
    pub operation: Name,
    /// Where it was sent.
    pub from: Name,
    /// Where it ran.
    pub to: Name,
    /// Why it could not stay.
    pub cause: String,
    /// How often.
    pub count: u64,
}

/// Launches that merged small work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchCount {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// Launches.
    pub batches: u64,
    /// Items in all of them.
    pub items: u64,
}

/// Requests for memory that a pool answered, or could not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolCount {
    /// The device.
    pub device: Name,
    /// Answered from what was held for reuse.
    pub hits: u64,
    /// Passed on to the driver.
    pub misses: u64,
}

/// What was counted beside the spans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Fallbacks, none of them silent.
    pub fallbacks: Vec<FallbackTally>,
    /// Batches by operation and device.
    pub batches: Vec<BatchCount>,
    /// Memory pools by device.
    pub pools: Vec<PoolCount>,
}
