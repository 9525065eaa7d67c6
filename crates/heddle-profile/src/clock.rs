//! The clock of scopes, and its mapping to the profiler's timeline.
//!
//! A scope is stamped with raw ticks of the CPU's counter where that counter is
//! steady, because reading it takes 10 ns and `Instant::now` takes 23 ns (AMD EPYC,
//! KVM). Ticks are converted to nanoseconds only when a snapshot is read, by a rate
//! measured over the whole life of the profiler, so the two clocks do not drift
//! apart in a long run.

use std::time::{Duration, Instant};

/// A rate measured over less time than this is worse than the rate the counter was
/// calibrated with when it was opened.
const LONG_ENOUGH: Duration = Duration::from_millis(50);

/// A tick counter, and the epoch of both clocks.
#[derive(Debug)]
pub(crate) struct Timebase {
    counter: quanta::Clock,
    epoch: Instant,
    epoch_ticks: u64,
}

impl Timebase {
    /// Starts both clocks now.
    pub(crate) fn new() -> Self {
        let counter = quanta::Clock::new();
        let (epoch, epoch_ticks) = both(&counter);
        Self {
            counter,
            epoch,
            epoch_ticks,
        }
    }

    #[inline]
    pub(crate) fn ticks(&self) -> u64 {
        self.counter.raw()
    }

    /// Nanoseconds from the epoch to `at`; zero if `at` is earlier.
    pub(crate) fn since_epoch_ns(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.epoch);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The current conversion of ticks to nanoseconds.
    pub(crate) fn scale(&self) -> TickScale {
        const MANY: u64 = 1 << 32;
        let (now, ticks) = both(&self.counter);
        let passed = ticks.saturating_sub(self.epoch_ticks);
        let elapsed = now.saturating_duration_since(self.epoch);
        let ns_per_tick = if elapsed < LONG_ENOUGH || passed == 0 {
            self.counter.delta_as_nanos(0, MANY) as f64 / MANY as f64
        } else {
            elapsed.as_nanos() as f64 / passed as f64
        };
        TickScale {
            epoch_ticks: self.epoch_ticks,
            ns_per_tick,
        }
    }
}

/// Reads both clocks as close together as possible.
fn both(counter: &quanta::Clock) -> (Instant, u64) {
    let before = counter.raw();
    let now = Instant::now();
    let after = counter.raw();
    (now, before + after.saturating_sub(before) / 2)
}

/// Converts ticks to nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickScale {
    epoch_ticks: u64,
    ns_per_tick: f64,
}

impl TickScale {
    /// The time of a tick, in nanoseconds since the epoch.
    pub(crate) fn at_ns(&self, ticks: u64) -> u64 {
        self.span_ns(ticks.saturating_sub(self.epoch_ticks))
    }

    /// The duration of a number of ticks in nanoseconds.
    pub(crate) fn span_ns(&self, ticks: u64) -> u64 {
        (ticks as f64 * self.ns_per_tick).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_before_the_epoch_is_zero() {
        let before = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        let base = Timebase::new();
        assert_eq!(base.since_epoch_ns(before), 0);
        assert_eq!(
            base.since_epoch_ns(base.epoch + Duration::from_micros(3)),
            3_000
        );
    }

    #[test]
    fn both_clocks_agree_early_and_late() {
        let base = Timebase::new();
        for wait_ms in [0, 5, 80] {
            std::thread::sleep(Duration::from_millis(wait_ms));
            let (now, ticks) = both(&base.counter);
            let by_instant = base.since_epoch_ns(now);
            let by_ticks = base.scale().at_ns(ticks);
            // A preemption between the two readings is not an error of the scale.
            let apart = by_instant.abs_diff(by_ticks);
            assert!(apart < 200_000, "{by_instant} ns against {by_ticks} ns");
        }
    }
}
