//! A sequence of random words for choices that one thread makes.

/// Random words that depend on the seed alone: `SplitMix64`, as published by Steele, Lea and
/// Flood (2014). Arrays are filled by [`Random`](super::Random), element by element.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The distance of consecutive states: the odd number nearest to 2^64 over the golden ratio.
    /// Seeds this far apart share no pattern.
    pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Returns the sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits. Every bit depends on every bit of the seed.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `count`, or 0 if `count` is 0.
    #[inline]
    pub const fn below(&mut self, count: usize) -> usize {
        // The high half of a product is as uniform as 64 bits allow.
        ((self.next_u64() as u128 * count as u128) >> 64) as usize
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The first outputs of SplitMix64 for seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_shuffled_slice_holds_every_item_once() {
        let shuffled = || {
            let mut items: Vec<u32> = (0..1000).collect();
            SplitMix64::new(3).shuffle(&mut items);
            items
        };
        let mut items = shuffled();
        assert_ne!(items, (0..1000).collect::<Vec<_>>());
        assert_eq!(items, shuffled());
        items.sort_unstable();
        assert_eq!(items, (0..1000).collect::<Vec<_>>());
    }
}
