//! The code of several plans in one array.

use super::lower::{Bytecode, CONSTANT_WORDS};
use super::parallel_map::parallel_map;
use crate::plan::Plan;
use heddle_runtime::Array;
use heddle_runtime::cpu::CpuPool;

/// Programs of a plan that one thread lowers. Each chunk has all bodies of its plan:
/// smaller ones would make more code, larger ones keep threads waiting.
const CHUNK: usize = 1 << 13;

/// The code of several plans, one after the other in one array.
#[derive(Debug)]
pub(super) struct JoinedCode {
    chunks: Vec<Bytecode>,
    /// Where each begins.
    bases: Vec<u32>,
    /// The number of the first chunk of each plan.
    first_chunks: Vec<usize>,
    words: usize,
}

impl JoinedCode {
    /// Plans, lowered on all threads of a pool.
    pub(super) fn new(plans: &[&Plan], pool: &CpuPool) -> JoinedCode {
        let mut wanted = Vec::new();
        let mut first_chunks = Vec::with_capacity(plans.len());
        for plan in plans {
            first_chunks.push(wanted.len());
            let starts = (0..plan.len()).step_by(CHUNK);
            wanted.extend(starts.map(|start| (*plan, start..plan.len().min(start + CHUNK))));
        }
        let are_many = wanted.len() > 1;
        let chunks = parallel_map(pool, wanted, are_many, |(plan, programs)| {
            Bytecode::of_some(plan, programs)
        });
        let mut words = 0;
        let mut bases = Vec::with_capacity(chunks.len());
        for chunk in &chunks {
            bases.push(words as u32);
            words += chunk.words().len().next_multiple_of(CONSTANT_WORDS);
        }
        JoinedCode {
            chunks,
            bases,
            first_chunks,
            words,
        }
    }

    /// Where a program of a plan begins, and what similar ones are sorted by; none
    /// where it has no bytecode.
    pub(super) fn program(&self, plan: usize, program: usize) -> Option<(u32, u64)> {
        let number = self.first_chunks[plan] + program / CHUNK;
        let (chunk, program) = (&self.chunks[number], program % CHUNK);
        let at = chunk.program(program)? + self.bases[number];
        Some((at, chunk.likeness(program)))
    }

    /// Whether a program of a plan has no bytecode because of its dialect.
    pub(super) fn is_typed(&self, plan: usize, program: usize) -> bool {
        let number = self.first_chunks[plan] + program / CHUNK;
        self.chunks[number].is_typed(program % CHUNK)
    }

    /// The words of all, and what is kept here without them.
    pub(super) fn take_words(&mut self, pool: &CpuPool) -> Array<u32> {
        // A buffer has at least a word.
        let array = Array::filled(self.words.max(1), |mut rest: &mut [u32]| {
            let mut parts = Vec::with_capacity(self.chunks.len());
            for (chunk, base) in self.chunks.iter().zip(&self.bases) {
                let room = chunk.words().len().next_multiple_of(CONSTANT_WORDS);
                let (own, later) = rest.split_at_mut(room);
                parts.push((chunk, *base, own));
                rest = later;
            }
            rest.fill(0);
            let are_many = parts.len() > 1;
            parallel_map(
                pool,
                parts,
                are_many,
                |(chunk, base, own): (&Bytecode, _, _)| {
                    let (own, padding): (&mut [u32], _) = own.split_at_mut(chunk.words().len());
                    chunk.write_to(own, base);
                    padding.fill(0);
                },
            );
        });
        for chunk in &mut self.chunks {
            chunk.drop_words();
        }
        array
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::lower::tests::{monitor, programs};
    use crate::plan::Plan;

    fn check(plans: &[Plan]) {
        let mut joined_code = JoinedCode::new(&plans.iter().collect::<Vec<_>>(), CpuPool::shared());
        let words = joined_code.take_words(CpuPool::shared());
        for (number, plan) in plans.iter().enumerate() {
            let own = Bytecode::of(plan);
            for program in 0..plan.len() {
                let (at, likeness) = joined_code.program(number, program).unwrap();
                monitor(plan, program, words.as_slice().unwrap(), at);
                assert_eq!(likeness, own.likeness(program));
            }
        }
    }

    #[test]
    fn chunks_are_moved_whole() {
        let plans: Vec<Plan> = (1..4).map(|seed| Plan::new(&programs(seed, 40))).collect();
        check(&plans);
    }

    #[test]
    fn a_large_plan_is_lowered_in_chunks() {
        let plans = [2 * CHUNK + 3, 5, CHUNK].map(|count| Plan::new(&programs(7, count as u64)));
        let joined_code = JoinedCode::new(&plans.iter().collect::<Vec<_>>(), CpuPool::shared());
        assert_eq!(
            (joined_code.chunks.len(), &*joined_code.first_chunks),
            (5, &[0, 3, 4][..])
        );
        check(&plans);
    }
}
