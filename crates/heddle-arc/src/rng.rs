//! Random numbers that depend on the seed alone, on every machine.
//!
//! Generated tasks and programs are named by their seed, so the sequence is part of this crate's
//! contract: it is that of [`SplitMix64`].

use heddle_runtime::ops::SplitMix64;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// Returns the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Rng(SplitMix64::new(seed))
    }

    /// Returns an independent sequence for item `number` of those made from a seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let mut rng = Rng::new(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next_u64();
        rng
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
    }

    /// Returns a number from `least` to `most`, inclusive.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most + 1 - least)
    }

    /// Returns `true` with probability 1 / `count`.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns one of the items, or `None` of an empty slice.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        self.0.shuffle(things);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs() {
        let mut rng = Rng::new(3);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[rng.between(1, 6) - 1] += 1;
        }
        assert!(
            seen.iter().all(|count| (800..1200).contains(count)),
            "{seen:?}"
        );
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
