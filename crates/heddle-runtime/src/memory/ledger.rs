//! The byte ledger of one device.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::units::Bytes;

/// Counts bytes reserved on one device against a limit. Thread safe and lock free.
#[derive(Debug)]
pub(crate) struct Ledger {
    capacity: AtomicU64,
    reserved: AtomicU64,
    peak: AtomicU64,
    refusals: AtomicU64,
}

/// The state of a ledger at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LedgerReading {
    /// The limit.
    pub capacity: Bytes,
    /// The bytes reserved now.
    pub reserved: Bytes,
    /// The most bytes ever reserved at once.
    pub peak: Bytes,
    /// The number of reservations refused.
    pub refusals: u64,
}

impl Ledger {
    /// Creates a ledger that never lets more than `capacity` be reserved at once.
    #[must_use]
    pub(crate) fn new(capacity: Bytes) -> Self {
        Self {
            capacity: AtomicU64::new(capacity.0),
            reserved: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
        }
    }

    /// Changes the limit. Reservations beyond a lower limit are kept.
    pub(crate) fn set_capacity(&self, capacity: Bytes) {
        self.capacity.store(capacity.0, Ordering::Relaxed);
    }

    /// The limit.
    #[inline]
    pub(crate) fn capacity(&self) -> Bytes {
        Bytes(self.capacity.load(Ordering::Relaxed))
    }

    /// Reserves `bytes` until the reservation is dropped. Returns the ledger's state if they do
    /// not fit.
    pub(crate) fn reserve(&self, bytes: Bytes) -> Result<Reservation<'_>, LedgerReading> {
        self.take(bytes)?;
        Ok(Reservation {
            ledger: self,
            bytes,
        })
    }

    #[inline]
    pub(super) fn take(&self, bytes: Bytes) -> Result<(), LedgerReading> {
        let capacity = self.capacity();
        let granted = self
            .reserved
            .try_update(Ordering::AcqRel, Ordering::Relaxed, |reserved| {
                reserved
                    .checked_add(bytes.0)
                    .filter(|&total| total <= capacity.0)
            });
        let Ok(before) = granted else {
            return Err(self.refuse());
        };
        let now = before + bytes.0;
        // The load comes first: a new peak is rare, and a locked write has a cost.
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Counts a refusal and returns the state.
    #[cold]
    pub(crate) fn refuse(&self) -> LedgerReading {
        self.refusals.fetch_add(1, Ordering::Relaxed);
        self.reading()
    }

    /// The bytes reserved now.
    #[inline]
    pub(super) fn reserved(&self) -> Bytes {
        Bytes(self.reserved.load(Ordering::Acquire))
    }

    #[inline]
    pub(super) fn give_back(&self, bytes: Bytes) {
        self.reserved.fetch_sub(bytes.0, Ordering::AcqRel);
    }

    /// Returns the current state.
    #[must_use]
    pub(crate) fn reading(&self) -> LedgerReading {
        LedgerReading {
            capacity: self.capacity(),
            reserved: Bytes(self.reserved.load(Ordering::Acquire)),
            peak: Bytes(self.peak.load(Ordering::Relaxed)),
            refusals: self.refusals.load(Ordering::Relaxed),
        }
    }
}

impl LedgerReading {
    /// The bytes that can still be reserved.
    #[must_use]
    pub fn free(&self) -> Bytes {
        self.capacity.saturating_sub(self.reserved)
    }
}

/// Bytes reserved for one operation, released on drop.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    ledger: &'a Ledger,
    bytes: Bytes,
}

impl Reservation<'_> {
    /// The number of bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.ledger.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_up_to_the_limit_and_accepts_frees() {
        let ledger = Ledger::new(Bytes(100));
        let first = ledger.reserve(Bytes(60)).unwrap();
        let refused = ledger.reserve(Bytes(41)).unwrap_err();
        assert_eq!((refused.free(), refused.refusals), (Bytes(40), 1));
        let second = ledger.reserve(Bytes(40)).unwrap();
        drop((first, second));
        let reading = ledger.reading();
        assert_eq!((reading.reserved, reading.peak), (Bytes(0), Bytes(100)));
        assert!(ledger.reserve(Bytes(u64::MAX)).is_err());
    }

    #[test]
    fn is_exact_under_contention() {
        let ledger = Ledger::new(Bytes(1000));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for size in 0..2000 {
                        drop(ledger.reserve(Bytes(size % 300)));
                    }
                });
            }
        });
        let reading = ledger.reading();
        assert_eq!(reading.reserved, Bytes(0));
        assert!(reading.peak <= reading.capacity);
    }
}
