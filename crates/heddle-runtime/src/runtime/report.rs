//! The report on a runtime, as one value that can be printed or serialised.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::{FallbackCount, RecomputedCount, RetryCount, Runtime, SplitCount};
use crate::array::{TransferCounts, transfer_counts};
use crate::batch::BatchStatistics;
use crate::device::{DeviceId, DeviceProperties};
use crate::memory::{
    AcceleratorMemory, CleanupReport, Leak, LedgerReading, LiveAllocations, MemoryReading,
    SiteUsage,
};
use crate::route::{KindRegret, RouteCounts};

/// A device and its memory at one moment.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DeviceReading {
    /// The device.
    pub device: DeviceId,
    /// Its description.
    pub properties: DeviceProperties,
    /// Reservations on it.
    pub memory: LedgerReading,
    /// The details of its memory, if it has its own.
    pub memory_use: Option<MemoryUse>,
    /// Whether it was lost and takes no more work.
    pub lost: bool,
}

/// The use of a device's memory at one moment: its holders, and the steps taken to free memory.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MemoryUse {
    /// The figures.
    #[serde(flatten)]
    pub reading: MemoryReading,
    /// The largest holders, largest first.
    pub holders: Vec<SiteUsage>,
    /// Sites that hold more and more.
    pub leaks: Vec<Leak>,
    /// The last clean-ups, oldest first.
    pub last_cleanups: Vec<CleanupReport>,
}

impl MemoryUse {
    /// The number of holders listed.
    const HOLDERS: usize = 10;
    /// The number of clean-ups listed.
    const CLEANUPS: usize = 10;

    /// Reads the current state of `memory`.
    #[must_use]
    pub fn of(memory: &AcceleratorMemory) -> Self {
        let mut last_cleanups = memory.cleanups();
        last_cleanups.drain(..last_cleanups.len().saturating_sub(Self::CLEANUPS));
        Self {
            reading: memory.reading(),
            holders: memory.holders(Self::HOLDERS),
            leaks: memory.leaks(),
            last_cleanups,
        }
    }
}

/// The report on a runtime's work so far, from measurements.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The devices.
    pub devices: Vec<DeviceReading>,
    /// Times per operation, element type and device.
    pub summary: heddle_profile::Summary,
    /// Decisions per kind and device.
    pub routing: RouteCounts,
    /// Time lost against the best choice in hindsight.
    pub regret: Vec<KindRegret>,
    /// Operations that did not run on the device they were first sent to.
    pub fallbacks: Vec<FallbackCount>,
    /// Computations that were repeated because a lost device held their arrays.
    pub recomputed: Vec<RecomputedCount>,
    /// Operations that worked in pieces for lack of memory.
    pub splits: Vec<SplitCount>,
    /// Operations that ran out of memory while they ran and were run again on the same device.
    pub retries: Vec<RetryCount>,
    /// Merged operations, and the devices they ran on.
    pub batches: BatchStatistics,
    /// Operations that failed, including those of a computation that was repeated.
    pub failures: u64,
    /// Operations whose result a second device confirmed.
    pub verified: u64,
    /// Operations sampled for verification that could not be compared.
    pub unverifiable: u64,
    /// Operations whose results differed between devices.
    pub differed: u64,
    /// Bytes moved and copied by this process.
    pub transfers: TransferCounts,
    /// Notes about how the runtime was built.
    pub notes: Vec<String>,
}

impl Runtime {
    /// What each device still holds, by which site and since when. Devices that hold nothing
    /// are left out. Call it at the end, when all arrays should have been dropped.
    #[must_use]
    pub fn live_allocations(&self) -> Vec<LiveAllocations> {
        let slots = self.shared.devices.iter();
        slots
            .filter_map(|slot| Some(slot.memory()?.live_allocations()))
            .filter(|live_allocations| !live_allocations.is_empty())
            .collect()
    }

    /// The report so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let shared = &self.shared;
        let lost = shared.router.lost();
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        Report {
            devices: shared
                .devices
                .iter()
                .map(|slot| DeviceReading {
                    device: slot.device.id(),
                    properties: slot.device.properties().clone(),
                    memory: slot.reading(),
                    memory_use: slot.memory().map(MemoryUse::of),
                    lost: lost.contains(&slot.device.id()),
                })
                .collect(),
            summary: shared.profiler.summary(),
            routing: shared.router.decision_counts(),
            regret: shared.router.regret(),
            fallbacks: shared.counters.fallbacks(),
            recomputed: shared.counters.recomputations(),
            splits: shared.counters.splits(),
            retries: shared.counters.retries(),
            batches: self.batch_statistics(),
            failures: count(&shared.counters.failures),
            verified: count(&shared.counters.verified),
            unverifiable: count(&shared.counters.unverifiable),
            differed: count(&shared.counters.differed),
            transfers: transfer_counts(),
            notes: shared.notes.clone(),
        }
    }
}
