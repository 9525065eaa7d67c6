//! Collectives of a warp: the lanes named by a mask meet, then each receives its result.
//!
//! Lanes that have exited, or that the block never had, are not waited for; that is also
//! the hardware's rule. Several groups of one warp may wait at once, each under its own
//! mask.

use std::cell::Cell;

use super::block::{ThreadBlock, ThreadState};

/// The lanes of a warp.
pub(super) const LANES: usize = 32;

/// The value a shuffle reads from an absent lane.
const POISON: u64 = 0xA5A5_A5A5_A5A5_A5A5;

/// Which collective. Mirrors the enumeration in `collectives.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WarpKind {
    Sync,
    Exchange,
    Ballot,
}

impl WarpKind {
    pub(super) fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Sync,
            1 => Self::Exchange,
            _ => Self::Ballot,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sync => "__syncwarp",
            Self::Exchange => "a shuffle",
            Self::Ballot => "a vote",
        }
    }
}

/// One lane's arrival at a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WarpArrival {
    pub(super) kind: WarpKind,
    pub(super) line: u32,
    pub(super) mask: u32,
    pub(super) value: u64,
    /// The lane a shuffle reads from.
    pub(super) source: u32,
}

impl WarpArrival {
    fn meets(&self, other: &Self) -> bool {
        (self.kind, self.line, self.mask) == (other.kind, other.line, other.mask)
    }
}

/// The lanes of one warp, as bits.
#[derive(Default)]
pub(super) struct Warp {
    alive: Cell<u32>,
    waiting: Cell<u32>,
}

impl Warp {
    /// Starts a new warp of `lanes` lanes, 32 at most.
    pub(super) fn reset(&self, lanes: usize) {
        let absent = LANES.saturating_sub(lanes) as u32;
        self.alive.set(u32::MAX.checked_shr(absent).unwrap_or(0));
        self.waiting.set(0);
    }
}

/// The lanes whose bits are set.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

impl ThreadBlock {
    /// Makes the thread wait for the lanes its mask names. True if all have arrived.
    pub(super) fn arrive_in_warp(&self, thread: usize, arrival: WarpArrival) -> bool {
        let warp = &self.warps[thread / LANES];
        self.threads()[thread]
            .state
            .set(ThreadState::InWarp(arrival));
        warp.waiting.set(warp.waiting.get() | 1 << (thread % LANES));
        self.complete_in_warp(thread / LANES, &arrival, Some(thread))
    }

    /// Removes the returned thread, and releases the lanes that waited for it alone.
    pub(super) fn leave_warp(&self, thread: usize) {
        let index = thread / LANES;
        let warp = &self.warps[index];
        warp.alive.set(warp.alive.get() & !(1 << (thread % LANES)));
        for lane in lanes(warp.waiting.get()) {
            if let ThreadState::InWarp(arrival) = self.threads()[index * LANES + lane].state.get() {
                self.complete_in_warp(index, &arrival, None);
            }
        }
    }

    /// If all lanes of the arrival's mask have arrived, gives them their results.
    fn complete_in_warp(
        &self,
        index: usize,
        arrival: &WarpArrival,
        running: Option<usize>,
    ) -> bool {
        let warp = &self.warps[index];
        let group = arrival.mask & warp.alive.get();
        if group & warp.waiting.get() != group {
            return false;
        }
        let first = index * LANES;
        let mut values = [POISON; LANES];
        let mut ballot = 0_u32;
        for lane in lanes(group) {
            match self.threads()[first + lane].state.get() {
                ThreadState::InWarp(other) if other.meets(arrival) => {
                    values[lane] = other.value;
                    ballot |= u32::from(other.value != 0) << lane;
                }
                _ => return false,
            }
        }
        for lane in lanes(group) {
            let thread = &self.threads()[first + lane];
            if let ThreadState::InWarp(other) = thread.state.get() {
                thread.result.set(match arrival.kind {
                    WarpKind::Sync => 0,
                    WarpKind::Exchange => {
                        values.get(other.source as usize).copied().unwrap_or(POISON)
                    }
                    WarpKind::Ballot => u64::from(group) << 32 | u64::from(ballot),
                });
            }
            self.release(first + lane, running);
        }
        warp.waiting.set(warp.waiting.get() & !group);
        self.note_progress();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(mask: u32, value: u64) -> WarpArrival {
        WarpArrival {
            kind: WarpKind::Ballot,
            line: 1,
            mask,
            value,
            source: 0,
        }
    }

    fn started(threads: usize) -> ThreadBlock {
        let block = ThreadBlock::new();
        block.reset(threads);
        while block.start_next().is_some() {}
        block
    }

    #[test]
    fn groups_of_one_warp_do_not_wait_for_each_other() {
        let block = started(4);
        assert!(!block.arrive_in_warp(0, vote(0b0101, 1)));
        assert!(!block.arrive_in_warp(1, vote(0b1010, 1)));
        assert!(block.arrive_in_warp(2, vote(0b0101, 0)));
        assert_eq!(block.threads()[0].result.get() as u32, 0b0001);
        assert!(block.arrive_in_warp(3, vote(0b1010, 1)));
        assert_eq!(block.threads()[1].result.get() as u32, 0b1010);
    }

    #[test]
    fn absent_lanes_are_not_awaited() {
        let block = started(3);
        block.exit(2);
        assert!(!block.arrive_in_warp(0, vote(u32::MAX, 1)));
        assert!(block.arrive_in_warp(1, vote(u32::MAX, 1)));
        assert_eq!(block.threads()[0].result.get(), 0b11 << 32 | 0b11);
    }

    #[test]
    fn a_shuffle_from_nowhere_is_poison() {
        let block = started(1);
        let shuffle = WarpArrival {
            kind: WarpKind::Exchange,
            source: 9,
            ..vote(u32::MAX, 7)
        };
        assert!(block.arrive_in_warp(0, shuffle));
        assert_eq!(block.threads()[0].result.get(), POISON);
    }
}
