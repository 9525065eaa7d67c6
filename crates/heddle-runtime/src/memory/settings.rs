//! The settings of one device's memory.

use std::time::Duration;

use super::leaks::LeakSettings;
use super::pool::PoolSettings;
use super::pressure::PressureThresholds;
use crate::device::DeviceId;
use crate::units::Bytes;

/// The settings of a [`Memory`](super::Memory).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MemorySettings {
    /// The device.
    pub device: DeviceId,
    /// The most bytes that may be committed at once.
    pub capacity: Bytes,
    /// The pool of freed blocks; `None` frees every block at once.
    pub pool: Option<PoolSettings>,
    /// Whether [`Memory::queued`](super::Memory::queued) is called before work
    /// is queued; see [`PoolSettings::tracks_queued_work`], which it overrides.
    pub tracks_queued_work: bool,
    /// The beginnings of the levels of pressure.
    pub pressure: PressureThresholds,
    /// The share of the capacity at which clean-up begins by itself; 1 or more for never.
    pub cleanup_at: f64,
    /// The criteria of a leak.
    pub leaks: LeakSettings,
    /// The least time between two snapshots.
    pub sample_every: Duration,
    /// The number of snapshots kept.
    pub snapshots: usize,
}

/// The settings that may be changed while the memory is in use, by the runtime that the device
/// is registered with.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemoryRules {
    /// The most bytes that may be committed at once.
    pub capacity: Bytes,
    /// The most bytes that may be held, used or not.
    pub pool_maximum: Bytes,
    /// How long memory may lie unused.
    pub pool_idle: Duration,
    /// The beginnings of the levels of pressure.
    pub pressure: PressureThresholds,
    /// As [`MemorySettings::cleanup_at`].
    pub cleanup_at: f64,
    /// The criteria of a leak.
    pub leaks: LeakSettings,
}

impl MemorySettings {
    /// The defaults for a device with this much memory.
    #[must_use]
    pub fn new(device: DeviceId, capacity: Bytes) -> Self {
        Self {
            device,
            capacity,
            pool: Some(PoolSettings {
                maximum: capacity,
                ..PoolSettings::default()
            }),
            tracks_queued_work: false,
            pressure: PressureThresholds::default(),
            cleanup_at: 0.85,
            leaks: LeakSettings::default(),
            sample_every: Duration::from_millis(100),
            snapshots: 1000,
        }
    }
}
