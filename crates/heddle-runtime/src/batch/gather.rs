//! The contents of a queue: items by caller, and when a batch of them is due. Pure: the time is
//! an argument.

use std::collections::VecDeque;

use crate::units::Nanos;

/// The waiting items, with a separate line for each caller.
#[derive(Debug)]
pub(super) struct Gathering<J> {
    lines: VecDeque<Line<J>>,
    held: usize,
    capacity: usize,
}

#[derive(Debug)]
struct Line<J> {
    caller: u64,
    /// The number of this caller's submissions that wait for space.
    waiting: usize,
    items: VecDeque<(Nanos, J)>,
}

impl<J> Gathering<J> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            held: 0,
            capacity: capacity.max(1),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.held
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the caller may add an item: there is space, and it does not hold more than its
    /// share while others wait.
    pub(super) fn has_room_for(&self, caller: u64) -> bool {
        let mine = self.line(caller).map_or(0, |line| line.items.len());
        let others = self.lines.iter().filter(|line| line.caller != caller);
        let part = (self.capacity / (others.count() + 1)).max(1);
        self.held < self.capacity && (mine < part || !self.another_caller_waits(caller))
    }

    fn another_caller_waits(&self, caller: u64) -> bool {
        self.lines
            .iter()
            .any(|line| line.caller != caller && line.waiting > 0)
    }

    fn line(&self, caller: u64) -> Option<&Line<J>> {
        self.lines.iter().find(|line| line.caller == caller)
    }

    fn line_mut(&mut self, caller: u64) -> &mut Line<J> {
        let index = self
            .lines
            .iter()
            .position(|line| line.caller == caller)
            .unwrap_or_else(|| {
                self.lines.push_back(Line {
                    caller,
                    waiting: 0,
                    items: VecDeque::new(),
                });
                self.lines.len() - 1
            });
        &mut self.lines[index]
    }

    /// The caller begins to wait for space.
    pub(super) fn wait(&mut self, caller: u64) {
        self.line_mut(caller).waiting += 1;
    }

    /// The caller no longer waits.
    pub(super) fn end_wait(&mut self, caller: u64) {
        let line = self.line_mut(caller);
        line.waiting = line.waiting.saturating_sub(1);
        self.forget_idle();
    }

    pub(super) fn add(&mut self, caller: u64, item: J, now: Nanos) {
        self.line_mut(caller).items.push_back((now, item));
        self.held += 1;
    }

    /// The time when the oldest item was added.
    fn oldest(&self) -> Option<Nanos> {
        let heads = self.lines.iter().filter_map(|line| line.items.front());
        heads.map(|(came, _)| *came).min()
    }

    /// The time until a batch is due: zero when there are `most` items or the oldest has waited
    /// for `delay`; `None` when there are none.
    pub(super) fn due_in(&self, most: usize, delay: Nanos, now: Nanos) -> Option<Nanos> {
        let oldest = self.oldest()?;
        if self.held >= most {
            return Some(Nanos(0));
        }
        Some((oldest + delay).saturating_sub(now))
    }

    /// Takes up to `most` items, one of each caller in turn. The caller served last comes last
    /// the next time.
    pub(super) fn take(&mut self, most: usize) -> Vec<J> {
        let mut taken = Vec::with_capacity(most.min(self.held));
        while taken.len() < most && self.held > 0 {
            let Some(mut line) = self.lines.pop_front() else {
                break;
            };
            if let Some((_, item)) = line.items.pop_front() {
                taken.push(item);
                self.held -= 1;
            }
            self.lines.push_back(line);
        }
        self.forget_idle();
        taken
    }

    fn forget_idle(&mut self) {
        self.lines
            .retain(|line| !line.items.is_empty() || line.waiting > 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_batch_is_due_when_it_is_full_or_the_oldest_has_waited() {
        let mut gathering = Gathering::new(100);
        assert_eq!(gathering.due_in(3, Nanos(10), Nanos(0)), None);
        gathering.add(1, 'a', Nanos(5));
        gathering.add(2, 'b', Nanos(9));
        assert_eq!(gathering.due_in(3, Nanos(10), Nanos(9)), Some(Nanos(6)));
        assert_eq!(gathering.due_in(3, Nanos(10), Nanos(15)), Some(Nanos(0)));
        gathering.add(1, 'c', Nanos(9));
        assert_eq!(gathering.due_in(3, Nanos(10), Nanos(9)), Some(Nanos(0)));
    }

    #[test]
    fn callers_take_turns() {
        let mut gathering = Gathering::new(100);
        for item in 0..10 {
            gathering.add(1, (1, item), Nanos(0));
        }
        gathering.add(2, (2, 0), Nanos(0));
        gathering.add(3, (3, 0), Nanos(0));
        assert_eq!(gathering.take(4), [(1, 0), (2, 0), (3, 0), (1, 1)]);
        assert_eq!(gathering.len(), 8);
    }

    #[test]
    fn a_greedy_caller_leaves_room_for_one_that_waits() {
        let mut gathering = Gathering::new(4);
        for item in 0..4 {
            assert!(gathering.has_room_for(1));
            gathering.add(1, item, Nanos(0));
        }
        assert!(!gathering.has_room_for(1) && !gathering.has_room_for(2));
        gathering.wait(2);
        gathering.take(2);
        // The greedy caller holds half of the capacity, which is its share.
        assert!(!gathering.has_room_for(1) && gathering.has_room_for(2));
        gathering.end_wait(2);
        gathering.add(2, 9, Nanos(0));
        assert!(gathering.has_room_for(1));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_doubled_or_reordered(
            adds in prop::collection::vec((0_u64..5, 1_usize..4), 0..60),
            most in 1_usize..7,
        ) {
            let mut gathering = Gathering::new(usize::MAX);
            let mut seen: Vec<Vec<usize>> = vec![Vec::new(); 5];
            let mut given = vec![0; 5];
            let mut keep = |items: Vec<(u64, usize)>| {
                for (caller, item) in items {
                    seen[caller as usize].push(item);
                }
            };
            for (caller, count) in adds {
                for _ in 0..count {
                    gathering.add(caller, (caller, given[caller as usize]), Nanos(0));
                    given[caller as usize] += 1;
                }
                keep(gathering.take(most));
            }
            while gathering.len() > 0 {
                keep(gathering.take(most));
            }
            for (seen, given) in seen.iter().zip(given) {
                prop_assert!(seen.iter().copied().eq(0..given));
            }
        }
    }
}
