//! A capacity that is never exceeded, and reservations within it.
//!
//! The bytes that count are those the part below grants, not those requested: rounding uses
//! memory too. Committed bytes are those allocated plus those reserved and not yet drawn, kept
//! in one atomic that never passes the capacity.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::ledger::{Ledger, LedgerReading};
use super::storage::{Block, Refusal, Storage, StreamIndex, StreamSet, delegate_storage};
use crate::units::Bytes;

/// Refuses requests that would exceed a capacity.
#[derive(Debug)]
pub struct Limit<S> {
    upstream: S,
    commitments: Arc<Commitments>,
}

/// The committed bytes, and how many of them are allocated.
#[derive(Debug)]
struct Commitments {
    committed: Ledger,
    allocated: AtomicU64,
}

/// The state of a [`Limit`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LimitReading {
    /// The limit.
    pub capacity: Bytes,
    /// The bytes allocated now.
    pub allocated: Bytes,
    /// The bytes reserved and not drawn yet.
    pub reserved: Bytes,
    /// The most bytes ever committed at once, allocated and reserved.
    pub peak: Bytes,
    /// The number of requests and reservations refused.
    pub refusals: u64,
}

/// Bytes reserved for an operation before it runs.
///
/// While it is [entered](Self::enter), allocations of that thread draw from it before they need
/// free capacity, and blocks freed by that thread refill what was drawn. It is therefore enough
/// to reserve the most that an operation holds at once. The rest is released when it is
/// dropped.
#[derive(Debug)]
#[must_use = "the bytes are given back when this is dropped"]
pub struct Admission {
    reservation_state: Arc<ReservationState>,
}

#[derive(Debug)]
struct ReservationState {
    commitments: Arc<Commitments>,
    bytes: u64,
    /// The bytes set aside for rounding.
    spare: u64,
    left: AtomicU64,
}

/// Makes this thread's allocations draw from an [`Admission`] while it exists.
#[derive(Debug)]
#[must_use = "the admission is left when this is dropped"]
pub struct EnteredAdmission {
    reservation_state: Arc<ReservationState>,
    /// It belongs to the thread that entered it.
    _here: PhantomData<Rc<()>>,
}

thread_local! {
    /// The admissions this thread has entered, innermost last, of any device.
    static ENTERED_RESERVATIONS: RefCell<Vec<Arc<ReservationState>>> = const { RefCell::new(Vec::new()) };
}

impl<S: Storage> Limit<S> {
    /// Limits the committed bytes of `upstream` to `capacity`.
    pub fn new(upstream: S, capacity: Bytes) -> Self {
        Self {
            upstream,
            commitments: Arc::new(Commitments {
                committed: Ledger::new(capacity),
                allocated: AtomicU64::new(0),
            }),
        }
    }

    /// The part below.
    pub fn upstream(&self) -> &S {
        &self.upstream
    }

    /// Reserves `bytes`, or returns the refusal if they do not fit. A block draws the bytes
    /// that are [granted](Storage::granted) for it.
    pub fn reserve(&self, bytes: Bytes) -> Result<Admission, Refusal> {
        self.reserve_with_spare(bytes, Bytes(0))
    }

    /// As [`reserve`](Self::reserve); `spare` of the bytes are for rounding: they can be drawn
    /// but are not announced.
    pub(crate) fn reserve_with_spare(
        &self,
        bytes: Bytes,
        spare: Bytes,
    ) -> Result<Admission, Refusal> {
        self.commitments
            .committed
            .take(bytes)
            .map_err(|found| over(bytes, &found))?;
        Ok(Admission {
            reservation_state: Arc::new(ReservationState {
                commitments: Arc::clone(&self.commitments),
                bytes: bytes.0,
                spare: spare.0,
                left: AtomicU64::new(bytes.0),
            }),
        })
    }

    /// The bytes committed now.
    #[inline]
    pub fn committed(&self) -> Bytes {
        self.commitments.committed.reserved()
    }

    /// The most that may be committed.
    pub fn capacity(&self) -> Bytes {
        self.commitments.committed.capacity()
    }

    /// Changes the limit. What is committed beyond a lower limit stays committed.
    pub(crate) fn set_capacity(&self, capacity: Bytes) {
        self.commitments.committed.set_capacity(capacity);
    }

    /// The bytes that are not committed.
    pub fn left(&self) -> Bytes {
        self.commitments.committed.reading().free()
    }

    /// The bytes this thread could still allocate: those not committed, and those left in the
    /// admissions it has entered.
    pub fn within_reach(&self) -> Bytes {
        let entered =
            self.entered(|reservation_state| reservation_state.left.load(Ordering::Acquire));
        self.left() + entered.unwrap_or_default()
    }

    /// The bytes that the admissions this thread has entered still announce, or `None` if it
    /// has entered none.
    pub(crate) fn reserved_for_this_thread(&self) -> Option<Bytes> {
        self.entered(|reservation_state| {
            let left = reservation_state.left.load(Ordering::Acquire);
            left.saturating_sub(reservation_state.spare)
        })
    }

    fn entered(&self, count: impl Fn(&ReservationState) -> u64) -> Option<Bytes> {
        let is_ours = |reservation_state: &&Arc<ReservationState>| {
            Arc::ptr_eq(&reservation_state.commitments, &self.commitments)
        };
        ENTERED_RESERVATIONS.with_borrow(|entered| {
            let counts = entered.iter().filter(is_ours);
            counts
                .map(|reservation_state| Bytes(count(reservation_state)))
                .reduce(|sum, bytes| sum + bytes)
        })
    }

    /// Returns the current state.
    pub fn limit_reading(&self) -> LimitReading {
        // Allocated is read first: it never exceeds what is committed later on.
        let allocated = Bytes(self.commitments.allocated.load(Ordering::Acquire));
        let committed = self.commitments.committed.reading();
        LimitReading {
            capacity: committed.capacity,
            allocated: allocated.min(committed.reserved),
            reserved: committed.reserved.saturating_sub(allocated),
            peak: committed.peak,
            refusals: committed.refusals,
        }
    }
}

fn over(asked: Bytes, found: &LedgerReading) -> Refusal {
    Refusal::OverLimit {
        asked,
        free: found.free(),
        capacity: found.capacity,
    }
}

impl Admission {
    /// The bytes reserved, drawn or not.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.reservation_state.bytes)
    }

    /// The bytes not drawn.
    #[must_use]
    pub fn left(&self) -> Bytes {
        Bytes(self.reservation_state.left.load(Ordering::Acquire))
    }

    /// Lets this thread's allocations draw from it until the returned guard is dropped. Entered
    /// within another admission of the same limit, it is drawn from first.
    pub fn enter(&self) -> EnteredAdmission {
        ENTERED_RESERVATIONS
            .with_borrow_mut(|entered| entered.push(Arc::clone(&self.reservation_state)));
        EnteredAdmission {
            reservation_state: Arc::clone(&self.reservation_state),
            _here: PhantomData,
        }
    }
}

impl Drop for ReservationState {
    /// Runs when the admission and all its guards are gone.
    fn drop(&mut self) {
        self.commitments
            .committed
            .give_back(Bytes(*self.left.get_mut()));
    }
}

impl Drop for EnteredAdmission {
    fn drop(&mut self) {
        ENTERED_RESERVATIONS.with_borrow_mut(|entered| {
            let innermost = |reservation_state: &Arc<ReservationState>| {
                Arc::ptr_eq(reservation_state, &self.reservation_state)
            };
            if let Some(index) = entered.iter().rposition(innermost) {
                entered.remove(index);
            }
        });
    }
}

impl ReservationState {
    /// Draws up to `wanted`.
    fn draw(&self, wanted: u64) -> u64 {
        let taken = self
            .left
            .try_update(Ordering::AcqRel, Ordering::Relaxed, |left| {
                (left > 0 && wanted > 0).then(|| left - left.min(wanted))
            });
        taken.map_or(0, |left| left.min(wanted))
    }

    /// Returns up to `offered`, at most as much as was drawn.
    fn refill(&self, offered: u64) -> u64 {
        let filled = self
            .left
            .try_update(Ordering::AcqRel, Ordering::Relaxed, |left| {
                (left < self.bytes && offered > 0).then(|| left + offered.min(self.bytes - left))
            });
        filled.map_or(0, |left| offered.min(self.bytes - left))
    }
}

impl Commitments {
    /// Passes `bytes` through the reservations of this limit that the thread has entered,
    /// innermost first, and returns what they did not take.
    fn through_reservations(
        self: &Arc<Self>,
        bytes: u64,
        step: impl Fn(&ReservationState, u64) -> u64,
    ) -> u64 {
        ENTERED_RESERVATIONS.with_borrow(|entered| {
            let ours = entered.iter().rev();
            ours.filter(|reservation_state| Arc::ptr_eq(&reservation_state.commitments, self))
                .fold(bytes, |left, reservation_state| {
                    left - step(reservation_state, left)
                })
        })
    }

    /// Commits `bytes` for an allocation. Returns those that no reservation covered.
    #[inline]
    fn draw(self: &Arc<Self>, bytes: Bytes) -> Result<Bytes, LedgerReading> {
        let beyond = self.through_reservations(bytes.0, ReservationState::draw);
        if beyond > 0
            && let Err(found) = self.committed.take(Bytes(beyond))
        {
            self.through_reservations(bytes.0 - beyond, ReservationState::refill);
            return Err(found);
        }
        self.allocated.fetch_add(bytes.0, Ordering::AcqRel);
        Ok(Bytes(beyond))
    }

    /// Undoes [`draw`](Self::draw): a failed request refills a reservation with no more than it
    /// drew from it.
    fn undo_draw(self: &Arc<Self>, bytes: Bytes, beyond: Bytes) {
        self.allocated.fetch_sub(bytes.0, Ordering::AcqRel);
        let refused = self.through_reservations(bytes.0 - beyond.0, ReservationState::refill);
        self.committed.give_back(Bytes(beyond.0 + refused));
    }

    /// Returns the bytes of a freed block.
    #[inline]
    fn put_back(self: &Arc<Self>, bytes: Bytes) {
        self.allocated.fetch_sub(bytes.0, Ordering::AcqRel);
        let beyond = self.through_reservations(bytes.0, ReservationState::refill);
        if beyond > 0 {
            self.committed.give_back(Bytes(beyond));
        }
    }
}

impl<S: Storage> Storage for Limit<S> {
    #[inline]
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let granted = self.upstream.granted(bytes);
        let beyond = self
            .commitments
            .draw(granted)
            .map_err(|found| over(granted, &found))?;
        match self.upstream.allocate(bytes, stream) {
            Ok(block) => Ok(block),
            Err(refusal) => {
                self.commitments.undo_draw(granted, beyond);
                Err(refusal)
            }
        }
    }

    #[inline]
    fn free(&self, block: Block, busy: StreamSet) {
        let bytes = block.bytes;
        self.upstream.free(block, busy);
        self.commitments.put_back(bytes);
    }

    delegate_storage!(self => self.upstream; granted, streams, release, tick, driver_free, reading);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SimulatedStorage;

    fn limit(capacity: u64) -> Limit<SimulatedStorage> {
        Limit::new(SimulatedStorage::new(Bytes(1 << 20)), Bytes(capacity))
    }

    fn says(limit: &Limit<SimulatedStorage>) -> (u64, u64) {
        let reading = limit.limit_reading();
        (reading.allocated.0, reading.reserved.0)
    }

    #[test]
    fn a_reservation_is_drawn_from_and_counted_once() {
        let limit = limit(1000);
        let admission = limit.reserve(Bytes(600)).unwrap();
        assert!(limit.allocate(Bytes(401), None).is_err(), "not entered");
        let inside = admission.enter();
        assert_eq!(limit.within_reach(), Bytes(1000));
        let drawn = limit.allocate(Bytes(500), None).unwrap();
        assert_eq!(says(&limit), (500, 100));
        let beyond = limit.allocate(Bytes(300), None).unwrap();
        assert_eq!(says(&limit), (800, 0));
        assert!(limit.allocate(Bytes(201), None).is_err());
        assert_eq!(says(&limit), (800, 0), "a refusal changes nothing");
        limit.free(beyond, StreamSet::NONE);
        assert_eq!(says(&limit), (500, 300), "what is freed within refills it");
        drop(inside);
        limit.free(drawn, StreamSet::NONE);
        assert_eq!(says(&limit), (0, 300));
        drop(admission);
        assert_eq!(says(&limit), (0, 0));
        assert_eq!(limit.limit_reading().refusals, 2);
    }

    #[test]
    fn reservations_nest_and_are_not_mixed_up() {
        let [limit, other] = [limit(1000), limit(1000)];
        let outer = limit.reserve(Bytes(100)).unwrap();
        let inner = limit.reserve(Bytes(50)).unwrap();
        let foreign = other.reserve(Bytes(1000)).unwrap();
        let in_outer = outer.enter();
        let in_inner = inner.enter();
        let in_foreign = foreign.enter();
        let block = limit.allocate(Bytes(70), None).unwrap();
        assert_eq!((inner.left(), outer.left()), (Bytes(0), Bytes(80)));
        assert_eq!(foreign.left(), Bytes(1000));
        // Guards may be dropped in any order.
        drop(in_outer);
        let next = limit.allocate(Bytes(10), None).unwrap();
        assert_eq!((inner.left(), outer.left()), (Bytes(0), Bytes(80)));
        drop((in_inner, in_foreign));
        for block in [block, next] {
            limit.free(block, StreamSet::NONE);
        }
        drop((outer, inner));
        assert_eq!(says(&limit), (0, 0));
    }

    #[test]
    fn a_refusal_from_below_takes_nothing() {
        let limit = limit(1000);
        let admission = limit.reserve(Bytes(100)).unwrap();
        let _inside = admission.enter();
        limit.upstream().fail_allocation(1);
        let refusal = limit.allocate(Bytes(200), None).unwrap_err();
        assert!(matches!(refusal, Refusal::Exhausted { asked: Bytes(200) }));
        assert_eq!((says(&limit), admission.left()), ((0, 100), Bytes(100)));
        let drawn = limit.allocate(Bytes(60), None).unwrap();
        limit.upstream().fail_allocation(1);
        assert!(limit.allocate(Bytes(200), None).is_err());
        assert_eq!(says(&limit), (60, 40), "no purse gets more than it gave");
        limit.free(drawn, StreamSet::NONE);
    }
}
