//! The confidence interval of a ratio, and the verdict.
//!
//! The uncertainty is measured by the jackknife. The runs are cut into stretches of
//! time, the ratio is computed again with each stretch left out, and the spread of
//! those ratios gives the interval. A period in which the machine was slow falls
//! into a stretch or two and widens the interval; a formula based on the number of
//! calls would not see it.

use serde::Serialize;

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    pub(super) fn exactly(value: f64) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// The interval around `log`, the logarithm of a ratio, from the same with each
    /// stretch left out; `None` where there are too few of those.
    pub(super) fn jackknife(log: f64, without: &[f64], confidence: f64) -> Option<Self> {
        if without.len() < LEAST_STRETCHES {
            return None;
        }
        let count = without.len() as f64;
        let mean = without.iter().sum::<f64>() / count;
        let squares: f64 = without.iter().map(|each| (each - mean).powi(2)).sum();
        let error = (squares * (count - 1.0) / count).sqrt();
        let margin = student(confidence, count - 1.0) * error;
        Some(Self {
            low: (log - margin).exp(),
            high: (log + margin).exp(),
        })
    }
}

/// With fewer stretches their spread is not meaningful.
pub(super) const LEAST_STRETCHES: usize = 4;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonOutcome {
    /// Less, beyond noise and uncertainty.
    Better,
    /// More, beyond noise and uncertainty.
    Worse,
    /// The same within noise, beyond uncertainty.
    NoChange,
    /// Too few measurements, or too much spread, to decide.
    Inconclusive,
}

impl ComparisonOutcome {
    /// The verdict for an interval and for the wider one that holds among all
    /// ratios: a change needs the wider one, no change the plain one.
    pub(super) fn of(interval: Interval, among_all: Interval, noise: f64) -> Self {
        let (slower, faster) = (1.0 + noise, 1.0 / (1.0 + noise));
        if among_all.low > slower {
            Self::Worse
        } else if among_all.high < faster {
            Self::Better
        } else if interval.low >= faster && interval.high <= slower {
            Self::NoChange
        } else {
            Self::Inconclusive
        }
    }

    /// The verdict for a number without uncertainty.
    pub(super) fn exactly(ratio: f64, noise: f64) -> Self {
        Self::of(Interval::exactly(ratio), Interval::exactly(ratio), noise)
    }
}

/// The largest distance between an estimate and the truth in standard errors, at
/// this confidence with this many degrees of freedom (Student's distribution,
/// two-sided).
fn student(confidence: f64, freedom: f64) -> f64 {
    let above = f64::midpoint(1.0, confidence.clamp(0.0, 0.999_999));
    // Abramowitz and Stegun 26.7.5; there are three degrees of freedom at least.
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

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (3.0, 3.182),
            (4.0, 2.776),
            (5.0, 2.571),
            (9.0, 2.262),
            (30.0, 2.042),
        ] {
            let found = student(0.95, freedom);
            assert!((found / expected - 1.0).abs() < 0.004, "{freedom}: {found}");
        }
        assert!((student(0.99, 9.0) / 3.250 - 1.0).abs() < 0.004);
    }

    #[test]
    fn stretches_that_agree_leave_no_doubt() {
        let found = Interval::jackknife(0.5, &[0.5; 10], 0.95).unwrap();
        assert!(
            (found.low - 0.5_f64.exp()).abs() < 1e-12
                && (found.high / found.low - 1.0).abs() < 1e-12
        );
        assert_eq!(Interval::jackknife(0.5, &[0.5; 3], 0.95), None);
    }

    #[test]
    fn a_verdict_needs_the_whole_interval_on_one_side() {
        let verdict = |low, high| {
            let interval = Interval { low, high };
            ComparisonOutcome::of(interval, interval, 0.05)
        };
        assert_eq!(verdict(1.06, 1.4), ComparisonOutcome::Worse);
        assert_eq!(verdict(0.5, 0.95), ComparisonOutcome::Better);
        assert_eq!(verdict(0.96, 1.04), ComparisonOutcome::NoChange);
        assert_eq!(verdict(1.0, 1.2), ComparisonOutcome::Inconclusive);
        assert_eq!(verdict(0.2, 9.0), ComparisonOutcome::Inconclusive);
        let (narrow, wide) = (
            Interval {
                low: 1.06,
                high: 1.4,
            },
            Interval {
                low: 1.0,
                high: 1.5,
            },
        );
        assert_eq!(
            ComparisonOutcome::of(narrow, wide, 0.05),
            ComparisonOutcome::Inconclusive
        );
        assert_eq!(
            ComparisonOutcome::exactly(2.0, 0.05),
            ComparisonOutcome::Worse
        );
    }
}
