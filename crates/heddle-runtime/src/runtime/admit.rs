//! Admission: reserves memory on the chosen device before an operation runs.
//!
//! If memory is short, these steps are tried in order. Idle memory is released and clean-up
//! callbacks run (both in the device's memory, see [`Memory::reserve`]). An operation that can
//! work in pieces gets the memory that is free. The next cheapest device that may run the
//! operation takes it. Arrays whose only copy is on the chosen device are moved to the host.
//! Admission fails only if all of that is not enough. Every step is counted.
//!
//! [`Memory::reserve`]: crate::memory::Memory::reserve

use super::fallback::FallbackCause;
use super::room::Room;
use super::{Runtime, Station};
use crate::device::DeviceId;
use crate::error::Error;
use crate::memory::Shortage;
use crate::operation::Description;
use crate::route::{Decision, Override, Price, Reason};
use crate::units::Bytes;

impl Runtime {
    /// Reserves the memory of `description` on the device of `decision`, or on another one.
    #[inline]
    pub(super) fn admit(
        &self,
        description: &Description,
        decision: &mut Decision,
    ) -> Result<(&Station, Room<'_>), Error> {
        let station = self.station(decision.device)?;
        match station.reserve(description) {
            Ok(room) => Ok((station, room)),
            Err(shortage) => self.admit_short(station, description, decision, shortage),
        }
    }

    #[cold]
    fn admit_short<'a>(
        &'a self,
        station: &'a Station,
        description: &Description,
        decision: &mut Decision,
        shortage: Box<Shortage>,
    ) -> Result<(&'a Station, Room<'a>), Error> {
        if let Some(room) = self.split(station, description) {
            return Ok((station, room));
        }
        let first = decision.device;
        let refused = |shortage| Error::OutOfMemory {
            operation: description.kind.name(),
            shortage,
        };
        let may_move = decision.reason != (Reason::Forced { by: Override::Call });
        for device in others(decision).into_iter().filter(|_| may_move) {
            let station = self.station(device)?;
            let room = match station.reserve(description) {
                Ok(room) => Some(room),
                Err(_) => self.split(station, description),
            };
            if let Some(room) = room {
                decision.device = device;
                decision.reason = Reason::FellBack { from: first };
                self.shared.counts.fell_back(
                    description.kind,
                    first,
                    device,
                    FallbackCause::NoRoom,
                    || refused(shortage).to_string(),
                );
                return Ok((station, room));
            }
        }
        if let Some(room) = self.spill(station, description) {
            return Ok((station, room));
        }
        self.shared.counts.failed();
        Err(refused(shortage))
    }

    /// Reserves memory after moving arrays whose only copy is here to the host.
    pub(super) fn spill<'a>(
        &'a self,
        station: &'a Station,
        description: &Description,
    ) -> Option<Room<'a>> {
        let memory = station.memory()?;
        let (needed, capacity) = (
            station.footprint(memory, description),
            memory.reading().limit.capacity,
        );
        if needed > capacity && description.least.is_none() {
            return None;
        }
        let missing = needed.min(capacity).saturating_sub(memory.within_reach());
        if memory.spill(missing) == Bytes(0) {
            return None;
        }
        let room = station.reserve(description).ok();
        room.or_else(|| self.split(station, description))
    }

    /// Reserves memory for an operation that can work in pieces.
    pub(super) fn split<'a>(
        &'a self,
        station: &'a Station,
        description: &Description,
    ) -> Option<Room<'a>> {
        let room = station.reserve_some(description)?;
        if let Some(granted) = room.granted() {
            let device = station.device.id();
            let asked = description.footprint(device);
            self.shared
                .counts
                .split(description.kind, device, asked, granted);
        }
        Some(room)
    }
}

/// The other devices that may run the operation, cheapest first.
fn others(decision: &Decision) -> Vec<DeviceId> {
    let mut others: Vec<_> = decision
        .candidates
        .iter()
        .filter(|candidate| candidate.device != decision.device)
        .collect();
    let price = |price: Option<Price>| price.map_or(f64::INFINITY, |price: Price| price.total_ns());
    others.sort_by(|a, b| price(a.price).total_cmp(&price(b.price)));
    others.iter().map(|candidate| candidate.device).collect()
}
