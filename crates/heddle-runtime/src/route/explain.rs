//! Explains where an operation would run and why, from the router's own costs.

use serde::Serialize;

use super::decision::{Candidate, Reason};
use super::router::Router;
use crate::array::Residency;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::error::Error;
use crate::ops::Probe;

/// Break-even sizes are searched up to this factor beyond the largest measured one.
const BEYOND: usize = 16;

/// Where an operation of some size would run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The kind's name.
    pub kind: &'static str,
    /// The element type.
    pub dtype: DType,
    /// The size, as the probe counts it.
    pub size: usize,
    /// What the size counts.
    pub size_means: &'static str,
    /// The amount of work, in the kind's unit.
    pub work: u64,
    /// The device the operands are on; `None` for the host.
    pub resident: Option<DeviceId>,
    /// The candidate devices, with their predicted costs.
    pub candidates: Vec<Candidate>,
    /// Where it would run.
    pub device: DeviceId,
    /// Why.
    pub reason: Reason,
    /// The reason as a sentence.
    pub sentence: String,
}

/// The size from which a GPU is predicted to be cheaper than the CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BreakEven {
    /// One device is cheaper at every size searched.
    Always(DeviceId),
    /// The GPU is cheaper from this size on.
    At {
        /// The size, as the probe counts it.
        size: usize,
    },
    /// The break-even is not known.
    Unknown {
        /// Why not.
        why: String,
    },
}

/// Returns where an operation of this size would run, its operands on the host or on
/// `resident`, and its predicted cost on each of `devices`. Nothing runs and nothing is
/// explored.
pub fn explain(
    router: &Router,
    probe: &dyn Probe,
    size: usize,
    resident: Option<DeviceId>,
    devices: &[DeviceId],
) -> Result<Explanation, Error> {
    let described = probe.describe(size, residency(resident));
    let runs_on = implementations(probe)?;
    let decision = router.preview(&described, &runs_on, None)?;
    Ok(Explanation {
        kind: probe.kind().name(),
        dtype: probe.dtype(),
        size,
        size_means: probe.size_means(),
        work: described.work,
        resident,
        candidates: devices
            .iter()
            .filter(|device| runs_on(**device))
            .map(|&device| router.candidate(&described, device))
            .collect(),
        device: decision.device,
        reason: decision.reason,
        sentence: decision.to_string(),
    })
}

/// Returns the size from which `gpu` is cheaper than `cpu`, with the operands on the host or,
/// if `resident`, on the GPU.
#[must_use]
pub fn break_even(
    router: &Router,
    probe: &dyn Probe,
    cpu: DeviceId,
    gpu: DeviceId,
    resident: bool,
) -> BreakEven {
    let place = residency(resident.then_some(gpu));
    let largest = probe.sizes().last().copied().unwrap_or(1);
    let end = largest.saturating_mul(BEYOND);
    let gpu_wins = |size: usize| {
        let described = probe.describe(size, place);
        let cost = |device| {
            let candidate = router.candidate(&described, device);
            candidate.cost.map(|cost| cost.total_ns()).ok_or(device)
        };
        Ok(cost(gpu)? < cost(cpu)?)
    };
    match search(end, gpu_wins) {
        Ok(Crossing::Never(true)) => BreakEven::Always(gpu),
        Ok(Crossing::Never(false)) => BreakEven::Always(cpu),
        Ok(Crossing::At(size)) => BreakEven::At { size },
        Ok(Crossing::Back) => BreakEven::Unknown {
            why: format!("{gpu} is cheaper at some sizes, but not at the largest"),
        },
        Err(device) => BreakEven::Unknown {
            why: format!("{} was never measured on {device}", probe.kind()),
        },
    }
}

enum Crossing {
    /// The GPU is cheaper at every size, or at none.
    Never(bool),
    /// It is cheaper from this size to the end.
    At(usize),
    /// It is cheaper at some sizes, but not at the end.
    Back,
}

/// Finds where `wins` becomes true for the rest of the range: doubling finds the last change,
/// bisection its place.
fn search(
    end: usize,
    wins: impl Fn(usize) -> Result<bool, DeviceId>,
) -> Result<Crossing, DeviceId> {
    let mut turn = None;
    let mut previous = 1;
    let first = wins(previous)?;
    let (mut now, mut turns) = (first, 0);
    while previous < end {
        let next = previous.saturating_mul(2).min(end);
        let won = wins(next)?;
        if won != now {
            turns += 1;
            turn = Some((previous, next));
            now = won;
        }
        previous = next;
    }
    let (Some((mut below, mut above)), true) = (turn, now) else {
        return Ok(if turns == 0 {
            Crossing::Never(first)
        } else {
            Crossing::Back
        });
    };
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if wins(middle)? {
            above = middle;
        } else {
            below = middle;
        }
    }
    Ok(Crossing::At(above))
}

fn residency(resident: Option<DeviceId>) -> Residency {
    match resident {
        Some(device) if device.has_own_memory() => Residency::Device(device),
        Some(_) | None => Residency::Host,
    }
}

/// The devices that the probe's operation runs on, queried at its smallest size.
fn implementations(probe: &dyn Probe) -> Result<impl Fn(DeviceId) -> bool + use<>, Error> {
    let smallest = probe.sizes().first().copied().unwrap_or(1);
    let operation = probe.prepare(smallest)?;
    Ok(move |device| operation.runs_on(device))
}
