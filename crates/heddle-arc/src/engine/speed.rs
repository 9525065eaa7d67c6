//! An estimate of whether a program is slow.

use std::sync::atomic::{AtomicU8, Ordering};

/// A confidence level from a program's evaluations so far. Threads share it and may briefly
/// see different levels: the level decides when an evaluation runs, never its result.
#[derive(Debug, Default)]
pub(super) struct SpeedEstimate(AtomicU8);

/// No evaluation has run.
const UNKNOWN: u8 = 0;
/// The next evaluation is deferred.
const SLOW: u8 = 1;
/// The level after a quick first evaluation.
const FIRST_LEVEL: u8 = 4;
/// The highest level; three slow evaluations in a row reduce it to [`SLOW`].
const MAX_LEVEL: u8 = 8;

impl SpeedEstimate {
    fn level(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether no evaluation has run.
    pub(super) fn is_unknown(&self) -> bool {
        self.level() == UNKNOWN
    }

    /// Whether the next evaluation is deferred: the first was deferred, or several ran out of
    /// budget.
    pub(super) fn is_slow(&self) -> bool {
        self.level() == SLOW
    }

    /// Records whether an evaluation was slow. When two threads record at once, one record may
    /// be lost.
    pub(super) fn note(&self, slow: bool) {
        let level = match (self.level(), slow) {
            (UNKNOWN, true) => SLOW,
            (UNKNOWN, false) => FIRST_LEVEL,
            (level, true) => (level / 2).max(SLOW),
            (level, false) => (level + 1).min(MAX_LEVEL),
        };
        self.0.store(level, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_evaluation_decides_and_rare_failures_recover() {
        let slow = SpeedEstimate::default();
        assert!(slow.is_unknown());
        slow.note(true);
        assert!(slow.is_slow());
        let quick = SpeedEstimate::default();
        for round in 0..40 {
            quick.note(round % 5 == 4);
            assert!(!quick.is_slow() && !quick.is_unknown());
        }
        for _ in 0..3 {
            quick.note(true);
        }
        assert!(quick.is_slow());
    }
}
