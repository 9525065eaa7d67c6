//! Measures a device before anybody waits for it.
//!
//! Transfers first, then every probe from small to large. A sweep stops when the
//! next size would take more than what is left of its share of the budget; what
//! lies beyond is extrapolated, and exploration comes back to it.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::router::Router;
use super::transfer::Direction;
use crate::device::{Accelerator, Device, DeviceId, Timing};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::Probe;
use crate::units::{Bytes, Nanos};

/// How a calibration spends its time.
#[derive(Clone, Debug)]
pub struct CalibrationPlan {
    /// The time for one device.
    pub budget: Duration,
    /// Runs per size, beside a first one that is not measured.
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

/// Progress, said before each size is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationStep {
    /// The device.
    pub device: DeviceId,
    /// What comes next.
    pub subject: CalibrationSubject,
    /// How much of the budget is spent, 0 to 1.
    pub spent_share: f64,
}

/// How one sweep over sizes went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// What was measured: a kind's name, or `transfer`.
    pub name: &'static str,
    /// The element type of a kind.
    pub dtype: Option<DType>,
    /// The sizes measured.
    pub sizes: Vec<usize>,
    /// Why larger sizes were not, if any were left.
    pub stopped: Option<String>,
}

/// What a calibration did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationReport {
    /// The device.
    pub device: DeviceId,
    /// One per thing measured, transfers first.
    pub sweeps: Vec<Sweep>,
    /// Time it took.
    pub spent: Nanos,
}

/// Measures a device's transfers and every probe that runs on it, within the
/// plan's budget, and teaches the router.
///
/// An operation that fails ends its own sweep and is named in the report; a
/// device that fails ends the calibration.
pub fn calibrate(
    router: &Router,
    device: &dyn Device,
    probes: &[Box<dyn Probe>],
    plan: &CalibrationPlan,
    progress: &mut dyn FnMut(CalibrationStep),
) -> Result<CalibrationReport, Error> {
    router.policy.named(device.id())?;
    let mut session = Session {
        router,
        device,
        plan,
        progress,
        started: Instant::now(),
        reported: Duration::ZERO,
    };
    let mut sweeps = Vec::new();
    if let Some(accelerator) = device.accelerator() {
        sweeps.push(session.sweep_transfers(accelerator)?);
    }
    for (index, probe) in probes.iter().enumerate() {
        let share = session.left() / (probes.len() - index) as u32;
        sweeps.push(session.sweep_probe(probe.as_ref(), share)?);
    }
    Ok(CalibrationReport {
        device: device.id(),
        sweeps,
        spent: Nanos::from(session.spent()),
    })
}

struct Session<'a> {
    router: &'a Router,
    device: &'a dyn Device,
    plan: &'a CalibrationPlan,
    progress: &'a mut dyn FnMut(CalibrationStep),
    started: Instant,
    /// Time the device said it spent. A simulated one spends none of ours.
    reported: Duration,
}

impl Session<'_> {
    fn spent(&self) -> Duration {
        self.started.elapsed().max(self.reported)
    }

    fn left(&self) -> Duration {
        self.plan.budget.saturating_sub(self.spent())
    }

    fn announce(&mut self, subject: CalibrationSubject) {
        let budget = self.plan.budget.as_secs_f64().max(f64::MIN_POSITIVE);
        let spent_share = (self.spent().as_secs_f64() / budget).min(1.0);
        (self.progress)(CalibrationStep {
            device: self.device.id(),
            subject,
            spent_share,
        });
    }

    fn sweep_transfers(&mut self, accelerator: &dyn Accelerator) -> Result<Sweep, Error> {
        let share = self.plan.transfer_share.clamp(0.0, 1.0);
        let end = self.spent() + self.plan.budget.mul_f64(share);
        let mut sweep = Sweep::new("transfer", None);
        let mut pace = Pace::default();
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
            let before = self.spent();
            self.time_transfers(accelerator, bytes)?;
            sweep.sizes.push(bytes.0 as usize);
            pace.took(bytes.0, self.spent().saturating_sub(before));
        }
        Ok(sweep)
    }

    fn time_transfers(&mut self, accelerator: &dyn Accelerator, bytes: Bytes) -> Result<(), Error> {
        let id = self.device.id();
        let mut host = vec![0x5a_u8; bytes.0 as usize];
        let buffer = accelerator.allocate(bytes)?;
        for repetition in 0..=self.plan.repetitions {
            let up = buffer.upload(&host)?;
            let down = buffer.download(&mut host)?;
            self.reported += up.as_duration() + down.as_duration();
            if repetition > 0 {
                self.router.observe_transfer(id, Direction::Up, bytes, up);
                self.router
                    .observe_transfer(id, Direction::Down, bytes, down);
            }
        }
        Ok(())
    }

    fn sweep_probe(&mut self, probe: &dyn Probe, share: Duration) -> Result<Sweep, Error> {
        let end = self.spent() + share;
        let mut sweep = Sweep::new(probe.kind().name(), Some(probe.dtype()));
        let mut pace = Pace::default();
        for size in probe.sizes() {
            let work = probe.describe(size, crate::array::Residency::Host).work;
            if let Some(why) = pace.refuses(work, end.saturating_sub(self.spent())) {
                sweep.stopped = Some(why);
                break;
            }
            self.announce(CalibrationSubject::Probe {
                kind: probe.kind().name(),
                dtype: probe.dtype(),
                size,
            });
            let before = self.spent();
            match self.time_probe(probe, size) {
                Ok(()) => sweep.sizes.push(size),
                Err(error @ Error::Device { .. }) => return Err(error),
                Err(error) => {
                    sweep.stopped = Some(error.to_string());
                    break;
                }
            }
            pace.took(work, self.spent().saturating_sub(before));
        }
        Ok(sweep)
    }

    fn time_probe(&mut self, probe: &dyn Probe, size: usize) -> Result<(), Error> {
        let mut operation = probe.prepare(size)?;
        if !operation.runs_on(self.device.id().kind()) {
            return Err(Error::NotImplementedOn {
                operation: probe.kind().name(),
                device: self.device.id(),
            });
        }
        self.time_once(operation.as_mut(), false)?;
        for _ in 0..self.plan.repetitions {
            self.time_once(operation.as_mut(), true)?;
        }
        Ok(())
    }

    fn time_once(
        &mut self,
        operation: &mut dyn Operation<Output = ()>,
        learned: bool,
    ) -> Result<Timing, Error> {
        // Asked each time: the first run may have left the operands on the device.
        let described = operation.describe();
        let timing = self
            .device
            .execute(&described, Instant::now(), &mut |lane| operation.run(lane))?;
        self.reported += timing.total.as_duration();
        if learned {
            self.router.observe(&described, self.device.id(), &timing);
        }
        Ok(timing)
    }
}

impl Sweep {
    fn new(name: &'static str, dtype: Option<DType>) -> Self {
        Self {
            name,
            dtype,
            sizes: Vec::new(),
            stopped: None,
        }
    }
}

/// How long the last size of a sweep took in all, to judge the next by.
#[derive(Default)]
struct Pace {
    last: Option<(u64, Duration)>,
}

impl Pace {
    fn took(&mut self, amount: u64, time: Duration) {
        self.last = Some((amount, time));
    }

    /// Why `amount` does not fit into the time left, if so. Time is taken to
    /// grow with the amount, which for small amounts is cautious.
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
