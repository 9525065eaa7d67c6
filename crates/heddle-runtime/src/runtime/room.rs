//! Room for one operation in one device's memory.
//!
//! A device with a memory of its own is asked there, so that arrays that merely
//! exist count and everything that can be dropped is dropped first. The
//! processor, and a device without such a memory, has a ledger of what running
//! operations said they need: host arrays that exist are the caller's and are
//! not counted.

use std::panic::Location;

use super::Station;
use crate::memory::{
    AcceleratorMemory, Admission, Entered, LedgerReading, Reservation, Shortage, Site, SiteGuard,
};
use crate::operation::Description;
use crate::units::Bytes;

/// What an operation was admitted with. Given back on drop.
pub(super) enum Room<'a> {
    /// A line in the ledger.
    Booked {
        /// Given back on drop.
        reservation: Reservation<'a>,
    },
    /// Bytes of the device's memory.
    Granted {
        /// Entered while the operation runs.
        admission: Admission,
        /// Copies that had left before it was described.
        departures: u64,
    },
}

/// Says that what this thread allocates is on account of one operation.
pub(super) struct Inside {
    _entered: Entered,
    _site: SiteGuard,
}

impl Room<'_> {
    /// Lets the operation draw on it until the answer is dropped. Nothing is done
    /// on the processor, whose operations take 200 ns in all.
    #[inline]
    pub(super) fn enter(
        &self,
        description: &Description,
        place: &'static Location<'static>,
    ) -> Option<Inside> {
        match self {
            Self::Booked { .. } => None,
            Self::Granted { admission, .. } => Some(Inside {
                _entered: admission.enter(),
                _site: Site {
                    kind: description.kind.name(),
                    place,
                }
                .enter(),
            }),
        }
    }

    /// Bytes it was admitted with.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::Booked { reservation } => reservation.bytes(),
            Self::Granted { admission, .. } => admission.bytes(),
        }
    }

    /// Bytes granted, where they can be fewer than were asked for.
    pub(super) fn granted(&self) -> Option<Bytes> {
        match self {
            Self::Booked { .. } => None,
            Self::Granted { admission, .. } => Some(admission.bytes()),
        }
    }
}

impl Station {
    /// Whether copies have left since `room` was given: the operation may
    /// have counted on one of them.
    pub(super) fn has_lost_copies_since(&self, room: &Room<'_>) -> bool {
        match (room, self.memory()) {
            (Room::Granted { departures, .. }, Some(memory)) => memory.departures() != *departures,
            _ => false,
        }
    }

    /// The device's own memory, if it has one.
    pub(super) fn memory(&self) -> Option<&AcceleratorMemory> {
        self.device.accelerator()?.memory()
    }

    /// What running operations have reserved.
    pub(super) fn reading(&self) -> LedgerReading {
        let Some(memory) = self.memory() else {
            return self.ledger.reading();
        };
        let limit = memory.reading().limit;
        LedgerReading {
            capacity: limit.capacity,
            reserved: limit.reserved,
            peak: limit.peak,
            refusals: limit.refusals,
        }
    }

    /// Reserves all that `description` needs here, after a clean-up if need be.
    #[inline]
    pub(super) fn reserve(&self, description: &Description) -> Result<Room<'_>, Box<Shortage>> {
        if !self.has_memory {
            return self.book(description);
        }
        match self.memory() {
            Some(memory) => {
                let departures = memory.departures();
                let admission = memory.reserve(self.footprint(memory, description))?;
                Ok(Room::Granted {
                    admission,
                    departures,
                })
            }
            None => self.book(description),
        }
    }

    /// Reserves what there is, for an operation that can work piece by piece.
    pub(super) fn reserve_some(&self, description: &Description) -> Option<Room<'_>> {
        let memory = self.memory()?;
        let least = memory.footprint(description.least?);
        let most = self.footprint(memory, description);
        // One that would get all of it has just been refused.
        let departures = memory.departures();
        let admission = memory.reserve_between(least, most.max(least)).ok()?;
        Some(Room::Granted {
            admission,
            departures,
        })
    }

    /// What the blocks of an operation count for, rounding included.
    pub(super) fn footprint(&self, memory: &AcceleratorMemory, description: &Description) -> Bytes {
        let device = self.device.id();
        let missing = description
            .operands
            .iter()
            .filter(|operand| !operand.residency.is_on(device))
            .map(|operand| operand.bytes);
        missing
            .chain([description.output, description.scratch])
            .filter(|bytes| *bytes > Bytes(0))
            .map(|bytes| memory.footprint(bytes))
            .sum()
    }

    #[inline]
    fn book(&self, description: &Description) -> Result<Room<'_>, Box<Shortage>> {
        let device = self.device.id();
        let asked = description.footprint(device);
        match self.ledger.reserve(asked) {
            Ok(reservation) => Ok(Room::Booked { reservation }),
            Err(reading) => Err(Box::new(Shortage::of_ledger(device, asked, &reading))),
        }
    }
}
