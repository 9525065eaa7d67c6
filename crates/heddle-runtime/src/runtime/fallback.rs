//! A device that failed, and the processor that takes over.
//!
//! An operation whose GPU fails while it runs is run again on the processor, if
//! it has an implementation there, the rules in force allow the processor, and
//! the operation says that nothing of it was done yet
//! ([`Operation::can_be_retried`]). A call that named its device fails instead:
//! whoever names a device wants to know.

use std::fmt;
use std::panic::Location;

use serde::Serialize;

use super::Runtime;
use super::room::Room;
use crate::device::{DeviceId, Timing};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::route::{Decision, Override, Reason};
use crate::units::Bytes;

/// How often an operation is run again where it ran out of memory.
const ATTEMPTS_THERE: usize = 2;

/// Why an operation could not stay on the device it was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
#[non_exhaustive]
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

/// Operations that were given less memory than they asked for and worked piece by
/// piece.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SplitCount {
    /// The kind.
    pub operation: &'static str,
    /// Where they ran.
    pub device: DeviceId,
    /// What the first of them asked for.
    pub asked: Bytes,
    /// What it was given.
    pub granted: Bytes,
    /// How many.
    pub count: u64,
}

/// Operations that ran out of memory while they ran and were run again there.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RetryCount {
    /// The kind.
    pub operation: &'static str,
    /// Where.
    pub device: DeviceId,
    /// What was said the first time.
    pub message: String,
    /// How many times.
    pub count: u64,
}

/// Chains of operations that were computed again from their beginning.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
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
    ///
    /// One whose device ran out of memory is first tried there again: between its
    /// admission and its run, another may have dropped the copies it counted on.
    #[cold]
    pub(super) fn recover<'a, O: Operation>(
        &'a self,
        error: Error,
        room: Room<'a>,
        description: &Description,
        decision: &mut Decision,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let counts = &self.shared.counts;
        let from = decision.device;
        let error = match self.again(error, room, from, operation, place) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
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
        let Ok(room) = station.reserve(description) else {
            counts.failed();
            return Err(error);
        };
        let done = self
            .execute_in(&room, station, description, operation, place)
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

    /// Runs an operation again where it ran out of memory, described anew, because
    /// what it needs there has changed.
    fn again<'a, O: Operation>(
        &'a self,
        mut error: Error,
        mut room: Room<'a>,
        device: DeviceId,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let station = self.station(device)?;
        for _ in 0..ATTEMPTS_THERE {
            let is_short = matches!(
                &error,
                Error::OutOfMemory { shortage, .. } if shortage.device == device
            );
            let lost_copies = station.has_lost_copies_since(&room);
            if !is_short || !lost_copies || !operation.can_be_retried() {
                break;
            }
            drop(room);
            let description = operation.describe();
            // Making room may drop its own operands once more, so there must be room
            // for them too.
            let all = description.clone().with_operands_on_host();
            let granted = station
                .reserve(&all)
                .ok()
                .or_else(|| self.split(station, &all))
                .or_else(|| self.spill(station, &all))
                .or_else(|| station.reserve(&description).ok());
            let Some(granted) = granted else {
                return Err(error);
            };
            room = granted;
            self.shared
                .counts
                .retried(description.kind, device, || error.to_string());
            match self.execute_in(&room, station, &description, operation, place) {
                Ok(done) => return Ok(done),
                Err(next) => error = next,
            }
        }
        Err(error)
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
            Error::OutOfMemory { shortage, .. } if shortage.device == device => {
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
