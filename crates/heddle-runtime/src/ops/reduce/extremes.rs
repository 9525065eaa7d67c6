//! The least and the greatest element.

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

/// The least element.
pub static MIN: Kind = Kind::new("min", WorkUnit::Bytes);
/// The greatest element.
pub static MAX: Kind = Kind::new("max", WorkUnit::Bytes);

/// Both ends of an array. NaN in both when there is one anywhere.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Extremes<T> {
    pub(in super::super) min: T,
    pub(in super::super) max: T,
}

/// A NaN on either side wins, as in `NumPy`: no comparison with it holds.
#[inline(always)]
#[allow(clippy::eq_op)]
fn lesser<T: Number>(a: T, b: T) -> T {
    if a < b || a != a { a } else { b }
}

#[inline(always)]
#[allow(clippy::eq_op)]
fn greater<T: Number>(a: T, b: T) -> T {
    if a > b || a != a { a } else { b }
}

macro_rules! pass {
    ($name:ident -> $output:ty, |$data:ident, $first:ident| $fold:expr) => {
        struct $name<'a, T>(&'a [T]);

        impl<T: Number> WithSimd for $name<'_, T> {
            type Output = $output;
            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) -> $output {
                // A block is never empty; its first element starts every lane.
                let $data = self.0;
                let $first = $data.first().copied().unwrap_or_default();
                $fold
            }
        }
    };
}

pass!(MinPass -> T, |data, first| fold_lanes(data, first, lesser, lesser));
pass!(MaxPass -> T, |data, first| fold_lanes(data, first, greater, greater));
pass!(ExtremesPass -> Extremes<T>, |data, first| Extremes {
    // Two passes: the second one finds the block in the cache.
    min: fold_lanes(data, first, lesser, lesser),
    max: fold_lanes(data, first, greater, greater),
});

/// Both ends in one pass over memory. `None` for an empty array.
pub(in super::super) fn extremes_of<T: Number>(pool: &Pool, data: &[T]) -> Option<Extremes<T>> {
    let block = |data: &[T]| Arch::new().dispatch(ExtremesPass(data));
    reduce(pool, data, block, |a, b| Extremes {
        min: lesser(a.min, b.min),
        max: greater(a.max, b.max),
    })
}

macro_rules! extreme {
    ($name:ident, $kind:ident, $pass:ident, $pick:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Debug)]
        pub struct $name<T: Number> {
            input: Array<T>,
        }

        impl<T: Number> $name<T> {
            /// Fails with [`Error::EmptyArray`] when there is no element.
            pub fn new(input: &Array<T>) -> Result<Self, Error> {
                super::refuse_empty(&$kind, input)?;
                Ok(Self {
                    input: input.clone(),
                })
            }
        }

        impl<T: Number> Operation for $name<T> {
            type Output = T;

            fn describe(&self) -> Description {
                Description::new(&$kind, T::DTYPE, self.input.bytes().0)
                    .reads(&self.input)
                    .writes(Bytes::of::<T>(1))
            }

            fn run(&mut self, lane: &Lane<'_>) -> Result<T, Error> {
                let pool = lane.pool($kind.name())?;
                let block = |data: &[T]| Arch::new().dispatch($pass(data));
                reduce(pool, lane.host(&self.input)?, block, $pick).ok_or(Error::EmptyArray {
                    operation: $kind.name(),
                })
            }

            fn compare(&self, first: &T, second: &T) -> Agreement {
                agreement::exact_value(*first, *second)
            }
        }
    };
}

extreme!(
    Min,
    MIN,
    MinPass,
    lesser,
    "The least element; NaN if there is one."
);
extreme!(
    Max,
    MAX,
    MaxPass,
    greater,
    "The greatest element; NaN if there is one."
);
