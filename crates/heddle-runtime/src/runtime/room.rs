//! The memory reserved for one operation on one device.
//!
//! A device with its own memory reserves there, so that stored arrays count and everything that
//! can be dropped is dropped first. The CPU, and a device without such a memory, has a ledger
//! of the bytes that running operations declared: existing host arrays belong to the caller and
//! are not counted.

use std::panic::Location;

use super::Station;
use crate::memory::{
    AcceleratorMemory, Admission, Entered, LedgerReading, Reservation, Shortage, Site, SiteGuard,
};
use crate::operation::Description;
use crate::units::Bytes;

/// The memory that an operation was admitted with. Released on drop.
pub(super) enum Room<'a> {
    /// A reservation in the ledger.
    Booked {
        /// Released on drop.
        reservation: Reservation<'a>,
    },
    /// Bytes of the device's memory.
    Granted {
        /// Entered while the operation runs.
        admission: Admission,
        /// The number of copies dropped or moved before the operation was described.
        departures: u64,
    },
}

/// Books this thread's allocations to one operation.
pub(super) struct Inside {
    _entered: Entered,
    _site: SiteGuard,
}

impl Room<'_> {
    /// Lets the operation draw on it until the returned guard is dropped. Does nothing on the
    /// CPU, whose smallest operations take 200 ns in all.
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

    /// The bytes it was admitted with.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::Booked { reservation } => reservation.bytes(),
            Self::Granted { admission, .. } => admission.bytes(),
        }
    }

    /// The bytes granted, where they can be fewer than requested.
    pub(super) fn granted(&self) -> Option<Bytes> {
        match self {
            Self::Booked { .. } => None,
            Self::Granted { admission, .. } => Some(admission.bytes()),
        }
    }
}

impl Station {
    /// Whether copies were dropped or moved since `room` was reserved: the operation may have
    /// relied on one of them.
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

    /// The bytes that running operations have reserved.
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

    /// Reserves all that `description` needs here, after a clean-up if necessary.
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

    /// Reserves the memory that is free, for an operation that can work in pieces.
    pub(super) fn reserve_some(&self, description: &Description) -> Option<Room<'_>> {
        let memory = self.memory()?;
        let least = memory.footprint(description.least?);
        let most = self.footprint(memory, description);
        // A reservation of the whole has just been refused.
        let departures = memory.departures();
        let admission = memory.reserve_between(least, most.max(least)).ok()?;
        Some(Room::Granted {
            admission,
            departures,
        })
    }

    /// The bytes that the blocks of an operation count for, rounding included.
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
