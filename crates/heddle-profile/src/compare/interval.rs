//! The interval a ratio of typical times lies in.
//!
//! The one thing to know: this is Welch's interval for the difference of two
//! means of unequal variance, taken of logarithms, and for a weighted sum of such
//! differences. Raised back, a difference is the ratio of geometric means. It
//! supposes that runs of an operation do not
//! depend on each other; where a whole run was slowed down by something else the
//! noise threshold is what is left.

use serde::Serialize;

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Not below.
    pub low: f64,
    /// Not above.
    pub high: f64,
}

/// The logarithms of times, added up as they come (Welford's method, which does
/// not lose a small variance in a large mean).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Logs {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Logs {
    pub(super) fn add(&mut self, ns: u64) {
        // A time below the clock's resolution is not shorter than nothing.
        let log = (ns.max(1) as f64).ln();
        self.count += 1;
        let away = log - self.mean;
        self.mean += away / self.count as f64;
        self.squares += away * (log - self.mean);
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The geometric mean.
    pub(super) fn typical(&self) -> Option<f64> {
        (self.count > 0).then(|| self.mean.exp())
    }

    /// The variance of the mean.
    fn variance_of_mean(&self) -> f64 {
        let count = self.count as f64;
        self.squares.max(0.0) / (count - 1.0) / count
    }

    /// Takes in what others were added up to (Chan's method).
    pub(super) fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count == 0 {
            return;
        }
        let away = other.mean - self.mean;
        let weight = other.count as f64 / count as f64;
        self.squares += other.squares + away * away * self.count as f64 * weight;
        self.mean += away * weight;
        self.count = count;
    }
}

/// Times before and after, in pairs of the same amount of work.
#[derive(Debug)]
pub(super) struct Strata {
    pairs: Vec<Pair>,
}

#[derive(Debug)]
struct Pair {
    before: Logs,
    after: Logs,
    /// The pair's part of the time, all parts being one.
    weight: f64,
}

impl Strata {
    /// Of the pairs with two times at least on either side.
    pub(super) fn new(pairs: impl Iterator<Item = (Logs, Logs)>) -> Self {
        let mut pairs: Vec<Pair> = pairs
            .filter(|(before, after)| before.count.min(after.count) >= 2)
            .map(|(before, after)| Pair {
                before,
                after,
                // As much as was spent on it before.
                weight: before.mean.exp() * before.count as f64,
            })
            .collect();
        let all: f64 = pairs.iter().map(|pair| pair.weight).sum();
        for pair in &mut pairs {
            pair.weight /= all;
        }
        Self { pairs }
    }

    /// How many times there are on the side with fewer.
    pub(super) fn least_count(&self) -> u64 {
        let before: u64 = self.pairs.iter().map(|pair| pair.before.count).sum();
        let after: u64 = self.pairs.iter().map(|pair| pair.after.count).sum();
        before.min(after)
    }

    fn difference(&self) -> f64 {
        self.pairs
            .iter()
            .map(|pair| pair.weight * (pair.after.mean - pair.before.mean))
            .sum()
    }

    /// After as a multiple of before.
    pub(super) fn ratio(&self) -> Option<f64> {
        (!self.pairs.is_empty()).then(|| self.difference().exp())
    }

    /// Where that lies.
    pub(super) fn interval(&self, confidence: f64) -> Option<Interval> {
        if self.pairs.is_empty() {
            return None;
        }
        let difference = self.difference();
        let (mut variance, mut spread) = (0.0, 0.0);
        for pair in &self.pairs {
            for logs in [&pair.before, &pair.after] {
                let part = pair.weight * pair.weight * logs.variance_of_mean();
                variance += part;
                spread += part * part / (logs.count as f64 - 1.0);
            }
        }
        if variance <= 0.0 {
            return Some(Interval::exactly(difference.exp()));
        }
        // The degrees of freedom by Welch and Satterthwaite.
        let margin = student(confidence, variance * variance / spread) * variance.sqrt();
        Some(Interval {
            low: (difference - margin).exp(),
            high: (difference + margin).exp(),
        })
    }
}

impl Interval {
    pub(super) fn exactly(value: f64) -> Self {
        Self {
            low: value,
            high: value,
        }
    }
}

/// How many standard errors a mean is away from the truth at most, with this
/// confidence and so many degrees of freedom (Student's distribution, two sides).
fn student(confidence: f64, freedom: f64) -> f64 {
    let above = f64::midpoint(1.0, confidence.clamp(0.0, 0.999_999));
    // Exact where the series is worst, which are also the ones with a closed form.
    if freedom < 1.5 {
        return (std::f64::consts::PI * (above - 0.5)).tan();
    }
    if freedom < 2.5 {
        let a = 4.0 * above * (1.0 - above);
        return 2.0 * (above - 0.5) * (2.0 / a).sqrt();
    }
    // Abramowitz and Stegun 26.7.5.
    let z = normal(above);
    let z3 = z.powi(3);
    let z5 = z.powi(5);
    let z7 = z.powi(7);
    let z9 = z.powi(9);
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
        + (79.0 * z9 + 776.0 * z7 + 1_482.0 * z5 - 1_920.0 * z3 - 945.0 * z)
            / (92_160.0 * freedom.powi(4))
}

/// The normal distribution's quantile above one half (Abramowitz and Stegun
/// 26.2.23; off by 0.00045 at most).
fn normal(above: f64) -> f64 {
    let t = (-2.0 * (1.0 - above).ln()).sqrt();
    let top = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let bottom = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - top / bottom
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(times: impl IntoIterator<Item = u64>) -> Logs {
        let mut logs = Logs::default();
        for ns in times {
            logs.add(ns);
        }
        logs
    }

    fn interval(before: &Logs, after: &Logs) -> Option<Interval> {
        Strata::new(std::iter::once((*before, *after))).interval(0.95)
    }

    #[test]
    fn sums_in_parts_are_the_sum_of_all() {
        let times = [5_u64, 900, 17, 33, 4, 120_000];
        let mut parts = logs(times[..2].iter().copied());
        parts.merge(&logs(times[2..].iter().copied()));
        parts.merge(&Logs::default());
        let whole = logs(times);
        assert_eq!(parts.count, whole.count);
        assert!((parts.mean - whole.mean).abs() < 1e-12);
        assert!((parts.squares / whole.squares - 1.0).abs() < 1e-12);
    }

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (5.0, 2.571),
            (10.0, 2.228),
            (30.0, 2.042),
            (1_000.0, 1.962),
        ] {
            let found = student(0.95, freedom);
            assert!((found / expected - 1.0).abs() < 0.004, "{freedom}: {found}");
        }
        assert!((student(0.99, 10.0) / 3.169 - 1.0).abs() < 0.004);
    }

    #[test]
    fn an_interval_holds_the_ratio_and_narrows_with_the_count() {
        let times =
            |scale: u64, count: u64| logs((0..count).map(move |i| scale * (90 + i * 7 % 21)));
        let few = interval(&times(10, 10), &times(12, 10)).unwrap();
        let many = interval(&times(10, 1_000), &times(12, 1_000)).unwrap();
        for interval in [few, many] {
            assert!(interval.low < 1.2 && 1.2 < interval.high, "{interval:?}");
        }
        assert!(many.high - many.low < (few.high - few.low) / 5.0);
    }

    #[test]
    fn nothing_is_said_of_one_time() {
        assert_eq!(interval(&logs([5]), &logs([5, 6])), None);
        let same = interval(&logs([5, 5]), &logs([10, 10])).unwrap();
        assert!((same.low - 2.0).abs() < 1e-12 && (same.high - 2.0).abs() < 1e-12);
    }

    #[test]
    fn about_one_interval_in_twenty_misses() {
        // A known distribution, drawn with a fixed generator: times spread
        // evenly between 500 and 1,500, so the true ratio is 1.
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            500 + (state >> 33) % 1_001
        };
        let misses = (0..2_000)
            .filter(|_| {
                let before = logs((0..12).map(|_| draw()));
                let after = logs((0..12).map(|_| draw()));
                let found = interval(&before, &after).unwrap();
                found.low > 1.0 || found.high < 1.0
            })
            .count();
        assert!((60..=150).contains(&misses), "{misses} of 2000");
    }
}
