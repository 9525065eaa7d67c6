//! Size classes: the block sizes that requests are rounded up to.
//!
//! Eight steps per power of two waste less than an eighth. No step is finer than the alignment
//! of GPUs, and none coarser than the page their drivers map.

use crate::units::Bytes;

/// The smallest block. Every block's size is a multiple of it.
pub(super) const SMALLEST: u64 = 256;
/// Drivers map memory in pages of this size; finer steps save nothing.
pub(super) const PAGE: u64 = 2 << 20;
/// The number of steps per power of two, as a power of two.
const STEPS: u32 = 3;
/// From this size on the step is the page, and classes have no number.
const UNCOUNTED: u64 = PAGE << (STEPS + 1);
/// The octave where steps become coarser than the smallest block.
const FIRST_OCTAVE: u32 = SMALLEST.ilog2() + STEPS;
/// The number of classes that have a number.
pub(super) const COUNTED: usize = (((UNCOUNTED.ilog2() - FIRST_OCTAVE) as usize + 1) << STEPS) + 1;

/// The size of the block that serves a request, or the request itself if no such block can
/// exist.
pub(super) fn size_class(bytes: Bytes) -> u64 {
    let bytes = bytes.0.max(1);
    let step = (1_u64 << bytes.ilog2() >> STEPS).clamp(SMALLEST, PAGE);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

/// The number of the class of this size, if it has one. `size_class` must be a class.
pub(super) fn number(size_class: u64) -> Option<usize> {
    if size_class > UNCOUNTED {
        return None;
    }
    let octave = size_class.ilog2().max(FIRST_OCTAVE) - FIRST_OCTAVE;
    let step = SMALLEST << octave;
    // Within the first octave, whose steps are the smallest block, the classes below it are
    // counted too.
    Some((octave as usize) * (1 << STEPS) + (size_class / step) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_class_holds_its_request_and_wastes_little(bytes in 1_u64..1 << 42) {
            let size = size_class(Bytes(bytes));
            prop_assert!(size >= bytes && size.is_multiple_of(SMALLEST));
            prop_assert!(size - bytes <= (bytes / 8).max(SMALLEST));
            prop_assert_eq!(size_class(Bytes(size)), size);
        }
    }

    #[test]
    fn every_counted_class_has_a_number_of_its_own() {
        let mut size = 0;
        let mut seen = std::collections::BTreeSet::new();
        loop {
            size = size_class(Bytes(size + 1));
            let Some(number) = number(size) else { break };
            assert!(number < COUNTED, "{size} has number {number}");
            assert!(seen.insert(number), "{size} shares number {number}");
        }
        assert_eq!(size, UNCOUNTED + PAGE);
        assert_eq!(size_class(Bytes(u64::MAX)), u64::MAX);
        assert_eq!(size_class(Bytes(0)), SMALLEST);
    }
}
