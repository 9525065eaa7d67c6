//! Arrays normalized to a common range or length.
//!
//! | mode | result | when the divisor is zero |
//! |---|---|---|
//! | `ZScore` | `(x - mean) / std` | zeros (a constant array) |
//! | `MinMax` | `(x - min) / (max - min)` | zeros (a constant array) |
//! | `Unit` | `x / ‖x‖₂` | zeros (an array of zeros) |
//!
//! An empty array stays empty. A NaN anywhere makes every element NaN.

mod gpu;

use pulp::{Arch, Simd, WithSimd};

use crate::array::{Array, HostBuffer};
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};

use super::loops::{self, Map};
use super::number::Float;
use super::reduce::{Extremes, Moments, extremes_of, fold_lanes, moments_of, reduce};
use super::{agreement, memory_budget};

/// Normalizes to mean zero and deviation one.
pub static Z_SCORE: Kind = Kind::new("normalize-z-score", WorkUnit::Bytes);
/// Normalizes to least element zero and greatest one.
pub static MIN_MAX: Kind = Kind::new("normalize-min-max", WorkUnit::Bytes);
/// Normalizes to length one.
pub static UNIT: Kind = Kind::new("normalize-unit", WorkUnit::Bytes);

/// The property that an array is normalized to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalizeMode {
    /// Mean zero and population standard deviation one.
    ZScore,
    /// Least element zero and greatest one.
    MinMax,
    /// Euclidean length one.
    Unit,
}

impl NormalizeMode {
    /// The kind of the operation with this mode.
    #[must_use]
    pub fn kind(self) -> &'static Kind {
        match self {
            Self::ZScore => &Z_SCORE,
            Self::MinMax => &MIN_MAX,
            Self::Unit => &UNIT,
        }
    }
}

/// Normalizes an array as a whole.
#[derive(Clone, Debug)]
pub struct Normalize<T: Float> {
    input: Array<T>,
    mode: NormalizeMode,
}

impl<T: Float> Normalize<T> {
    /// Creates the operation for an array of any shape.
    #[must_use]
    pub fn new(input: &Array<T>, mode: NormalizeMode) -> Self {
        Self {
            input: input.clone(),
            mode,
        }
    }
}

impl<T: Float> Operation for Normalize<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = self.input.bytes();
        // Read for the statistics, read for the division, written.
        let description = Description::new(self.mode.kind(), T::DTYPE, (bytes + bytes + bytes).0)
            .reads(&self.input)
            .writes(bytes);
        memory_budget::can_split(Description {
            scratch: super::reduce::gpu::scratch(bytes),
            ..description
        })
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => {
                return gpu::normalize(context, accelerator, &self.input, self.mode);
            }
        };
        let input = context.host(&self.input)?;
        let mut out = HostBuffer::try_unspecified(self.mode.kind().name(), input.len())?;
        let measure = match self.mode {
            NormalizeMode::ZScore => moments_of(pool, input).map(|m: Moments| (m.mean, m.std())),
            NormalizeMode::MinMax => extremes_of(pool, input).map(|Extremes { min, max }| {
                // Rounded like each element, so that the greatest becomes
                // exactly one.
                let range = max.minus(min).to_f64();
                (
                    min.to_f64(),
                    if range.is_infinite() {
                        max.to_f64() - min.to_f64()
                    } else {
                        range
                    },
                )
            }),
            NormalizeMode::Unit => Some((0.0, length_of(pool, input))),
        };
        match measure {
            Some((_, 0.0)) => out.as_mut_slice().fill(T::ZERO),
            Some((origin, divisor)) => {
                let out = out.as_mut_slice();
                match NativeAffine::new(origin, divisor) {
                    Some(map) => loops::map(pool, out, input, map),
                    None => loops::map(pool, out, input, DoubleAffine { origin, divisor }),
                }
            }
            None => {}
        }
        Ok(Array::on_host(self.input.shape().clone(), out))
    }

    /// Within 8 epsilons of the larger value plus as much of one: another device adds up
    /// the mean and the length in another order. A z-score also has the error of the mean:
    /// some epsilons of the largest element, in deviations.
    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        let tolerance = 8.0 * T::EPSILON.max(1e-13);
        let of_mean = match self.mode {
            NormalizeMode::ZScore => 16.0 * f64::EPSILON * largest_in_deviations(&self.input),
            NormalizeMode::MinMax | NormalizeMode::Unit => 0.0,
        };
        agreement::within(first, second, tolerance, tolerance + of_mean)
    }
}

/// Returns the distance of the largest element from zero in standard deviations. Zero if it is
/// undefined.
fn largest_in_deviations<T: Float>(input: &Array<T>) -> f64 {
    let data = input.as_slice().unwrap_or_default();
    let over = |f: &dyn Fn(f64) -> f64| data.iter().map(|x| f(x.to_f64())).sum::<f64>();
    let count = data.len() as f64;
    let mean = over(&|x| x) / count;
    let deviation = (over(&|x| (x - mean) * (x - mean)) / count).sqrt();
    let largest = data.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let ratio = largest / deviation;
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// In double precision and by a true division: exact at any scale.
#[derive(Clone, Copy)]
struct DoubleAffine {
    origin: f64,
    divisor: f64,
}

impl<T: Float> Map<T> for DoubleAffine {
    fn weight(self) -> u64 {
        2
    }
    #[inline(always)]
    fn apply(self, x: T) -> T {
        T::from_f64((x.to_f64() - self.origin) / self.divisor)
    }
}

/// In the precision of the elements, with origin and inverse each in two parts that together
/// have twice its bits: within 2 epsilons. Normalizing 25,000 single-precision elements to unit
/// length takes 3.9 µs this way; by division, for the square sum as well, it took 15.5 (EPYC
/// Zen 4).
#[derive(Clone, Copy)]
struct NativeAffine<T> {
    origin: [T; 2],
    inverse: [T; 2],
}

impl<T: Float> NativeAffine<T> {
    /// Returns `None` if a part could leave the range of single precision.
    fn new(origin: f64, divisor: f64) -> Option<Self> {
        const SMALL: f64 = 1e-18;
        const LARGE: f64 = 1e18;
        if !(origin.abs() <= LARGE && (SMALL..=LARGE).contains(&divisor)) {
            return None;
        }
        let high = T::from_f64(origin);
        let inverse = T::from_f64(divisor.recip());
        // What the rounded inverse times the divisor lacks to one.
        let missing = (-inverse.to_f64()).mul_add(divisor, 1.0);
        Some(Self {
            origin: [high, T::from_f64(origin - high.to_f64())],
            inverse: [inverse, T::from_f64(missing / divisor)],
        })
    }
}

impl<T: Float> Map<T> for NativeAffine<T> {
    #[inline(always)]
    fn apply(self, x: T) -> T {
        let distance = x.minus(self.origin[0]).minus(self.origin[1]);
        distance.fused(self.inverse[0], distance.times(self.inverse[1]))
    }
}

/// Returns the Euclidean length; zero of an empty array.
fn length_of<T: Float>(pool: &CpuPool, data: &[T]) -> f64 {
    let block = |data: &[T]| Arch::new().dispatch(SquaresPass { data, unit: None });
    let plain = reduce(pool, data, block, |a, b| a + b).unwrap_or(0.0);
    if plain.is_normal() || plain.is_nan() {
        return plain.sqrt();
    }
    // Squares of doubles beyond 1e±154 leave the range, so the unit is the largest element
    // instead.
    let largest = extremes_of(pool, data).map_or(0.0, |Extremes { min, max }| {
        min.to_f64().abs().max(max.to_f64().abs())
    });
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let unit = Some(largest);
    let block = |data: &[T]| Arch::new().dispatch(SquaresPass { data, unit });
    largest
        * reduce(pool, data, block, |a, b| a + b)
            .unwrap_or(0.0)
            .sqrt()
}

struct SquaresPass<'a, T> {
    data: &'a [T],
    /// The unit to measure in. `None` avoids the division.
    unit: Option<f64>,
}

impl<T: Float> WithSimd for SquaresPass<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let add = |a: f64, b: f64| a + b;
        let Some(unit) = self.unit else {
            let squared = |sum: f64, x: T| sum + x.to_f64() * x.to_f64();
            return fold_lanes(self.data, 0.0, squared, add);
        };
        let squared = |sum: f64, x: T| sum + (x.to_f64() / unit) * (x.to_f64() / unit);
        fold_lanes(self.data, 0.0, squared, add)
    }
}
