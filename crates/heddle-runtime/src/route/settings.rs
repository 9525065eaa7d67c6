//! The settings of routing, as plain data.

use std::collections::BTreeMap;

use crate::device::DeviceId;
use crate::units::Bytes;

/// The rules a router applies. Reading them from files and the environment is done elsewhere.
///
/// A forced device beats every other rule: a device that is denied, excluded by
/// [`min_gpu`](Self::min_gpu) or emulated still runs what is forced onto it. Among forces, the
/// call comes first, then the kind, then the process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RouteSettings {
    /// Whether costs decide. If not, the first GPU that is not emulated takes every operation
    /// that it can and may run.
    pub smart: bool,
    /// The device for all operations.
    pub device: Option<DeviceId>,
    /// The device for operations of one kind, by the kind's name.
    pub kinds: BTreeMap<String, DeviceId>,
    /// Operands that are smaller than this together never go to a GPU.
    pub min_gpu: Bytes,
    /// The only devices that may be used, or `None` for all that are not emulated.
    pub allow: Option<Vec<DeviceId>>,
    /// Devices that may not be used, even if allowed above.
    pub deny: Vec<DeviceId>,
    /// The share of all time that may be spent on measuring devices that would not have been
    /// chosen. Zero turns exploration off.
    pub explore_share: f64,
    /// The share of operations that are also run on a second device.
    pub verify_share: f64,
}

impl Default for RouteSettings {
    fn default() -> Self {
        Self {
            smart: true,
            device: None,
            kinds: BTreeMap::new(),
            min_gpu: Bytes(0),
            allow: None,
            deny: Vec::new(),
            explore_share: 0.01,
            verify_share: 0.0,
        }
    }
}
