//! How one device's memory behaves.

use std::time::Duration;

use super::leaks::LeakSettings;
use super::pool::PoolSettings;
use super::pressure::PressureThresholds;
use crate::device::DeviceId;
use crate::units::Bytes;

/// Everything a [`Memory`](super::Memory) can be told.
#[derive(Clone, Debug)]
pub struct MemorySettings {
    /// Whose memory it is.
    pub device: DeviceId,
    /// The most that may be committed at once.
    pub capacity: Bytes,
    /// How freed blocks are kept; none gives every block back at once.
    pub pool: Option<PoolSettings>,
    /// Whether [`Memory::queued`](super::Memory::queued) is called before work
    /// is queued; see [`PoolSettings::hears_queued`], which it overrides.
    pub hears_queued: bool,
    /// Where the levels of pressure begin.
    pub pressure: PressureThresholds,
    /// The share of the capacity at which clean-up begins by itself; 1 or more
    /// for never.
    pub cleanup_at: f64,
    /// What counts as a leak.
    pub leaks: LeakSettings,
    /// The least time between two snapshots.
    pub sample_every: Duration,
    /// How many snapshots are kept.
    pub snapshots: usize,
}

/// What may be changed while the memory is in use: the wishes of the runtime
/// that the device is registered with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRules {
    /// The most that may be committed at once.
    pub capacity: Bytes,
    /// The most that may be kept, used or not.
    pub pool_maximum: Bytes,
    /// How long it may lie unused.
    pub pool_idle: Duration,
    /// Where the levels of pressure begin.
    pub pressure: PressureThresholds,
    /// As [`MemorySettings::cleanup_at`].
    pub cleanup_at: f64,
    /// What counts as a leak.
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
            hears_queued: false,
            pressure: PressureThresholds::default(),
            cleanup_at: 0.85,
            leaks: LeakSettings::default(),
            sample_every: Duration::from_millis(100),
            snapshots: 1000,
        }
    }
}
