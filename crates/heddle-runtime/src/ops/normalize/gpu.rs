//! Normalization by kernels: a reduction leaves its statistics on the device and
//! one pass reads them there.

use crate::array::Array;
use crate::device::{Accelerator, Argument, Lane};
use crate::dtype::Element;
use crate::error::Error;

use super::super::kernel::{Names, filled, over_elements, room};
use super::super::number::Float;
use super::super::reduce::gpu as reduce;
use super::NormalizeMode;

const Z_SCORES: Names = floats("normalize_z_score_f32", "normalize_z_score_f64");
const MIN_MAXES: Names = floats("normalize_min_max_f32", "normalize_min_max_f64");
const UNITS: Names = floats("normalize_unit_f32", "normalize_unit_f64");

const fn floats(single: &'static str, double: &'static str) -> Names {
    Names::new([None, None, None, Some(single), Some(double)])
}

/// The normalized array, on the device.
pub(super) fn normalize<T: Float>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    input: &Array<T>,
    mode: NormalizeMode,
) -> Result<Array<T>, Error> {
    let out = room::<T>(accelerator, input.len())?;
    if input.is_empty() {
        return filled(input.shape(), out);
    }
    let kind = mode.kind();
    let buffer = lane.resident(input, accelerator)?;
    let (names, statistics) = match mode {
        NormalizeMode::ZScore => (
            &Z_SCORES,
            reduce::moments::<T>(accelerator, kind, &**buffer)?,
        ),
        NormalizeMode::MinMax => (
            &MIN_MAXES,
            reduce::extremes::<T>(accelerator, kind, &**buffer)?,
        ),
        NormalizeMode::Unit => (&UNITS, reduce::squares::<T>(accelerator, kind, &**buffer)?),
    };
    over_elements(
        accelerator,
        names.of::<T>(kind.name())?,
        input.len(),
        line::<T>(),
        &[
            Argument::Buffer(&**buffer),
            Argument::Buffer(&*out),
            Argument::U64(input.len() as u64),
            Argument::Buffer(&*statistics),
        ],
    )?;
    filled(input.shape(), out)
}

/// Elements a thread moves at a time.
const fn line<T: Element>() -> usize {
    16 / size_of::<T>()
}
