//! Admission: the chosen device must have room before anything runs on it.
//!
//! Short of memory, in this order: idle memory goes back and clean-up callbacks
//! run (both in the device's memory, see [`Memory::reserve`]), the operation is
//! given what there is if it can work piece by piece, the next cheapest device
//! that may run it takes it, arrays that live on the chosen device alone are moved
//! to the host. Only when all of that was not enough is it an error. Every step is
//! counted.
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
    /// Reserves what `description` needs where `decision` says, or elsewhere.
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

    /// Room that arrays leave which lived there alone.
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

    /// Room for the operation in pieces, if it can work so.
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

/// The other devices that may run it, cheapest first.
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
