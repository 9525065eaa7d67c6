//! What has happened so far, as one value that can be printed or serialised.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::{FallbackCount, RecomputedCount, Runtime};
use crate::array::{TransferCounts, transfer_counts};
use crate::device::{DeviceCard, DeviceId};
use crate::memory::LedgerReading;
use crate::route::{KindRegret, RouteTally};

/// A device and its memory at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceReading {
    /// The device.
    pub device: DeviceId,
    /// What it is.
    pub card: DeviceCard,
    /// Reservations on it.
    pub memory: LedgerReading,
    /// Whether it was lost and takes no more work.
    pub lost: bool,
}

/// Everything a runtime can say about its run so far. All of it was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The devices.
    pub devices: Vec<DeviceReading>,
    /// Times per operation, element type and device.
    pub summary: heddle_profile::Summary,
    /// Decisions per kind and device.
    pub routing: RouteTally,
    /// Time lost against the best choice in hindsight.
    pub regret: Vec<KindRegret>,
    /// Operations that could not stay where they were sent.
    pub fallbacks: Vec<FallbackCount>,
    /// What was computed again because a lost device held arrays of it.
    pub recomputed: Vec<RecomputedCount>,
    /// Operations that failed, those of something that was computed again among
    /// them.
    pub failures: u64,
    /// Operations whose answer a second device confirmed.
    pub verified: u64,
    /// Operations sampled for verification that could not be compared.
    pub unverifiable: u64,
    /// Operations whose answers differed between devices.
    pub differed: u64,
    /// Bytes moved and copied by this process.
    pub transfers: TransferCounts,
    /// How the runtime came up.
    pub notes: Vec<String>,
}

impl Runtime {
    /// What has happened so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let shared = &self.shared;
        let lost = shared.router.lost();
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        Report {
            devices: shared
                .devices
                .iter()
                .map(|station| DeviceReading {
                    device: station.device.id(),
                    card: station.device.card().clone(),
                    memory: station.ledger.reading(),
                    lost: lost.contains(&station.device.id()),
                })
                .collect(),
            summary: shared.profiler.summary(),
            routing: shared.router.tally(),
            regret: shared.router.regret(),
            fallbacks: shared.counts.fallbacks(),
            recomputed: shared.counts.recomputations(),
            failures: count(&shared.counts.failures),
            verified: count(&shared.counts.verified),
            unverifiable: count(&shared.counts.unverifiable),
            differed: count(&shared.counts.differed),
            transfers: transfer_counts(),
            notes: shared.notes.clone(),
        }
    }
}
