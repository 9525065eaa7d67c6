//! Recovery from a failing device.
//!
//! An operation whose GPU fails while it runs is run again on the CPU, if it has an
//! implementation there, the current rules allow the CPU, and the operation can still be run
//! from its beginning ([`Operation::can_be_retried`]). A call that named its device fails
//! instead, so that the caller learns of the failure.

use std::fmt;
use std::panic::Location;

use serde::Serialize;

use super::Runtime;
use super::admitted_memory::AdmittedMemory;
use crate::device::{DeviceId, Timing};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::route::{Decision, Override, Reason};
use crate::units::Bytes;

/// The number of times an operation is run again on the device where it ran out of memory.
const ATTEMPTS_THERE: usize = 2;

/// Why an operation could not stay on the device it was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FallbackCause {
    /// Its bytes did not fit under the limit set for that device.
    BeyondLimit,
    /// The device itself ran out of memory while running it.
    OutOfMemory,
    /// The device failed.
    Failed,
    /// The device was lost, and takes no more work.
    Lost,
}

/// Operations that ran on another device than they were first sent to.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FallbackCount {
    /// The kind.
    pub operation: &'static str,
    /// The device they were sent to.
    pub from: DeviceId,
    /// The device they ran on.
    pub to: DeviceId,
    /// Why they could not stay.
    pub cause: FallbackCause,
    /// The first message.
    pub message: String,
    /// The number of operations.
    pub count: u64,
}

/// Operations that got less memory than they requested and worked in pieces.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SplitCount {
    /// The kind.
    pub operation: &'static str,
    /// The device they ran on.
    pub device: DeviceId,
    /// The bytes the first of them requested.
    pub asked: Bytes,
    /// The bytes it got.
    pub granted: Bytes,
    /// The number of operations.
    pub count: u64,
}

/// Operations that ran out of memory while they ran and were run again on the same device.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RetryCount {
    /// The kind.
    pub operation: &'static str,
    /// The device.
    pub device: DeviceId,
    /// The first message.
    pub message: String,
    /// The number of retries.
    pub count: u64,
}

/// Chains of operations that were computed again from their beginning.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RecomputedCount {
    /// The name of the computation.
    pub what: &'static str,
    /// The lost device that held the only copy of an intermediate array.
    pub lost: DeviceId,
    /// The first message.
    pub message: String,
    /// The number of repetitions.
    pub count: u64,
}

impl Runtime {
    /// Computes a value with several operations, and repeats the computation from its beginning
    /// if an intermediate array had its only copy on a lost device. A repetition is counted
    /// under the name `what`.
    ///
    /// The runtime retries an operation by itself, but not the operations that produced its
    /// operands: only the caller can compute those again. So `body` must begin with arrays that
    /// are on the host, or create its own.
    ///
    /// ```
    /// # use heddle_runtime::{Array, Runtime};
    /// # let runtime = Runtime::builder().without_model_cache().build()?;
    /// let signal = Array::from_slice(&[3.0_f32, 4.0]);
    /// let energy = runtime.retry_on_device_loss("energy", || {
    ///     let squares = runtime.square(&signal)?;
    ///     runtime.sum(&squares)
    /// })?;
    /// assert_eq!(energy, 25.0);
    /// # Ok::<(), heddle_runtime::Error>(())
    /// ```
    pub fn retry_on_device_loss<T>(
        &self,
        what: &'static str,
        mut body: impl FnMut() -> Result<T, Error>,
    ) -> Result<T, Error> {
        // A device is lost at most once, so the loop ends.
        for _ in 1..self.shared.devices.len() {
            match body() {
                Err(error @ Error::ArrayLost { device, .. }) => {
                    self.shared.router.mark_lost(device);
                    self.shared
                        .counters
                        .recomputed(what, device, error.to_string());
                }
                done => return done,
            }
        }
        body()
    }

    /// Runs an operation that failed with `error` once more, on the CPU, or returns the error.
    /// A lost device is taken out of routing.
    ///
    /// An operation whose device ran out of memory is first retried there: between its
    /// admission and its run, another operation may have dropped the copies it relied on.
    #[cold]
    pub(super) fn recover<'a, O: Operation>(
        &'a self,
        error: Error,
        admitted: AdmittedMemory<'a>,
        description: &Description,
        decision: &mut Decision,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let counters = &self.shared.counters;
        let from = decision.device;
        let error = match self.rerun(error, admitted, from, operation, place) {
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
            counters.failed();
            return Err(error);
        };
        let slot = self.slot(DeviceId::CPU)?;
        let Ok(admitted) = slot.reserve(description) else {
            counters.failed();
            return Err(error);
        };
        let done = self
            .execute_admitted(&admitted, slot, description, operation, place)
            .inspect_err(|second| {
                // Another device, which held an operand's only copy, may be lost as well.
                self.cause(second, DeviceId::CPU);
                counters.failed();
            })?;
        counters.fell_back(description.kind, from, DeviceId::CPU, cause, || {
            error.to_string()
        });
        decision.device = DeviceId::CPU;
        decision.reason = Reason::FellBack { from };
        Ok(done)
    }

    /// Runs an operation again on the device where it ran out of memory. It is described again,
    /// because the memory it needs there has changed.
    fn rerun<'a, O: Operation>(
        &'a self,
        mut error: Error,
        mut admitted: AdmittedMemory<'a>,
        device: DeviceId,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let slot = self.slot(device)?;
        for _ in 0..ATTEMPTS_THERE {
            let is_short = matches!(
                &error,
                Error::OutOfMemory { shortage, .. } if shortage.device == device
            );
            let lost_copies = slot.has_removed_copies_since(&admitted);
            if !is_short || !lost_copies || !operation.can_be_retried() {
                break;
            }
            drop(admitted);
            let description = operation.describe();
            // The reservation may drop its own operands once more, so it includes memory for
            // them.
            let all = description.clone().with_operands_on_host();
            let granted = slot
                .reserve(&all)
                .ok()
                .or_else(|| self.split(slot, &all))
                .or_else(|| self.spill(slot, &all))
                .or_else(|| slot.reserve(&description).ok());
            let Some(granted) = granted else {
                return Err(error);
            };
            admitted = granted;
            self.shared
                .counters
                .retried(description.kind, device, || error.to_string());
            match self.execute_admitted(&admitted, slot, &description, operation, place) {
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

    /// The cause of the fallback if the error is a failure of `device`. A device that the error
    /// reports as lost, whichever it is, is taken out of routing.
    fn cause(&self, error: &Error, device: DeviceId) -> Option<FallbackCause> {
        if let Error::DeviceLost { device: lost, .. } | Error::ArrayLost { device: lost, .. } =
            error
        {
            self.shared.router.mark_lost(*lost);
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
            Self::BeyondLimit => "had too little memory for it",
            Self::OutOfMemory => "ran out of memory",
            Self::Failed => "failed",
            Self::Lost => "was lost",
        })
    }
}
