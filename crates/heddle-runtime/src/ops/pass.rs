//! Maps over elements on a GPU: where the operands come from, where the result goes.
//!
//! An operation says how one stretch of elements is launched; whether that is
//! the whole array in the GPU's memory, the array's own elements in place, or
//! one chunk of a stream from host to host, is decided here. Large maps of what
//! is on the host stream because that is faster; maps that have no room stream
//! wherever their operands are.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::array::{Array, HostBuffer};
use crate::device::{
    Accelerator, DeviceBuffer, DeviceId, DeviceMemory, Lane, Pipeline, PipelineChunk,
    PipelineInput, PipelineLaunch, Sink,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::ResultPlace;
use crate::shape::Shape;
use crate::units::Bytes;

use super::{kernel, room};

/// A result of this size that goes back to the host is streamed: uploads, kernels
/// and downloads overlap. Below it there is too little to overlap, and leaving
/// the elements on the device may save the next transfer.
const STREAM_FROM: Bytes = Bytes(4 << 20);

/// One operand of a map.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side<'a, T: Element> {
    /// Element by element; what lies beyond the result's length is not read.
    Each(&'a Array<T>),
    /// Repeated over the result, as a key is. A stretch is given all of it; or,
    /// where it is itself too large, the part that meets the stretch, which then
    /// counts as the first. There is at most one such operand.
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

/// Whether a map with a result of `elements`, for which it needs `output` more
/// bytes on the device, goes from host to host in chunks.
fn streams<T: Element>(
    lane: &Lane<'_>,
    sides: &[Side<'_, T>],
    elements: usize,
    output: Bytes,
) -> bool {
    // Small maps, whose every microsecond counts, are told by their size alone.
    let most = sides.iter().map(|side| side.array().bytes()).sum::<Bytes>() + output;
    if most <= room::LEAST {
        return false;
    }
    let device = lane.device();
    let is_absent = |side: &Side<'_, T>| !side.array().residency().is_on(device);
    let pays = Bytes::of::<T>(elements) >= STREAM_FROM && sides.iter().all(is_absent);
    pays || !room::has(lane, missing(device, sides) + output)
}

/// Whether a map over `data` itself goes from host to host in chunks.
pub(super) fn streams_over<T: Element>(
    lane: &Lane<'_>,
    data: &Array<T>,
    others: &[Side<'_, T>],
) -> bool {
    let mut sides: Sides<'_, T> = SmallVec::from_slice(&[Side::Each(data)]);
    sides.extend(others.iter().copied());
    streams(lane, &sides, data.len(), scratch_over(data))
}

/// Bytes it takes to bring the operands to the device.
fn missing<T: Element>(device: DeviceId, sides: &[Side<'_, T>]) -> Bytes {
    match sides {
        [one] => room::missing(device, one.array()),
        [first, second] => room::missing_of_both(device, first.array(), second.array()),
        more => more
            .iter()
            .map(|side| room::missing(device, side.array()))
            .sum(),
    }
}

/// Bytes that an operation over `data` itself needs beside it: none, unless
/// others see the elements too.
#[inline]
pub(super) fn scratch_over<T: Element>(data: &Array<T>) -> Bytes {
    if data.is_shared() {
        data.bytes()
    } else {
        Bytes(0)
    }
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
    if streams(lane, sides, elements, Bytes::of::<T>(elements)) {
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
    if streams(lane, &sides, shape.elements(), scratch_over(data)) {
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

/// A map from host to host, in chunks that there is room for.
pub(super) fn streamed<T: Element>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    shape: &Shape,
    sides: &[Side<'_, T>],
    launch: &mut PipelineLaunch<'_>,
) -> Result<Array<T>, Error> {
    let elements = shape.elements();
    let room = room::for_pieces(lane);
    let mut out = HostBuffer::unspecified(elements);
    let is_large = |side: &&Side<'_, T>| match side {
        Side::Each(_) => false,
        Side::Whole(array) => array.bytes().0 > room.0 / 4,
    };
    let Some(repeated) = sides.iter().find(is_large) else {
        let inputs = inputs(lane, sides, 0..elements, Repeated::Whole)?;
        lane.pipeline(accelerator, work(&inputs, out.as_mut_slice(), room), launch)?;
        return Ok(Array::on_host(shape.clone(), out));
    };
    // It goes along with the rest, once for each time it is repeated.
    let period = repeated.array().len();
    for (index, part) in out.as_mut_slice().chunks_mut(period).enumerate() {
        let first = index * period;
        let inputs = inputs(lane, sides, first..first + part.len(), Repeated::Cut)?;
        lane.pipeline(accelerator, work(&inputs, part, room), &mut |chunk| {
            launch(&PipelineChunk {
                first_element: 0,
                ..*chunk
            })
        })?;
    }
    Ok(Array::on_host(shape.clone(), out))
}

/// A map between pieces of host memory, whose elements take `unit` bytes.
pub(super) fn scattered(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    inputs: &[PipelineInput<'_>],
    output: Sink<'_>,
    unit: usize,
    launch: &mut PipelineLaunch<'_>,
) -> Result<(), Error> {
    let work = Pipeline {
        inputs,
        output,
        output_unit: unit,
        chunk_elements: 0,
        room: room::for_pieces(lane),
    };
    lane.pipeline(accelerator, work, launch)
}

/// How a stream is given an operand that repeats.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// All of it with every chunk.
    Whole,
    /// Piece by piece, from its beginning.
    Cut,
}

/// The part of each operand that meets these elements of the result.
fn inputs<'a, T: Element>(
    lane: &Lane<'_>,
    sides: &[Side<'a, T>],
    elements: Range<usize>,
    repeated: Repeated,
) -> Result<SmallVec<[PipelineInput<'a>; 2]>, Error> {
    sides
        .iter()
        .map(|&side| {
            let host = lane.host(side.array())?;
            let (host, unit) = match side {
                Side::Each(_) => (&host[elements.clone()], size_of::<T>()),
                Side::Whole(_) if repeated == Repeated::Cut => {
                    (&host[..elements.len()], size_of::<T>())
                }
                Side::Whole(_) => (host, 0),
            };
            Ok(PipelineInput {
                bytes: bytemuck::cast_slice(host).into(),
                unit,
            })
        })
        .collect()
}

fn work<'a, T: Element>(
    inputs: &'a [PipelineInput<'a>],
    output: &'a mut [T],
    room: Bytes,
) -> Pipeline<'a> {
    Pipeline {
        inputs,
        output: bytemuck::cast_slice_mut(output).into(),
        output_unit: size_of::<T>(),
        chunk_elements: 0,
        room,
    }
}
