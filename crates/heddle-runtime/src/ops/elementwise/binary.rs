//! A function of two elements over arrays and scalars.

use crate::array::{Array, HostBuffer};
use crate::cpu::Pool;
use crate::device::{DeviceId, Lane, Place};
use crate::error::Error;
use crate::operation::{Agreement, Description, Operation};
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::loops::{self, Map, Zip};
use super::super::number::Number;
use super::super::{agreement, pass, room};
use super::{BinaryFunction, Term, gpu};

/// `f(left, right)` element by element, in a new array.
#[derive(Clone, Debug)]
pub struct Binary<T: Number, F> {
    pub(super) function: F,
    pub(super) left: Term<T>,
    pub(super) right: Term<T>,
    pub(super) shape: Shape,
}

impl<T: Number, F: BinaryFunction<T>> Binary<T, F> {
    /// Two arrays of one shape, or an array and a scalar on either side.
    ///
    /// Fails when the shapes differ, or when an integer scalar zero is to divide
    /// anything. A zero *inside* an integer divisor is found when it runs.
    pub fn new(
        function: F,
        left: impl Into<Term<T>>,
        right: impl Into<Term<T>>,
    ) -> Result<Self, Error> {
        let (left, right) = (left.into(), right.into());
        let shape = Term::common_shape(function.kind().name(), &left, &right)?;
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
            .leaves(pass::result_place(output));
        for term in [&self.left, &self.right] {
            if let Term::Array(array) = term {
                description = description.reads(array);
            }
        }
        description.work = (description.input() + output).0;
        description.scratch = zeros(self.function, &self.right);
        room::splits(description)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Array<T>, Error> {
        let f = self.function;
        let pool = match lane.place() {
            Place::Host(pool) => pool,
            Place::Accelerator(gpu) => {
                return gpu::binary(lane, gpu, f, (&self.left, &self.right), &self.shape);
            }
        };
        let mut buffer = HostBuffer::unspecified(self.shape.elements());
        let out = buffer.as_mut_slice();
        match (&self.left, &self.right) {
            (Term::Array(left), Term::Array(right)) => {
                let (left, right) = (lane.host(left)?, lane.host(right)?);
                refuse_zero(pool, f, right)?;
                loops::zip(pool, out, left, right, Pair(f));
            }
            (Term::Array(left), &Term::Scalar(right)) => {
                loops::map(pool, out, lane.host(left)?, OnTheRight(f, right));
            }
            (&Term::Scalar(left), Term::Array(right)) => {
                let right = lane.host(right)?;
                refuse_zero(pool, f, right)?;
                loops::map(pool, out, right, OnTheLeft(left, f));
            }
            (&Term::Scalar(left), &Term::Scalar(right)) => out.fill(f.apply(left, right)),
        }
        Ok(Array::on_host(self.shape.clone(), buffer))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

/// `f(data, right)` element by element, over the data itself.
#[derive(Debug)]
pub struct BinaryInPlace<'a, T: Number, F> {
    function: F,
    data: &'a mut Array<T>,
    right: Term<T>,
}

impl<'a, T: Number, F: BinaryFunction<T>> BinaryInPlace<'a, T, F> {
    /// As [`Binary::new`], the left side being overwritten. When it fails on a
    /// zero divisor, the data is as it was.
    pub fn new(
        function: F,
        data: &'a mut Array<T>,
        right: impl Into<Term<T>>,
    ) -> Result<Self, Error> {
        let right = right.into();
        Term::common_shape(function.kind().name(), &Term::from(&*data), &right)?;
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
        if let Term::Array(right) = &self.right {
            description = description.reads(right);
        }
        description.work = (description.input() + self.data.bytes()).0;
        description.scratch = pass::scratch_over(self.data) + zeros(self.function, &self.right);
        room::splits(description)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.function.kernel().is_some())
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<(), Error> {
        let f = self.function;
        let pool = match lane.place() {
            Place::Host(pool) => pool,
            Place::Accelerator(gpu) => {
                return gpu::binary_in_place(lane, gpu, f, self.data, &self.right);
            }
        };
        match &self.right {
            Term::Array(right) => {
                let right = lane.host(right)?;
                refuse_zero(pool, f, right)?;
                loops::zip_in_place(pool, lane.host_mut(self.data)?, right, Pair(f));
            }
            &Term::Scalar(right) => {
                loops::map_in_place(pool, lane.host_mut(self.data)?, OnTheRight(f, right));
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

/// Bytes a GPU keeps to find zeros to divide by: one block of its allocator.
fn zeros<T: Number, F: BinaryFunction<T>>(function: F, right: &Term<T>) -> Bytes {
    match right {
        Term::Array(_) if function.divides() && T::IS_INTEGER => Bytes(256),
        _ => Bytes(0),
    }
}

fn refuse_scalar_zero<T: Number, F: BinaryFunction<T>>(
    function: F,
    right: &Term<T>,
    elements: usize,
) -> Result<(), Error> {
    match right {
        Term::Scalar(value)
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
    pool: &Pool,
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
struct Pair<F>(F);

impl<T, F: BinaryFunction<T>> Zip<T> for Pair<F> {
    #[inline(always)]
    fn apply(self, x: T, y: T) -> T {
        self.0.apply(x, y)
    }
}

#[derive(Clone, Copy)]
struct OnTheRight<F, T>(F, T);

impl<T: Number, F: BinaryFunction<T>> Map<T> for OnTheRight<F, T> {
    #[inline(always)]
    fn apply(self, x: T) -> T {
        self.0.apply(x, self.1)
    }
}

#[derive(Clone, Copy)]
struct OnTheLeft<T, F>(T, F);

impl<T: Number, F: BinaryFunction<T>> Map<T> for OnTheLeft<T, F> {
    #[inline(always)]
    fn apply(self, y: T) -> T {
        self.1.apply(self.0, y)
    }
}
