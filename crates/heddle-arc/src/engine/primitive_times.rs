//! The time a worker spends in each primitive.

use crate::prim::Prim;
use std::time::Duration;

/// The calls and time of each primitive, counted at the calls of a plan: the time of a
/// function called by `apply` counts as time of `apply`.
#[derive(Clone, Debug)]
pub struct PrimitiveTimes {
    spent: Vec<(u64, Duration)>,
}

impl Default for PrimitiveTimes {
    fn default() -> Self {
        PrimitiveTimes {
            spent: vec![(0, Duration::ZERO); Prim::COUNT],
        }
    }
}

impl PrimitiveTimes {
    pub(super) fn add(&mut self, prim: Option<Prim>, time: Duration) {
        if let Some((calls, spent)) = prim.and_then(|prim| self.spent.get_mut(prim as usize)) {
            *calls += 1;
            *spent += time;
        }
    }

    /// The primitives called, with calls and time, the longest time first.
    #[must_use]
    pub fn hottest(&self) -> Vec<(Prim, u64, Duration)> {
        let called = Prim::ALL.iter().chain(Prim::TYPED).zip(&self.spent);
        let mut called: Vec<(Prim, u64, Duration)> = called
            .map(|(prim, (calls, spent))| (*prim, *calls, *spent))
            .filter(|(_, calls, _)| *calls > 0)
            .collect();
        called.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
        called
    }
}
