//! Maintenance of a device's memory: observing pressure, sampling, cleaning up.

use super::Memory;
use crate::memory::cleanup::CleanupCause;
use crate::memory::snapshot_history::Snapshot;
use crate::memory::storage::Storage;

impl<B: Storage> Memory<B> {
    /// Runs the maintenance that depends on time: idle memory is released, the memory of other
    /// processes is read from the driver, a snapshot is taken and the sites' floors are recorded.
    /// Allocations and frees run it when it is due; a device at rest may be ticked.
    pub fn tick(&self) {
        let now = self.clock.now();
        if !self.snapshot_history.claim(now) {
            return;
        }
        self.stack.tick();
        self.ask_driver();
        self.leaks.observe(now, &self.stack.take_minima());
        self.update_pressure();
        self.snapshot();
    }

    /// The whole cost on the fast path besides allocating: two comparisons.
    #[inline]
    pub(super) fn check_after_change(&self) {
        if self.pressure_band.has_left_band(self.limit().committed()) {
            self.update_pressure();
        }
        if self.snapshot_history.is_due(self.clock.approximate_now()) {
            self.tick();
        }
    }

    #[cold]
    pub(super) fn update_pressure(&self) {
        let utilisation = self.pressure_band.utilisation(self.limit().committed());
        let changed = self.pressure.observe(utilisation);
        if let Some(excess) = self.pressure_band.cleanup_begins(utilisation) {
            self.clean_up(CleanupCause::Automatic, excess, true, || {
                let committed = self.limit().committed();
                !self
                    .pressure_band
                    .is_over(self.pressure_band.utilisation(committed))
            });
        }
        self.pressure_band.move_to_level(&self.pressure);
        if changed.is_some() {
            self.snapshot();
        }
    }

    pub(super) fn ask_driver(&self) {
        let free = self.stack.driver_free();
        self.pressure_band
            .ask_driver(self.stack.reading().held, free);
    }

    fn snapshot(&self) {
        let limit = self.limit().limit_reading();
        self.snapshot_history.record(Snapshot {
            at: self.clock.now(),
            allocated: limit.allocated,
            reserved: limit.reserved,
            pooled: self.stack.reading().pooled(),
            peak: limit.peak,
            driver_free: self.stack.driver_free(),
            level: self.pressure.level(),
        });
    }
}
