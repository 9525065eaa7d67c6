//! Chooses the number of items of a batch: as many as memory allows and as still make an item
//! cheaper. Pure: free memory and costs are arguments.

use crate::units::Bytes;

/// A doubling that makes an item cheaper by less than this share is no gain.
const LEAST_GAIN: f64 = 0.01;
/// The weight of a new measurement of an item's bytes that is smaller than the estimate. A
/// larger one replaces it at once.
const EASING: f64 = 0.125;
/// The factor by which a batch may grow after each success, once pressure has ended.
const REGROWTH: f64 = 1.25;

/// The limits of a batch's size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SizeLimits {
    /// The fewest items, whatever memory is free: admission decides about those.
    pub(crate) min: usize,
    /// The most items.
    pub(crate) max: usize,
    /// The share of free memory that is left free.
    pub(crate) margin: f64,
}

impl Default for SizeLimits {
    /// One to a million items; a fifth of the free memory is left free.
    fn default() -> Self {
        Self {
            min: 1,
            max: 1 << 20,
            margin: 0.2,
        }
    }
}

/// Tracks the memory of an item of one kind, and the last shortage.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchSizer {
    limits: SizeLimits,
    bytes_per_item: f64,
    /// The size that refusals have reduced batches to, until it is no longer needed.
    ceiling: Option<f64>,
}

impl BatchSizer {
    /// Creates a sizer without measurements.
    #[cfg(test)]
    fn new(limits: SizeLimits) -> Self {
        Self {
            limits: SizeLimits {
                min: limits.min.max(1),
                max: limits.max.max(limits.min).max(1),
                margin: limits.margin.clamp(0.0, 0.99),
            },
            ..Self::default()
        }
    }

    /// Learns that `items` items needed `bytes` together.
    pub(crate) fn measure(&mut self, items: usize, bytes: Bytes) {
        let each = bytes.0 as f64 / items.max(1) as f64;
        self.bytes_per_item = if each >= self.bytes_per_item {
            each
        } else {
            self.bytes_per_item + EASING * (each - self.bytes_per_item)
        };
    }

    /// Returns the size of the next batch, for `waiting` items and `free` bytes. `cost` returns
    /// the predicted nanoseconds of a batch of a given size, if known.
    #[must_use]
    pub(crate) fn next(
        &self,
        waiting: usize,
        free: Bytes,
        cost: impl Fn(usize) -> Option<f64>,
    ) -> usize {
        let SizeLimits { min, max, margin } = self.limits;
        let mut most = max.min(waiting).max(1);
        if self.bytes_per_item > 0.0 {
            let fitting = free.0 as f64 * (1.0 - margin) / self.bytes_per_item;
            most = most.min(fitting as usize);
        }
        if let Some(ceiling) = self.ceiling {
            most = most.min(ceiling as usize);
        }
        let least = min.min(waiting).max(1);
        still_gaining(least, most.max(least), cost)
    }

    /// Records that a batch of `items` was refused with `free` bytes left. The next batches fit
    /// into that memory and are smaller than this one.
    pub(crate) fn refused(&mut self, items: usize, free: Bytes) {
        let fitting = if self.bytes_per_item > 0.0 {
            free.0 as f64 * (1.0 - self.limits.margin) / self.bytes_per_item
        } else {
            0.0
        };
        // Free memory may be fragmented, so a size that seems to fit may not.
        let below = items as f64 * (1.0 - self.limits.margin);
        self.ceiling = Some(fitting.min(below).max(self.limits.min as f64));
    }

    /// Records that a batch of `items` was granted. One that reached the ceiling raises it; a
    /// ceiling that no batch needs any more is removed.
    pub(crate) fn granted(&mut self, items: usize) {
        if let Some(ceiling) = self.ceiling
            && items as f64 >= ceiling.floor()
        {
            let raised = (ceiling * REGROWTH).max(ceiling + 1.0);
            self.ceiling = (raised < self.limits.max as f64).then_some(raised);
        }
    }
}

/// The largest size from `least` to `most` up to which every doubling made an item cheaper, or
/// `most` where costs are not known.
fn still_gaining(least: usize, most: usize, cost: impl Fn(usize) -> Option<f64>) -> usize {
    let each = |items: usize| cost(items).map(|ns| ns / items as f64);
    let mut size = least;
    let Some(mut cost) = each(size) else {
        return most;
    };
    while size < most {
        let larger = size.saturating_mul(2).min(most);
        let Some(next) = each(larger) else {
            return most;
        };
        // The last step may be less than a doubling; its required gain is proportional.
        let step = (larger as f64 / size as f64).log2();
        if next > cost * (1.0 - LEAST_GAIN * step) {
            return size;
        }
        (size, cost) = (larger, next);
    }
    size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unknown(_: usize) -> Option<f64> {
        None
    }

    #[test]
    fn fills_the_budget_less_a_margin() {
        let mut batch_sizer = BatchSizer::new(SizeLimits::default());
        batch_sizer.measure(10, Bytes(10_000));
        assert_eq!(batch_sizer.next(5_000, Bytes(1_000_000), unknown), 800);
        assert_eq!(batch_sizer.next(50, Bytes(1_000_000), unknown), 50);
        assert_eq!(batch_sizer.next(50, Bytes(0), unknown), 1);
    }

    #[test]
    fn stops_where_a_doubling_gains_nothing() {
        let batch_sizer = BatchSizer::new(SizeLimits::default());
        // A launch of 10 µs and 100 ns an item: beyond some 6,400 items a doubling saves less
        // than a hundredth.
        let line = |items: usize| Some(10_000.0 + 100.0 * items as f64);
        let size = batch_sizer.next(1 << 20, Bytes(u64::MAX), line);
        assert!((2_048..=16_384).contains(&size), "{size}");
        // Beyond the cache an item costs twice as much.
        let cache_limited =
            |items: usize| Some(items as f64 * if items > 512 { 2.0 } else { 1.0 } + 1e4);
        let size = batch_sizer.next(1 << 20, Bytes(u64::MAX), cache_limited);
        assert!(size >= 256, "{size}");
    }

    #[test]
    fn a_refusal_shrinks_to_the_budget_and_success_grows_back() {
        let mut batch_sizer = BatchSizer::new(SizeLimits::default());
        batch_sizer.measure(1, Bytes(1_000));
        let ample = Bytes(1 << 40);
        assert_eq!(batch_sizer.next(10_000, ample, unknown), 10_000);
        batch_sizer.refused(10_000, Bytes(2_000_000));
        assert_eq!(batch_sizer.next(10_000, ample, unknown), 1_600);
        let mut sizes = Vec::new();
        for _ in 0..40 {
            let size = batch_sizer.next(10_000, ample, unknown);
            batch_sizer.granted(size);
            sizes.push(size);
        }
        assert!(sizes.is_sorted());
        assert_eq!(sizes.last(), Some(&10_000));
    }

    proptest! {
        #[test]
        fn keeps_to_its_limits(
            min in 0_usize..50,
            span in 0_usize..5_000,
            margin in 0.0_f64..0.9,
            each in 0_u64..1 << 20,
            free in 0_u64..1 << 32,
            waiting in 1_usize..10_000,
            refusals in prop::collection::vec((1_usize..10_000, 0_u64..1 << 30), 0..5),
            fixed in 0.0_f64..1e6,
            slope in 0.0_f64..1e4,
        ) {
            let mut batch_sizer = BatchSizer::new(SizeLimits { min, max: min + span, margin });
            batch_sizer.measure(1, Bytes(each));
            for (items, free) in refusals {
                batch_sizer.refused(items, Bytes(free));
            }
            let cost = |items: usize| Some(fixed + slope * items as f64);
            for size in [
                batch_sizer.next(waiting, Bytes(free), unknown),
                batch_sizer.next(waiting, Bytes(free), cost),
            ] {
                let least = min.max(1).min(waiting);
                prop_assert!(size >= least && size <= waiting);
                prop_assert!(size <= (min + span).max(1));
                prop_assert!(
                    size == least || size as f64 * each as f64 <= free as f64 * (1.0 - margin) + 1.0
                );
            }
        }

        #[test]
        fn growth_never_stops_short(refused in 2_usize..100_000, each in 1_u64..1 << 16) {
            let mut batch_sizer = BatchSizer::new(SizeLimits::default());
            batch_sizer.measure(1, Bytes(each));
            batch_sizer.refused(refused, Bytes(each));
            prop_assert!(batch_sizer.next(refused, Bytes(u64::MAX), unknown) < refused);
            for _ in 0..100 {
                let size = batch_sizer.next(refused, Bytes(u64::MAX), unknown);
                batch_sizer.granted(size);
            }
            prop_assert_eq!(batch_sizer.next(refused, Bytes(u64::MAX), unknown), refused);
        }
    }
}
