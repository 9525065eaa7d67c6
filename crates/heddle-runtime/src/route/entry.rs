//! Everything stored for one kind and element type, by device.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::model::CostModel;
use super::regret::RegretTable;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::operation::Kind;

/// One kind and element type.
#[derive(Debug)]
pub(super) struct KindEntry {
    pub(super) kind: &'static Kind,
    pub(super) dtype: DType,
    /// The device that the configuration sets for this kind.
    pub(super) forced: Option<DeviceId>,
    pub(super) regret: RegretTable,
    pub(super) per_device: Box<[DeviceEntry]>,
    /// The number of operations that ran, on any device.
    pub(super) clock: AtomicU64,
}

/// One kind and element type on one device.
#[derive(Debug)]
pub(super) struct DeviceEntry {
    pub(super) model: CostModel,
    /// Whether it ran there before in this process: the first run includes loading and is not
    /// learned.
    warm: AtomicBool,
    /// The row's clock when it last ran there, or zero.
    pub(super) ran: AtomicU64,
    /// The row's clock when it was last explored, or zero.
    pub(super) explored: AtomicU64,
    pub(super) decisions: AtomicU64,
    pub(super) explorations: AtomicU64,
    pub(super) explore_ns: AtomicU64,
}

impl KindEntry {
    pub(super) fn new(
        kind: &'static Kind,
        dtype: DType,
        forced: Option<DeviceId>,
        devices: usize,
    ) -> Self {
        Self {
            kind,
            dtype,
            forced,
            regret: RegretTable::new(devices),
            per_device: (0..devices).map(|_| DeviceEntry::new()).collect(),
            clock: AtomicU64::new(0),
        }
    }
}

impl DeviceEntry {
    fn new() -> Self {
        Self {
            model: CostModel::new(),
            warm: AtomicBool::new(false),
            ran: AtomicU64::new(0),
            explored: AtomicU64::new(0),
            decisions: AtomicU64::new(0),
            explorations: AtomicU64::new(0),
            explore_ns: AtomicU64::new(0),
        }
    }

    /// Whether this is the first run. Returns true once.
    pub(super) fn is_first_run(&self) -> bool {
        !self.warm.load(Ordering::Relaxed) && !self.warm.swap(true, Ordering::Relaxed)
    }
}
