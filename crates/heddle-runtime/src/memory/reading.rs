//! The state of one device's memory at one moment.

use serde::Serialize;

use super::cleanup::CleanupTotals;
use super::limit::LimitReading;
use super::pressure::PressureLevel;
use super::statistics::StatisticsReading;
use super::storage::StorageReading;
use crate::device::DeviceId;
use crate::units::Bytes;

/// The state of a [`Memory`](super::Memory) at one moment.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct MemoryReading {
    /// The device.
    pub device: DeviceId,
    /// The limit and the bytes committed of it.
    pub limit: LimitReading,
    /// Counts of blocks.
    pub statistics: StatisticsReading,
    /// The bytes held for reuse.
    pub storage: StorageReading,
    /// The bytes free as the driver reports them, if there is a driver.
    pub driver_free: Option<Bytes>,
    /// The part of the limit that the driver could not provide, because other processes hold
    /// it.
    pub taken_by_others: Bytes,
    /// The share of the limit that is committed or taken by others.
    pub utilisation: f64,
    /// The level of pressure.
    pub level: PressureLevel,
    /// How often each level was entered, lowest first.
    pub levels_entered: [u64; 4],
    /// The totals of the clean-ups.
    pub cleanups: CleanupTotals,
    /// The number of cached copies that clean-ups dropped.
    pub evictions: u64,
    /// Bytes of arrays whose only copy was here and was moved to the host.
    pub spilled: Bytes,
    /// Requests and reservations that succeeded after a clean-up.
    pub rescued: u64,
    /// Requests and reservations that failed in the end.
    pub shortages: u64,
}

impl MemoryReading {
    /// The bytes that can still be committed.
    #[must_use]
    pub fn free(&self) -> Bytes {
        let LimitReading {
            capacity,
            allocated,
            reserved,
            ..
        } = self.limit;
        capacity
            .saturating_sub(allocated + reserved)
            .saturating_sub(self.taken_by_others)
    }
}
