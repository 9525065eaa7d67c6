//! The sum, in a type wide enough for it.

use pulp::{Arch, Simd, WithSimd};

use crate::array::Array;
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::units::Bytes;

use super::super::agreement;
use super::super::number::Number;
use super::block::{fold_lanes, reduce};
use super::gpu;

/// The sum of all elements.
pub static SUM: Kind = Kind::new("sum", WorkUnit::Bytes);

/// The largest difference between two orders of addition, relative to the sum of magnitudes.
pub(super) const ORDER_TOLERANCE: f64 = 1e-12;

/// An element type that has a sum.
pub trait Summable: Number {
    /// The type of the sum: the widest of the same family.
    type Sum: bytemuck::Pod + Send + Default + std::fmt::Debug + std::fmt::Display + PartialEq;

    /// Returns the sum of at most one block.
    #[doc(hidden)]
    fn sum_block(data: &[Self]) -> Self::Sum;

    /// Adds two sums. Integers wrap beyond 64 bits.
    #[doc(hidden)]
    fn join(left: Self::Sum, right: Self::Sum) -> Self::Sum;

    /// The nearest double.
    #[doc(hidden)]
    fn sum_to_f64(sum: Self::Sum) -> f64;
}

macro_rules! integer_sum {
    ($type:ty, context $context:ty, sum $sum:ty) => {
        impl Summable for $type {
            type Sum = $sum;
            #[inline(always)]
            fn sum_block(data: &[Self]) -> $sum {
                <$sum>::from(data.iter().map(|&x| <$context>::from(x)).sum::<$context>())
            }
            fn join(left: $sum, right: $sum) -> $sum {
                left.wrapping_add(right)
            }
            fn sum_to_f64(sum: $sum) -> f64 {
                sum as f64
            }
        }
    };
}
// A block of bytes adds up within 32 bits, which are four times as many per vector.
integer_sum!(u8, context u32, sum u64);
integer_sum!(u32, context u64, sum u64);
integer_sum!(i32, context i64, sum i64);

macro_rules! float_sum {
    ($type:ty) => {
        impl Summable for $type {
            type Sum = f64;
            #[inline(always)]
            fn sum_block(data: &[Self]) -> f64 {
                fold_lanes(data, 0.0, |sum, x| sum + f64::from(x), |a, b| a + b)
            }
            fn join(left: f64, right: f64) -> f64 {
                left + right
            }
            fn sum_to_f64(sum: f64) -> f64 {
                sum
            }
        }
    };
}
float_sum!(f32);
float_sum!(f64);

struct SumPass<'a, T>(&'a [T]);

impl<T: Summable> WithSimd for SumPass<'_, T> {
    type Output = T::Sum;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Sum {
        T::sum_block(self.0)
    }
}

/// Returns the sum; zero of an empty array.
pub(super) fn sum_of<T: Summable>(pool: &CpuPool, data: &[T]) -> T::Sum {
    let block = |data: &[T]| Arch::new().dispatch(SumPass(data));
    reduce(pool, data, block, T::join).unwrap_or_default()
}

/// Returns the sum of magnitudes, to which the rounding error of a sum is proportional.
pub(super) fn sum_of_magnitudes<T: Number>(array: &Array<T>) -> f64 {
    array
        .as_slice()
        .map_or(0.0, |data| data.iter().map(|x| x.to_f64().abs()).sum())
}

/// The sum of all elements: `u8` and `u32` in `u64`, `i32` in `i64`, floats in `f64`. That of
/// an empty array is zero. The bits do not depend on the thread count.
#[derive(Clone, Debug)]
pub struct Sum<T: Summable> {
    input: Array<T>,
}

impl<T: Summable> Sum<T> {
    /// Creates the operation for any array.
    #[must_use]
    pub fn new(input: &Array<T>) -> Self {
        Self {
            input: input.clone(),
        }
    }
}

impl<T: Summable> Operation for Sum<T> {
    type Output = T::Sum;

    fn describe(&self) -> Description {
        gpu::described(
            Description::new(&SUM, T::DTYPE, self.input.bytes().0)
                .reads(&self.input)
                .writes(Bytes::of::<T::Sum>(1)),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<T::Sum, Error> {
        match context.target() {
            ExecutionTarget::Host(pool) => Ok(sum_of(pool, context.host(&self.input)?)),
            ExecutionTarget::Accelerator(accelerator) => {
                gpu::sum(context, accelerator, &SUM, &self.input)
            }
        }
    }

    /// Integers must be equal; floats may differ by 1e-12 of the sum of magnitudes.
    fn compare(&self, first: &T::Sum, second: &T::Sum) -> Agreement {
        if T::IS_INTEGER {
            return agreement::value(first, second, first == second);
        }
        let absolute = ORDER_TOLERANCE * sum_of_magnitudes(&self.input);
        agreement::within_value(T::sum_to_f64(*first), T::sum_to_f64(*second), 0.0, absolute)
    }
}
