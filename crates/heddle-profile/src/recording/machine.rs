//! The machine a run ran on, as a report shows it.

use serde::{Deserialize, Serialize};

use super::bounded_list::rows;

/// The machine and its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineDescription {
    /// The CPU's name.
    pub cpu: String,
    /// The number of logical CPUs.
    pub cores: u32,
    /// Operating system and version.
    pub system: String,
    /// Memory in bytes; zero if unknown.
    pub memory_bytes: u64,
    /// The devices, CPU first.
    #[serde(deserialize_with = "rows")]
    pub devices: Vec<DeviceDescription>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceDescription {
    /// Its id, as in spans: `cpu`, `cuda:0`.
    pub id: String,
    /// Its product name.
    pub name: String,
    /// Its memory in bytes; zero if unknown.
    pub memory_bytes: u64,
    /// The bandwidth of its memory, measured or from its data sheet; `None` leaves
    /// it to [`Recording::ceilings`](crate::Recording::ceilings).
    pub bandwidth_bytes_per_s: Option<u64>,
}
