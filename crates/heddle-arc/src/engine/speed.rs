//! What is known of how long a program takes.

use std::sync::atomic::{AtomicU8, Ordering};

/// How a program's evaluations went so far, as the trust put in it. Threads
/// share it and may disagree for a moment: it decides when an evaluation is
/// run, never what comes of it.
#[derive(Debug, Default)]
pub(super) struct SpeedEstimate(AtomicU8);

/// Nothing is known yet.
const UNKNOWN: u8 = 0;
/// The next evaluation has to wait.
const SLOW: u8 = 1;
/// After a first evaluation that was quick.
const FIRST_LEVEL: u8 = 4;
/// Three failures in a row use it up.
const MAX_LEVEL: u8 = 8;

impl SpeedEstimate {
    fn level(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether no evaluation has been seen yet.
    pub(super) fn is_unknown(&self) -> bool {
        self.level() == UNKNOWN
    }

    /// Whether the next evaluation has to wait until everything else is done:
    /// the first was put off, or several ran out of their budget.
    pub(super) fn is_slow(&self) -> bool {
        self.level() == SLOW
    }

    /// Notes how an evaluation went. Of two threads that note at once one may
    /// go unheard.
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
