//! Reports on a router's decisions so far.

use serde::Serialize;

use crate::device::DeviceId;
use crate::units::Nanos;

/// The time that better decisions would have saved for one kind, from measurements alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KindRegret {
    /// The kind's name.
    pub kind: &'static str,
    /// Decided operations that ran, warm-ups excluded, since the last
    /// [`restart_regret`](super::Router::restart_regret).
    pub operations: u64,
    /// The time those operations took.
    pub spent: Nanos,
    /// The part of that time that the device with the best mean would have saved, summed over
    /// the cells where another device was measured.
    pub regret: Nanos,
    /// Operations in cells where no other device was ever measured. Their regret is unknown,
    /// not zero.
    pub unmeasured: u64,
}

/// Decisions of one kind that ran on one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KindDecisionCounts {
    /// The kind's name.
    pub kind: &'static str,
    /// The device.
    pub device: DeviceId,
    /// The number of decisions that ran there.
    pub decisions: u64,
    /// How many of them were explorations.
    pub explorations: u64,
}

/// Decisions so far. A decision is counted when its measurement is learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RouteCounts {
    /// Per kind and device, sorted by both. Pairs that never occurred are left out.
    pub kinds: Vec<KindDecisionCounts>,
    /// Decisions in all.
    pub decisions: u64,
    /// Explorations in all.
    pub explorations: u64,
    /// Time of all decided operations.
    pub time: Nanos,
    /// Time of the explorations.
    pub explore_time: Nanos,
    /// The part of it that the devices which would have been chosen were predicted to save.
    /// `explore_share` bounds it.
    pub explore_extra: Nanos,
    /// `explore_extra` as a share of `time`.
    pub explore_share: f64,
}
