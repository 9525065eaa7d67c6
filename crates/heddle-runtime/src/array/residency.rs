//! The location of an array's elements.

use std::fmt;

use crate::device::DeviceId;

/// The location of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// In host memory only.
    Host,
    /// In that device's memory only.
    Device(DeviceId),
    /// In both, with equal content.
    Both(DeviceId),
}

impl Residency {
    /// Whether `device` can read the elements without a transfer.
    #[must_use]
    pub fn is_on(self, device: DeviceId) -> bool {
        match self {
            Self::Host => !device.has_own_memory(),
            Self::Device(holding_device) => holding_device == device,
            Self::Both(holding_device) => !device.has_own_memory() || holding_device == device,
        }
    }

    /// Whether the host has the elements.
    #[must_use]
    pub fn is_on_host(self) -> bool {
        !matches!(self, Self::Device(_))
    }
}

impl fmt::Display for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Device(device) => write!(f, "{device}"),
            Self::Both(device) => write!(f, "host and {device}"),
        }
    }
}
