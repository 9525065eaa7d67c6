//! Failures of clean-up, which has no caller to return an error to.
//!
//! One log serves the process, because a device's last failures happen while the device
//! itself is dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUresult;

use super::driver_error::DriverError;

static COUNT: AtomicU64 = AtomicU64::new(0);
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// The failed clean-up calls of this process so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DropFailures {
    /// How many calls failed.
    pub count: u64,
    /// The message of the last one.
    pub last: Option<String>,
}

/// Logs a failed clean-up.
pub(super) fn note(outcome: Result<(), DriverError>) {
    if let Err(driver_error) = outcome {
        // The driver unloads before the last destructors of a process run; what they would
        // free is already gone.
        if driver_error.code != CUresult::CUDA_ERROR_DEINITIALIZED {
            note_message(driver_error.to_string());
        }
    }
}

/// Logs a failed clean-up of something that the driver does not own.
pub(super) fn note_message(message: String) {
    COUNT.fetch_add(1, Ordering::Relaxed);
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
}

/// The log so far.
pub(super) fn failures() -> DropFailures {
    DropFailures {
        count: COUNT.load(Ordering::Relaxed),
        last: LAST.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_and_the_last_is_kept() {
        let before = failures().count;
        note(Ok(()));
        note(Err(DriverError {
            call: "cuMemFree",
            code: CUresult::CUDA_ERROR_DEINITIALIZED,
        }));
        assert_eq!(failures().count, before);
        note(Err(DriverError {
            call: "cuMemFree",
            code: CUresult::CUDA_ERROR_INVALID_VALUE,
        }));
        let after = failures();
        assert_eq!(after.count, before + 1);
        assert!(after.last.unwrap().starts_with("cuMemFree"));
    }
}
