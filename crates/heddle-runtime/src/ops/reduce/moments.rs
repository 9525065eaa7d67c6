//! Mean and standard deviation.

use pulp::{Arch, Simd, WithSimd};

use crate::array::Array;
use crate::cpu::Pool;
use crate::device::Lane;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::units::Bytes;

use super::super::agreement;
use super::super::number::Number;
use super::block::{fold_lanes, reduce};
use super::sum::{ORDER_TOLERANCE, Summable, sum_of, sum_of_magnitudes};

/// The mean of all elements.
pub static MEAN: Kind = Kind::new("mean", WorkUnit::Bytes);
/// The population standard deviation of all elements.
pub static STD: Kind = Kind::new("std", WorkUnit::Bytes);

/// Number, mean and sum of squared deviations of some elements.
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

    /// The merge of two disjoint sets after Chan, Golub and `LeVeque` (1979).
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
        let data = self.0;
        let count = data.len() as f64;
        // Distances from the block's first element: a constant block sums to
        // exactly zero, so a constant array has a deviation of exactly zero.
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
}

/// The moments in one pass over memory. `None` for an empty array.
pub(in super::super) fn moments_of<T: Number>(pool: &Pool, data: &[T]) -> Option<Moments> {
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
        Description::new(&MEAN, T::DTYPE, self.input.bytes().0)
            .reads(&self.input)
            .writes(Bytes::of::<f64>(1))
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<f64, Error> {
        let pool = lane.pool(MEAN.name())?;
        let data = lane.host(&self.input)?;
        Ok(T::sum_to_f64(sum_of(pool, data)) / data.len() as f64)
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
        Description::new(&STD, T::DTYPE, self.input.bytes().0)
            .reads(&self.input)
            .writes(Bytes::of::<f64>(1))
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<f64, Error> {
        let pool = lane.pool(STD.name())?;
        let moments = moments_of(pool, lane.host(&self.input)?);
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
