//! The sizes at which errors occur: zero, one, primes, and either side of every boundary between
//! warps, blocks and grids.

use serde::Serialize;

use crate::dtype::Element;
use crate::ops;

/// The extent of a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// Up to some tens of thousands of elements: for an emulated device.
    Quick,
    /// Up to just above the largest grid, 16 MiB of any element type.
    #[default]
    Standard,
    /// Some tens of millions of elements as well.
    Thorough,
}

const QUICK: [usize; 15] = [
    0, 1, 2, 3, 31, 33, 127, 255, 256, 257, 1009, 4095, 4096, 4097, 10_007,
];
const STANDARD: [usize; 4] = [65_537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1];
// A prime, and more than one stride of the largest grid for every type.
const THOROUGH: [usize; 2] = [9_999_991, (20 << 20) + 1];

/// The number of elements in cases with operands in two places.
pub(super) const MIXED: usize = 257;

impl Depth {
    /// Returns the lengths of flat arrays of `T`.
    pub(super) fn lengths<T: Element>(self) -> impl Iterator<Item = usize> {
        let grid = ops::grid_elements::<T>();
        QUICK
            .into_iter()
            .chain(
                STANDARD
                    .into_iter()
                    .chain([grid - 1, grid + 1])
                    .filter(move |_| self >= Self::Standard),
            )
            .chain(THOROUGH.into_iter().filter(move |_| self >= Self::Thorough))
    }

    /// Returns the entries of a list that belong to this depth; each entry has the least depth that
    /// includes it.
    pub(super) fn of<T: Copy>(self, list: &[(Self, T)]) -> impl Iterator<Item = T> {
        list.iter()
            .filter(move |(from, _)| *from <= self)
            .map(|&(_, entry)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deeper_suite_has_more_lengths() {
        let count = |depth: Depth| depth.lengths::<u8>().count();
        assert!(count(Depth::Quick) < count(Depth::Standard));
        assert!(count(Depth::Standard) < count(Depth::Thorough));
        assert!(Depth::Quick.lengths::<u8>().any(|length| length == MIXED));
    }

    #[test]
    fn lengths_include_both_sides_of_the_largest_grid() {
        fn has<T: Element>() -> bool {
            let lengths: Vec<usize> = Depth::Standard.lengths::<T>().collect();
            let grid = (16 << 20) / size_of::<T>();
            lengths.contains(&(grid - 1)) && lengths.contains(&(grid + 1))
        }
        assert!(has::<u8>() && has::<f32>() && has::<f64>());
    }
}
