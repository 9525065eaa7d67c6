//! Assigns slices to tracks so that those of one track nest.
//!
//! Viewers draw a track as a stack of slices and drop or misdraw those that overlap
//! without nesting. Such slices occur: futures pause, and kernels of one stream are
//! timed by another clock. They get further lanes beside the first.

/// A slice of a track's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
}

/// The lane of each slice, counted from zero. Slices must be sorted by start, then
/// longest first.
pub(super) fn subtracks(slices: &[Slice]) -> Vec<usize> {
    // For each lane, the ends of the open slices, innermost last.
    let mut open: Vec<Vec<u64>> = Vec::new();
    slices
        .iter()
        .map(|slice| {
            let fits = |ends: &mut Vec<u64>| {
                while ends.last().is_some_and(|&end| end <= slice.start_ns) {
                    ends.pop();
                }
                ends.last().is_none_or(|&end| slice.end_ns <= end)
            };
            let subtrack = open.iter_mut().position(fits).unwrap_or_else(|| {
                open.push(Vec::new());
                open.len() - 1
            });
            open[subtrack].push(slice.end_ns);
            subtrack
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slice(start_ns: u64, end_ns: u64) -> Slice {
        Slice { start_ns, end_ns }
    }

    #[test]
    fn what_nests_stays_together_and_what_overlaps_does_not() {
        let slices = [
            slice(0, 100),
            slice(0, 50),
            slice(50, 60),
            slice(55, 65),
            slice(70, 120),
            slice(100, 110),
        ];
        assert_eq!(subtracks(&slices), [0, 0, 0, 1, 1, 0]);
    }

    proptest! {
        #[test]
        fn no_two_slices_of_a_lane_overlap_without_nesting(
            mut slices in prop::collection::vec((0_u64..60, 0_u64..30), 0..60)
        ) {
            slices.sort_by_key(|&(start, length)| (start, std::cmp::Reverse(length)));
            let slices: Vec<Slice> = slices
                .into_iter()
                .map(|(start, length)| slice(start, start + length))
                .collect();
            let subtracks = subtracks(&slices);
            for (i, a) in slices.iter().enumerate() {
                for (j, b) in slices.iter().enumerate().skip(i + 1) {
                    let apart = a.end_ns <= b.start_ns;
                    let inside = b.end_ns <= a.end_ns;
                    prop_assert!(subtracks[i] != subtracks[j] || apart || inside, "{a:?} {b:?}");
                }
            }
        }
    }
}
