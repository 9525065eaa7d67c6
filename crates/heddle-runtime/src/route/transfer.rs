//! The cost of transfers, per device and direction.
//!
//! A direction's model is the same kind of curve as the work's, by bytes of one transfer: its
//! floor is the latency, its slope the bandwidth. An operation reports one sum of its transfers
//! per direction, so the model learns their mean. Operands of one operation mostly have the
//! same size, and then the mean is exact.

use super::model::CostModel;
use crate::array::Residency;
use crate::device::{DeviceId, TransferTotals};
use crate::operation::{Description, Operand};
use crate::units::{Bytes, Nanos};

/// The latency assumed for a direction that was never measured: that of a small copy through a
/// driver.
const ASSUMED_LATENCY_NS: f64 = 10_000.0;
/// The bandwidth assumed with it, about `PCIe` 3.0: 10 GB/s.
const ASSUMED_NS_PER_BYTE: f64 = 0.1;

/// The transfer models of one device.
#[derive(Debug)]
pub(super) struct DeviceTransferModel {
    pub(super) up: CostModel,
    pub(super) down: CostModel,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Direction {
    /// Host to device.
    Up,
    /// Device to host.
    Down,
}

/// The transfer models of all devices, by slot.
#[derive(Debug)]
pub(super) struct TransferModel {
    devices: Box<[DeviceId]>,
    transfer_models: Box<[DeviceTransferModel]>,
}

/// The predicted cost of an operation's transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TransferCost {
    pub(super) ns: f64,
    /// The sum of its components, each times its confidence: zero for one that was never
    /// measured.
    pub(super) trusted_ns: f64,
}

impl TransferModel {
    pub(super) fn new(devices: &[DeviceId]) -> Self {
        Self {
            devices: devices.into(),
            transfer_models: devices
                .iter()
                .map(|_| DeviceTransferModel {
                    up: CostModel::new(),
                    down: CostModel::new(),
                })
                .collect(),
        }
    }

    pub(super) fn device_model(&self, device: DeviceId) -> Option<&DeviceTransferModel> {
        let slot = self.devices.iter().position(|&known| known == device)?;
        self.transfer_models.get(slot)
    }

    /// The cost of copying `d`'s operands to `device` and its result back.
    #[inline]
    pub(super) fn transfer_cost(&self, d: &Description, device: DeviceId) -> TransferCost {
        let mut transfer_cost = TransferCost::default();
        let mut last: Option<(Operand, TransferCost)> = None;
        for operand in &d.operands {
            if operand.residency.is_on(device) {
                continue;
            }
            // Operands of one operation mostly have the same size.
            let one = match last {
                Some((alike, one)) if alike == *operand => one,
                _ => self.upload_cost(operand, device),
            };
            last = Some((*operand, one));
            transfer_cost.ns += one.ns;
            transfer_cost.trusted_ns += one.trusted_ns;
        }
        let returned = d.returned(device);
        if returned.0 > 0 {
            self.add(&mut transfer_cost, device, Direction::Down, returned);
        }
        transfer_cost
    }

    fn upload_cost(&self, operand: &Operand, device: DeviceId) -> TransferCost {
        let mut transfer_cost = TransferCost::default();
        if let Residency::Device(holder) = operand.residency {
            self.add(&mut transfer_cost, holder, Direction::Down, operand.bytes);
        }
        if device.has_own_memory() {
            self.add(&mut transfer_cost, device, Direction::Up, operand.bytes);
        }
        transfer_cost
    }

    #[inline]
    fn add(
        &self,
        transfer_cost: &mut TransferCost,
        device: DeviceId,
        direction: Direction,
        bytes: Bytes,
    ) {
        let reading = self
            .device_model(device)
            .and_then(|device_model| device_model.direction_model(direction).read(bytes.0));
        if let Some(reading) = reading {
            transfer_cost.ns += reading.ns;
            transfer_cost.trusted_ns += reading.ns * reading.confidence;
        } else {
            transfer_cost.ns += ASSUMED_LATENCY_NS + bytes.0 as f64 * ASSUMED_NS_PER_BYTE;
        }
    }

    /// Learns from what an execution of `d` on `device` moved. Bytes that do not match the
    /// description have another cause and are not learned.
    pub(super) fn learn(&self, d: &Description, device: DeviceId, moved: &TransferTotals) {
        if device.has_own_memory() && moved.up.0 > 0 && moved.up == d.missing(device) {
            let count = d
                .operands
                .iter()
                .filter(|operand| !operand.residency.is_on(device))
                .count();
            self.learn_direction(device, Direction::Up, moved.up, moved.up_time, count);
        }
        if moved.down.0 > 0
            && let Some((source, count)) = Self::source(d, device, moved.down)
        {
            self.learn_direction(source, Direction::Down, moved.down, moved.down_time, count);
        }
    }

    /// The one device that `down` bytes came from, and the number of transfers; `None` if
    /// several devices contributed.
    fn source(d: &Description, device: DeviceId, down: Bytes) -> Option<(DeviceId, usize)> {
        let mut downloaded = d
            .operands
            .iter()
            .filter(|operand| !operand.residency.is_on(device))
            .filter_map(|operand| match operand.residency {
                Residency::Device(holder) => Some((holder, operand.bytes)),
                Residency::Host | Residency::Both(_) => None,
            });
        let Some((source, first)) = downloaded.next() else {
            return (down == d.returned(device)).then_some((device, 1));
        };
        let mut total = (first, 1);
        for (holder, bytes) in downloaded {
            if holder != source {
                return None;
            }
            total = (total.0 + bytes, total.1 + 1);
        }
        (down == total.0).then_some((source, total.1))
    }

    fn learn_direction(
        &self,
        device: DeviceId,
        direction: Direction,
        bytes: Bytes,
        time: Nanos,
        count: usize,
    ) {
        if let Some(device_model) = self.device_model(device) {
            let count = count.max(1) as u64;
            device_model
                .direction_model(direction)
                .learn(bytes.0 / count, time.0 / count);
        }
    }
}

impl DeviceTransferModel {
    pub(super) fn direction_model(&self, direction: Direction) -> &CostModel {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }
}
