//! What is known of how long a program takes.

use std::sync::atomic::{AtomicU8, Ordering};

/// How a program's evaluations went so far, as the trust put in it. Threads
/// share it and may disagree for a moment: it decides when an evaluation is
/// run, never what comes of it.
#[derive(Debug, Default)]
pub(super) struct Pace(AtomicU8);

/// Nothing is known yet.
const UNKNOWN: u8 = 0;
/// The next evaluation has to wait.
const LEAST: u8 = 1;
/// After a first evaluation that was quick.
const SOME: u8 = 4;
/// Three failures in a row use it up.
const MOST: u8 = 8;

impl Pace {
    fn trust(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether no evaluation has been seen yet.
    pub(super) fn is_unknown(&self) -> bool {
        self.trust() == UNKNOWN
    }

    /// Whether the next evaluation has to wait until everything else is done:
    /// the first was put off, or several ran out of their budget.
    pub(super) fn is_slow(&self) -> bool {
        self.trust() == LEAST
    }

    /// Notes how an evaluation went. Of two threads that note at once one may
    /// go unheard.
    pub(super) fn note(&self, slow: bool) {
        let trust = match (self.trust(), slow) {
            (UNKNOWN, true) => LEAST,
            (UNKNOWN, false) => SOME,
            (trust, true) => (trust / 2).max(LEAST),
            (trust, false) => (trust + 1).min(MOST),
        };
        self.0.store(trust, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_evaluation_decides_and_rare_failures_are_forgiven() {
        let slow = Pace::default();
        assert!(slow.is_unknown());
        slow.note(true);
        assert!(slow.is_slow());
        let quick = Pace::default();
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
