//! Measures a device before its first real operation.
//!
//! Transfers are measured first, then every probe from small to large. A sweep stops when the
//! next size would take more than the rest of its share of the budget. Larger sizes are
//! extrapolated, and exploration measures them later.
//!
//! The first run of a kind may load a module or start a library, which can cost a thousand
//! times as much as a later run. The first run therefore does not count as a measurement, and
//! its time is added to the budget, up to the budget again. If loading were part of the
//! budget, the first calibration of a machine would leave no time for the kinds measured last:
//! they would get one size and inaccurate predictions.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::router::Router;
use super::transfer::Direction;
use crate::device::{Accelerator, Device, DeviceId};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::Probe;
use crate::units::{Bytes, Nanos};

/// How a calibration spends its time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CalibrationPlan {
    /// The time for one device. The first load of modules, such as those a driver compiles, is
    /// added to it, up to as much again.
    pub budget: Duration,
    /// Measured runs per size, after one run that is not measured.
    pub repetitions: u32,
    /// Sizes of the transfers, ascending.
    pub transfers: Vec<Bytes>,
    /// The share of the budget for transfers.
    pub transfer_share: f64,
}

impl Default for CalibrationPlan {
    fn default() -> Self {
        Self {
            budget: Duration::from_secs(3),
            repetitions: 5,
            transfers: (10..=26).step_by(2).map(|log| Bytes(1 << log)).collect(),
            transfer_share: 0.2,
        }
    }
}

/// What is being measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "measures")]
pub enum CalibrationSubject {
    /// Transfers of one size.
    Transfer {
        /// Bytes of one transfer.
        bytes: Bytes,
    },
    /// One probe at one size.
    Probe {
        /// The kind's name.
        kind: &'static str,
        /// The element type.
        dtype: DType,
        /// The probe's size.
        size: usize,
    },
}

/// Progress, reported before each size is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationStep {
    /// The device.
    pub device: DeviceId,
    /// The next subject.
    pub subject: CalibrationSubject,
    /// The share of the budget that is spent, 0 to 1, without loading.
    pub spent_share: f64,
}

/// The result of one sweep over sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationSweep {
    /// What was measured: a kind's name, or `transfer`.
    pub name: &'static str,
    /// The element type of a kind.
    pub dtype: Option<DType>,
    /// The sizes measured.
    pub sizes: Vec<usize>,
    /// Why larger sizes were not measured, if any remained.
    pub stopped: Option<String>,
}

/// The result of a calibration.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationReport {
    /// The device.
    pub device: DeviceId,
    /// One per subject measured, transfers first.
    pub sweeps: Vec<CalibrationSweep>,
    /// The time it took.
    pub spent: Nanos,
    /// The device's error if it was lost. The device is then out of routing, and the sweeps end
    /// there.
    pub lost: Option<String>,
}

/// Measures a device's transfers and every probe that runs on it, within the
/// plan's budget, and teaches the router.
///
/// An operation that fails ends its own sweep and is named in the report. A device that is lost
/// ends its calibration and is taken out of routing. That is not an error, so that a caller who
/// calibrates several devices goes on with the next one.
pub fn calibrate(
    router: &Router,
    device: &dyn Device,
    probes: &[Box<dyn Probe>],
    plan: &CalibrationPlan,
    progress: &mut dyn FnMut(CalibrationStep),
) -> Result<CalibrationReport, Error> {
    router.policy.named(device.id())?;
    let mut session = CalibrationRun {
        router,
        device,
        plan,
        progress,
        started: Instant::now(),
        reported: Duration::ZERO,
        loading: Duration::ZERO,
        lost: None,
    };
    let sweeps = session.sweep_all(probes);
    let spent = Nanos::from(session.spent());
    let lost = session.lost;
    if lost.is_some() {
        router.mark_lost(device.id());
    }
    Ok(CalibrationReport {
        device: device.id(),
        sweeps,
        spent,
        lost,
    })
}

struct CalibrationRun<'a> {
    router: &'a Router,
    device: &'a dyn Device,
    plan: &'a CalibrationPlan,
    progress: &'a mut dyn FnMut(CalibrationStep),
    started: Instant,
    /// Time the device reported. A simulated device uses no wall-clock time.
    reported: Duration,
    /// The time for loading, which does not count.
    loading: Duration,
    /// The device's error if it was lost.
    lost: Option<String>,
}

/// The time of one size.
struct SizeTiming {
    /// All runs, the first one included.
    whole: Duration,
    /// The time of the first run beyond that of the later ones: loading modules and libraries,
    /// and copying the operands to the device. It does not grow with the size.
    loading: Duration,
}

impl CalibrationRun<'_> {
    fn spent(&self) -> Duration {
        self.started.elapsed().max(self.reported)
    }

    /// The time spent that counts against the budget.
    fn counted(&self) -> Duration {
        self.spent().saturating_sub(self.loading)
    }

    fn left(&self) -> Duration {
        self.plan.budget.saturating_sub(self.counted())
    }

    /// Adds loading time to the budget, up to the budget again.
    fn allow(&mut self, loading: Duration) {
        self.loading = (self.loading + loading).min(self.plan.budget);
    }

    /// Measures transfers and every probe, until the device is lost.
    fn sweep_all(&mut self, probes: &[Box<dyn Probe>]) -> Vec<CalibrationSweep> {
        let mut sweeps = Vec::new();
        if let Some(accelerator) = self.device.accelerator() {
            sweeps.push(self.sweep_transfers(accelerator));
        }
        for (index, probe) in probes.iter().enumerate() {
            if self.lost.is_some() {
                break;
            }
            let share = self.left() / (probes.len() - index) as u32;
            sweeps.push(self.sweep_probe(probe.as_ref(), share));
        }
        sweeps
    }

    /// Why a sweep ends with this error. Records the error if the device is lost.
    fn failed(&mut self, error: &Error) -> String {
        if let Error::DeviceLost { device, .. } | Error::ArrayLost { device, .. } = error
            && *device == self.device.id()
        {
            self.lost = Some(error.to_string());
        }
        error.to_string()
    }

    fn announce(&mut self, subject: CalibrationSubject) {
        let budget = self.plan.budget.as_secs_f64().max(f64::MIN_POSITIVE);
        let spent_share = (self.counted().as_secs_f64() / budget).min(1.0);
        (self.progress)(CalibrationStep {
            device: self.device.id(),
            subject,
            spent_share,
        });
    }

    fn sweep_transfers(&mut self, accelerator: &dyn Accelerator) -> CalibrationSweep {
        let share = self.plan.transfer_share.clamp(0.0, 1.0);
        let end = self.spent() + self.plan.budget.mul_f64(share);
        let mut sweep = CalibrationSweep::new("transfer", None);
        let mut pace = SweepPace::default();
        for &bytes in &self.plan.transfers {
            if let Some(why) = pace.refuses(bytes.0, end.saturating_sub(self.spent())) {
                sweep.stopped = Some(why);
                break;
            }
            if bytes.0.saturating_mul(2) > self.device.free_memory().0 {
                sweep.stopped = Some(format!("{bytes} would take most of the free memory"));
                break;
            }
            self.announce(CalibrationSubject::Transfer { bytes });
            match self.time_transfers(accelerator, bytes) {
                Ok(took) => {
                    sweep.sizes.push(bytes.0 as usize);
                    pace.took(bytes.0, took.whole.saturating_sub(took.loading));
                }
                Err(error) => {
                    sweep.stopped = Some(self.failed(&error));
                    break;
                }
            }
        }
        sweep
    }

    fn time_transfers(
        &mut self,
        accelerator: &dyn Accelerator,
        bytes: Bytes,
    ) -> Result<SizeTiming, Error> {
        let id = self.device.id();
        let before = self.spent();
        let mut host = vec![0x5a_u8; bytes.0 as usize];
        let buffer = accelerator.allocate(bytes)?;
        self.repeat(before, |session, learned| {
            let up = buffer.upload(&host)?;
            let down = buffer.download(&mut host)?;
            session.reported += up.as_duration() + down.as_duration();
            if learned {
                let router = session.router;
                router.observe_transfer(id, Direction::Up, bytes, up);
                router.observe_transfer(id, Direction::Down, bytes, down);
            }
            Ok(())
        })
    }

    fn sweep_probe(&mut self, probe: &dyn Probe, share: Duration) -> CalibrationSweep {
        let mut end = self.spent() + share;
        let mut sweep = CalibrationSweep::new(probe.kind().name(), Some(probe.dtype()));
        let mut pace = SweepPace::default();
        for size in probe.sizes() {
            let work = probe.describe(size, crate::array::Residency::Host).work;
            let left = end.saturating_sub(self.spent()).min(self.left());
            if let Some(why) = pace.refuses(work, left) {
                sweep.stopped = Some(why);
                break;
            }
            self.announce(CalibrationSubject::Probe {
                kind: probe.kind().name(),
                dtype: probe.dtype(),
                size,
            });
            match self.time_probe(probe, size) {
                Ok(took) => {
                    // Larger sizes only add the transfer of their operands.
                    if sweep.sizes.is_empty() {
                        self.allow(took.loading);
                    }
                    sweep.sizes.push(size);
                    pace.took(work, took.whole.saturating_sub(took.loading));
                    end += took.loading;
                }
                Err(error) => {
                    sweep.stopped = Some(self.failed(&error));
                    break;
                }
            }
        }
        sweep
    }

    fn time_probe(&mut self, probe: &dyn Probe, size: usize) -> Result<SizeTiming, Error> {
        let before = self.spent();
        let mut operation = probe.prepare(size)?;
        if !operation.runs_on(self.device.id()) {
            return Err(Error::NotImplementedOn {
                operation: probe.kind().name(),
                device: self.device.id(),
            });
        }
        self.repeat(before, |session, learned| {
            session.time_once(operation.as_mut(), learned)
        })
    }

    /// Runs `once` unmeasured, then as often as the plan says, measured. The size is charged
    /// the time since `before`.
    fn repeat(
        &mut self,
        before: Duration,
        mut once: impl FnMut(&mut Self, bool) -> Result<(), Error>,
    ) -> Result<SizeTiming, Error> {
        let start = self.spent();
        once(self, false)?;
        let first = self.spent();
        for _ in 0..self.plan.repetitions {
            once(self, true)?;
        }
        let end = self.spent();
        let usual = end.saturating_sub(first) / self.plan.repetitions.max(1);
        Ok(SizeTiming {
            whole: end.saturating_sub(before),
            loading: first.saturating_sub(start).saturating_sub(usual),
        })
    }

    fn time_once(
        &mut self,
        operation: &mut dyn Operation<Output = ()>,
        learned: bool,
    ) -> Result<(), Error> {
        // Described for each run: the first run may have left the operands on the device.
        let described = operation.describe();
        let timing = self
            .device
            .execute(&described, Instant::now(), &mut |context| {
                operation.run(context)
            })?;
        self.reported += timing.total.as_duration();
        if learned {
            self.router.observe(&described, self.device.id(), &timing);
        }
        Ok(())
    }
}

impl CalibrationSweep {
    fn new(name: &'static str, dtype: Option<DType>) -> Self {
        Self {
            name,
            dtype,
            sizes: Vec::new(),
            stopped: None,
        }
    }
}

/// The time of the last size of a sweep, without loading, to predict the next one.
#[derive(Default)]
struct SweepPace {
    last: Option<(u64, Duration)>,
}

impl SweepPace {
    fn took(&mut self, amount: u64, time: Duration) {
        self.last = Some((amount, time));
    }

    /// Why `amount` does not fit into the time left, or `None` if it fits. The time is taken to
    /// grow with the amount, which overestimates small amounts.
    fn refuses(&self, amount: u64, left: Duration) -> Option<String> {
        let expected = match self.last {
            None => Duration::ZERO,
            Some((last, time)) => {
                let growth = amount.max(1) as f64 / last.max(1) as f64;
                Duration::try_from_secs_f64(time.as_secs_f64() * growth).unwrap_or(Duration::MAX)
            }
        };
        (left.is_zero() || expected > left).then(|| {
            format!(
                "the next size would take about {}, where {} of the budget is left",
                Nanos::from(expected),
                Nanos::from(left)
            )
        })
    }
}
