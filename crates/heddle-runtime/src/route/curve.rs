//! A time for any amount of work, read without a lock.
//!
//! The curve has a knot at the mean of every measured octave and one at every
//! octave's lower edge; between knots it is a straight line in work, because
//! overhead + work / rate is one. (Straight lines between *logarithms* would
//! over-estimate the bend of such a cost by 6 % when octaves are measured two
//! apart.) Below the first measurement it runs to a floor, above the last it
//! goes on at the last rate. [`CurveFit`](super::fit::CurveFit) computes both.
//!
//! Readers load single atomics that one writer at a time stores. A reader may see one knot from
//! before a measurement and its neighbour from after it. Both times are valid, so a value
//! interpolated between them is valid too.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use super::octave::{OCTAVES, amount, edge, octave};

/// The value of `first` while nothing is measured.
const UNMEASURED: u8 = u8::MAX;

/// The confidence factor at a distance in quarter steps: `1 / (1 + steps / 4)`. It is a table
/// because a division takes as long as the rest of a reading.
const DISTANCE_CONFIDENCE: [f64; 2 * OCTAVES] = {
    let mut reach = [1.0; 2 * OCTAVES];
    let mut steps = 0;
    while steps < reach.len() {
        reach[steps] = 1.0 / (1.0 + 0.25 * steps as f64);
        steps += 1;
    }
    reach
};

/// One octave of the published curve.
#[derive(Debug, Default)]
struct Knots {
    /// Time at the octave's lower edge.
    edge_ns: AtomicU64,
    /// The mean amount measured in the octave, or zero.
    mean: AtomicU64,
    /// Time at that mean.
    mean_ns: AtomicU64,
    /// The part of the confidence that comes from measurements in the octave.
    quality: AtomicU64,
}

/// The published curve.
#[derive(Debug)]
pub(super) struct Curve {
    first: AtomicU8,
    last: AtomicU8,
    /// Whether recent measurements contradict the curve.
    doubted: AtomicBool,
    samples: AtomicU32,
    floor_ns: AtomicU64,
    top_rate: AtomicU64,
    /// The measured octave nearest to each octave.
    nearest: [AtomicU8; OCTAVES],
    knots: [Knots; OCTAVES + 1],
}

/// The prediction of a curve for one amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveEstimate {
    /// The time.
    pub(super) ns: f64,
    /// The part of it that every amount costs, however small.
    pub(super) floor_ns: f64,
    /// The confidence in it; see [`Curve::read`].
    pub(super) confidence: f64,
}

impl Curve {
    pub(super) fn new() -> Self {
        Self {
            first: AtomicU8::new(UNMEASURED),
            last: AtomicU8::new(0),
            doubted: AtomicBool::new(false),
            samples: AtomicU32::new(0),
            floor_ns: AtomicU64::new(0),
            top_rate: AtomicU64::new(0),
            nearest: std::array::from_fn(|_| AtomicU8::new(0)),
            knots: std::array::from_fn(|_| Knots::default()),
        }
    }

    /// Returns the time for an amount, or `None` while nothing is measured.
    ///
    /// Confidence is `n / (n + 2) · 1 / (1 + 4 s) · 1 / (1 + d / 2)`, where `n` is
    /// the number of measurements in the nearest measured octave, `s` their
    /// relative deviation and `d` the distance to it in octaves, halved between
    /// measured octaves.
    #[inline]
    pub(super) fn read(&self, asked: u64) -> Option<CurveEstimate> {
        let range = self.range()?;
        let ns = self.at(asked, range);
        Some(CurveEstimate {
            ns,
            floor_ns: load(&self.floor_ns).min(ns),
            confidence: self.confidence(octave(asked), range),
        })
    }

    /// Returns the time alone.
    #[inline]
    pub(super) fn time_ns(&self, asked: u64) -> Option<f64> {
        self.range().map(|range| self.at(asked, range))
    }

    /// The first and the last measured octave.
    #[inline]
    fn range(&self) -> Option<(usize, usize)> {
        let first = self.first.load(Ordering::Acquire);
        let last = self.last.load(Ordering::Relaxed);
        (first != UNMEASURED).then_some((usize::from(first), usize::from(last)))
    }

    #[inline]
    fn at(&self, asked: u64, (first, last): (usize, usize)) -> f64 {
        let at = octave(asked);
        let asked = amount(asked);
        if at < first {
            let floor_ns = load(&self.floor_ns);
            floor_ns + (load(&self.knots[first].edge_ns) - floor_ns) * asked / edge(first)
        } else if at > last {
            let start = edge(last + 1);
            load(&self.knots[last + 1].edge_ns) + load(&self.top_rate) * (asked - start)
        } else {
            self.within(at, asked)
        }
    }

    #[inline]
    fn within(&self, at: usize, asked: f64) -> f64 {
        let knots = &self.knots[at];
        let left = (edge(at), load(&knots.edge_ns));
        let right = (edge(at + 1), load(&self.knots[at + 1].edge_ns));
        // Acquire pairs with the release in `put_mean`: a reader that sees a mean also sees its
        // time.
        let mean = f64::from_bits(knots.mean.load(Ordering::Acquire));
        if mean <= left.0 {
            return line(left, right, asked);
        }
        let middle = (mean, load(&knots.mean_ns));
        if asked < mean {
            line(left, middle, asked)
        } else {
            line(middle, right, asked)
        }
    }

    #[inline]
    fn confidence(&self, at: usize, (first, last): (usize, usize)) -> f64 {
        let nearest = usize::from(self.nearest[at].load(Ordering::Relaxed));
        let steps = at.abs_diff(nearest) * if at > first && at < last { 1 } else { 2 };
        load(&self.knots[nearest].quality) * DISTANCE_CONFIDENCE[steps]
    }

    /// The number of measurements behind the curve.
    pub(super) fn samples(&self) -> u32 {
        self.samples.load(Ordering::Relaxed)
    }

    /// Whether the latest measurements contradict the curve.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }

    pub(super) fn put_edge(&self, octave: usize, ns: f64) {
        store(&self.knots[octave].edge_ns, ns);
    }

    pub(super) fn put_mean(&self, octave: usize, mean: f64, ns: f64) {
        let knots = &self.knots[octave];
        store(&knots.mean_ns, ns);
        knots.mean.store(mean.to_bits(), Ordering::Release);
    }

    pub(super) fn put_evidence(&self, octave: usize, samples: u32, relative_deviation: f64) {
        let samples = f64::from(samples);
        let quality = samples / ((samples + 2.0) * (1.0 + 4.0 * relative_deviation));
        store(&self.knots[octave].quality, quality);
    }

    pub(super) fn put_ends(&self, floor_ns: f64, top_rate: f64) {
        store(&self.floor_ns, floor_ns);
        store(&self.top_rate, top_rate);
    }

    /// Publishes which octaves are measured. Called after the knots between them are stored.
    pub(super) fn put_measured(&self, measured: u64) {
        for (octave, nearest) in self.nearest.iter().enumerate() {
            nearest.store(nearest_bit(measured, octave), Ordering::Relaxed);
        }
        self.last
            .store(63 - measured.leading_zeros() as u8, Ordering::Relaxed);
        self.first
            .store(measured.trailing_zeros() as u8, Ordering::Release);
    }

    pub(super) fn put_state(&self, samples: u32, doubted: bool) {
        self.samples.store(samples, Ordering::Relaxed);
        self.doubted.store(doubted, Ordering::Relaxed);
    }
}

/// The value at `x` of the line through two points. The weighted form is used because stepping
/// from one point could round below a tiny end from a huge one.
#[inline]
pub(super) fn line(left: (f64, f64), right: (f64, f64), x: f64) -> f64 {
    let share = (x - left.0) / (right.0 - left.0);
    left.1 * (1.0 - share) + right.1 * share
}

/// The set bit nearest to a position, the lower one of two at equal distance.
fn nearest_bit(bits: u64, position: usize) -> u8 {
    let below = bits << (63 - position);
    let above = bits >> position;
    if below == 0 || (above != 0 && above.trailing_zeros() < below.leading_zeros()) {
        position as u8 + above.trailing_zeros() as u8
    } else {
        position as u8 - below.leading_zeros() as u8
    }
}

#[inline]
fn load(number: &AtomicU64) -> f64 {
    f64::from_bits(number.load(Ordering::Relaxed))
}

fn store(number: &AtomicU64, value: f64) {
    number.store(value.to_bits(), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_from_huge_to_tiny_stays_positive() {
        let (left, right) = ((1.0, 1e19), (edge(63), 1.0));
        for octave in 1..=63 {
            assert!(line(left, right, edge(octave)) > 0.0, "octave {octave}");
        }
    }

    #[test]
    fn the_nearest_measured_octave_is_found() {
        let bits = (1 << 3) | (1 << 10) | (1 << 63);
        let expected = [
            (0, 3),
            (3, 3),
            (6, 3),
            (7, 10),
            (10, 10),
            (37, 63),
            (63, 63),
        ];
        for (position, nearest) in expected {
            assert_eq!(nearest_bit(bits, position), nearest, "from {position}");
        }
    }
}
