//! Random numbers that depend on the seed alone, on every machine.
//!
//! Generated tasks and programs are named by their seed, so the sequence is part of this crate's
//! contract: `SplitMix64`, as published by Steele, Lea and Flood.

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Returns the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
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
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        // The high half of a product is as uniform as 64 bits allow.
        ((u128::from(self.next_u64()) * count as u128) >> 64) as usize
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
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The first outputs of SplitMix64 for seed 1234567.
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

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
