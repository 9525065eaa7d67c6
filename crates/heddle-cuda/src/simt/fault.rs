//! Injected faults: counts calls and decides which of them fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::options::Faults;

/// The calls that a device has had, counted as [`Faults`] counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimtCalls {
    /// Allocations.
    pub allocations: u64,
    /// Launches.
    pub launches: u64,
    /// Allocations, transfers, launches and synchronisations.
    pub all: u64,
}

/// The fault plan of one device and its counters.
#[derive(Debug)]
pub(super) struct FaultPlan {
    faults: Faults,
    calls: AtomicU64,
    allocations: AtomicU64,
    requests: AtomicU64,
    launches: AtomicU64,
    lost: AtomicBool,
}

impl FaultPlan {
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            faults,
            calls: AtomicU64::new(0),
            allocations: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            launches: AtomicU64::new(0),
            lost: AtomicBool::new(false),
        }
    }

    /// The calls so far.
    pub(super) fn calls(&self) -> SimtCalls {
        SimtCalls {
            allocations: self.allocations.load(Ordering::Relaxed),
            launches: self.launches.load(Ordering::Relaxed),
            all: self.calls.load(Ordering::Relaxed),
        }
    }

    /// Counts one call, and marks the device as lost if the plan says so.
    pub(super) fn count_call(&self) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if self.faults.lost_after.is_some_and(|last| calls > last) {
            self.mark_lost();
        }
    }

    /// Whether the device is lost.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Marks the device as lost.
    pub(super) fn mark_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Counts one allocation. True if it must fail.
    pub(super) fn fails_allocation(&self) -> bool {
        Some(self.allocations.fetch_add(1, Ordering::Relaxed) + 1) == self.faults.allocation
    }

    /// Counts one request to the driver for memory. True if it must be refused.
    pub(super) fn refuses_memory(&self) -> bool {
        let request = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let every = self.faults.refusal_every;
        every.is_some_and(|every| request.is_multiple_of(every.max(1)))
    }

    /// Counts one launch and delays it by the stall. True if it must fail.
    pub(super) fn fails_launch(&self) -> bool {
        let Faults {
            launch,
            launch_every,
            stall,
            ..
        } = self.faults;
        let count = self.launches.fetch_add(1, Ordering::Relaxed) + 1;
        if !stall.is_zero() {
            thread::sleep(stall);
        }
        Some(count) == launch
            || launch_every.is_some_and(|every| count.is_multiple_of(every.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_one() {
        let plan = FaultPlan::new(Faults::default().with(|it| {
            it.allocation = Some(2);
            it.refusal_every = Some(2);
            it.launch = Some(1);
            it.launch_every = Some(4);
            it.lost_after = Some(3);
        }));
        assert_eq!(
            [(); 3].map(|()| plan.fails_allocation()),
            [false, true, false]
        );
        assert_eq!(
            [(); 4].map(|()| plan.refuses_memory()),
            [false, true, false, true]
        );
        assert_eq!(
            [(); 5].map(|()| plan.fails_launch()),
            [true, false, false, true, false]
        );
        let lost = [(); 5].map(|()| {
            plan.count_call();
            plan.is_lost()
        });
        assert_eq!(lost, [false, false, false, true, true]);
    }
}
