//! A function of one element over an array.

use crate::array::{Array, HostBuffer};
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Operation};

use super::super::loops::{self, Map};
use super::super::number::Number;
use super::super::{agreement, elementwise_gpu, memory_budget};
use super::{UnaryFunction, gpu};

/// `f` of every element, into a new array.
#[derive(Clone, Debug)]
pub struct Unary<T: Number, F> {
    pub(super) function: F,
    pub(super) input: Array<T>,
}

impl<T: Number, F: UnaryFunction<T>> Unary<T, F> {
    /// Creates the operation for an array of any shape.
    #[must_use]
    pub fn new(function: F, input: &Array<T>) -> Self {
        Self {
            function,
            input: input.clone(),
        }
    }
}

impl<T: Number, F: UnaryFunction<T>> Operation for Unary<T, F> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = self.input.bytes();
        memory_budget::can_split(
            Description::new(self.function.kind(), T::DTYPE, (bytes + bytes).0)
                .reads(&self.input)
                .writes(bytes)
                .leaves(elementwise_gpu::result_place(bytes)),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::unary(context, gpu, self.function, &self.input);
            }
        };
        let input = context.host(&self.input)?;
        let mut out = HostBuffer::try_unspecified(self.function.kind().name(), input.len())?;
        loops::map(pool, out.as_mut_slice(), input, UnaryMap(self.function));
        Ok(Array::on_host(self.input.shape().clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::within(first, second, self.function.tolerance(), 0.0)
    }
}

/// `f` of every element, written over the array.
#[derive(Debug)]
pub struct UnaryInPlace<'a, T: Number, F> {
    function: F,
    data: &'a mut Array<T>,
}

impl<'a, T: Number, F: UnaryFunction<T>> UnaryInPlace<'a, T, F> {
    /// Creates the operation for an array of any shape.
    #[must_use]
    pub fn new(function: F, data: &'a mut Array<T>) -> Self {
        Self { function, data }
    }
}

impl<T: Number, F: UnaryFunction<T>> Operation for UnaryInPlace<'_, T, F> {
    type Output = ();

    fn describe(&self) -> Description {
        let bytes = self.data.bytes();
        let description =
            Description::new(self.function.kind(), T::DTYPE, (bytes + bytes).0).reads(&*self.data);
        memory_budget::can_split(Description {
            scratch: elementwise_gpu::scratch_over(self.data),
            ..description
        })
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::unary_in_place(context, gpu, self.function, self.data);
            }
        };
        loops::map_in_place(pool, context.host_mut(self.data)?, UnaryMap(self.function));
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn compare(&self, (): &(), (): &()) -> Agreement {
        Agreement::Same
    }
}

#[derive(Clone, Copy)]
struct UnaryMap<F>(F);

impl<T, F: UnaryFunction<T>> Map<T> for UnaryMap<F> {
    fn weight(self) -> u64 {
        self.0.weight()
    }
    #[inline(always)]
    fn apply(self, x: T) -> T {
        self.0.apply(x)
    }
}
