//! The code of several plans in one array.

use super::lower::{Bytecode, CONSTANT_WORDS};
use heddle_runtime::Array;
use rayon::prelude::*;

/// The code of several plans, one after the other in one array.
#[derive(Debug)]
pub(super) struct Joined {
    plans: Vec<Bytecode>,
    /// Where each begins.
    bases: Vec<u32>,
    words: usize,
}

impl Joined {
    pub(super) fn new(plans: Vec<Bytecode>) -> Joined {
        let mut words = 0;
        let mut bases = Vec::with_capacity(plans.len());
        for plan in &plans {
            bases.push(words as u32);
            words += plan.words().len().next_multiple_of(CONSTANT_WORDS);
        }
        Joined {
            plans,
            bases,
            words,
        }
    }

    /// Where a program of a plan begins, and what similar ones are sorted by; none
    /// where it has no bytecode.
    pub(super) fn program(&self, plan: usize, program: usize) -> Option<(u32, u64)> {
        let code = &self.plans[plan];
        let at = code.program(program)? + self.bases[plan];
        Some((at, code.likeness(program)))
    }

    /// The words of all, and what is kept here without them.
    pub(super) fn take_words(&mut self) -> Array<u32> {
        // A buffer has at least a word.
        let array = Array::filled(self.words.max(1), |mut rest: &mut [u32]| {
            let mut parts = Vec::with_capacity(self.plans.len());
            for (plan, base) in self.plans.iter().zip(&self.bases) {
                let room = plan.words().len().next_multiple_of(CONSTANT_WORDS);
                let (own, later) = rest.split_at_mut(room);
                parts.push((plan, *base, own));
                rest = later;
            }
            rest.fill(0);
            parts.into_par_iter().for_each(|(plan, base, own)| {
                let (own, padding) = own.split_at_mut(plan.words().len());
                plan.write_to(own, base);
                padding.fill(0);
            });
        });
        for plan in &mut self.plans {
            plan.drop_words();
        }
        array
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::lower::tests::{follow, programs};
    use crate::plan::Plan;

    #[test]
    fn chunks_are_moved_whole() {
        let plans: Vec<Plan> = (1..4).map(|seed| Plan::new(&programs(seed, 40))).collect();
        let mut joined = Joined::new(plans.iter().map(Bytecode::of).collect());
        let words = joined.take_words();
        for (number, plan) in plans.iter().enumerate() {
            let own = Bytecode::of(plan);
            for program in 0..plan.len() {
                let (at, likeness) = joined.program(number, program).unwrap();
                follow(plan, program, words.as_slice().unwrap(), at);
                assert_eq!(likeness, own.likeness(program));
            }
        }
    }
}
