//! Tests with two comparisons whether the level of pressure can have changed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::pressure::{HYSTERESIS, PressureLevel, PressureMonitor, PressureThresholds};
use crate::units::Bytes;

/// The band of committed bytes within which the level of pressure stays unchanged and no
/// clean-up begins.
#[derive(Debug)]
pub(super) struct PressureBand {
    capacity: AtomicU64,
    /// The bits of the share at which clean-up begins.
    cleanup_at: AtomicU64,
    /// Whether a clean-up may begin: it begins once, until the utilisation has been lower
    /// again.
    armed: AtomicBool,
    taken_by_others: AtomicU64,
    from: AtomicU64,
    to: AtomicU64,
    /// Held while the band is moved, so that the last thread to move it uses the latest level.
    moving: Mutex<()>,
}

impl PressureBand {
    pub(super) fn new(capacity: Bytes, cleanup_at: f64, thresholds: &PressureThresholds) -> Self {
        let pressure_band = Self {
            capacity: AtomicU64::new(0),
            cleanup_at: AtomicU64::new(0),
            armed: AtomicBool::new(true),
            taken_by_others: AtomicU64::new(0),
            from: AtomicU64::new(0),
            to: AtomicU64::new(0),
            moving: Mutex::default(),
        };
        pressure_band.set(capacity, cleanup_at);
        pressure_band.move_band(thresholds, PressureLevel::Low);
        pressure_band
    }

    /// Sets the limits; the band follows at the next observation of the pressure.
    pub(super) fn set(&self, capacity: Bytes, cleanup_at: f64) {
        // At 1 or more, clean-up never begins: no more than everything can be committed.
        let never = cleanup_at >= 1.0;
        let cleanup_at = if never { f64::INFINITY } else { cleanup_at };
        self.capacity.store(capacity.0, Ordering::Relaxed);
        self.cleanup_at
            .store(cleanup_at.to_bits(), Ordering::Relaxed);
    }

    fn capacity(&self) -> f64 {
        self.capacity.load(Ordering::Relaxed) as f64
    }

    fn cleanup_at(&self) -> f64 {
        f64::from_bits(self.cleanup_at.load(Ordering::Relaxed))
    }

    /// Whether the committed bytes have left the band.
    #[inline]
    pub(super) fn has_left_band(&self, committed: Bytes) -> bool {
        committed.0 < self.from.load(Ordering::Relaxed)
            || committed.0 >= self.to.load(Ordering::Relaxed)
    }

    /// The share of the capacity that is committed or taken by others.
    pub(super) fn utilisation(&self, committed: Bytes) -> f64 {
        let gone = committed + self.taken_by_others();
        if self.capacity() > 0.0 {
            gone.0 as f64 / self.capacity()
        } else {
            1.0
        }
    }

    pub(super) fn taken_by_others(&self) -> Bytes {
        Bytes(self.taken_by_others.load(Ordering::Relaxed))
    }

    /// The part of these free bytes that other processes leave.
    pub(super) fn available_of(&self, free: Bytes) -> Bytes {
        free.saturating_sub(self.taken_by_others())
    }

    /// Whether other processes leave enough memory for what is committed.
    pub(super) fn is_within_capacity(&self, committed: Bytes) -> bool {
        let all = committed + self.taken_by_others();
        all.0 as f64 <= self.capacity()
    }

    /// Records the free bytes the driver reports. The bytes taken by others are the difference
    /// between the limit and the sum of those free bytes and our own.
    pub(super) fn ask_driver(&self, held: Bytes, free: Option<Bytes>) {
        let taken = free.map_or(0, |free| {
            self.capacity
                .load(Ordering::Relaxed)
                .saturating_sub((held + free).0)
        });
        self.taken_by_others.store(taken, Ordering::Relaxed);
    }

    /// Whether a clean-up must continue.
    pub(super) fn is_over(&self, utilisation: f64) -> bool {
        utilisation >= self.cleanup_at() - HYSTERESIS
    }

    /// The bytes that an automatic clean-up should free, if one begins now.
    pub(super) fn cleanup_begins(&self, utilisation: f64) -> Option<Bytes> {
        if !self.is_over(utilisation) {
            self.armed.store(true, Ordering::Release);
        }
        let begins = utilisation >= self.cleanup_at() && self.armed.swap(false, Ordering::AcqRel);
        begins.then(|| {
            let excess = utilisation - (self.cleanup_at() - HYSTERESIS);
            Bytes((excess * self.capacity()) as u64)
        })
    }

    /// Moves the band to the current level.
    pub(super) fn move_to_level(&self, pressure: &PressureMonitor) {
        let _guard = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        self.move_band(&pressure.thresholds(), pressure.level());
    }

    fn move_band(&self, thresholds: &PressureThresholds, level: PressureLevel) {
        let (mut from, mut to) = thresholds.band(level);
        if self.armed.load(Ordering::Acquire) {
            to = to.min(self.cleanup_at());
        } else {
            from = from.max(self.cleanup_at() - HYSTERESIS);
        }
        let taken = self.taken_by_others().0;
        let committed =
            |share: f64| ((share * self.capacity()).ceil() as u64).saturating_sub(taken);
        self.from.store(committed(from), Ordering::Relaxed);
        self.to.store(committed(to), Ordering::Relaxed);
    }
}
