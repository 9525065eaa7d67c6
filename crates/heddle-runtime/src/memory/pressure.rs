//! The level of use of a device's memory, and notification of its changes.
//!
//! A level is left downwards only once the utilisation is two hundredths below where it began,
//! so that a workload which oscillates around a threshold does not send an event each time.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use serde::Serialize;

use super::callbacks::Callbacks;

/// The distance below its beginning at which a level is left.
pub(super) const HYSTERESIS: f64 = 0.02;

/// The level of memory use of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PressureLevel {
    /// Most of the memory is free.
    Low,
    /// The memory is filling up.
    Moderate,
    /// A clean-up is near or running.
    High,
    /// The next large request may not fit.
    Critical,
}

/// The beginnings of the levels, as shares of the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PressureThresholds {
    moderate: f64,
    high: f64,
    critical: f64,
}

/// Thresholds that are not ascending shares.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "pressure levels must begin at shares that rise between 0 and 1, but begin at {moderate}, {high} and {critical}"
)]
#[non_exhaustive]
pub struct BadThresholds {
    moderate: f64,
    high: f64,
    critical: f64,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PressureChange {
    /// The level before.
    pub from: PressureLevel,
    /// The level now.
    pub to: PressureLevel,
    /// The share of the capacity in use.
    pub utilisation: f64,
}

/// Follows the utilisation of one device.
#[derive(Debug)]
pub struct PressureMonitor {
    thresholds: RwLock<PressureThresholds>,
    level: AtomicU8,
    entered: [AtomicU64; 4],
    callbacks: Callbacks<PressureChange>,
}

impl PressureLevel {
    /// All levels, lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Moderate, Self::High, Self::Critical];

    fn of(number: u8) -> Self {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or(Self::Critical)
    }
}

impl fmt::Display for PressureLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::High => "high",
            Self::Critical => "critical",
        })
    }
}

impl PressureThresholds {
    /// Creates levels that begin at these shares of the capacity.
    pub fn new(moderate: f64, high: f64, critical: f64) -> Result<Self, BadThresholds> {
        if 0.0 < moderate && moderate < high && high < critical && critical <= 1.0 {
            Ok(Self {
                moderate,
                high,
                critical,
            })
        } else {
            Err(BadThresholds {
                moderate,
                high,
                critical,
            })
        }
    }

    /// The share at which a level begins.
    #[must_use]
    pub fn beginning(&self, level: PressureLevel) -> f64 {
        match level {
            PressureLevel::Low => 0.0,
            PressureLevel::Moderate => self.moderate,
            PressureLevel::High => self.high,
            PressureLevel::Critical => self.critical,
        }
    }

    /// The level at this utilisation, coming from `current`.
    fn next(&self, current: PressureLevel, utilisation: f64) -> PressureLevel {
        let reached = |&level: &PressureLevel| {
            let slack = if level <= current && level > PressureLevel::Low {
                HYSTERESIS
            } else {
                0.0
            };
            utilisation >= self.beginning(level) - slack
        };
        let highest = PressureLevel::ALL.into_iter().rev().find(reached);
        highest.unwrap_or(PressureLevel::Low)
    }

    /// The utilisations between which `level` stays unchanged.
    pub(super) fn band(&self, level: PressureLevel) -> (f64, f64) {
        let from = if level == PressureLevel::Low {
            0.0
        } else {
            self.beginning(level) - HYSTERESIS
        };
        let above = PressureLevel::ALL.into_iter().find(|&next| next > level);
        let to = above.map_or(f64::INFINITY, |next| self.beginning(next));
        (from, to)
    }
}

impl Default for PressureThresholds {
    fn default() -> Self {
        Self {
            moderate: 0.6,
            high: 0.8,
            critical: 0.9,
        }
    }
}

impl PressureMonitor {
    /// Starts at the lowest level.
    #[must_use]
    pub fn new(thresholds: PressureThresholds) -> Self {
        Self {
            thresholds: RwLock::new(thresholds),
            level: AtomicU8::new(PressureLevel::Low as u8),
            entered: Default::default(),
            callbacks: Callbacks::default(),
        }
    }

    /// The beginnings of the levels.
    #[must_use]
    pub fn thresholds(&self) -> PressureThresholds {
        let thresholds = self.thresholds.read();
        *thresholds.unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the beginnings of the levels, from the next observation on.
    pub fn set_thresholds(&self, thresholds: PressureThresholds) {
        let mut now = self
            .thresholds
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *now = thresholds;
    }

    /// The current level.
    #[inline]
    #[must_use]
    pub fn level(&self) -> PressureLevel {
        PressureLevel::of(self.level.load(Ordering::Acquire))
    }

    /// How often each level was entered, lowest first.
    #[must_use]
    pub fn entered(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|level: usize| self.entered[level].load(Ordering::Relaxed))
    }

    /// Calls `callback` at every change of level from now on, on the thread that
    /// caused it, with no lock held.
    pub fn on_change(&self, callback: impl Fn(&PressureChange) + Send + Sync + 'static) {
        self.callbacks.add(callback);
    }

    /// Records the utilisation. If the level changes, every callback has run when this returns;
    /// each change is reported once.
    pub fn observe(&self, utilisation: f64) -> Option<PressureChange> {
        let thresholds = self.thresholds();
        let mut number = self.level.load(Ordering::Acquire);
        loop {
            let from = PressureLevel::of(number);
            let to = thresholds.next(from, utilisation);
            if from == to {
                return None;
            }
            match self.level.compare_exchange_weak(
                number,
                to as u8,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => {
                    self.entered[to as usize].fetch_add(1, Ordering::Relaxed);
                    let change = PressureChange {
                        from,
                        to,
                        utilisation,
                    };
                    self.callbacks.call(&change);
                    return Some(change);
                }
                Err(found) => number = found,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::PressureLevel::{Critical, High, Low, Moderate};
    use super::*;

    #[test]
    fn thresholds_must_rise_between_zero_and_one() {
        assert!(PressureThresholds::new(0.6, 0.8, 0.9).is_ok());
        for (moderate, high, critical) in [
            (0.0, 0.8, 0.9),
            (0.8, 0.8, 0.9),
            (0.6, 0.95, 0.9),
            (0.6, 0.8, 1.1),
            (f64::NAN, 0.8, 0.9),
        ] {
            let bad = PressureThresholds::new(moderate, high, critical).unwrap_err();
            assert!(bad.to_string().contains("rise between 0 and 1"));
        }
    }

    #[test]
    fn every_change_is_reported_once_and_counted() {
        let pressure = PressureMonitor::new(PressureThresholds::default());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&seen);
        pressure.on_change(move |change| notes.lock().unwrap().push((change.from, change.to)));
        for utilisation in [0.3, 0.59, 0.6, 0.61, 0.95, 0.95, 0.89, 0.87, 0.1] {
            pressure.observe(utilisation);
        }
        assert_eq!(
            *seen.lock().unwrap(),
            [
                (Low, Moderate),
                (Moderate, Critical),
                (Critical, High),
                (High, Low)
            ]
        );
        assert_eq!(pressure.entered(), [1, 1, 1, 1]);
    }

    #[test]
    fn small_changes_around_a_threshold_are_not_reported() {
        let pressure = PressureMonitor::new(PressureThresholds::default());
        let changes = (0..100)
            .filter(|step| {
                pressure
                    .observe(0.8 + f64::from(step % 3 - 1) * 0.015)
                    .is_some()
            })
            .count();
        assert_eq!(changes, 2, "to moderate, then to high, then never down");
    }

    #[test]
    fn a_level_stays_within_its_band() {
        let thresholds = PressureThresholds::default();
        for level in PressureLevel::ALL {
            let (from, to) = thresholds.band(level);
            for step in 0..=100 {
                let utilisation = f64::from(step) / 100.0;
                let stays = thresholds.next(level, utilisation) == level;
                assert_eq!(
                    stays,
                    from <= utilisation && utilisation < to,
                    "{level:?} {step}"
                );
            }
        }
    }
}
