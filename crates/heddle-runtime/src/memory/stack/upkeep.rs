//! Maintenance of a device's memory: observing pressure, sampling, cleaning up.

use super::Memory;
use crate::memory::cleanup::CleanupCause;
use crate::memory::monitor::Snapshot;
use crate::memory::storage::Storage;

impl<B: Storage> Memory<B> {
    /// Runs the maintenance that depends on time: idle memory is released, the driver is asked
    /// what other processes left, a snapshot is taken and the sites' floors are recorded.
    /// Allocations and frees run it when it is due; a device at rest may be ticked.
    pub fn tick(&self) {
        let now = self.clock.now();
        if !self.monitor.claim(now) {
            return;
        }
        self.stack.tick();
        self.ask_driver();
        self.leaks.observe(now, &self.stack.take_floors());
        self.reassess();
        self.snapshot();
    }

    /// The whole cost on the fast path besides allocating: two comparisons.
    #[inline]
    pub(super) fn look(&self) {
        if self.watch.has_moved(self.limit().committed()) {
            self.reassess();
        }
        if self.monitor.is_due(self.clock.roughly_now()) {
            self.tick();
        }
    }

    #[cold]
    pub(super) fn reassess(&self) {
        let utilisation = self.watch.utilisation(self.limit().committed());
        let changed = self.pressure.observe(utilisation);
        if let Some(excess) = self.watch.cleanup_begins(utilisation) {
            self.clean_up(CleanupCause::Automatic, excess, true, || {
                let committed = self.limit().committed();
                !self.watch.is_over(self.watch.utilisation(committed))
            });
        }
        self.watch.settle(&self.pressure);
        if changed.is_some() {
            self.snapshot();
        }
    }

    pub(super) fn ask_driver(&self) {
        let free = self.stack.driver_free();
        self.watch.ask_driver(self.stack.reading().held, free);
    }

    fn snapshot(&self) {
        let limit = self.limit().limit_reading();
        self.monitor.record(Snapshot {
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
