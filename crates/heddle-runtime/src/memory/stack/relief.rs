//! What a device's memory does when a request does not fit.

use std::sync::atomic::Ordering;

use super::Memory;
use crate::memory::cleanup::{CleanupCause, CleanupGoal, CleanupReport};
use crate::memory::limit::Admission;
use crate::memory::shortage::{AllocateError, Shortage};
use crate::memory::site::Site;
use crate::memory::storage::{Block, Refusal, Storage, Stream};
use crate::units::Bytes;

/// Holders named in a [`Shortage`].
const NAMED_HOLDERS: usize = 5;
/// How often a part of what is free is asked for.
const ATTEMPTS: usize = 8;

impl<B: Storage> Memory<B> {
    /// Runs the steps of a clean-up until `enough`.
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

    /// The way of a request that was refused.
    #[cold]
    pub(super) fn allocate_short(
        &self,
        site: Site,
        bytes: Bytes,
        stream: Option<Stream>,
        refusal: Refusal,
    ) -> Result<Block, AllocateError> {
        if let Refusal::Fault(fault) = refusal {
            return Err(AllocateError::Fault(fault));
        }
        let wanted = self.footprint(bytes);
        let mut outcome = Err(refusal);
        if wanted <= self.limit().capacity() {
            outcome = self.make_room(outcome, wanted, || self.try_again(site, bytes, stream));
        }
        self.count_rescue(outcome.is_ok());
        outcome.map_err(|refusal| match refusal {
            Refusal::Fault(fault) => AllocateError::Fault(fault),
            _ => AllocateError::Short(Box::new(self.shortage(wanted))),
        })
    }

    /// Cleans up until `attempt` succeeds or fails for another reason: under the
    /// limit first, then, if it has come to that, in the memory itself.
    fn make_room(
        &self,
        mut outcome: Result<Block, Refusal>,
        wanted: Bytes,
        attempt: impl Fn() -> Result<Block, Refusal>,
    ) -> Result<Block, Refusal> {
        if let Err(Refusal::OverLimit { .. }) = outcome {
            // Idle memory is not committed, so giving it back helps nothing here.
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

    /// What a callback freed may lie in other regions than the one it needs.
    fn try_again(
        &self,
        site: Site,
        bytes: Bytes,
        stream: Option<Stream>,
    ) -> Result<Block, Refusal> {
        match self.stack.allocate_for(site, bytes, stream) {
            Err(Refusal::Exhausted { .. }) if self.stack.trim() > Bytes(0) => {
                self.stack.allocate_for(site, bytes, stream)
            }
            other => other,
        }
    }

    /// The way of a reservation that does not fit whole and need not.
    #[cold]
    pub(super) fn reserve_some(&self, least: Bytes, most: Bytes) -> Option<Admission> {
        let free = || self.watch.left_of(self.limit().left());
        let wanted = most.min(self.limit().capacity());
        let mut admission = None;
        if least <= wanted {
            let missing = wanted.saturating_sub(free());
            self.clean_up(CleanupCause::Shortage, missing, false, || {
                admission = self.admit(most);
                admission.is_some()
            });
        }
        // Others may take what was just seen to be free, but not for ever.
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

    /// What rounding may cost of `bytes`, however they are divided.
    fn rounding_of(&self, bytes: Bytes) -> Bytes {
        if self.footprint(Bytes(1)) == Bytes(1) {
            Bytes(0)
        } else {
            Bytes(bytes.0 / 9)
        }
    }

    /// A reservation, if the limit has it and others leave it.
    pub(super) fn admit(&self, bytes: Bytes) -> Option<Admission> {
        self.admit_with_spare(bytes, Bytes(0))
    }

    fn admit_with_spare(&self, bytes: Bytes, spare: Bytes) -> Option<Admission> {
        let admission = self.limit().reserve_with_spare(bytes, spare).ok()?;
        let has_room = || self.watch.has_room(self.limit().committed());
        if bytes > Bytes(0) && !has_room() {
            // They may be gone: the driver was last asked some time ago.
            self.ask_driver();
            if !has_room() {
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

    /// What would be said now of a request for `asked` that cannot be met.
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
            holders: self.holders(NAMED_HOLDERS),
        }
    }
}
