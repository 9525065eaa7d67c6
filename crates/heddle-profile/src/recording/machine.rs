//! The machine a run ran on, as far as a report needs it.

use serde::{Deserialize, Serialize};

/// The machine and its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineCard {
    /// The processor's name.
    pub cpu: String,
    /// Logical processors.
    pub cores: u32,
    /// Operating system and version.
    pub system: String,
    /// Memory in bytes; zero if not known.
    pub memory_bytes: u64,
    /// The devices, processor first.
    pub devices: Vec<DeviceCard>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceCard {
    /// Its id, as spans have it: `cpu`, `cuda:0`.
    pub id: String,
    /// Its own name.
    pub name: String,
    /// Its memory in bytes; zero if not known.
    pub memory_bytes: u64,
    /// The most bytes a second its memory gives, measured or by its data sheet;
    /// `None` leaves it to [`Recording::ceilings`](crate::Recording::ceilings).
    pub bandwidth_bytes_per_s: Option<u64>,
}
