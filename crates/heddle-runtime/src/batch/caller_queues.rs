//! The contents of a queue: items by caller, and when a batch of them is due. Pure: the time is
//! an argument.

use std::collections::VecDeque;

use crate::units::Nanos;

/// The waiting items, with a separate line for each caller.
#[derive(Debug)]
pub(super) struct CallerQueues<J> {
    callers: VecDeque<CallerQueue<J>>,
    held: usize,
    capacity: usize,
}

#[derive(Debug)]
struct CallerQueue<J> {
    caller: u64,
    /// The number of this caller's submissions that wait for space.
    waiting: usize,
    items: VecDeque<(Nanos, J)>,
}

impl<J> CallerQueues<J> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            callers: VecDeque::new(),
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
    pub(super) fn has_capacity_for(&self, caller: u64) -> bool {
        let own_items = self.queue(caller).map_or(0, |queue| queue.items.len());
        let others = self.callers.iter().filter(|queue| queue.caller != caller);
        let part = (self.capacity / (others.count() + 1)).max(1);
        self.held < self.capacity && (own_items < part || !self.another_caller_waits(caller))
    }

    fn another_caller_waits(&self, caller: u64) -> bool {
        self.callers
            .iter()
            .any(|queue| queue.caller != caller && queue.waiting > 0)
    }

    fn queue(&self, caller: u64) -> Option<&CallerQueue<J>> {
        self.callers.iter().find(|queue| queue.caller == caller)
    }

    fn queue_mut(&mut self, caller: u64) -> &mut CallerQueue<J> {
        let index = self
            .callers
            .iter()
            .position(|queue| queue.caller == caller)
            .unwrap_or_else(|| {
                self.callers.push_back(CallerQueue {
                    caller,
                    waiting: 0,
                    items: VecDeque::new(),
                });
                self.callers.len() - 1
            });
        &mut self.callers[index]
    }

    /// The caller begins to wait for space.
    pub(super) fn wait(&mut self, caller: u64) {
        self.queue_mut(caller).waiting += 1;
    }

    /// The caller no longer waits.
    pub(super) fn stop_waiting(&mut self, caller: u64) {
        let queue = self.queue_mut(caller);
        queue.waiting = queue.waiting.saturating_sub(1);
        self.forget_idle();
    }

    pub(super) fn add(&mut self, caller: u64, item: J, now: Nanos) {
        self.queue_mut(caller).items.push_back((now, item));
        self.held += 1;
    }

    /// The time when the oldest item was added.
    fn oldest(&self) -> Option<Nanos> {
        let heads = self.callers.iter().filter_map(|queue| queue.items.front());
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
            let Some(mut queue) = self.callers.pop_front() else {
                break;
            };
            if let Some((_, item)) = queue.items.pop_front() {
                taken.push(item);
                self.held -= 1;
            }
            self.callers.push_back(queue);
        }
        self.forget_idle();
        taken
    }

    fn forget_idle(&mut self) {
        self.callers
            .retain(|queue| !queue.items.is_empty() || queue.waiting > 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_batch_is_due_when_it_is_full_or_the_oldest_has_waited() {
        let mut queues = CallerQueues::new(100);
        assert_eq!(queues.due_in(3, Nanos(10), Nanos(0)), None);
        queues.add(1, 'a', Nanos(5));
        queues.add(2, 'b', Nanos(9));
        assert_eq!(queues.due_in(3, Nanos(10), Nanos(9)), Some(Nanos(6)));
        assert_eq!(queues.due_in(3, Nanos(10), Nanos(15)), Some(Nanos(0)));
        queues.add(1, 'c', Nanos(9));
        assert_eq!(queues.due_in(3, Nanos(10), Nanos(9)), Some(Nanos(0)));
    }

    #[test]
    fn callers_take_turns() {
        let mut queues = CallerQueues::new(100);
        for item in 0..10 {
            queues.add(1, (1, item), Nanos(0));
        }
        queues.add(2, (2, 0), Nanos(0));
        queues.add(3, (3, 0), Nanos(0));
        assert_eq!(queues.take(4), [(1, 0), (2, 0), (3, 0), (1, 1)]);
        assert_eq!(queues.len(), 8);
    }

    #[test]
    fn a_greedy_caller_leaves_space_for_one_that_waits() {
        let mut queues = CallerQueues::new(4);
        for item in 0..4 {
            assert!(queues.has_capacity_for(1));
            queues.add(1, item, Nanos(0));
        }
        assert!(!queues.has_capacity_for(1) && !queues.has_capacity_for(2));
        queues.wait(2);
        queues.take(2);
        // The greedy caller holds half of the capacity, which is its share.
        assert!(!queues.has_capacity_for(1) && queues.has_capacity_for(2));
        queues.stop_waiting(2);
        queues.add(2, 9, Nanos(0));
        assert!(queues.has_capacity_for(1));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_doubled_or_reordered(
            adds in prop::collection::vec((0_u64..5, 1_usize..4), 0..60),
            most in 1_usize..7,
        ) {
            let mut queues = CallerQueues::new(usize::MAX);
            let mut seen: Vec<Vec<usize>> = vec![Vec::new(); 5];
            let mut given = vec![0; 5];
            let mut keep = |items: Vec<(u64, usize)>| {
                for (caller, item) in items {
                    seen[caller as usize].push(item);
                }
            };
            for (caller, count) in adds {
                for _ in 0..count {
                    queues.add(caller, (caller, given[caller as usize]), Nanos(0));
                    given[caller as usize] += 1;
                }
                keep(queues.take(most));
            }
            while queues.len() > 0 {
                keep(queues.take(most));
            }
            for (seen, given) in seen.iter().zip(given) {
                prop_assert!(seen.iter().copied().eq(0..given));
            }
        }
    }
}
