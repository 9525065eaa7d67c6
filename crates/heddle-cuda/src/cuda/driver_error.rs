//! Failed driver calls, described without the driver.
//!
//! No driver call describes an error: the library that failed may not be usable.

use std::fmt;

use cudarc::driver::sys::CUresult;

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DriverError {
    /// The function that was called.
    pub(super) call: &'static str,
    /// The code it returned.
    pub(super) code: CUresult,
}

/// Converts the code of a driver call to a result.
pub(super) fn check(call: &'static str, code: CUresult) -> Result<(), DriverError> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(DriverError { call, code }),
    }
}

impl DriverError {
    /// Whether the context is lost: the driver returns the same code from every later call
    /// on it.
    pub(super) fn is_sticky(self) -> bool {
        matches!(
            self.code,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
                | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
                | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
                | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE
                | CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
                | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
                | CUresult::CUDA_ERROR_ASSERT
                | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
                | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
                | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
                | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
                | CUresult::CUDA_ERROR_INVALID_PC
                | CUresult::CUDA_ERROR_LAUNCH_FAILED
                | CUresult::CUDA_ERROR_EXTERNAL_DEVICE
        )
    }

    /// Whether device memory is exhausted.
    pub(super) fn is_out_of_memory(self) -> bool {
        self.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }
}

impl std::error::Error for DriverError {}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // CUDA_ERROR_ILLEGAL_ADDRESS reads as "illegal address".
        let name = format!("{:?}", self.code);
        let words = name.trim_start_matches("CUDA_ERROR_").replace('_', " ");
        write!(f, "{}: {} ({name})", self.call, words.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_described_without_a_driver() {
        let driver_error = check("cuMemAlloc", CUresult::CUDA_ERROR_OUT_OF_MEMORY).unwrap_err();
        assert_eq!(
            driver_error.to_string(),
            "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
        );
        assert!(driver_error.is_out_of_memory() && !driver_error.is_sticky());
        assert_eq!(check("cuInit", CUresult::CUDA_SUCCESS), Ok(()));
    }

    #[test]
    fn only_errors_that_destroy_the_context_are_sticky() {
        let sticky = |code| DriverError { call: "x", code }.is_sticky();
        assert!(sticky(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
        assert!(sticky(CUresult::CUDA_ERROR_ECC_UNCORRECTABLE));
        assert!(!sticky(CUresult::CUDA_ERROR_INVALID_VALUE));
        assert!(!sticky(CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
    }
}
