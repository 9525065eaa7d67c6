//! Fits a [`Curve`] to measurements, one at a time, and resists outliers.
//!
//! Every octave keeps the running means of amount and time. The first sixteen measurements
//! weigh equally and later ones a sixteenth each. A measurement outside the band around the
//! curve changes nothing by itself: it opens a [`Streak`]. A streak within an octave scales
//! that octave. A streak across octaves means that the device changed speed: the other octaves
//! keep their times, because they were not measured, but two measurements are then enough to
//! replace each.
//!
//! Only measured octaves change. Of a thousand tiny operations some dozens fall into a slow
//! period of the machine. A curve that applied each slow period to all sizes would drift by the
//! difference between its first and its last measurements.

use super::curve::{Curve, line};
use super::octave::{OCTAVES, amount, ceiling, edge, octave};
use super::saved_model::{BinModel, CurveModel};
use super::streak::{OVERTURN_AFTER, Streak};

/// The number of measurements after which older ones lose weight.
const FADE_AFTER: u32 = 16;
/// The allowed distance of the means from the published curve, well within the deviation of the
/// steadiest device.
const UNCHANGED_SHARE: f64 = 0.01;
/// The number of measurements from which an octave's own mean resists change.
const WELL_FOUNDED_SAMPLES: u32 = 3;
/// The deviation assumed before one is measured.
const FIRST_DEVIATION: f64 = 0.1;
/// The limits of the band around the curve, which is five mean deviations. The upper limit
/// ensures that a device which became 2.5 times slower is always detected.
const BAND: (f64, f64) = (0.35, 1.5);
/// The band where only the shape of the curve predicts, with no measurement nearby.
const SHAPE_BAND: f64 = 3.0;
/// The floor below the first measurement, relative to its time.
const FLOOR: (f64, f64) = (0.1, 1.0);
/// The rate above the last measurement, relative to its time per amount.
const TOP_RATE: (f64, f64) = (0.05, 1.5);
/// Both, when only one octave was measured and the slope is unknown. Low on purpose: the next
/// run corrects a cost that is too low, but not one that is too high.
const UNKNOWN_SLOPE: f64 = 0.5;

#[derive(Clone, Copy, Debug, Default)]
struct OctaveStats {
    samples: u32,
    mean: f64,
    ns: f64,
    relative_deviation: f64,
    /// The distance of the means from the published curve, relative to it.
    drift: f64,
    doubt: Streak,
}

/// The measurements by octave.
#[derive(Debug)]
pub(super) struct CurveFit {
    /// A bit per measured octave.
    measured: u64,
    samples: u32,
    doubt: Streak,
    /// A bit per octave that contributed to that doubt.
    doubting: u64,
    bins: [OctaveStats; OCTAVES],
}

impl CurveFit {
    pub(super) fn new() -> Self {
        Self {
            measured: 0,
            samples: 0,
            doubt: Streak::default(),
            doubting: 0,
            bins: [OctaveStats::default(); OCTAVES],
        }
    }

    /// Learns that `asked` took `ns`, and publishes the result.
    pub(super) fn learn(&mut self, curve: &Curve, asked: u64, ns: u64) {
        let at = octave(asked);
        let sample = (amount(asked), amount(ns));
        self.samples = self.samples.saturating_add(1);
        let predicted = curve.time_ns(asked).unwrap_or(sample.1);
        let ratio = sample.1 / predicted;
        if self.bins[at].accepts(ratio) {
            if self.bins[at].samples >= WELL_FOUNDED_SAMPLES {
                self.doubt.clear();
            }
            self.bins[at].add(sample, ratio);
            if self.bins[at].is_news() {
                self.publish(curve, at);
            }
        } else {
            self.contradict(curve, at, sample.0, predicted, ratio);
        }
        curve.put_state(self.samples, self.doubt.len() > 0);
    }

    fn contradict(&mut self, curve: &Curve, at: usize, asked: f64, predicted: f64, ratio: f64) {
        let bin = &mut self.bins[at];
        bin.doubt.push(ratio);
        let is_founded = bin.samples >= WELL_FOUNDED_SAMPLES;
        if is_founded {
            self.doubt.push(ratio);
            let before = if self.doubt.len() == 1 {
                0
            } else {
                self.doubting
            };
            self.doubting = before | 1 << at;
        }
        let overturns = if is_founded {
            OVERTURN_AFTER
        } else {
            bin.samples as usize + 1
        };
        if bin.doubt.len() >= overturns.max(2) {
            let factor = bin.doubt.median();
            if is_founded {
                bin.scale(factor);
            } else {
                *bin = OctaveStats::first(asked, predicted * factor);
            }
            self.publish(curve, at);
        }
        if self.doubt.len() == OVERTURN_AFTER && self.doubting.count_ones() > 1 {
            self.mark_stale();
        }
    }

    /// The device has changed its speed: earlier measurements may no longer hold.
    #[cold]
    fn mark_stale(&mut self) {
        self.doubt.clear();
        for bin in &mut self.bins {
            bin.samples = bin.samples.min(1);
        }
    }

    /// Publishes the knots that depend on octave `at`.
    fn publish(&mut self, curve: &Curve, at: usize) {
        let bit = 1_u64 << at;
        let is_new = self.measured & bit == 0;
        self.measured |= bit;
        self.bins[at].drift = 0.0;
        let bin = self.bins[at];
        let here = self.point(at);
        if let Some(before) = self.below(at) {
            let left = self.point(before);
            for octave in before + 1..=at {
                curve.put_edge(octave, line(left, here, edge(octave)));
            }
        }
        if let Some(after) = self.above(at) {
            let right = self.point(after);
            for octave in at + 1..=after {
                curve.put_edge(octave, line(here, right, edge(octave)));
            }
        }
        self.publish_ends(curve);
        curve.put_mean(at, here.0, here.1);
        curve.put_evidence(at, bin.samples, bin.relative_deviation);
        if is_new {
            curve.put_measured(self.measured);
        }
    }

    fn publish_ends(&self, curve: &Curve) {
        let first = self.measured.trailing_zeros() as usize;
        let last = 63 - self.measured.leading_zeros() as usize;
        let (low, high) = (self.point(first), self.point(last));
        // Two octaves apart, noise changes a slope less than one apart.
        let floor = match self.above(first + 1).or_else(|| self.above(first)) {
            Some(second) => {
                line(low, self.point(second), 0.0).clamp(FLOOR.0 * low.1, FLOOR.1 * low.1)
            }
            None => UNKNOWN_SLOPE * low.1,
        };
        let mean_rate = high.1 / high.0;
        let rate = match self
            .below(last.saturating_sub(1))
            .or_else(|| self.below(last))
        {
            Some(second) => {
                let second = self.point(second);
                ((high.1 - second.1) / (high.0 - second.0))
                    .clamp(TOP_RATE.0 * mean_rate, TOP_RATE.1 * mean_rate)
            }
            None => UNKNOWN_SLOPE * mean_rate,
        };
        curve.put_edge(first, line((0.0, floor), low, edge(first)));
        curve.put_edge(last + 1, high.1 + rate * (edge(last + 1) - high.0));
        curve.put_ends(floor, rate);
    }

    #[cold]
    fn publish_all(&mut self, curve: &Curve) {
        for at in 0..OCTAVES {
            if self.bins[at].samples > 0 {
                self.publish(curve, at);
            }
        }
    }

    fn point(&self, octave: usize) -> (f64, f64) {
        (self.bins[octave].mean, self.bins[octave].ns)
    }

    /// The nearest measured octave below.
    fn below(&self, octave: usize) -> Option<usize> {
        let below = self.measured & ((1_u64 << octave) - 1);
        (below != 0).then(|| 63 - below.leading_zeros() as usize)
    }

    /// The nearest measured octave above.
    fn above(&self, octave: usize) -> Option<usize> {
        let above = self.measured.checked_shr(octave as u32 + 1)?;
        (above != 0).then(|| octave + 1 + above.trailing_zeros() as usize)
    }

    /// The state to save.
    pub(super) fn saved(&self) -> CurveModel {
        CurveModel {
            bins: self
                .bins
                .iter()
                .filter(|bin| bin.samples > 0)
                .map(|bin| BinModel {
                    amount: bin.mean,
                    ns: bin.ns,
                    relative_deviation: bin.relative_deviation,
                    samples: bin.samples,
                })
                .collect(),
        }
    }

    /// Replaces the state by a saved one. Numbers that no measurement gives are dropped; if
    /// none remain, nothing changes.
    pub(super) fn adopt(&mut self, curve: &Curve, model: &CurveModel) {
        let mut sound = model.bins.iter().filter(|bin| bin.is_sound()).peekable();
        if sound.peek().is_none() {
            return;
        }
        *self = Self::new();
        for saved in sound {
            let at = octave(saved.amount as u64);
            let samples = saved.samples.min(FADE_AFTER);
            self.bins[at] = OctaveStats {
                samples,
                mean: saved.amount.clamp(edge(at), ceiling(at)),
                ns: saved.ns.clamp(1.0, edge(64)),
                relative_deviation: saved.relative_deviation.min(1.0),
                drift: 0.0,
                doubt: Streak::default(),
            };
            self.samples = self.samples.saturating_add(samples);
        }
        for at in 0..OCTAVES {
            curve.put_mean(at, 0.0, 0.0);
        }
        self.publish_all(curve);
        curve.put_state(self.samples, false);
    }
}

impl OctaveStats {
    fn first(mean: f64, ns: f64) -> Self {
        Self {
            samples: 1,
            mean,
            ns: ns.clamp(1.0, edge(64)),
            relative_deviation: FIRST_DEVIATION,
            drift: 0.0,
            doubt: Streak::default(),
        }
    }

    /// Whether a measurement this many times the predicted time is accepted at once.
    fn accepts(&self, ratio: f64) -> bool {
        let band = if self.samples == 0 {
            SHAPE_BAND
        } else {
            (5.0 * self.relative_deviation).clamp(BAND.0, BAND.1)
        };
        ratio <= 1.0 + band && ratio * (1.0 + band) >= 1.0
    }

    fn add(&mut self, sample: (f64, f64), ratio: f64) {
        self.doubt.clear();
        if self.samples == 0 {
            *self = Self::first(sample.0, sample.1);
            return;
        }
        self.samples = self.samples.saturating_add(1);
        let weight = 1.0 / f64::from(self.samples.min(FADE_AFTER));
        self.mean += weight * (sample.0 - self.mean);
        self.ns += weight * (sample.1 - self.ns);
        self.relative_deviation += weight * ((ratio - 1.0).abs() - self.relative_deviation);
        // The ratio is to the published curve, so this is the distance of the means from it.
        self.drift += weight * (ratio - 1.0 - self.drift);
    }

    /// Whether the curve has to be published again. Publishing takes longer than everything
    /// else here, so a well-founded octave that has not moved is skipped.
    fn is_news(&self) -> bool {
        self.samples <= FADE_AFTER || self.drift.abs() > UNCHANGED_SHARE
    }

    /// Scales the stored times by `factor` and lowers their confidence.
    fn scale(&mut self, factor: f64) {
        self.ns = (self.ns * factor).clamp(1.0, edge(64));
        self.samples = self.samples.min(WELL_FOUNDED_SAMPLES + 1);
        self.doubt.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50 ns and 10 bytes per nanosecond.
    fn true_ns(amount: u64) -> u64 {
        50 + amount / 10
    }

    fn measured(fit: &mut CurveFit, curve: &Curve, amount: u64, slowness: f64) {
        fit.learn(curve, amount, (true_ns(amount) as f64 * slowness) as u64);
    }

    #[test]
    fn slow_spells_of_tiny_work_leave_large_work_alone() {
        let (mut fit, curve) = (CurveFit::new(), Curve::new());
        for amount in [100, 1_000, 10_000, 1_000_000, 30_000_000] {
            for _ in 0..5 {
                measured(&mut fit, &curve, amount, 1.0);
            }
        }
        // Sizes ascend, so a slow period begins in one octave and ends in another, and its
        // first and last measurements never quite cancel.
        for round in 0..400_u64 {
            for index in 0..200_u64 {
                let is_slow = (60..60 + round % 90).contains(&index);
                let noise = 0.9 + 0.2 * ((index * 7 + round * 13) % 11) as f64 / 10.0;
                let slowness = if is_slow { 2.7 + noise } else { noise };
                measured(&mut fit, &curve, 10 + index * 10, slowness);
            }
        }
        let now = curve.time_ns(30_000_000).unwrap();
        let right = true_ns(30_000_000) as f64;
        assert!((0.7..1.4).contains(&(now / right)), "{now} for {right}");
    }

    #[test]
    fn a_change_of_speed_reaches_every_octave_and_ends() {
        let (mut fit, curve) = (CurveFit::new(), Curve::new());
        let amounts = [100, 1_000, 10_000, 1_000_000];
        let mut at_speed = |slowness: f64, rounds: usize| {
            for _ in 0..rounds {
                for amount in amounts {
                    measured(&mut fit, &curve, amount, slowness);
                }
            }
            curve.time_ns(1_000_000).unwrap() / true_ns(1_000_000) as f64
        };
        assert!((0.9..1.1).contains(&at_speed(1.0, 5)));
        assert!((4.0..6.0).contains(&at_speed(5.0, 4)));
        assert!((0.9..1.1).contains(&at_speed(1.0, 4)));
    }
}
