//! Budgets: what one evaluation may cost, and the meter that counts it.
//!
//! Steps and bytes are charged *before* work is done or memory is taken, so a
//! hostile program is stopped by arithmetic, not by the allocator. Steps and
//! bytes are deterministic; wall time is looked at every few thousand steps and
//! is off unless asked for, because it makes results depend on the machine.

use crate::fault::{Fault, Limit};
use std::time::{Duration, Instant};

/// How deep calls may nest. Real programs stay below 20; a program can apply a
/// function to itself and would recurse for ever.
pub const MAX_CALL_DEPTH: u32 = 96;

/// How deep values may nest. Real programs stay below 10.
pub const MAX_VALUE_DEPTH: u8 = 64;

/// Steps between two looks at the clock.
const CLOCK_EVERY_STEPS: u64 = 16_384;

/// What one evaluation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Steps: one per primitive called plus its work in cells or elements.
    pub steps: u64,
    /// Bytes of values alive at once.
    pub bytes: u64,
    /// Wall time, if bounded: the sum of what the evaluation's own steps take, so that
    /// it does not depend on what else is in the plan.
    pub time: Option<Duration>,
}

/// Five times the steps and four times the bytes that the hungriest of 399
/// solvers of ARC tasks was seen to need (40,000 and 512 KiB); 390 of them stay
/// below 10,000 steps.
impl Default for Budget {
    fn default() -> Self {
        Budget {
            steps: 200_000,
            bytes: 2 << 20,
            time: None,
        }
    }
}

/// Counts against a [`Budget`].
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    /// The steps allowed for now, at most those of the budget.
    max_steps: u64,
    steps: u64,
    bytes: u64,
    peak_bytes: u64,
    depth: u32,
    next_clock_check: u64,
    deadline: Option<Instant>,
}

impl Meter {
    /// A meter at zero.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        let mut meter = Meter {
            budget,
            max_steps: budget.steps,
            steps: 0,
            bytes: 0,
            peak_bytes: 0,
            depth: 0,
            next_clock_check: u64::MAX,
            deadline: None,
        };
        meter.restart();
        meter
    }

    /// Back to zero, with the same budget.
    pub fn restart(&mut self) {
        self.restart_after(Duration::ZERO);
    }

    /// The same for an evaluation that has taken so much of its time.
    pub(crate) fn restart_after(&mut self, spent: Duration) {
        self.steps = 0;
        self.bytes = 0;
        self.peak_bytes = 0;
        self.depth = 0;
        if let Some(time) = self.budget.time {
            self.deadline = Some(Instant::now() + time.saturating_sub(spent));
            self.next_clock_check = CLOCK_EVERY_STEPS;
        }
    }

    /// Allows fewer steps than the budget does, from now on.
    pub(crate) fn limit_steps(&mut self, steps: u64) {
        self.max_steps = steps.min(self.budget.steps);
    }

    /// The budget it counts against.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Steps charged since the last restart.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Bytes charged and not yet given back.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The most bytes held at once since the last restart.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Whether so many steps and bytes are left.
    pub(crate) fn has(&self, steps: u64, bytes: u64) -> bool {
        self.steps.saturating_add(steps) <= self.max_steps
            && self.bytes.saturating_add(bytes) <= self.budget.bytes
    }

    /// Charges work about to be done.
    pub fn work(&mut self, steps: u64) -> Result<(), Fault> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.max_steps {
            return Err(Fault::Budget(Limit::Steps));
        }
        if self.steps >= self.next_clock_check {
            self.next_clock_check = self.steps + CLOCK_EVERY_STEPS;
            if self.deadline.is_some_and(|end| Instant::now() > end) {
                return Err(Fault::Budget(Limit::Time));
            }
        }
        Ok(())
    }

    /// Charges memory about to be taken, and the work of filling it.
    pub fn take(&mut self, bytes: u64) -> Result<(), Fault> {
        let total = self.bytes.saturating_add(bytes);
        if total > self.budget.bytes {
            return Err(Fault::Budget(Limit::Bytes));
        }
        self.bytes = total;
        self.peak_bytes = self.peak_bytes.max(total);
        self.work(bytes / 16)
    }

    /// Takes back everything charged since `bytes` was read from
    /// [`Meter::bytes`].
    pub(crate) fn give_back_to(&mut self, bytes: u64) {
        self.bytes = self.bytes.min(bytes);
    }

    /// Goes one call deeper.
    pub fn enter(&mut self) -> Result<(), Fault> {
        if self.depth >= MAX_CALL_DEPTH {
            return Err(Fault::Budget(Limit::Depth));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from a call.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(steps: u64, bytes: u64) -> Meter {
        Meter::new(Budget {
            steps,
            bytes,
            time: None,
        })
    }

    #[test]
    fn steps_beyond_the_limit_are_refused() {
        let mut meter = meter(10, 0);
        assert_eq!(meter.work(10), Ok(()));
        assert_eq!(meter.work(1), Err(Fault::Budget(Limit::Steps)));
    }

    #[test]
    fn bytes_given_back_can_be_taken_again() {
        let mut meter = meter(1_000, 64);
        let before = meter.bytes();
        assert_eq!(meter.take(64), Ok(()));
        assert_eq!(meter.take(1), Err(Fault::Budget(Limit::Bytes)));
        meter.give_back_to(before);
        assert_eq!(meter.take(64), Ok(()));
        assert_eq!(meter.peak_bytes(), 64);
    }

    #[test]
    fn large_charges_do_not_wrap() {
        let mut meter = meter(10, 10);
        assert!(meter.take(u64::MAX).is_err());
        assert!(meter.work(u64::MAX).is_err());
        assert!(meter.work(u64::MAX).is_err());
    }

    #[test]
    fn the_deadline_is_enforced() {
        let mut meter = Meter::new(Budget {
            steps: u64::MAX,
            bytes: 0,
            time: Some(Duration::ZERO),
        });
        assert_eq!(
            meter.work(CLOCK_EVERY_STEPS),
            Err(Fault::Budget(Limit::Time))
        );
    }

    #[test]
    fn time_spent_before_counts() {
        let hour = Duration::from_hours(1);
        let mut meter = Meter::new(Budget {
            steps: u64::MAX,
            bytes: 0,
            time: Some(hour),
        });
        assert_eq!(meter.work(CLOCK_EVERY_STEPS), Ok(()));
        meter.restart_after(hour / 2);
        assert_eq!(meter.work(CLOCK_EVERY_STEPS), Ok(()));
        meter.restart_after(hour);
        assert_eq!(
            meter.work(CLOCK_EVERY_STEPS),
            Err(Fault::Budget(Limit::Time))
        );
    }
}
