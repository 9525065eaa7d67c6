//! Multiplication by a factor and addition of an offset, rounded once.

use crate::array::{Array, HostBuffer};
use crate::device::{Accelerator, Argument, DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};

use super::elementwise_gpu::{self, MapOperand};
use super::kernel::{self, Kernels, kernels};
use super::loops::{self, Map};
use super::number::Float;
use super::{agreement, memory_budget};

/// `x * factor + offset`.
pub static SCALE: Kind = Kind::new("scale", WorkUnit::Bytes);

const KERNELS: Kernels = kernels!("scale", floats);

/// `x * factor + offset` of every element, rounded once (a fused multiply-add, which every
/// device has), so the results of all devices are equal to the bit.
#[derive(Clone, Debug)]
pub struct Scale<T: Float> {
    input: Array<T>,
    factor: T,
    offset: T,
}

impl<T: Float> Scale<T> {
    /// Creates the operation for an array of any shape.
    #[must_use]
    pub fn new(input: &Array<T>, factor: T, offset: T) -> Self {
        Self {
            input: input.clone(),
            factor,
            offset,
        }
    }
}

impl<T: Float> Operation for Scale<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = self.input.bytes();
        memory_budget::can_split(
            Description::new(&SCALE, T::DTYPE, (bytes + bytes).0)
                .reads(&self.input)
                .writes(bytes)
                .leaves(elementwise_gpu::result_place(bytes)),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => {
                return self.run_on_gpu(context, accelerator);
            }
        };
        let input = context.host(&self.input)?;
        let mut out = HostBuffer::try_unspecified(SCALE.name(), input.len())?;
        let f = FusedScale {
            factor: self.factor,
            offset: self.offset,
        };
        loops::map(pool, out.as_mut_slice(), input, f);
        Ok(Array::on_host(self.input.shape().clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

impl<T: Float> Scale<T> {
    fn run_on_gpu(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<Array<T>, Error> {
        let kernel = KERNELS.of::<T>(SCALE.name())?;
        elementwise_gpu::fresh(
            context,
            accelerator,
            self.input.shape(),
            &[MapOperand::PerElement(&self.input)],
            &mut |chunk| {
                kernel::over_elements(
                    accelerator,
                    kernel,
                    chunk.elements,
                    kernel::per_line::<T>(),
                    &[
                        Argument::Buffer(chunk.inputs[0]),
                        kernel::scalar(self.factor),
                        kernel::scalar(self.offset),
                        Argument::Buffer(chunk.output),
                        Argument::U64(chunk.elements as u64),
                    ],
                )
            },
        )
    }
}

#[derive(Clone, Copy)]
struct FusedScale<T> {
    factor: T,
    offset: T,
}

impl<T: Float> Map<T> for FusedScale<T> {
    #[inline(always)]
    fn apply(self, x: T) -> T {
        x.fused(self.factor, self.offset)
    }
}
