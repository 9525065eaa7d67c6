//! Octaves: amounts of work or bytes grouped by their power of two.

/// The number of octaves of a `u64`.
pub(super) const OCTAVES: usize = 64;

/// The octave of `amount`; zero counts as one.
#[inline]
pub(super) fn octave(amount: u64) -> usize {
    (amount | 1).ilog2() as usize
}

/// The least amount of an octave. Also valid for the octave past the last.
#[inline]
pub(super) fn edge(octave: usize) -> f64 {
    debug_assert!(octave <= OCTAVES);
    // 2^octave: only the exponent's bits differ, and this runs on the hot path.
    f64::from_bits((1023 + octave as u64) << 52)
}

/// The largest number within an octave.
#[inline]
pub(super) fn ceiling(octave: usize) -> f64 {
    f64::from_bits(edge(octave + 1).to_bits() - 1)
}

/// The amount as a float; zero counts as one. Rounding never carries it into the next octave.
#[inline]
pub(super) fn amount(amount: u64) -> f64 {
    (amount.max(1) as f64).min(ceiling(octave(amount)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amount_lies_between_its_octaves_edges() {
        for value in [0, 1, 2, 3, 4, 1023, 1024, 1 << 40, (1 << 60) - 1, u64::MAX] {
            let found = octave(value);
            assert!(edge(found) <= amount(value), "{value}");
            assert!(amount(value) < edge(found + 1), "{value}");
        }
        assert!((edge(64) - 18_446_744_073_709_551_616.0).abs() < 1.0);
    }
}
