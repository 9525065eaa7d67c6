//! A function of two elements over arrays and scalars.

use crate::array::{Array, HostBuffer};
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Operation};
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::loops::{self, Map, Zip};
use super::super::number::Number;
use super::super::{agreement, elementwise_gpu, memory_budget};
use super::{ArrayOrScalar, BinaryFunction, gpu};

/// `f(left, right)` element by element, into a new array.
#[derive(Clone, Debug)]
pub struct Binary<T: Number, F> {
    pub(super) function: F,
    pub(super) left: ArrayOrScalar<T>,
    pub(super) right: ArrayOrScalar<T>,
    pub(super) shape: Shape,
}

impl<T: Number, F: BinaryFunction<T>> Binary<T, F> {
    /// Creates the operation for two arrays of one shape, or an array and a scalar on
    /// either side.
    ///
    /// Fails when the shapes differ, or when the divisor is an integer scalar zero. A zero
    /// *inside* an integer divisor array is an error of the run.
    pub fn new(
        function: F,
        left: impl Into<ArrayOrScalar<T>>,
        right: impl Into<ArrayOrScalar<T>>,
    ) -> Result<Self, Error> {
        let (left, right) = (left.into(), right.into());
        let shape = ArrayOrScalar::common_shape(function.kind().name(), &left, &right)?;
        refuse_scalar_zero(function, &right, shape.elements())?;
        Ok(Self {
            function,
            left,
            right,
            shape,
        })
    }
}

impl<T: Number, F: BinaryFunction<T>> Operation for Binary<T, F> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let output = Bytes::of::<T>(self.shape.elements());
        let mut description = Description::new(self.function.kind(), T::DTYPE, 0)
            .writes(output)
            .leaves(elementwise_gpu::result_place(output));
        for array_or_scalar in [&self.left, &self.right] {
            if let ArrayOrScalar::Array(array) = array_or_scalar {
                description = description.reads(array);
            }
        }
        description.work = (description.input() + output).0;
        description.scratch = zeros(self.function, &self.right);
        memory_budget::can_split(description)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let f = self.function;
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::binary(context, gpu, f, (&self.left, &self.right), &self.shape);
            }
        };
        let mut buffer = HostBuffer::try_unspecified(f.kind().name(), self.shape.elements())?;
        let out = buffer.as_mut_slice();
        match (&self.left, &self.right) {
            (ArrayOrScalar::Array(left), ArrayOrScalar::Array(right)) => {
                let (left, right) = (context.host(left)?, context.host(right)?);
                refuse_zero(pool, f, right)?;
                loops::zip(pool, out, left, right, BinaryMap(f));
            }
            (ArrayOrScalar::Array(left), &ArrayOrScalar::Scalar(right)) => {
                loops::map(pool, out, context.host(left)?, WithRightScalar(f, right));
            }
            (&ArrayOrScalar::Scalar(left), ArrayOrScalar::Array(right)) => {
                let right = context.host(right)?;
                refuse_zero(pool, f, right)?;
                loops::map(pool, out, right, WithLeftScalar(left, f));
            }
            (&ArrayOrScalar::Scalar(left), &ArrayOrScalar::Scalar(right)) => {
                out.fill(f.apply(left, right));
            }
        }
        Ok(Array::on_host(self.shape.clone(), buffer))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

/// `f(data, right)` element by element, written over `data`.
#[derive(Debug)]
pub struct BinaryInPlace<'a, T: Number, F> {
    function: F,
    data: &'a mut Array<T>,
    right: ArrayOrScalar<T>,
}

impl<'a, T: Number, F: BinaryFunction<T>> BinaryInPlace<'a, T, F> {
    /// Like [`Binary::new`], but the left operand is overwritten. If the run fails on a
    /// zero divisor, `data` is unchanged.
    pub fn new(
        function: F,
        data: &'a mut Array<T>,
        right: impl Into<ArrayOrScalar<T>>,
    ) -> Result<Self, Error> {
        let right = right.into();
        ArrayOrScalar::common_shape(function.kind().name(), &ArrayOrScalar::from(&*data), &right)?;
        refuse_scalar_zero(function, &right, data.len())?;
        Ok(Self {
            function,
            data,
            right,
        })
    }
}

impl<T: Number, F: BinaryFunction<T>> Operation for BinaryInPlace<'_, T, F> {
    type Output = ();

    fn describe(&self) -> Description {
        let mut description =
            Description::new(self.function.kind(), T::DTYPE, 0).reads(&*self.data);
        if let ArrayOrScalar::Array(right) = &self.right {
            description = description.reads(right);
        }
        description.work = (description.input() + self.data.bytes()).0;
        description.scratch =
            elementwise_gpu::scratch_over(self.data) + zeros(self.function, &self.right);
        memory_budget::can_split(description)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let f = self.function;
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::binary_in_place(context, gpu, f, self.data, &self.right);
            }
        };
        match &self.right {
            ArrayOrScalar::Array(right) => {
                let right = context.host(right)?;
                refuse_zero(pool, f, right)?;
                loops::zip_in_place(pool, context.host_mut(self.data)?, right, BinaryMap(f));
            }
            &ArrayOrScalar::Scalar(right) => {
                loops::map_in_place(
                    pool,
                    context.host_mut(self.data)?,
                    WithRightScalar(f, right),
                );
            }
        }
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn compare(&self, (): &(), (): &()) -> Agreement {
        Agreement::Same
    }
}

/// Returns the bytes that a GPU needs to search the divisor for zeros: one block of its
/// allocator.
fn zeros<T: Number, F: BinaryFunction<T>>(function: F, right: &ArrayOrScalar<T>) -> Bytes {
    match right {
        ArrayOrScalar::Array(_) if function.divides() && T::IS_INTEGER => Bytes(256),
        _ => Bytes(0),
    }
}

fn refuse_scalar_zero<T: Number, F: BinaryFunction<T>>(
    function: F,
    right: &ArrayOrScalar<T>,
    elements: usize,
) -> Result<(), Error> {
    match right {
        ArrayOrScalar::Scalar(value)
            if function.divides() && T::IS_INTEGER && elements > 0 && *value == T::ZERO =>
        {
            Err(Error::DivisionByZero {
                dtype: T::DTYPE,
                index: 0,
            })
        }
        _ => Ok(()),
    }
}

fn refuse_zero<T: Number, F: BinaryFunction<T>>(
    pool: &CpuPool,
    function: F,
    divisor: &[T],
) -> Result<(), Error> {
    if !(function.divides() && T::IS_INTEGER) {
        return Ok(());
    }
    loops::first_zero(pool, divisor).map_or(Ok(()), |index| {
        Err(Error::DivisionByZero {
            dtype: T::DTYPE,
            index,
        })
    })
}

#[derive(Clone, Copy)]
struct BinaryMap<F>(F);

impl<T, F: BinaryFunction<T>> Zip<T> for BinaryMap<F> {
    #[inline(always)]
    fn apply(self, x: T, y: T) -> T {
        self.0.apply(x, y)
    }
}

#[derive(Clone, Copy)]
struct WithRightScalar<F, T>(F, T);

impl<T: Number, F: BinaryFunction<T>> Map<T> for WithRightScalar<F, T> {
    #[inline(always)]
    fn apply(self, x: T) -> T {
        self.0.apply(x, self.1)
    }
}

#[derive(Clone, Copy)]
struct WithLeftScalar<T, F>(T, F);

impl<T: Number, F: BinaryFunction<T>> Map<T> for WithLeftScalar<T, F> {
    #[inline(always)]
    fn apply(self, y: T) -> T {
        self.1.apply(self.0, y)
    }
}
