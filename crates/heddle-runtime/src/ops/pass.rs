//! Maps over elements on a GPU: where the operands come from, where the result goes.
//!
//! An operation says how one stretch of elements is launched; whether that is
//! the whole array in the GPU's memory, the array's own elements in place, or
//! one chunk of a stream from host to host, is decided here.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::array::{Array, HostBuffer};
use crate::device::{
    Accelerator, DeviceBuffer, DeviceId, DeviceMemory, Lane, Pipeline, PipelineChunk,
    PipelineInput, PipelineLaunch,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::ResultPlace;
use crate::shape::Shape;
use crate::units::Bytes;

use super::kernel;

/// A result of this size that goes back to the host is streamed: uploads, kernels
/// and downloads overlap. Below it there is too little to overlap, and leaving
/// the elements on the device may save the next transfer.
const STREAM_FROM: Bytes = Bytes(4 << 20);

/// One operand of a map.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side<'a, T: Element> {
    /// Element by element; what lies beyond the result's length is not read.
    Each(&'a Array<T>),
    /// All of it for every stretch, as of a key.
    Whole(&'a Array<T>),
}

impl<'a, T: Element> Side<'a, T> {
    fn array(self) -> &'a Array<T> {
        match self {
            Self::Each(array) | Self::Whole(array) => array,
        }
    }
}

type Sides<'a, T> = SmallVec<[Side<'a, T>; 2]>;
type Resident = SmallVec<[Arc<DeviceBuffer>; 2]>;

/// Where a map leaves a result of this size.
#[inline]
pub(super) fn result_place(output: Bytes) -> ResultPlace {
    if output >= STREAM_FROM {
        ResultPlace::WithOperands
    } else {
        ResultPlace::Stay
    }
}

/// Whether a map with a result of `elements` goes from host to host in chunks.
pub(super) fn streams<T: Element>(
    device: DeviceId,
    sides: &[Side<'_, T>],
    elements: usize,
) -> bool {
    Bytes::of::<T>(elements) >= STREAM_FROM
        && sides
            .iter()
            .all(|side| !side.array().residency().is_on(device))
}

/// A map into a new array, which stays on the device unless it was streamed.
pub(super) fn fresh<T: Element>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    shape: &Shape,
    sides: &[Side<'_, T>],
    launch: &mut PipelineLaunch<'_>,
) -> Result<Array<T>, Error> {
    let elements = shape.elements();
    if streams(lane.device(), sides, elements) {
        return streamed(lane, accelerator, shape, sides, launch);
    }
    let operands = resident(lane, accelerator, sides)?;
    let out = kernel::room::<T>(accelerator, elements)?;
    whole(&operands, &*out, elements, launch)?;
    kernel::filled(shape, out)
}

/// A map of `data`, and of `others` beside it, over `data` itself.
pub(super) fn over<T: Element>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    data: &mut Array<T>,
    others: &[Side<'_, T>],
    launch: &mut PipelineLaunch<'_>,
) -> Result<(), Error> {
    let shape = data.shape().clone();
    let mut sides: Sides<'_, T> = SmallVec::from_slice(&[Side::Each(data)]);
    sides.extend(others.iter().copied());
    if streams(lane.device(), &sides, shape.elements()) {
        let answer = streamed(lane, accelerator, &shape, &sides, launch)?;
        drop(sides);
        *data = answer;
        return Ok(());
    }
    let operands = resident(lane, accelerator, &sides)?;
    drop(sides);
    // Elements that others see too are left as they are.
    let Some(own) = data.claim_on(accelerator.id()) else {
        let out = kernel::room::<T>(accelerator, shape.elements())?;
        whole(&operands, &*out, shape.elements(), launch)?;
        *data = kernel::filled(&shape, out)?;
        return Ok(());
    };
    whole(&operands, &**own, shape.elements(), launch)
}

fn resident<T: Element>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    sides: &[Side<'_, T>],
) -> Result<Resident, Error> {
    sides
        .iter()
        .map(|side| lane.resident(side.array(), accelerator))
        .collect()
}

/// All elements in one stretch.
fn whole(
    operands: &[Arc<DeviceBuffer>],
    output: &dyn DeviceMemory,
    elements: usize,
    launch: &mut PipelineLaunch<'_>,
) -> Result<(), Error> {
    let inputs: SmallVec<[&dyn DeviceMemory; 2]> =
        operands.iter().map(|buffer| &***buffer).collect();
    launch(&PipelineChunk {
        first_element: 0,
        elements,
        inputs: &inputs,
        output,
    })
}

fn streamed<T: Element>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    shape: &Shape,
    sides: &[Side<'_, T>],
    launch: &mut PipelineLaunch<'_>,
) -> Result<Array<T>, Error> {
    let elements = shape.elements();
    let inputs = sides
        .iter()
        .map(|&side| {
            let host = lane.host(side.array())?;
            let (host, unit) = match side {
                Side::Each(_) => (&host[..elements], size_of::<T>()),
                Side::Whole(_) => (host, 0),
            };
            Ok(PipelineInput {
                bytes: bytemuck::cast_slice(host),
                unit,
            })
        })
        .collect::<Result<SmallVec<[PipelineInput<'_>; 2]>, Error>>()?;
    let mut out = HostBuffer::unspecified(elements);
    let work = Pipeline {
        inputs: &inputs,
        output: bytemuck::cast_slice_mut(out.as_mut_slice()),
        output_unit: size_of::<T>(),
        chunk_elements: 0,
    };
    lane.pipeline(accelerator, work, launch)?;
    Ok(Array::on_host(shape.clone(), out))
}
