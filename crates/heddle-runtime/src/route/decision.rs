//! What the router decided, with the costs it compared.
//!
//! A decision is made on the hot path, so it holds no text: [`Reason`] becomes a sentence only
//! when it is displayed.

use std::fmt;

use smallvec::SmallVec;

use crate::device::DeviceId;
use crate::units::{Bytes, Estimate};

/// A predicted time in nanoseconds, by component.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct PredictedCost {
    /// The transfer of operands that are not on the device, and of the result back if it is
    /// wanted on the host.
    pub transfer_ns: f64,
    /// The fixed cost of any operation of this kind on this device.
    pub overhead_ns: f64,
    /// The work itself.
    pub work_ns: f64,
}

impl PredictedCost {
    /// The sum of the components.
    #[must_use]
    pub fn total_ns(&self) -> f64 {
        self.transfer_ns + self.overhead_ns + self.work_ns
    }
}

/// One device that could have run the operation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The device.
    pub device: DeviceId,
    /// The predicted cost there, or `None` if nothing was ever measured.
    pub cost: Option<PredictedCost>,
    /// The number of measurements behind the cost.
    pub samples: u32,
    /// The confidence in the cost, 0 to 1.
    pub confidence: f32,
}

/// Where a forced device came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Override {
    /// The call: `Runtime::run_on`.
    Call,
    /// The configuration, for this kind.
    Kind,
    /// The configuration or `HEDDLE_DEVICE`, for the process.
    Process,
}

/// Why the device was chosen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "because")]
#[non_exhaustive]
pub enum Reason {
    /// There is no other device.
    OnlyDevice,
    /// A device was forced.
    Forced {
        /// Where the force came from.
        by: Override,
    },
    /// `smart = false`: the first GPU takes everything it can run.
    NotSmart,
    /// The operation is smaller than the minimum set for a GPU.
    BelowMinimum {
        /// The bytes of the operation's operands.
        bytes: Bytes,
        /// The minimum.
        minimum: Bytes,
    },
    /// It has the lowest cost.
    Cheapest {
        /// The cost of the runner-up as a multiple of this one's.
        ratio: f64,
        /// The device with the second lowest cost.
        runner_up: DeviceId,
    },
    /// It is the only device measured so far.
    OnlyMeasured,
    /// No device is measured; the fewest bytes have to move.
    NothingMeasured,
    /// The forced device cannot run it, so costs decided among the others.
    NotOnForced {
        /// The device forced.
        forced: DeviceId,
        /// Where the force came from.
        by: Override,
    },
    /// It was chosen to be measured, because too little is known about it for this kind.
    Exploring {
        /// The device that would have been chosen.
        instead_of: DeviceId,
    },
    /// The device chosen first had no memory left for it, or was lost.
    FellBack {
        /// The device chosen first.
        from: DeviceId,
    },
}

/// The device chosen for an operation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// The device chosen.
    pub device: DeviceId,
    /// Every device considered, in device order.
    pub candidates: SmallVec<[Candidate; 2]>,
    /// The reason for the choice.
    pub reason: Reason,
}

impl Decision {
    /// The chosen device's candidate entry.
    #[must_use]
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates
            .iter()
            .find(|candidate| candidate.device == self.device)
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "this call",
            Self::Kind => "the configuration of this kind",
            Self::Process => "the configuration or HEDDLE_DEVICE",
        })
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device;
        match self.reason {
            Reason::OnlyDevice => write!(f, "{device}: the only device"),
            Reason::Forced { by } => write!(f, "{device}: forced by {by}"),
            Reason::NotSmart => write!(f, "{device}: smart routing is off"),
            Reason::BelowMinimum { bytes, minimum } => write!(
                f,
                "{device}: {bytes} is below the {minimum} set as the least for a GPU"
            ),
            Reason::Cheapest { ratio, runner_up } => {
                write!(f, "{device}: ")?;
                if let Some(cost) = self.chosen().and_then(|candidate| candidate.cost) {
                    write!(f, "{} predicted, ", Estimate(cost.total_ns()))?;
                }
                write!(f, "{ratio:.1} times less than {runner_up}")
            }
            Reason::OnlyMeasured => write!(f, "{device}: the only device measured for it so far"),
            Reason::NothingMeasured => write!(
                f,
                "{device}: nothing was measured yet, and the fewest bytes move"
            ),
            Reason::NotOnForced { forced, by } => {
                write!(f, "{device}: {forced}, forced by {by}, cannot run it")
            }
            Reason::Exploring { instead_of } => write!(
                f,
                "{device}: measured once in a while instead of {instead_of}"
            ),
            Reason::FellBack { from } => write!(f, "{device}: {from} could not run it"),
        }
    }
}
