//! Normalization by kernels: a reduction leaves its statistics on the device, where one
//! elementwise kernel reads them. If the array does not fit there, both stream it.

use crate::array::Array;
use crate::device::{Accelerator, Argument, ExecutionContext};
use crate::dtype::Element;
use crate::error::Error;

use super::super::elementwise_gpu::{self, MapOperand};
use super::super::kernel::{Kernels, allocate_elements, filled, kernels, over_elements};
use super::super::number::Float;
use super::super::reduce::gpu::{self as reduce, ReductionInput};
use super::NormalizeMode;

const Z_SCORES: Kernels = kernels!("normalize_z_score", floats);
const MIN_MAXES: Kernels = kernels!("normalize_min_max", floats);
const UNITS: Kernels = kernels!("normalize_unit", floats);

/// Returns the normalized array, which is on the device if it fits there.
pub(super) fn normalize<T: Float>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    input: &Array<T>,
    mode: NormalizeMode,
) -> Result<Array<T>, Error> {
    if input.is_empty() {
        return filled(input.shape(), allocate_elements::<T>(accelerator, 0)?);
    }
    let kind = mode.kind();
    let beside = input.bytes() + reduce::scratch(input.bytes());
    let source = ReductionInput::of(context, accelerator, input, beside)?;
    let (kernels, statistics) = match mode {
        NormalizeMode::ZScore => (
            &Z_SCORES,
            reduce::moments::<T>(context, accelerator, kind, &source)?,
        ),
        NormalizeMode::MinMax => (
            &MIN_MAXES,
            reduce::extremes::<T>(context, accelerator, kind, &source)?,
        ),
        NormalizeMode::Unit => (
            &UNITS,
            reduce::squares::<T>(context, accelerator, kind, &source)?,
        ),
    };
    drop(source);
    let kernel = kernels.of::<T>(kind.name())?;
    elementwise_gpu::fresh(
        context,
        accelerator,
        input.shape(),
        &[MapOperand::PerElement(input)],
        &mut |chunk| {
            over_elements(
                accelerator,
                kernel,
                chunk.elements,
                line::<T>(),
                &[
                    Argument::Buffer(chunk.inputs[0]),
                    Argument::Buffer(chunk.output),
                    Argument::U64(chunk.elements as u64),
                    Argument::Buffer(&*statistics),
                ],
            )
        },
    )
}

/// The number of elements that a thread moves at a time.
const fn line<T: Element>() -> usize {
    16 / size_of::<T>()
}
