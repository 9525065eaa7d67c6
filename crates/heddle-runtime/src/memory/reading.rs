//! Everything one device's memory says at one moment.

use serde::Serialize;

use super::cleanup::CleanupTotals;
use super::limit::LimitReading;
use super::pressure::PressureLevel;
use super::statistics::StatisticsReading;
use super::storage::StorageReading;
use crate::device::DeviceId;
use crate::units::Bytes;

/// What a [`Memory`](super::Memory) says at one moment.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct MemoryReading {
    /// Whose memory it is.
    pub device: DeviceId,
    /// The limit and what is committed of it.
    pub limit: LimitReading,
    /// Counts of blocks.
    pub statistics: StatisticsReading,
    /// What is held for reuse.
    pub storage: StorageReading,
    /// Free as the driver sees it, where there is one.
    pub driver_free: Option<Bytes>,
    /// The part of the limit that the driver could no longer provide, because
    /// others hold it.
    pub taken_by_others: Bytes,
    /// The share of the limit that is committed or taken by others.
    pub utilisation: f64,
    /// The level of pressure.
    pub level: PressureLevel,
    /// How often each level was entered, lowest first.
    pub levels_entered: [u64; 4],
    /// What clean-ups did.
    pub cleanups: CleanupTotals,
    /// Cached copies that they dropped.
    pub evictions: u64,
    /// Bytes of arrays that lived here alone and were moved to the host for room.
    pub spilled: Bytes,
    /// Requests and reservations that a clean-up made possible.
    pub rescued: u64,
    /// Requests and reservations that failed in the end.
    pub shortages: u64,
}

impl MemoryReading {
    /// Bytes that could still be committed.
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
