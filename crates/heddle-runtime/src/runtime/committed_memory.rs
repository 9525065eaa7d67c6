//! The use of a device's memory while an operation runs.
//!
//! Nothing here runs unless spans are recorded. The driver is never queried: the bytes this
//! process granted and reserved are enough, and take a few loads to read.

use std::sync::atomic::{AtomicU64, Ordering};

use heddle_profile::{MemorySample, Pressure, Profiler};

use super::DeviceSlot;
use crate::memory::{AcceleratorMemory, PressureLevel};
use crate::units::Bytes;

/// The least time between samples of one device's memory, so that the profiler's 65,536 samples
/// cover half a minute.
const SAMPLE_EVERY_NS: u64 = 500_000;

/// The bytes granted and reserved at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommittedMemory {
    committed: Bytes,
    /// The most ever committed.
    peak: Bytes,
}

impl CommittedMemory {
    /// The most bytes committed from this moment to a later one, as far as both show: exact
    /// where it was the most ever, else the larger of the two ends.
    pub(super) fn peak_until(self, later: Self) -> Bytes {
        if later.peak > self.peak {
            later.peak
        } else {
            self.committed.max(later.committed)
        }
    }
}

/// The time when the next sample of a device's memory is due, by the profiler's clock.
#[derive(Debug, Default)]
pub(super) struct NextSample(AtomicU64);

impl NextSample {
    /// Whether a sample is due; true for only one of several concurrent callers.
    fn claim(&self, now_ns: u64) -> bool {
        let due = self.0.load(Ordering::Relaxed);
        now_ns >= due
            && self
                .0
                .compare_exchange(
                    due,
                    now_ns + SAMPLE_EVERY_NS,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

impl DeviceSlot {
    #[inline]
    pub(super) fn committed_memory(&self) -> CommittedMemory {
        let (committed, peak) = if let Some(memory) = self.memory() {
            let limit = memory.limit_reading();
            (limit.allocated + limit.reserved, limit.peak)
        } else {
            let ledger = self.ledger.reading();
            (ledger.reserved, ledger.peak)
        };
        CommittedMemory { committed, peak }
    }

    /// Records a sample of its memory, if it has its own memory and a sample is due.
    #[inline]
    pub(super) fn sample(&self, profiler: &Profiler, now_ns: u64) {
        if self.has_memory && self.next_sample.claim(now_ns) {
            self.sample_now(profiler, now_ns);
        }
    }

    #[cold]
    pub(super) fn sample_now(&self, profiler: &Profiler, now_ns: u64) {
        if let Some(memory) = self.memory() {
            profiler.record_memory(
                sample_of(memory, now_ns)
                    .with(|it| it.device = self.device.id().to_string().into()),
            );
        }
    }
}

fn sample_of(memory: &AcceleratorMemory, at_ns: u64) -> MemorySample {
    let limit = memory.limit_reading();
    let committed = limit.allocated + limit.reserved;
    MemorySample::default().with(|it| {
        it.at_ns = at_ns;
        it.allocated = limit.allocated.0;
        it.reserved = limit.reserved.0;
        it.pooled = memory.pooled().0;
        it.free = limit.capacity.saturating_sub(committed).0;
        it.limit = limit.capacity.0;
        it.pressure = match memory.level() {
            PressureLevel::Low => Pressure::Low,
            PressureLevel::Moderate => Pressure::Moderate,
            PressureLevel::High => Pressure::High,
            PressureLevel::Critical => Pressure::Critical,
        };
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn committed_memory(committed: u64, peak: u64) -> CommittedMemory {
        CommittedMemory {
            committed: Bytes(committed),
            peak: Bytes(peak),
        }
    }

    #[test]
    fn a_new_maximum_is_the_peak_otherwise_the_larger_end() {
        assert_eq!(
            committed_memory(5, 9).peak_until(committed_memory(6, 12)),
            Bytes(12)
        );
        assert_eq!(
            committed_memory(5, 9).peak_until(committed_memory(6, 9)),
            Bytes(6)
        );
        assert_eq!(
            committed_memory(8, 9).peak_until(committed_memory(6, 9)),
            Bytes(8)
        );
    }

    #[test]
    fn samples_keep_the_minimum_interval() {
        let next = NextSample::default();
        let taken: Vec<u64> = (0..2_000_000)
            .step_by(100_000)
            .filter(|&now| next.claim(now))
            .collect();
        assert_eq!(taken, [0, 500_000, 1_000_000, 1_500_000]);
    }
}
