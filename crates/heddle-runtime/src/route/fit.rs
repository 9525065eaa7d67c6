//! Fits a [`Curve`] to measurements, one at a time, without being led astray.
//!
//! Every octave keeps the running means of amount and time, the first sixteen
//! measurements weighing equally and later ones a sixteenth each. A measurement
//! outside the band around the curve moves nothing by itself: it opens a
//! [`Streak`]. A streak across octaves is the device changing speed, and scales
//! the whole curve; one that other octaves disagree with scales its octave only.

use super::curve::{Curve, line};
use super::octave::{OCTAVES, amount, ceiling, edge, octave};
use super::saved::{BinModel, CurveModel};
use super::streak::{BELIEVED, Streak};

/// Measurements after which an older one fades.
const MEMORY: u32 = 16;
/// Measurements that make an octave's own mean worth defending.
const FOUNDED: u32 = 3;
/// Spread assumed before there is one.
const FIRST_SPREAD: f64 = 0.1;
/// The band around the curve: five mean deviations, within these limits. The
/// upper one lets a device that became 2.5 times slower always be noticed.
const BAND: (f64, f64) = (0.35, 1.5);
/// The band where only the shape of the curve speaks, not a measurement nearby.
const SHAPE_BAND: f64 = 3.0;
/// The floor below the first measurement, relative to its time.
const FLOOR: (f64, f64) = (0.1, 1.0);
/// The rate above the last measurement, relative to its time per amount.
const TOP_RATE: (f64, f64) = (0.05, 1.5);
/// Both, when a single octave was measured and says nothing of a slope. Low on
/// purpose: a price too low is corrected by the next run, one too high is not.
const UNKNOWN_SLOPE: f64 = 0.5;

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    samples: u32,
    mean: f64,
    ns: f64,
    spread: f64,
    doubt: Streak,
}

/// What was measured, by octave.
#[derive(Debug)]
pub(super) struct Fit {
    /// Bit per octave that was measured.
    measured: u64,
    samples: u32,
    doubt: Streak,
    bins: [Bin; OCTAVES],
}

impl Fit {
    pub(super) fn new() -> Self {
        Self {
            measured: 0,
            samples: 0,
            doubt: Streak::default(),
            bins: [Bin::default(); OCTAVES],
        }
    }

    /// Learns that `asked` took `ns`, and publishes what follows.
    pub(super) fn learn(&mut self, curve: &Curve, asked: u64, ns: u64) {
        let at = octave(asked);
        let sample = (amount(asked), amount(ns));
        self.samples = self.samples.saturating_add(1);
        let predicted = curve.time_ns(asked).unwrap_or(sample.1);
        let ratio = sample.1 / predicted;
        if self.bins[at].accepts(ratio) {
            if self.bins[at].samples >= FOUNDED {
                self.doubt.clear();
            }
            self.bins[at].add(sample, ratio);
            self.publish(curve, at);
        } else {
            self.contradict(curve, at, sample.0, predicted, ratio);
        }
        curve.put_state(self.samples, self.doubt.len() > 0);
    }

    fn contradict(&mut self, curve: &Curve, at: usize, asked: f64, predicted: f64, ratio: f64) {
        let bin = &mut self.bins[at];
        bin.doubt.push(ratio);
        if bin.samples >= FOUNDED {
            self.doubt.push(ratio);
        }
        if self.doubt.len() == BELIEVED {
            let factor = self.doubt.median();
            self.scale(curve, factor);
        } else if bin.doubt.len() > (bin.samples as usize).clamp(1, BELIEVED - 1) {
            let factor = bin.doubt.median();
            if bin.samples < FOUNDED {
                *bin = Bin::first(asked, predicted * factor);
            } else {
                bin.scale(factor);
            }
            self.publish(curve, at);
        }
    }

    /// The device changed speed: everything takes `factor` times as long.
    #[cold]
    fn scale(&mut self, curve: &Curve, factor: f64) {
        self.doubt.clear();
        for bin in self.bins.iter_mut().filter(|bin| bin.samples > 0) {
            bin.scale(factor);
        }
        self.publish_all(curve);
    }

    /// Publishes the knots that octave `at` has a part in.
    fn publish(&mut self, curve: &Curve, at: usize) {
        let bit = 1_u64 << at;
        let is_new = self.measured & bit == 0;
        self.measured |= bit;
        let bin = self.bins[at];
        let here = (bin.mean, bin.ns);
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
        curve.put_mean(at, bin.mean, bin.ns);
        curve.put_evidence(at, bin.samples, bin.spread);
        if is_new {
            curve.put_measured(self.measured);
        }
    }

    fn publish_ends(&self, curve: &Curve) {
        let first = self.measured.trailing_zeros() as usize;
        let last = 63 - self.measured.leading_zeros() as usize;
        let (low, high) = (self.point(first), self.point(last));
        // Two octaves apart, noise turns a slope less than one apart.
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

    /// What is worth saving.
    pub(super) fn saved(&self) -> CurveModel {
        CurveModel {
            bins: self
                .bins
                .iter()
                .filter(|bin| bin.samples > 0)
                .map(|bin| BinModel {
                    amount: bin.mean,
                    ns: bin.ns,
                    spread: bin.spread,
                    samples: bin.samples,
                })
                .collect(),
        }
    }

    /// Takes over what was saved, in place of what it knew. Numbers that no
    /// measurement gives are left out; if none are left, nothing changes.
    pub(super) fn adopt(&mut self, curve: &Curve, model: &CurveModel) {
        let mut sound = model.bins.iter().filter(|bin| bin.is_sound()).peekable();
        if sound.peek().is_none() {
            return;
        }
        *self = Self::new();
        for saved in sound {
            let at = octave(saved.amount as u64);
            let samples = saved.samples.min(MEMORY);
            self.bins[at] = Bin {
                samples,
                mean: saved.amount.clamp(edge(at), ceiling(at)),
                ns: saved.ns.clamp(1.0, edge(64)),
                spread: saved.spread.min(1.0),
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

impl Bin {
    fn first(mean: f64, ns: f64) -> Self {
        Self {
            samples: 1,
            mean,
            ns: ns.clamp(1.0, edge(64)),
            spread: FIRST_SPREAD,
            doubt: Streak::default(),
        }
    }

    /// Whether a measurement this many times the predicted time is to be believed at once.
    fn accepts(&self, ratio: f64) -> bool {
        let band = if self.samples == 0 {
            SHAPE_BAND
        } else {
            (5.0 * self.spread).clamp(BAND.0, BAND.1)
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
        let weight = 1.0 / f64::from(self.samples.min(MEMORY));
        self.mean += weight * (sample.0 - self.mean);
        self.ns += weight * (sample.1 - self.ns);
        self.spread += weight * ((ratio - 1.0).abs() - self.spread);
    }

    /// What it knew is `factor` times as long now, and less sure.
    fn scale(&mut self, factor: f64) {
        self.ns = (self.ns * factor).clamp(1.0, edge(64));
        self.samples = self.samples.min(FOUNDED + 1);
        self.doubt.clear();
    }
}
