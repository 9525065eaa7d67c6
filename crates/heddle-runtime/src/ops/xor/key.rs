//! A key repeated over data, stored so that runs are long enough for SIMD.

use std::borrow::Cow;
use std::ops::Range;

use super::BitElement;

/// Elements that a short key is tiled to. Measured: from a kibibyte on, the length of the runs
/// makes no difference; four leave a margin for wide elements.
const TILE: usize = 4096;
/// Runs are a multiple of the widest vector, in elements of a byte.
const LANES: usize = 64;

/// The key, repeated often enough that every run of it is long.
pub(super) struct RepeatedKey<'a, T: BitElement> {
    elements: Cow<'a, [T]>,
    period: usize,
}

impl<'a, T: BitElement> RepeatedKey<'a, T> {
    /// Prepares `key` to be repeated over `len` elements. The key is empty only if `len` is
    /// zero.
    pub(super) fn over(key: &'a [T], len: usize) -> Self {
        let period = key.len();
        if period >= len || period >= TILE {
            return Self {
                elements: Cow::Borrowed(key),
                period,
            };
        }
        // One period more than a tile, so that a tile can start at any phase.
        let length = TILE.min(len) + period;
        let mut tile = Vec::with_capacity(length);
        tile.extend_from_slice(key);
        while tile.len() < length {
            // Doubling keeps the phase: the copied head is a whole number of periods.
            let more = tile.len().min(length - tile.len());
            tile.extend_from_within(..more);
        }
        Self {
            elements: Cow::Owned(tile),
            period,
        }
    }

    /// Calls `with` for consecutive ranges that cover `0..len`, each with the key elements
    /// for it; element 0 is element `start` of the whole data.
    pub(super) fn runs(&self, start: usize, len: usize, mut with: impl FnMut(Range<usize>, &[T])) {
        let mut done = 0;
        let mut phase = if self.period == 0 {
            0
        } else {
            start % self.period
        };
        while done < len {
            let ahead = self.elements.len() - phase;
            let whole = if ahead < LANES {
                ahead
            } else {
                ahead - ahead % LANES
            };
            let run = whole.min(len - done);
            with(done..done + run, &self.elements[phase..phase + run]);
            done += run;
            phase = (phase + run) % self.period;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_repeats_at_every_phase_and_length() {
        for period in [1, 2, 3, 63, 64, 65, 1000, TILE - 1, TILE, TILE + 1, 9001] {
            let key: Vec<u32> = (0..period as u32).collect();
            for len in [0, 1, 63, 64, 65, TILE, 20_000] {
                let repeated = RepeatedKey::over(&key, len);
                for start in [0, 1, 4096, 12_345] {
                    // A key at least as long as the data is never read
                    // beyond it.
                    let start = if period >= len { 0 } else { start };
                    let mut seen = Vec::new();
                    repeated.runs(start, len, |range, run| {
                        assert_eq!(range.start, seen.len());
                        seen.extend_from_slice(run);
                    });
                    let expected = (start..start + len).map(|i| (i % period) as u32);
                    assert!(seen.into_iter().eq(expected), "{period} {len} {start}");
                }
            }
        }
    }
}
