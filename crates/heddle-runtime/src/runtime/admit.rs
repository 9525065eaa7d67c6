//! Admission: the chosen device must have room before anything runs on it.
//!
//! A device with no room hands the operation to the next cheapest that may run
//! it; the decision then says so. Only when none has room is it an error.

use super::fallback::FallbackCause;
use super::{Runtime, Station};
use crate::device::DeviceId;
use crate::error::Error;
use crate::memory::{LedgerReading, Reservation};
use crate::operation::Description;
use crate::route::{Decision, Override, Reason};

impl Runtime {
    /// Reserves what `description` needs where `decision` says, or elsewhere.
    pub(super) fn admit(
        &self,
        description: &Description,
        decision: &mut Decision,
    ) -> Result<(&Station, Reservation<'_>), Error> {
        let first = decision.device;
        let station = self.station(first)?;
        let reading = match station.ledger.reserve(description.footprint(first)) {
            Ok(reservation) => return Ok((station, reservation)),
            Err(reading) => reading,
        };
        if let Reason::Forced { by: Override::Call } = decision.reason {
            return Err(refused(description, decision.device, &reading));
        }
        let mut others: Vec<_> = decision
            .candidates
            .iter()
            .filter(|candidate| candidate.device != first)
            .collect();
        others.sort_by(|a, b| {
            let price = |price: Option<crate::route::Price>| {
                price.map_or(f64::INFINITY, |price| price.total_ns())
            };
            price(a.price).total_cmp(&price(b.price))
        });
        for candidate in others {
            let station = self.station(candidate.device)?;
            if let Ok(reservation) = station
                .ledger
                .reserve(description.footprint(candidate.device))
            {
                let device = candidate.device;
                decision.device = device;
                decision.reason = Reason::FellBack { from: first };
                self.shared.counts.fell_back(
                    description.kind,
                    first,
                    device,
                    FallbackCause::NoRoom,
                    || refused(description, first, &reading).to_string(),
                );
                return Ok((station, reservation));
            }
        }
        Err(refused(description, decision.device, &reading))
    }
}

fn refused(description: &Description, device: DeviceId, reading: &LedgerReading) -> Error {
    Error::OutOfMemory {
        operation: description.kind.name(),
        device,
        asked: description.footprint(device),
        free: reading.free(),
        reserved: reading.reserved,
        capacity: reading.capacity,
    }
}
