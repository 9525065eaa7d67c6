//! Finds zeros in an integer divisor on the GPU that divides.

use std::sync::Arc;

use crate::array::Array;
use crate::device::{Accelerator, Argument, DeviceBuffer, DeviceMemory, ExecutionContext};
use crate::error::Error;

use super::super::kernel::{self, Kernels, kernels};
use super::super::number::Number;

const KERNELS: Kernels = kernels!("first_zero", integers);

/// The least index of a zero found by any of several kernels.
pub(super) struct ZeroDivisorCheck<'a> {
    context: &'a ExecutionContext<'a>,
    accelerator: &'a dyn Accelerator,
    /// One 64-bit number, low half first; all ones until a zero is found.
    place: Array<u32>,
    buffer: Arc<DeviceBuffer>,
}

impl<'a> ZeroDivisorCheck<'a> {
    /// Creates it with no zero found.
    pub(super) fn start(
        context: &'a ExecutionContext<'a>,
        accelerator: &'a dyn Accelerator,
    ) -> Result<Self, Error> {
        let mut place = Array::from_slice(&[u32::MAX; 2]);
        let buffer = context.resident(&place, accelerator)?;
        // From here on only the device's copy is up to date.
        place.exclusive_on(accelerator.id());
        Ok(Self {
            context,
            accelerator,
            place,
            buffer,
        })
    }

    /// Queues a scan of `elements` elements of the divisor, starting at index `first`.
    pub(super) fn scan<T: Number>(
        &self,
        divisor: &dyn DeviceMemory,
        first: u64,
        elements: usize,
    ) -> Result<(), Error> {
        kernel::over_elements(
            self.accelerator,
            KERNELS.of::<T>("div")?,
            elements,
            kernel::per_line::<T>(),
            &[
                Argument::Buffer(divisor),
                Argument::U64(elements as u64),
                Argument::U64(first),
                Argument::Buffer(&**self.buffer),
            ],
        )
    }

    /// Waits for the scans, and fails with the first zero found.
    pub(super) fn refuse<T: Number>(&self) -> Result<(), Error> {
        let place = self
            .context
            .host(&self.place)?
            .iter()
            .rev()
            .fold(0, |place, &half| place << 32 | u64::from(half));
        if place == u64::MAX {
            return Ok(());
        }
        Err(Error::DivisionByZero {
            dtype: T::DTYPE,
            index: place as usize,
        })
    }
}
