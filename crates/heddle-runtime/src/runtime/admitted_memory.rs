//! The memory reserved for one operation on one device.
//!
//! A device with its own memory reserves there, so that stored arrays count and everything that
//! can be dropped is dropped first. The CPU, and a device without such a memory, has a ledger
//! of the bytes that running operations declared. An operation that declares a megabyte or more
//! on the CPU must fit beside the arrays that exist; vectors of the caller are not counted.

use std::panic::Location;

use super::DeviceSlot;
use crate::array::held_bytes;
use crate::device::DeviceId;
use crate::memory::{
    AcceleratorMemory, Admission, AllocationSite, AllocationSiteGuard, CHECKED_FROM,
    EnteredAdmission, LedgerReading, Reservation, Shortage,
};
use crate::operation::Description;
use crate::units::Bytes;

/// The memory that an operation was admitted with. Released on drop.
pub(super) enum AdmittedMemory<'a> {
    /// A reservation in the ledger.
    Reserved {
        /// Released on drop.
        reservation: Reservation<'a>,
    },
    /// Bytes of the device's memory.
    Admitted {
        /// Entered while the operation runs.
        admission: Admission,
        /// The number of copies dropped or moved before the operation was described.
        copies_removed: u64,
    },
}

/// Attributes this thread's allocations to one operation.
pub(super) struct AllocationScope {
    _entered: EnteredAdmission,
    _site: AllocationSiteGuard,
}

impl AdmittedMemory<'_> {
    /// Lets the operation draw on it until the returned guard is dropped. Does nothing on the
    /// CPU, whose smallest operations take 200 ns in all.
    #[inline]
    pub(super) fn enter(
        &self,
        description: &Description,
        place: &'static Location<'static>,
    ) -> Option<AllocationScope> {
        match self {
            Self::Reserved { .. } => None,
            Self::Admitted { admission, .. } => Some(AllocationScope {
                _entered: admission.enter(),
                _site: AllocationSite {
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
            Self::Reserved { reservation } => reservation.bytes(),
            Self::Admitted { admission, .. } => admission.bytes(),
        }
    }

    /// The bytes granted, where they can be fewer than requested.
    pub(super) fn granted(&self) -> Option<Bytes> {
        match self {
            Self::Reserved { .. } => None,
            Self::Admitted { admission, .. } => Some(admission.bytes()),
        }
    }
}

impl DeviceSlot {
    /// Whether copies were dropped or moved since `admitted` was reserved: the operation may have
    /// relied on one of them.
    pub(super) fn has_removed_copies_since(&self, admitted: &AdmittedMemory<'_>) -> bool {
        match (admitted, self.memory()) {
            (AdmittedMemory::Admitted { copies_removed, .. }, Some(memory)) => {
                memory.copies_removed() != *copies_removed
            }
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
    pub(super) fn reserve(
        &self,
        description: &Description,
    ) -> Result<AdmittedMemory<'_>, Box<Shortage>> {
        if !self.has_memory {
            return self.reserve_in_ledger(description);
        }
        match self.memory() {
            Some(memory) => {
                let copies_removed = memory.copies_removed();
                let admission = memory.reserve(self.footprint(memory, description))?;
                Ok(AdmittedMemory::Admitted {
                    admission,
                    copies_removed,
                })
            }
            None => self.reserve_in_ledger(description),
        }
    }

    /// Reserves the memory that is free, for an operation that can work in pieces.
    pub(super) fn reserve_some(&self, description: &Description) -> Option<AdmittedMemory<'_>> {
        let memory = self.memory()?;
        let least = memory.footprint(description.least?);
        let most = self.footprint(memory, description);
        // A reservation of the whole has just been refused.
        let copies_removed = memory.copies_removed();
        let admission = memory.reserve_between(least, most.max(least)).ok()?;
        Some(AdmittedMemory::Admitted {
            admission,
            copies_removed,
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
    fn reserve_in_ledger(
        &self,
        description: &Description,
    ) -> Result<AdmittedMemory<'_>, Box<Shortage>> {
        let device = self.device.id();
        let asked = description.footprint(device);
        if asked >= CHECKED_FROM && device.is_host() {
            self.check_beside_arrays(device, asked)?;
        }
        match self.ledger.reserve(asked) {
            Ok(reservation) => Ok(AdmittedMemory::Reserved { reservation }),
            Err(reading) => {
                let held = Bytes(0);
                Err(Box::new(Shortage::of_ledger(device, asked, held, &reading)))
            }
        }
    }

    /// Whether the bytes fit beside the arrays on the host. Results of running operations are
    /// among these, so what is reserved does not count once more.
    fn check_beside_arrays(&self, device: DeviceId, asked: Bytes) -> Result<(), Box<Shortage>> {
        let held = held_bytes();
        if asked + held <= self.ledger.capacity() {
            return Ok(());
        }
        let reading = self.ledger.refuse();
        Err(Box::new(Shortage::of_ledger(device, asked, held, &reading)))
    }
}
