//! Mean and standard deviation.

use pulp::{Arch, Simd, WithSimd};

use crate::array::Array;
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::units::Bytes;

use super::super::agreement;
use super::super::number::Number;
use super::block::{fold_lanes, reduce};
use super::gpu;
use super::sum::{ORDER_TOLERANCE, Summable, sum_of, sum_of_magnitudes};

/// The mean of all elements.
pub static MEAN: Kind = Kind::new("mean", WorkUnit::Bytes);
/// The population standard deviation of all elements.
pub static STD: Kind = Kind::new("std", WorkUnit::Bytes);

/// The count, mean and sum of squared deviations of some elements.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Moments {
    count: f64,
    pub(in super::super) mean: f64,
    squares: f64,
}

impl Moments {
    /// The population standard deviation.
    pub(in super::super) fn std(&self) -> f64 {
        (self.squares / self.count).sqrt()
    }

    /// Merges two disjoint sets after Chan, Golub and `LeVeque` (1979).
    fn merge(self, other: Self) -> Self {
        let count = self.count + other.count;
        let delta = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + delta * (other.count / count),
            squares: self.squares
                + other.squares
                + delta * delta * (self.count * other.count / count),
        }
    }
}

struct MomentsPass<'a, T>(&'a [T]);

impl<T: Number> WithSimd for MomentsPass<'_, T> {
    type Output = Moments;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Moments {
        if T::DTYPE == DType::U8 {
            return of_bytes(bytemuck::cast_slice(self.0));
        }
        let once = one_pass(self.0);
        // If the first element is far from all others, the squares lose the bits of the
        // shift: ten of 53 at this bound. Also taken on overflow.
        let shifted = once.count * once.shift * once.shift;
        if shifted <= 1024.0 * once.moments.squares {
            return once.moments;
        }
        two_pass(self.0)
    }
}

/// A block of bytes has its sum and its sum of squares within 32 bits.
#[inline(always)]
fn of_bytes(data: &[u8]) -> Moments {
    let sum: u32 = data.iter().map(|&x| u32::from(x)).sum();
    let squares: u32 = data.iter().map(|&x| u32::from(x) * u32::from(x)).sum();
    let (count, sum, squares) = (data.len() as u64, u64::from(sum), u64::from(squares));
    Moments {
        count: count as f64,
        mean: sum as f64 / count as f64,
        squares: (count * squares - sum * sum) as f64 / count as f64,
    }
}

struct OnePassMoments {
    count: f64,
    shift: f64,
    moments: Moments,
}

/// Adds up distances from the block's first element and their squares side by side: each
/// element is converted to a double once. A constant block sums to exactly zero, so a constant
/// array has a deviation of exactly zero.
#[inline(always)]
fn one_pass<T: Number>(data: &[T]) -> OnePassMoments {
    const LANES: usize = 8;
    let count = data.len() as f64;
    let origin = data.first().map_or(0.0, |x| x.to_f64());
    let [mut sum_a, mut sum_b, mut squares_a, mut squares_b] = [[0.0; LANES]; 4];
    let (rows, rest) = data.as_chunks::<{ 2 * LANES }>();
    for row in rows {
        for i in 0..LANES {
            let (a, b) = (row[i].to_f64() - origin, row[i + LANES].to_f64() - origin);
            sum_a[i] += a;
            sum_b[i] += b;
            squares_a[i] += a * a;
            squares_b[i] += b * b;
        }
    }
    for (i, x) in rest.iter().enumerate() {
        let a = x.to_f64() - origin;
        sum_a[i % LANES] += a;
        squares_a[i % LANES] += a * a;
    }
    let total = |a: [f64; LANES], b: [f64; LANES]| {
        let mut lanes: [f64; LANES] = std::array::from_fn(|i| a[i] + b[i]);
        for width in [4, 2, 1] {
            for i in 0..width {
                lanes[i] += lanes[i + width];
            }
        }
        lanes[0]
    };
    let shift = total(sum_a, sum_b) / count;
    let squares = total(squares_a, squares_b) - count * shift * shift;
    OnePassMoments {
        count,
        shift,
        moments: Moments {
            count,
            mean: origin + shift,
            squares,
        },
    }
}

/// Computes the mean first, then distances from it: accurate whatever the first element is.
#[cold]
fn two_pass<T: Number>(data: &[T]) -> Moments {
    let count = data.len() as f64;
    let origin = data.first().map_or(0.0, |x| x.to_f64());
    let add = |a: f64, b: f64| a + b;
    let shift = fold_lanes(data, 0.0, |sum, x: T| sum + (x.to_f64() - origin), add) / count;
    let squared = |sum: f64, x: T| {
        let distance = (x.to_f64() - origin) - shift;
        sum + distance * distance
    };
    Moments {
        count,
        mean: origin + shift,
        squares: fold_lanes(data, 0.0, squared, add),
    }
}

/// Returns the moments in one read of memory, or `None` for an empty array.
pub(in super::super) fn moments_of<T: Number>(pool: &CpuPool, data: &[T]) -> Option<Moments> {
    let block = |data: &[T]| Arch::new().dispatch(MomentsPass(data));
    reduce(pool, data, block, Moments::merge)
}

/// The mean of all elements, in `f64`. The bits do not depend on the thread count.
#[derive(Clone, Debug)]
pub struct Mean<T: Summable> {
    input: Array<T>,
}

impl<T: Summable> Mean<T> {
    /// Fails with [`Error::EmptyArray`] when there is no element.
    pub fn new(input: &Array<T>) -> Result<Self, Error> {
        super::refuse_empty(&MEAN, input)?;
        Ok(Self {
            input: input.clone(),
        })
    }
}

impl<T: Summable> Operation for Mean<T> {
    type Output = f64;

    fn describe(&self) -> Description {
        gpu::described(
            Description::new(&MEAN, T::DTYPE, self.input.bytes().0)
                .reads(&self.input)
                .writes(Bytes::of::<f64>(1)),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<f64, Error> {
        let sum = match context.target() {
            ExecutionTarget::Host(pool) => sum_of(pool, context.host(&self.input)?),
            ExecutionTarget::Accelerator(accelerator) => {
                gpu::sum(context, accelerator, &MEAN, &self.input)?
            }
        };
        Ok(T::sum_to_f64(sum) / self.input.len() as f64)
    }

    /// Within 1e-12 of the mean magnitude.
    fn compare(&self, first: &f64, second: &f64) -> Agreement {
        let absolute = ORDER_TOLERANCE * mean_magnitude(&self.input);
        agreement::within_value(*first, *second, 0.0, absolute)
    }
}

/// The population standard deviation of all elements, in `f64`; exactly zero for
/// a constant array. The bits do not depend on the thread count.
#[derive(Clone, Debug)]
pub struct Std<T: Number> {
    input: Array<T>,
}

impl<T: Number> Std<T> {
    /// Fails with [`Error::EmptyArray`] when there is no element.
    pub fn new(input: &Array<T>) -> Result<Self, Error> {
        super::refuse_empty(&STD, input)?;
        Ok(Self {
            input: input.clone(),
        })
    }
}

impl<T: Number> Operation for Std<T> {
    type Output = f64;

    fn describe(&self) -> Description {
        gpu::described(
            Description::new(&STD, T::DTYPE, self.input.bytes().0)
                .reads(&self.input)
                .writes(Bytes::of::<f64>(1)),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<f64, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => {
                return gpu::std(context, accelerator, &STD, &self.input);
            }
        };
        let moments = moments_of(pool, context.host(&self.input)?);
        moments
            .map(|moments| moments.std())
            .ok_or(Error::EmptyArray {
                operation: STD.name(),
            })
    }

    /// Within 1e-9 of itself plus 1e-12 of the mean magnitude.
    fn compare(&self, first: &f64, second: &f64) -> Agreement {
        let absolute = ORDER_TOLERANCE * mean_magnitude(&self.input);
        agreement::within_value(*first, *second, 1e-9, absolute)
    }
}

fn mean_magnitude<T: Number>(input: &Array<T>) -> f64 {
    sum_of_magnitudes(input) / input.len() as f64
}
