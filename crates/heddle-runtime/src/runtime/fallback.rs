//! A device that failed, and the processor that takes over.
//!
//! An operation whose GPU fails while it runs is run again on the processor, if
//! it has an implementation there, the rules in force allow the processor, and
//! the operation says that nothing of it was done yet
//! ([`Operation::can_be_retried`]). A call that named its device fails instead:
//! whoever names a device wants to know.

use std::fmt;

use serde::Serialize;

use super::Runtime;
use crate::device::{DeviceId, Timing};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::route::{Decision, Override, Reason};

/// Why an operation could not stay on the device it was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FallbackCause {
    /// Its bytes did not fit under the limit set for that device.
    NoRoom,
    /// The device itself ran out of memory while running it.
    OutOfMemory,
    /// The device failed.
    Failed,
    /// The device was lost, and takes no more work.
    Lost,
}

/// Operations that ran elsewhere than where they were first sent.
#[derive(Clone, Debug, Serialize)]
pub struct FallbackCount {
    /// The kind.
    pub operation: &'static str,
    /// Where they were sent.
    pub from: DeviceId,
    /// Where they ran.
    pub to: DeviceId,
    /// Why they could not stay.
    pub cause: FallbackCause,
    /// What was said the first time.
    pub message: String,
    /// How many.
    pub count: u64,
}

/// Chains of operations that were computed again from their beginning.
#[derive(Clone, Debug, Serialize)]
pub struct RecomputedCount {
    /// What was computed.
    pub what: &'static str,
    /// The lost device that held the only copy of an array on the way.
    pub lost: DeviceId,
    /// What was said the first time.
    pub message: String,
    /// How many.
    pub count: u64,
}

impl Runtime {
    /// Computes something of several operations, and again from the beginning if
    /// an array on the way had its only copy on a device that is lost. That is
    /// counted under the name `what`.
    ///
    /// An operation is retried by itself, but what it reads cannot be: only who
    /// made an array knows how to make it again. So `body` begins with arrays
    /// that are on the host, or makes its own.
    ///
    /// ```
    /// # use heddle_runtime::{Array, Runtime};
    /// # let runtime = Runtime::builder().forgetful().build()?;
    /// let signal = Array::from_slice(&[3.0_f32, 4.0]);
    /// let energy = runtime.again_if_lost("energy", || {
    ///     let squares = runtime.square(&signal)?;
    ///     runtime.sum(&squares)
    /// })?;
    /// assert_eq!(energy, 25.0);
    /// # Ok::<(), heddle_runtime::Error>(())
    /// ```
    pub fn again_if_lost<T>(
        &self,
        what: &'static str,
        mut body: impl FnMut() -> Result<T, Error>,
    ) -> Result<T, Error> {
        // A device is lost once, so there is an end to it.
        for _ in 1..self.shared.devices.len() {
            match body() {
                Err(error @ Error::ArrayLost { device, .. }) => {
                    self.shared.router.lose(device);
                    self.shared
                        .counts
                        .recomputed(what, device, error.to_string());
                }
                done => return done,
            }
        }
        body()
    }

    /// Runs an operation that failed with `error` once more, on the processor, or
    /// gives the error back. A device that is lost is taken out of routing.
    #[cold]
    pub(super) fn recover<O: Operation>(
        &self,
        error: Error,
        description: &Description,
        decision: &mut Decision,
        operation: &mut O,
    ) -> Result<(O::Output, Timing), Error> {
        let counts = &self.shared.counts;
        let from = decision.device;
        let cause = self.cause(&error, from);
        let may_move = decision.reason != (Reason::Forced { by: Override::Call })
            && from != DeviceId::CPU
            && decision
                .candidates
                .iter()
                .any(|candidate| candidate.device == DeviceId::CPU)
            && operation.can_be_retried();
        let (Some(cause), true) = (cause, may_move) else {
            counts.failed();
            return Err(error);
        };
        let station = self.station(DeviceId::CPU)?;
        let Ok(_reservation) = station.ledger.reserve(description.footprint(DeviceId::CPU)) else {
            counts.failed();
            return Err(error);
        };
        let done = self
            .execute(station, description, operation)
            .inspect_err(|second| {
                // An operand that only the lost device held.
                self.cause(second, DeviceId::CPU);
                counts.failed();
            })?;
        counts.fell_back(description.kind, from, DeviceId::CPU, cause, || {
            error.to_string()
        });
        decision.device = DeviceId::CPU;
        decision.reason = Reason::FellBack { from };
        Ok(done)
    }

    /// Whether the error is a failure of `device` and not of the operation.
    pub(super) fn is_of_device(&self, error: &Error, device: DeviceId) -> bool {
        self.cause(error, device).is_some()
    }

    /// What kind of failure of `device` the error is, if it is one. A device that
    /// an error says is lost, whichever it is, is taken out of routing.
    fn cause(&self, error: &Error, device: DeviceId) -> Option<FallbackCause> {
        if let Error::DeviceLost { device: lost, .. } | Error::ArrayLost { device: lost, .. } =
            error
        {
            self.shared.router.lose(*lost);
        }
        match error {
            Error::DeviceLost { device: at, .. } if *at == device => Some(FallbackCause::Lost),
            Error::Device { device: at, .. } if *at == device => Some(FallbackCause::Failed),
            Error::OutOfMemory { device: at, .. } if *at == device => {
                Some(FallbackCause::OutOfMemory)
            }
            _ => None,
        }
    }
}

impl fmt::Display for FallbackCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRoom => "had no room for it",
            Self::OutOfMemory => "ran out of memory",
            Self::Failed => "failed",
            Self::Lost => "was lost",
        })
    }
}
