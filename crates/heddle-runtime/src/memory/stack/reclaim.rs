//! Frees memory for a request that does not fit.

use std::sync::atomic::Ordering;

use super::Memory;
use crate::memory::cleanup::{CleanupCause, CleanupGoal, CleanupReport};
use crate::memory::limit::Admission;
use crate::memory::shortage::{AllocateError, Shortage};
use crate::memory::site::AllocationSite;
use crate::memory::storage::{Block, Refusal, Storage, StreamIndex};
use crate::units::Bytes;

/// The number of holders named in a [`Shortage`].
const NAMED_HOLDERS: usize = 5;
/// The number of attempts to reserve a part of the free memory.
const ATTEMPTS: usize = 8;

impl<B: Storage> Memory<B> {
    /// Runs the steps of a clean-up until `enough` returns true.
    pub(super) fn clean_up(
        &self,
        cause: CleanupCause,
        wanted: Bytes,
        trims: bool,
        enough: impl FnMut() -> bool,
    ) -> Option<CleanupReport> {
        let goal = CleanupGoal {
            cause,
            at: self.clock.now(),
            wanted,
        };
        let trim = || if trims { self.trim() } else { Bytes(0) };
        self.cleanup.run(goal, trim, enough)
    }

    /// Serves a request that was refused.
    #[cold]
    pub(super) fn allocate_after_refusal(
        &self,
        site: AllocationSite,
        bytes: Bytes,
        stream: Option<StreamIndex>,
        refusal: Refusal,
    ) -> Result<Block, AllocateError> {
        if let Refusal::DriverError(fault) = refusal {
            return Err(AllocateError::DriverError(fault));
        }
        let wanted = self.footprint(bytes);
        let mut outcome = Err(refusal);
        if wanted <= self.limit().capacity() {
            outcome = self.reclaim_until(outcome, wanted, || {
                self.retry_allocation(site, bytes, stream)
            });
        }
        self.count_rescue(outcome.is_ok());
        outcome.map_err(|refusal| match refusal {
            Refusal::DriverError(fault) => AllocateError::DriverError(fault),
            _ => AllocateError::Short(Box::new(self.shortage(wanted))),
        })
    }

    /// Cleans up until `attempt` succeeds or fails for another reason: first under the limit,
    /// then, if needed, in the memory itself.
    fn reclaim_until(
        &self,
        mut outcome: Result<Block, Refusal>,
        wanted: Bytes,
        attempt: impl Fn() -> Result<Block, Refusal>,
    ) -> Result<Block, Refusal> {
        if let Err(Refusal::OverLimit { .. }) = outcome {
            // Idle memory is not committed, so releasing it does not help here.
            let missing = wanted.saturating_sub(self.limit().within_reach());
            self.clean_up(CleanupCause::Shortage, missing, false, || {
                outcome = attempt();
                !matches!(outcome, Err(Refusal::OverLimit { .. }))
            });
        }
        if let Err(Refusal::Exhausted { .. }) = outcome {
            self.clean_up(CleanupCause::Shortage, wanted, true, || {
                outcome = attempt();
                !matches!(
                    outcome,
                    Err(Refusal::Exhausted { .. } | Refusal::OverLimit { .. })
                )
            });
        }
        outcome
    }

    /// The memory that a callback freed may lie in other regions than the one needed.
    fn retry_allocation(
        &self,
        site: AllocationSite,
        bytes: Bytes,
        stream: Option<StreamIndex>,
    ) -> Result<Block, Refusal> {
        match self.stack.allocate_for(site, bytes, stream) {
            Err(Refusal::Exhausted { .. }) if self.stack.trim() > Bytes(0) => {
                self.stack.allocate_for(site, bytes, stream)
            }
            other => other,
        }
    }

    /// Serves a reservation that does not fit whole and may be smaller.
    #[cold]
    pub(super) fn reserve_some(&self, least: Bytes, most: Bytes) -> Option<Admission> {
        let free = || self.pressure_band.available_of(self.limit().left());
        let wanted = most.min(self.limit().capacity());
        let mut admission = None;
        if least <= wanted {
            let missing = wanted.saturating_sub(free());
            self.clean_up(CleanupCause::Shortage, missing, false, || {
                admission = self.admit(most);
                admission.is_some()
            });
        }
        // Other threads may take what was just free; the number of attempts is bounded.
        for _ in 0..ATTEMPTS {
            let some = free().min(most);
            if admission.is_some() || some < least {
                break;
            }
            admission = self.admit_with_spare(some, self.rounding_of(some));
        }
        self.count_rescue(admission.is_some());
        admission
    }

    /// The most that rounding may add to `bytes`, however they are divided.
    fn rounding_of(&self, bytes: Bytes) -> Bytes {
        if self.footprint(Bytes(1)) == Bytes(1) {
            Bytes(0)
        } else {
            Bytes(bytes.0 / 9)
        }
    }

    /// Returns a reservation if the limit allows it and other processes leave enough memory.
    pub(super) fn admit(&self, bytes: Bytes) -> Option<Admission> {
        self.admit_with_spare(bytes, Bytes(0))
    }

    fn admit_with_spare(&self, bytes: Bytes, spare: Bytes) -> Option<Admission> {
        let admission = self.limit().reserve_with_spare(bytes, spare).ok()?;
        let is_within_capacity = || {
            self.pressure_band
                .is_within_capacity(self.limit().committed())
        };
        if bytes > Bytes(0) && !is_within_capacity() {
            // Their memory may be free again: the driver was last queried some time ago.
            self.ask_driver();
            if !is_within_capacity() {
                return None;
            }
        }
        Some(admission)
    }

    pub(super) fn count_rescue(&self, rescued: bool) {
        let count = if rescued {
            &self.rescued
        } else {
            &self.shortages
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the shortage for a request of `asked` that cannot be met now.
    pub fn shortage(&self, asked: Bytes) -> Shortage {
        let reading = self.reading();
        Shortage {
            device: reading.device,
            asked,
            free: reading.free(),
            reserved: reading.limit.reserved,
            pooled: reading.storage.pooled(),
            largest_free_block: reading.storage.largest_free_block,
            driver_free: reading.driver_free,
            taken_by_others: reading.taken_by_others,
            capacity: reading.limit.capacity,
            held: Bytes(0),
            bound: None,
            holders: self.holders(NAMED_HOLDERS),
        }
    }
}
