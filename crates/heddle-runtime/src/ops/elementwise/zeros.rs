//! Zeros among an integer divisor's elements, found on the GPU that divides.

use std::sync::Arc;

use crate::array::Array;
use crate::device::{Accelerator, Argument, DeviceBuffer, DeviceMemory, ExecutionContext};
use crate::error::Error;

use super::super::kernel::{self, Kernels, kernels};
use super::super::number::Number;

const KERNELS: Kernels = kernels!("first_zero", integers);

/// The least place of a zero that any of several kernels has met.
pub(super) struct ZeroDivisorCheck<'a> {
    context: &'a ExecutionContext<'a>,
    accelerator: &'a dyn Accelerator,
    /// One 64-bit number, low half first; all ones while no zero was met.
    place: Array<u32>,
    buffer: Arc<DeviceBuffer>,
}

impl<'a> ZeroDivisorCheck<'a> {
    /// Nothing met yet.
    pub(super) fn start(
        context: &'a ExecutionContext<'a>,
        accelerator: &'a dyn Accelerator,
    ) -> Result<Self, Error> {
        let mut place = Array::from_slice(&[u32::MAX; 2]);
        let buffer = context.resident(&place, accelerator)?;
        // From here on the device's copy is the only true one.
        place.exclusive_on(accelerator.id());
        Ok(Self {
            context,
            accelerator,
            place,
            buffer,
        })
    }

    /// Queues a look at `elements` of the divisor, of which `first` is the first.
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

    /// Waits for the looks and fails with the first zero they met.
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
