//! Injected time, so that tests of idle and leak windows need not wait.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::units::Nanos;

/// The number of rough readings that share one reading of the system's clock, which takes 26
/// ns; a rough one takes 4.
const READINGS_PER_CLOCK_READ: u64 = 16;

/// A source of time, in nanoseconds since its own origin.
pub trait TimeSource: fmt::Debug + Send + Sync {
    /// The time.
    fn now(&self) -> Nanos;

    /// The time, possibly that of one of the last few readings. For timestamps that are
    /// compared with seconds but taken on paths that count nanoseconds.
    fn approximate_now(&self) -> Nanos {
        self.now()
    }
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
    last: AtomicU64,
    readings: AtomicU64,
}

/// A clock that only moves when it is advanced.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl SystemClock {
    /// Creates a clock that starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
            last: AtomicU64::new(0),
            readings: AtomicU64::new(0),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl TimeSource for SystemClock {
    fn now(&self) -> Nanos {
        let now = Nanos::from(self.origin.elapsed());
        self.last.store(now.0, Ordering::Relaxed);
        now
    }

    fn approximate_now(&self) -> Nanos {
        // Not a read-modify-write: a count lost between threads only delays the next reading of
        // the clock.
        let readings = self.readings.load(Ordering::Relaxed);
        self.readings
            .store(readings.wrapping_add(1), Ordering::Relaxed);
        if readings.is_multiple_of(READINGS_PER_CLOCK_READ) {
            self.now()
        } else {
            Nanos(self.last.load(Ordering::Relaxed))
        }
    }
}

impl ManualClock {
    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(Nanos::from(by).0, Ordering::Relaxed);
    }

    /// Moves the clock forward to `time`, unless it is later already.
    pub fn advance_to(&self, time: Nanos) {
        self.0.fetch_max(time.0, Ordering::Relaxed);
    }
}

impl TimeSource for ManualClock {
    fn now(&self) -> Nanos {
        Nanos(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_advanced() {
        let clock = ManualClock::default();
        assert_eq!(clock.now(), Nanos(0));
        clock.advance(Duration::from_mins(5));
        assert_eq!(clock.approximate_now(), Nanos(300_000_000_000));
    }

    #[test]
    fn a_rough_reading_is_never_ahead() {
        let clock = SystemClock::new();
        for _ in 0..100 {
            assert!(clock.approximate_now() <= clock.now());
        }
    }
}
