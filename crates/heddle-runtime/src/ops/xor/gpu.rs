//! Exclusive or on a GPU. Bits have no type: one kernel over bytes serves all.

use crate::array::Array;
use crate::device::{Accelerator, Argument, ExecutionContext, Kernel, MapChunk};
use crate::error::Error;
use crate::units::Bytes;

use super::super::elementwise_gpu::{self, MapOperand};
use super::super::kernel;
use super::BitElement;

/// The kernel over bytes, for every element type.
pub(super) const KERNEL: &Kernel = kernel::named("xor_u8");

/// `data ^ key` in a new array.
pub(super) fn fresh<T: BitElement>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    data: &Array<T>,
    key: &Array<T>,
) -> Result<Array<T>, Error> {
    let map_operands = [MapOperand::PerElement(data), operand(data, key)];
    elementwise_gpu::fresh(
        context,
        accelerator,
        data.shape(),
        &map_operands,
        &mut |chunk| launch(accelerator, map_operands[1], chunk),
    )
}

/// `data ^= key`.
pub(super) fn over<T: BitElement>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    data: &mut Array<T>,
    key: &Array<T>,
) -> Result<(), Error> {
    let key = operand(data, key);
    elementwise_gpu::over(context, accelerator, data, &[key], &mut |chunk| {
        launch(accelerator, key, chunk)
    })
}

/// A key that does not repeat is streamed with the data.
fn operand<'a, T: BitElement>(data: &Array<T>, key: &'a Array<T>) -> MapOperand<'a, T> {
    if key.len() >= data.len() {
        MapOperand::PerElement(key)
    } else {
        MapOperand::Whole(key)
    }
}

fn launch<T: BitElement>(
    accelerator: &dyn Accelerator,
    key: MapOperand<'_, T>,
    chunk: &MapChunk<'_>,
) -> Result<(), Error> {
    let bytes = Bytes::of::<T>(chunk.elements).0;
    let (period, phase) = match key {
        MapOperand::PerElement(_) => (bytes, 0),
        MapOperand::Whole(key) => {
            let phase = chunk.first_element % key.len() as u64;
            (key.bytes().0, phase * size_of::<T>() as u64)
        }
    };
    kernel::over_elements(
        accelerator,
        KERNEL,
        bytes as usize,
        kernel::per_line::<u8>(),
        &[
            Argument::Buffer(chunk.inputs[0]),
            Argument::U64(0),
            Argument::Buffer(chunk.inputs[1]),
            Argument::U64(period),
            Argument::U64(phase),
            Argument::Buffer(chunk.output),
            Argument::U64(0),
            Argument::U64(bytes),
        ],
    )
}
