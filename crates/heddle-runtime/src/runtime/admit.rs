//! Admission: reserves memory on the chosen device before an operation runs.
//!
//! If memory is short, these steps are tried in order. Idle memory is released and clean-up
//! callbacks run (both in the device's memory, see [`Memory::reserve`]). An operation that can
//! work in pieces gets the memory that is free. The next cheapest device that may run the
//! operation takes it. Arrays whose only copy is on the chosen device are moved to the host.
//! Admission fails only if all of that is not enough. Every step is counted.
//!
//! [`Memory::reserve`]: crate::memory::Memory::reserve

use super::admitted_memory::AdmittedMemory;
use super::fallback::FallbackCause;
use super::{DeviceSlot, Runtime};
use crate::device::DeviceId;
use crate::error::Error;
use crate::memory::Shortage;
use crate::operation::Description;
use crate::route::{Decision, Override, PredictedCost, Reason};
use crate::units::Bytes;

impl Runtime {
    /// Reserves the memory of `description` on the device of `decision`, or on another one.
    #[inline]
    pub(super) fn admit(
        &self,
        description: &Description,
        decision: &mut Decision,
    ) -> Result<(&DeviceSlot, AdmittedMemory<'_>), Error> {
        let slot = self.slot(decision.device)?;
        match slot.reserve(description) {
            Ok(admitted) => Ok((slot, admitted)),
            Err(shortage) => self.admit_short(slot, description, decision, shortage),
        }
    }

    #[cold]
    fn admit_short<'a>(
        &'a self,
        slot: &'a DeviceSlot,
        description: &Description,
        decision: &mut Decision,
        shortage: Box<Shortage>,
    ) -> Result<(&'a DeviceSlot, AdmittedMemory<'a>), Error> {
        if let Some(admitted) = self.split(slot, description) {
            return Ok((slot, admitted));
        }
        let first = decision.device;
        let refused = |shortage| Error::OutOfMemory {
            operation: description.kind.name(),
            shortage,
        };
        let may_move = decision.reason != (Reason::Forced { by: Override::Call });
        for device in others(decision).into_iter().filter(|_| may_move) {
            let slot = self.slot(device)?;
            let admitted = match slot.reserve(description) {
                Ok(admitted) => Some(admitted),
                Err(_) => self.split(slot, description),
            };
            if let Some(admitted) = admitted {
                decision.device = device;
                decision.reason = Reason::FellBack { from: first };
                self.shared.counters.fell_back(
                    description.kind,
                    first,
                    device,
                    FallbackCause::BeyondLimit,
                    || refused(shortage).to_string(),
                );
                return Ok((slot, admitted));
            }
        }
        if let Some(admitted) = self.spill(slot, description) {
            return Ok((slot, admitted));
        }
        self.shared.counters.failed();
        Err(refused(shortage))
    }

    /// Reserves memory after moving arrays whose only copy is here to the host.
    pub(super) fn spill<'a>(
        &'a self,
        slot: &'a DeviceSlot,
        description: &Description,
    ) -> Option<AdmittedMemory<'a>> {
        let memory = slot.memory()?;
        let (needed, capacity) = (
            slot.footprint(memory, description),
            memory.reading().limit.capacity,
        );
        if needed > capacity && description.least.is_none() {
            return None;
        }
        let missing = needed.min(capacity).saturating_sub(memory.within_reach());
        if memory.spill(missing) == Bytes(0) {
            return None;
        }
        let admitted = slot.reserve(description).ok();
        admitted.or_else(|| self.split(slot, description))
    }

    /// Reserves memory for an operation that can work in pieces.
    pub(super) fn split<'a>(
        &'a self,
        slot: &'a DeviceSlot,
        description: &Description,
    ) -> Option<AdmittedMemory<'a>> {
        let admitted = slot.reserve_some(description)?;
        if let Some(granted) = admitted.granted() {
            let device = slot.device.id();
            let asked = description.footprint(device);
            self.shared
                .counters
                .split(description.kind, device, asked, granted);
        }
        Some(admitted)
    }
}

/// The other devices that may run the operation, cheapest first.
fn others(decision: &Decision) -> Vec<DeviceId> {
    let mut others: Vec<_> = decision
        .candidates
        .iter()
        .filter(|candidate| candidate.device != decision.device)
        .collect();
    let cost = |cost: Option<PredictedCost>| {
        cost.map_or(f64::INFINITY, |cost: PredictedCost| cost.total_ns())
    };
    others.sort_by(|a, b| cost(a.cost).total_cmp(&cost(b.cost)));
    others.iter().map(|candidate| candidate.device).collect()
}
