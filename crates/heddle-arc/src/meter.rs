//! Budgets: the limits of one evaluation, and the meter that counts against them.
//!
//! Steps and bytes are charged *before* work is done or memory is allocated, so a check stops a
//! hostile program, not the allocator. Steps and bytes are deterministic. Wall time makes results
//! depend on the machine: it is off by default and checked every few thousand steps.

use crate::fault::{BudgetLimit, Fault};
use std::time::{Duration, Instant};

/// The maximum depth of nested calls. Real programs stay below 20. A program can apply a function
/// to itself and would otherwise recurse for ever.
pub const MAX_CALL_DEPTH: u32 = 96;

/// The maximum nesting depth of values. Real programs stay below 10.
pub const MAX_VALUE_DEPTH: u8 = 64;

/// Steps between two checks of the clock.
const CLOCK_EVERY_STEPS: u64 = 16_384;

/// The limits of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Steps: one for each primitive called, plus its work in cells or elements.
    pub steps: u64,
    /// Bytes of live values.
    pub bytes: u64,
    /// Wall time, if bounded: the sum of the time of the evaluation's own steps, so that it does
    /// not depend on the rest of the plan.
    pub time: Option<Duration>,
}

/// Five times the steps and four times the bytes of the most expensive of 399 solvers of ARC
/// tasks (40,000 and 512 KiB). Of these solvers, 390 stay below 10,000 steps.
impl Default for Budget {
    fn default() -> Self {
        Budget {
            steps: 200_000,
            bytes: 2 << 20,
            time: None,
        }
    }
}

heddle_profile::with!(Budget);

/// Counts against a [`Budget`].
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    /// The current limit of steps, at most that of the budget.
    max_steps: u64,
    steps: u64,
    bytes: u64,
    peak_bytes: u64,
    depth: u32,
    next_clock_check: u64,
    deadline: Option<Instant>,
}

impl Meter {
    /// Returns a meter at zero.
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

    /// Resets to zero with the same budget.
    pub fn restart(&mut self) {
        self.restart_after(Duration::ZERO);
    }

    /// Resets to zero for an evaluation that has already spent `spent` of its time.
    pub(crate) fn restart_after(&mut self, spent: Duration) {
        self.steps = 0;
        self.bytes = 0;
        self.peak_bytes = 0;
        self.depth = 0;
        if let Some(time) = self.budget.time {
            // A time beyond the clock's range is no bound.
            self.deadline = Instant::now().checked_add(time.saturating_sub(spent));
            self.next_clock_check = CLOCK_EVERY_STEPS;
        }
    }

    /// Sets the limit of steps, at most that of the budget.
    pub(crate) fn limit_steps(&mut self, steps: u64) {
        self.max_steps = steps.min(self.budget.steps);
    }

    /// Returns the budget it counts against.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Returns the steps charged since the last restart.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the bytes charged and not yet released.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the most bytes held at once since the last restart.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Whether at least this many steps and bytes are left.
    pub(crate) fn has(&self, steps: u64, bytes: u64) -> bool {
        self.steps.saturating_add(steps) <= self.max_steps
            && self.bytes.saturating_add(bytes) <= self.budget.bytes
    }

    /// Charges steps before the work is done.
    pub fn work(&mut self, steps: u64) -> Result<(), Fault> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.max_steps {
            return Err(Fault::Budget(BudgetLimit::Steps));
        }
        if self.steps >= self.next_clock_check {
            self.next_clock_check = self.steps + CLOCK_EVERY_STEPS;
            if self.deadline.is_some_and(|end| Instant::now() > end) {
                return Err(Fault::Budget(BudgetLimit::Time));
            }
        }
        Ok(())
    }

    /// Charges bytes before they are allocated, and the work of filling them.
    pub fn take(&mut self, bytes: u64) -> Result<(), Fault> {
        let total = self.bytes.saturating_add(bytes);
        if total > self.budget.bytes {
            return Err(Fault::Budget(BudgetLimit::Bytes));
        }
        self.bytes = total;
        self.peak_bytes = self.peak_bytes.max(total);
        self.work(bytes / 16)
    }

    /// Releases the bytes charged since `bytes` was read from [`Meter::bytes`].
    pub(crate) fn release_to(&mut self, bytes: u64) {
        self.bytes = self.bytes.min(bytes);
    }

    /// Returns the number of calls entered and not left.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Leaves all calls but `depth`.
    pub(crate) fn return_to(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Enters a call.
    pub fn enter(&mut self) -> Result<(), Fault> {
        if self.depth >= MAX_CALL_DEPTH {
            return Err(Fault::Budget(BudgetLimit::Depth));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a call.
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
        assert_eq!(meter.work(1), Err(Fault::Budget(BudgetLimit::Steps)));
    }

    #[test]
    fn a_time_beyond_the_clock_is_no_bound() {
        let mut meter = Meter::new(Budget {
            time: Some(Duration::MAX),
            ..Budget::default()
        });
        assert_eq!(meter.work(2 * CLOCK_EVERY_STEPS), Ok(()));
    }

    #[test]
    fn released_bytes_can_be_charged_again() {
        let mut meter = meter(1_000, 64);
        let before = meter.bytes();
        assert_eq!(meter.take(64), Ok(()));
        assert_eq!(meter.take(1), Err(Fault::Budget(BudgetLimit::Bytes)));
        meter.release_to(before);
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
            Err(Fault::Budget(BudgetLimit::Time))
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
            Err(Fault::Budget(BudgetLimit::Time))
        );
    }
}
