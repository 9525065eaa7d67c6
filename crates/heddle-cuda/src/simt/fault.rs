//! Faults on order: counts calls and says which of them fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::options::Faults;

/// The fault plan of one device and how far it has come.
#[derive(Debug)]
pub(super) struct FaultPlan {
    faults: Faults,
    calls: AtomicU64,
    allocations: AtomicU64,
    launches: AtomicU64,
    lost: AtomicBool,
}

impl FaultPlan {
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            faults,
            calls: AtomicU64::new(0),
            allocations: AtomicU64::new(0),
            launches: AtomicU64::new(0),
            lost: AtomicBool::new(false),
        }
    }

    /// Counts one call, which may be the one the device does not survive.
    pub(super) fn count_call(&self) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if self.faults.lost_after.is_some_and(|last| calls > last) {
            self.lose();
        }
    }

    /// Whether the device is lost.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Loses the device from now on.
    pub(super) fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Counts one allocation. True if it is the one to fail.
    pub(super) fn fails_allocation(&self) -> bool {
        Some(self.allocations.fetch_add(1, Ordering::Relaxed) + 1) == self.faults.allocation
    }

    /// Counts one launch. True if it is the one to fail.
    pub(super) fn fails_launch(&self) -> bool {
        Some(self.launches.fetch_add(1, Ordering::Relaxed) + 1) == self.faults.launch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_one() {
        let plan = FaultPlan::new(Faults {
            allocation: Some(2),
            launch: Some(1),
            lost_after: Some(3),
        });
        assert_eq!(
            [(); 3].map(|()| plan.fails_allocation()),
            [false, true, false]
        );
        assert_eq!([(); 2].map(|()| plan.fails_launch()), [true, false]);
        let lost = [(); 5].map(|()| {
            plan.count_call();
            plan.is_lost()
        });
        assert_eq!(lost, [false, false, false, true, true]);
    }
}
