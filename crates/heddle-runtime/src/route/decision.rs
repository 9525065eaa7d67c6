//! What the router decided, with the prices it decided on.
//!
//! A decision is made on the hot path, so it holds no text: [`Reason`] becomes a
//! sentence only when somebody reads it.

use std::fmt;

use smallvec::SmallVec;

use crate::device::DeviceId;
use crate::units::{Bytes, Estimate};

/// A predicted time in nanoseconds, split into where it would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Price {
    /// Moving operands that are not there, and the result back if it is wanted
    /// on the host.
    pub transfer_ns: f64,
    /// What any operation of this kind pays on this device, however small.
    pub overhead_ns: f64,
    /// The work itself.
    pub work_ns: f64,
}

impl Price {
    /// The whole.
    #[must_use]
    pub fn total_ns(&self) -> f64 {
        self.transfer_ns + self.overhead_ns + self.work_ns
    }
}

/// One device that could have run the operation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Candidate {
    /// The device.
    pub device: DeviceId,
    /// What it would cost there; `None` when nothing was ever measured.
    pub price: Option<Price>,
    /// Measurements behind the price.
    pub samples: u32,
    /// How much to trust it, 0 to 1.
    pub confidence: f32,
}

/// Who forced a device, if anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Override {
    /// This call: `Runtime::run_on`.
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
    /// There is nothing to choose from.
    OnlyDevice,
    /// Somebody said so.
    Forced {
        /// Who.
        by: Override,
    },
    /// `smart = false`: the first GPU takes everything it can run.
    NotSmart,
    /// The operation is smaller than the least size set for a GPU.
    BelowMinimum {
        /// The operation's operands.
        bytes: Bytes,
        /// The least size.
        minimum: Bytes,
    },
    /// It has the lowest price.
    Cheapest {
        /// How many times dearer the next one is.
        ratio: f64,
        /// The next one.
        runner_up: DeviceId,
    },
    /// It is the only one of several that was measured so far.
    OnlyMeasured,
    /// Nothing was measured anywhere; the fewest bytes would have to move.
    NothingMeasured,
    /// A device was forced that cannot run it, so prices decided among the others.
    NotOnForced {
        /// The device forced.
        forced: DeviceId,
        /// Who forced it.
        by: Override,
    },
    /// It was chosen to be measured, because nothing or too little is known
    /// about it for this kind.
    Exploring {
        /// The device that would have been chosen.
        instead_of: DeviceId,
    },
    /// The device that was chosen first had no memory left for it, or was lost.
    FellBack {
        /// The device chosen first.
        from: DeviceId,
    },
}

/// Where an operation goes.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Decision {
    /// The device chosen.
    pub device: DeviceId,
    /// Every device that was considered, in device order.
    pub candidates: SmallVec<[Candidate; 2]>,
    /// Why.
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
            Reason::OnlyDevice => write!(f, "{device}: the only device there is"),
            Reason::Forced { by } => write!(f, "{device}: forced by {by}"),
            Reason::NotSmart => write!(f, "{device}: smart routing is off"),
            Reason::BelowMinimum { bytes, minimum } => write!(
                f,
                "{device}: {bytes} is below the {minimum} set as the least for a GPU"
            ),
            Reason::Cheapest { ratio, runner_up } => {
                write!(f, "{device}: ")?;
                if let Some(price) = self.chosen().and_then(|candidate| candidate.price) {
                    write!(f, "{} predicted, ", Estimate(price.total_ns()))?;
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
            Reason::FellBack { from } => write!(f, "{device}: {from} could not take it"),
        }
    }
}
