//! A pseudo-random generator and shuffles that depend on a seed alone.

/// A stream of words by splitmix64.
pub(super) struct Shuffle(u64);

impl Shuffle {
    pub(super) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut next_u64 = self.0;
        next_u64 = (next_u64 ^ (next_u64 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        next_u64 = (next_u64 ^ (next_u64 >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        next_u64 ^ (next_u64 >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// The numbers below `count`, shuffled.
    pub(super) fn order(&mut self, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_holds_every_number_once() {
        let mut order = Shuffle::seeded(3).order(1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        assert_eq!(order, Shuffle::seeded(3).order(1000));
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }
}
