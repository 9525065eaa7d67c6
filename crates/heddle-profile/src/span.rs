//! One executed operation, as the caller records it.
//!
//! Only the plain record and its types; spans are collected by `profiler` and read
//! in `recording`. A section of code timed from beginning to end is a
//! [`Scope`](crate::Scope).
//!
//! A span is `Copy` and owns no heap memory, because one is written for every
//! operation; so its names are `&'static str`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which clock measured a time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The host's monotonic clock.
    #[default]
    System,
    /// The device's own clock, CUDA events for example.
    Device,
}

/// The device an operation ran on, in the profiler's own words.
///
/// ```
/// use heddle_profile::DeviceTag;
///
/// assert_eq!(DeviceTag::CPU.to_string(), "cpu");
/// assert_eq!(DeviceTag { kind: "cuda", index: Some(0) }.to_string(), "cuda:0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceTag {
    /// The kind of device: `"cpu"`, `"cuda"`, `"simt"`.
    pub kind: &'static str,
    /// The index among devices of its kind; `None` where there is only ever one.
    pub index: Option<u16>,
}

impl DeviceTag {
    /// The CPU.
    pub const CPU: Self = Self {
        kind: "cpu",
        index: None,
    };
}

impl Default for DeviceTag {
    fn default() -> Self {
        Self::CPU
    }
}

impl fmt::Display for DeviceTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.pad(self.kind),
            Some(index) => f.pad(&format!("{}:{index}", self.kind)),
        }
    }
}

/// One executed operation. Fixed size, no heap.
///
/// Unknown values keep their defaults: a literal that ends with `..Span::default()` stays possible,
/// because it costs nothing where every operation writes one.
/// [`Profiler::record`](crate::Profiler::record) adds the thread and the enclosing
/// scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The operation's name: `"xor"`.
    pub operation: &'static str,
    /// The element type it ran on: `"u8"`.
    pub element: &'static str,
    /// The device it ran on.
    pub device: DeviceTag,
    /// The implementation that ran it: `"native"`, `"cublas"`.
    pub backend: &'static str,
    /// When it began, in nanoseconds since the profiler's epoch.
    pub start_ns: u64,
    /// The duration of the whole operation, by the system clock.
    pub total_ns: u64,
    /// The duration of the work on the device, by the device's clock; `None` where
    /// there is none.
    pub device_ns: Option<u64>,
    /// When that work began, in nanoseconds since the profiler's epoch.
    pub device_start_ns: Option<u64>,
    /// The stream or queue of the device that ran it.
    pub stream: Option<u32>,
    /// Time spent moving operands and results between memories.
    pub transfer_ns: u64,
    /// Which clock measured `transfer_ns`.
    pub transfer_clock: Clock,
    /// Time spent neither computing nor in transfer: launching, routing, admission.
    pub overhead_ns: u64,
    /// Bytes the operation read.
    pub bytes_in: u64,
    /// Bytes the operation wrote.
    pub bytes_out: u64,
    /// Bytes transferred between memories for it.
    pub bytes_moved: u64,
    /// The amount of work, in the operation's unit: bytes, multiply-adds, cells.
    pub work: u64,
    /// Bytes allocated for it.
    pub mem_allocated: u64,
    /// The most bytes allocated at once while it ran.
    pub mem_peak: u64,
}

impl Span {
    /// The finest clock that timed this span.
    #[must_use]
    pub fn clock(&self) -> Clock {
        if self.device_ns.is_some() {
            Clock::Device
        } else {
            Clock::System
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_an_index_is_only_its_kind() {
        let simt = DeviceTag {
            kind: "simt",
            index: Some(12),
        };
        assert_eq!(DeviceTag::CPU.to_string(), "cpu");
        assert_eq!(simt.to_string(), "simt:12");
    }

    #[test]
    fn a_device_lines_up_in_a_table() {
        let device = DeviceTag {
            kind: "cuda",
            index: Some(1),
        };
        assert_eq!(format!("[{device:>8}]"), "[  cuda:1]");
    }

    #[test]
    fn the_finest_clock_is_the_devices_where_it_has_one() {
        let host = Span::default();
        assert_eq!(host.clock(), Clock::System);
        let timed = Span {
            device_ns: Some(0),
            ..host
        };
        assert_eq!(timed.clock(), Clock::Device);
    }

    #[test]
    fn clocks_are_lower_case_in_json() {
        assert_eq!(serde_json::to_string(&Clock::System).unwrap(), "\"system\"");
        assert_eq!(
            serde_json::from_str::<Clock>("\"device\"").unwrap(),
            Clock::Device
        );
    }
}
