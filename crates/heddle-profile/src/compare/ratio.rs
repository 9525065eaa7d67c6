//! The ratio of the times of the same work, and its uncertainty.
//!
//! A stratum's time is the mean of the faster half of its calls. Other programs on
//! the machine only add time, and only to some calls; the faster half is the
//! undisturbed time of a call, and a thousandfold outlier does not change it. What
//! shows in the slowest calls alone is not visible here but in a summary's p95 and
//! p99.

use super::interval::Interval;

/// The number of stretches a run is cut into.
pub(super) const STRETCHES: usize = 10;

/// The share of a stratum's calls that is used, the fastest ones.
pub(super) const FASTER_PART: f64 = 0.5;

/// One call's time, and the stretch of the run it fell into.
#[derive(Clone, Copy, Debug)]
struct CallTime {
    ns: u64,
    stretch: usize,
}

/// Calls that did the same work before and after, paired by their order.
#[derive(Debug)]
pub(super) struct Stratum {
    pairs: usize,
    /// Before and after, each from the fastest to the slowest.
    sides: [Vec<CallTime>; 2],
}

impl Stratum {
    /// A stratum of times in the order of measurement; the surplus of the longer
    /// side is left out.
    pub(super) fn new(before: &[u64], after: &[u64]) -> Self {
        let pairs = before.len().min(after.len());
        let side = |times: &[u64]| {
            let mut calls: Vec<CallTime> = times[..pairs]
                .iter()
                .enumerate()
                .map(|(index, &ns)| CallTime {
                    // A time below the clock's resolution is not zero.
                    ns: ns.max(1),
                    stretch: index * STRETCHES / pairs,
                })
                .collect();
            calls.sort_by_key(|call| call.ns);
            calls
        };
        Self {
            pairs,
            sides: [side(before), side(after)],
        }
    }

    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether the times are the same to the nanosecond.
    fn is_identical(&self) -> bool {
        let [before, after] = &self.sides;
        before.iter().zip(after).all(|(b, a)| b.ns == a.ns)
    }

    /// The time of all calls if each took as long as the faster half, before and
    /// after, without one stretch; `None` where no call is left.
    fn times(&self, without: Option<usize>) -> Option<[f64; 2]> {
        let [before, after] = &self.sides;
        let count = self.pairs as f64;
        let time = |side| Some(count * faster_part(side, without)?);
        Some([time(before)?, time(after)?])
    }

    fn reaches(&self, stretch: usize) -> bool {
        self.sides[0].iter().any(|call| call.stretch == stretch)
    }
}

/// The mean of the faster calls; the call at the boundary counts in part.
fn faster_part(calls: &[CallTime], without: Option<usize>) -> Option<f64> {
    let kept = || calls.iter().filter(|call| Some(call.stretch) != without);
    let wanted = kept().count() as f64 * FASTER_PART;
    if wanted <= 0.0 {
        return None;
    }
    let (mut sum, mut weight) = (0.0, 0.0);
    for call in kept() {
        let part = 1.0_f64.min(wanted - weight);
        if part <= 0.0 {
            break;
        }
        sum += part * call.ns as f64;
        weight += part;
    }
    Some(sum / weight)
}

/// The mean of the faster half of some times; `None` if there are none.
pub(super) fn typical_ns(times: &[u64]) -> Option<f64> {
    let mut calls: Vec<CallTime> = times
        .iter()
        .map(|&ns| CallTime { ns, stretch: 0 })
        .collect();
    calls.sort_by_key(|call| call.ns);
    faster_part(&calls, None)
}

/// After as a multiple of before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) value: f64,
    pub(super) interval: Option<Interval>,
    /// The interval that holds at the same confidence for all ratios of the
    /// comparison at once.
    pub(super) among_all: Option<Interval>,
}

/// The parameters of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntervalSettings {
    /// With fewer pairs there is no interval.
    pub(super) least_count: u64,
    pub(super) confidence: f64,
    /// The number of ratios in the comparison. At 95 % one in twenty intervals
    /// misses, so by Bonferroni each needs a higher confidence.
    pub(super) ratios: usize,
}

impl Ratio {
    /// The ratio over all strata, each weighted by the time it stands for. `None`
    /// where there is no pair.
    pub(super) fn of(strata: &[Stratum], interval_settings: IntervalSettings) -> Option<Self> {
        let log = log_ratio(strata, None)?;
        let value = log.exp();
        // The times are equal to the nanosecond, so there is no uncertainty.
        if strata.iter().all(Stratum::is_identical) {
            let same = Some(Interval::exactly(1.0));
            return Some(Self {
                value,
                interval: same,
                among_all: same,
            });
        }
        let pairs: usize = strata.iter().map(Stratum::pairs).sum();
        let without: Vec<f64> = (0..STRETCHES)
            .filter(|&stretch| strata.iter().any(|stratum| stratum.reaches(stretch)))
            .filter_map(|stretch| log_ratio(strata, Some(stretch)))
            .collect();
        let interval = |confidence| {
            (pairs as u64 >= interval_settings.least_count)
                .then(|| Interval::jackknife(log, &without, confidence))
                .flatten()
        };
        let doubt = (1.0 - interval_settings.confidence) / interval_settings.ratios.max(1) as f64;
        Some(Self {
            value,
            interval: interval(interval_settings.confidence),
            among_all: interval(1.0 - doubt),
        })
    }
}

fn log_ratio(strata: &[Stratum], without: Option<usize>) -> Option<f64> {
    let mut sums = [0.0, 0.0];
    for times in strata.iter().filter_map(|stratum| stratum.times(without)) {
        sums = [sums[0] + times[0], sums[1] + times[1]];
    }
    (sums[0] > 0.0).then(|| (sums[1] / sums[0]).ln())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ASKED: IntervalSettings = IntervalSettings {
        least_count: 5,
        confidence: 0.95,
        ratios: 1,
    };

    fn ratio(before: &[u64], after: &[u64]) -> Ratio {
        Ratio::of(&[Stratum::new(before, after)], ASKED).unwrap()
    }

    /// A generator with the same sequence on every machine.
    fn draws(seed: u64) -> impl FnMut() -> f64 {
        let mut random = heddle_testing::Random::seeded(seed);
        move || random.unit()
    }

    /// Times with the long tail of a busy machine: most near 10 µs, one in eight up
    /// to a hundred times that.
    fn heavy_tailed(seed: u64, count: usize, scale: f64) -> Vec<u64> {
        let mut draw = draws(seed);
        (0..count)
            .map(|_| {
                let near = 10_000.0 * scale * (1.0 + 0.1 * draw());
                let tail = if draw() < 0.125 {
                    (1.0 / draw()).min(100.0)
                } else {
                    1.0
                };
                (near * tail) as u64
            })
            .collect()
    }

    #[test]
    fn the_faster_half_takes_a_call_across_the_edge_in_part() {
        let typical = |times: &[u64]| typical_ns(times).unwrap();
        assert!((typical(&[4, 2, 900, 800]) - 3.0).abs() < 1e-12);
        // Two calls and a half of five.
        assert!((typical(&[1, 2, 4, 900, 900]) - 5.0 / 2.5).abs() < 1e-12);
        assert_eq!(typical_ns(&[]), None);
    }

    #[test]
    fn about_one_interval_in_twenty_misses() {
        let misses = (0..2_000)
            .filter(|&round| {
                let found = ratio(
                    &heavy_tailed(2 * round, 40, 1.0),
                    &heavy_tailed(2 * round + 1, 40, 1.0),
                );
                let Interval { low, high } = found.interval.unwrap();
                low > 1.0 || high < 1.0
            })
            .count();
        assert!((40..=160).contains(&misses), "{misses} of 2000");
    }

    #[test]
    fn a_heavy_tail_hides_no_change_and_makes_none() {
        let before = heavy_tailed(1, 100, 1.0);
        let same = ratio(&before, &heavy_tailed(2, 100, 1.0)).interval.unwrap();
        assert!(same.low > 0.95 && same.high < 1.05, "{same:?}");
        let slower = ratio(&before, &heavy_tailed(3, 100, 1.2)).interval.unwrap();
        assert!(slower.low > 1.1 && slower.high < 1.3, "{slower:?}");
    }

    #[test]
    fn a_slow_spell_widens_the_interval() {
        let steady: Vec<u64> = (0..100).map(|index| 1_000 + index % 7).collect();
        let with_slow_period: Vec<u64> = steady
            .iter()
            .enumerate()
            .map(|(index, &ns)| if index < 70 { ns * 2 } else { ns })
            .collect();
        let found = ratio(&steady, &with_slow_period).interval.unwrap();
        assert!(found.low < 1.0 && found.high > 1.3, "{found:?}");
    }

    #[test]
    fn few_calls_have_no_interval_unless_they_are_the_same() {
        assert_eq!(ratio(&[5, 6, 7, 8], &[9, 9, 9, 9]).interval, None);
        assert_eq!(ratio(&[5], &[5]).interval, Some(Interval::exactly(1.0)));
        assert_eq!(Ratio::of(&[], ASKED), None);
        assert_eq!(Ratio::of(&[Stratum::new(&[], &[5])], ASKED), None);
    }

    #[test]
    fn with_many_ratios_each_needs_a_higher_confidence() {
        let (before, after) = (heavy_tailed(1, 50, 1.0), heavy_tailed(2, 50, 1.0));
        let strata = [Stratum::new(&before, &after)];
        let many = Ratio::of(
            &strata,
            IntervalSettings {
                ratios: 20,
                ..ASKED
            },
        )
        .unwrap();
        let one = ratio(&before, &after);
        assert_eq!(one.interval, one.among_all);
        assert_eq!(one.interval, many.interval);
        let width = |interval: Option<Interval>| interval.map_or(0.0, |each| each.high - each.low);
        assert!(width(many.among_all) > 1.4 * width(many.interval));
    }

    proptest! {
        #[test]
        fn a_run_is_as_fast_as_itself(times in prop::collection::vec(0_u64..1 << 40, 1..80)) {
            let found = ratio(&times, &times);
            prop_assert!((found.value - 1.0).abs() < 1e-12);
            prop_assert_eq!(found.interval, Some(Interval::exactly(1.0)));
        }

        #[test]
        fn the_ratio_of_swapped_runs_is_the_reciprocal(
            times in prop::collection::vec((1_u64..1 << 40, 1_u64..1 << 40), 10..80),
        ) {
            let (before, after): (Vec<u64>, Vec<u64>) = times.into_iter().unzip();
            let (there, back) = (ratio(&before, &after), ratio(&after, &before));
            prop_assert!((there.value * back.value - 1.0).abs() < 1e-9);
            if let (Some(there), Some(back)) = (there.interval, back.interval) {
                prop_assert!((there.low * back.high - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn a_constant_factor_is_found(
            times in prop::collection::vec(1_000_000_u64..1 << 40, 10..80),
            percent in 110_u64..300,
        ) {
            let slower: Vec<u64> = times.iter().map(|ns| ns * percent / 100).collect();
            let found = ratio(&times, &slower);
            let expected = percent as f64 / 100.0;
            let interval = found.interval.unwrap();
            prop_assert!((found.value / expected - 1.0).abs() < 1e-4);
            prop_assert!((interval.low / expected - 1.0).abs() < 1e-3, "{:?}", interval);
        }
    }
}
