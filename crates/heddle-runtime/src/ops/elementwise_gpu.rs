//! Elementwise operations on a GPU: where the operands are read and where the result is
//! written.
//!
//! An operation supplies the launch for one range of elements. This module decides whether that
//! range is the whole array in the GPU's memory, the array's own elements in place, or one
//! chunk of a stream from host to host. Large operations whose operands are on the host stream
//! because that is faster; operations that do not fit into the GPU's memory stream wherever
//! their operands are.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::array::{Array, HostBuffer};
use crate::device::{
    Accelerator, ChunkLaunch, ChunkedMap, ChunkedMapInput, DeviceBuffer, DeviceId, DeviceMemory,
    ExecutionContext, MapChunk, ScatterSink,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::ResultLocation;
use crate::shape::Shape;
use crate::units::Bytes;

use super::{kernel, memory_budget};

/// A result of at least this size that goes back to the host is streamed, so that uploads,
/// kernels and downloads overlap. Below it the overlap gains too little, and leaving the
/// elements on the device may save the next transfer.
const STREAM_FROM: Bytes = Bytes(4 << 20);

/// One operand of an elementwise operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum MapOperand<'a, T: Element> {
    /// One element per element of the result; elements beyond the length of the result are
    /// not read.
    PerElement(&'a Array<T>),
    /// Repeated over the result, like a key. Each range gets all of it, or, if it is too
    /// large for that, the part for that range, indexed from its first element. There is at
    /// most one such operand.
    Whole(&'a Array<T>),
}

impl<'a, T: Element> MapOperand<'a, T> {
    fn array(self) -> &'a Array<T> {
        match self {
            Self::PerElement(array) | Self::Whole(array) => array,
        }
    }
}

type MapOperands<'a, T> = SmallVec<[MapOperand<'a, T>; 2]>;
type Resident = SmallVec<[Arc<DeviceBuffer>; 2]>;

/// Returns where a result of this size is left.
#[inline]
pub(super) fn result_place(output: Bytes) -> ResultLocation {
    if output >= STREAM_FROM {
        ResultLocation::WithOperands
    } else {
        ResultLocation::OnDevice
    }
}

/// Whether an operation with a result of `elements` elements, which needs `output` more bytes
/// on the device, streams from host to host in chunks.
fn streams<T: Element>(
    context: &ExecutionContext<'_>,
    map_operands: &[MapOperand<'_, T>],
    elements: usize,
    output: Bytes,
) -> bool {
    // Small operations, for which a microsecond counts, are decided by size alone.
    let most = map_operands
        .iter()
        .map(|operand| operand.array().bytes())
        .sum::<Bytes>()
        + output;
    if most <= memory_budget::LEAST {
        return false;
    }
    let device = context.device();
    let is_absent = |operand: &MapOperand<'_, T>| !operand.array().residency().is_on(device);
    let pays = Bytes::of::<T>(elements) >= STREAM_FROM && map_operands.iter().all(is_absent);
    pays || !memory_budget::has(context, missing(device, map_operands) + output)
}

/// Whether an operation that overwrites `data` streams from host to host in chunks.
pub(super) fn streams_over<T: Element>(
    context: &ExecutionContext<'_>,
    data: &Array<T>,
    others: &[MapOperand<'_, T>],
) -> bool {
    let mut map_operands: MapOperands<'_, T> =
        SmallVec::from_slice(&[MapOperand::PerElement(data)]);
    map_operands.extend(others.iter().copied());
    streams(context, &map_operands, data.len(), scratch_over(data))
}

/// Returns the device memory needed to upload the operands.
fn missing<T: Element>(device: DeviceId, map_operands: &[MapOperand<'_, T>]) -> Bytes {
    match map_operands {
        [one] => memory_budget::missing(device, one.array()),
        [first, second] => memory_budget::missing_of_both(device, first.array(), second.array()),
        more => more
            .iter()
            .map(|operand| memory_budget::missing(device, operand.array()))
            .sum(),
    }
}

/// Returns the additional device memory of an operation that overwrites `data`: none, unless
/// the elements are shared.
#[inline]
pub(super) fn scratch_over<T: Element>(data: &Array<T>) -> Bytes {
    if data.is_shared() {
        data.bytes()
    } else {
        Bytes(0)
    }
}

/// Computes into a new array, which stays on the device unless it was streamed.
pub(super) fn fresh<T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    shape: &Shape,
    map_operands: &[MapOperand<'_, T>],
    launch: &mut ChunkLaunch<'_>,
) -> Result<Array<T>, Error> {
    let elements = shape.elements();
    if streams(context, map_operands, elements, Bytes::of::<T>(elements)) {
        return streamed(context, accelerator, shape, map_operands, launch);
    }
    let operands = resident(context, accelerator, map_operands)?;
    let out = kernel::allocate_elements::<T>(accelerator, elements)?;
    whole(&operands, &*out, elements, launch)?;
    kernel::filled(shape, out)
}

/// Computes over `data`, with `others` as further operands.
pub(super) fn over<T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    data: &mut Array<T>,
    others: &[MapOperand<'_, T>],
    launch: &mut ChunkLaunch<'_>,
) -> Result<(), Error> {
    let shape = data.shape().clone();
    let mut map_operands: MapOperands<'_, T> =
        SmallVec::from_slice(&[MapOperand::PerElement(data)]);
    map_operands.extend(others.iter().copied());
    if streams(context, &map_operands, shape.elements(), scratch_over(data)) {
        let result = streamed(context, accelerator, &shape, &map_operands, launch)?;
        drop(map_operands);
        *data = result;
        return Ok(());
    }
    let operands = resident(context, accelerator, &map_operands)?;
    drop(map_operands);
    // Shared elements are not written to.
    let Some(own) = data.exclusive_on(accelerator.id()) else {
        let out = kernel::allocate_elements::<T>(accelerator, shape.elements())?;
        whole(&operands, &*out, shape.elements(), launch)?;
        *data = kernel::filled(&shape, out)?;
        return Ok(());
    };
    whole(&operands, &**own, shape.elements(), launch)
}

fn resident<T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    map_operands: &[MapOperand<'_, T>],
) -> Result<Resident, Error> {
    map_operands
        .iter()
        .map(|operand| context.resident(operand.array(), accelerator))
        .collect()
}

/// Launches over all elements at once.
fn whole(
    operands: &[Arc<DeviceBuffer>],
    output: &dyn DeviceMemory,
    elements: usize,
    launch: &mut ChunkLaunch<'_>,
) -> Result<(), Error> {
    let inputs: SmallVec<[&dyn DeviceMemory; 2]> =
        operands.iter().map(|buffer| &***buffer).collect();
    launch(&MapChunk {
        first_element: 0,
        elements,
        inputs: &inputs,
        output,
    })
}

/// Computes from host to host, in chunks that fit into the memory budget.
pub(super) fn streamed<T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    shape: &Shape,
    map_operands: &[MapOperand<'_, T>],
    launch: &mut ChunkLaunch<'_>,
) -> Result<Array<T>, Error> {
    let elements = shape.elements();
    let memory_budget = memory_budget::for_chunks(context);
    let mut out = HostBuffer::try_unspecified("an elementwise result", elements)?;
    let is_large = |operand: &&MapOperand<'_, T>| match operand {
        MapOperand::PerElement(_) => false,
        MapOperand::Whole(array) => array.bytes().0 > memory_budget.0 / 4,
    };
    let Some(repeated) = map_operands.iter().find(is_large) else {
        let inputs = inputs(context, map_operands, 0..elements, Repeated::Whole)?;
        context.chunked_map(
            accelerator,
            work(&inputs, out.as_mut_slice(), memory_budget),
            launch,
        )?;
        return Ok(Array::on_host(shape.clone(), out));
    };
    // A large repeated operand is streamed with the rest, once per repetition.
    let period = repeated.array().len();
    for (index, part) in out.as_mut_slice().chunks_mut(period).enumerate() {
        let first = index * period;
        let inputs = inputs(
            context,
            map_operands,
            first..first + part.len(),
            Repeated::Cut,
        )?;
        context.chunked_map(
            accelerator,
            work(&inputs, part, memory_budget),
            &mut |chunk| {
                launch(&MapChunk {
                    first_element: 0,
                    ..*chunk
                })
            },
        )?;
    }
    Ok(Array::on_host(shape.clone(), out))
}

/// Computes between pieces of host memory, whose elements take `unit` bytes.
pub(super) fn scattered(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    inputs: &[ChunkedMapInput<'_>],
    output: ScatterSink<'_>,
    unit: usize,
    launch: &mut ChunkLaunch<'_>,
) -> Result<(), Error> {
    let work = ChunkedMap::new(inputs, output, unit).within(memory_budget::for_chunks(context));
    context.chunked_map(accelerator, work, launch)
}

/// How a repeated operand is passed to a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// All of it with every chunk.
    Whole,
    /// In pieces, from its beginning.
    Cut,
}

/// Returns the part of each operand that is needed for these elements of the result.
fn inputs<'a, T: Element>(
    context: &ExecutionContext<'_>,
    map_operands: &[MapOperand<'a, T>],
    elements: Range<usize>,
    repeated: Repeated,
) -> Result<SmallVec<[ChunkedMapInput<'a>; 2]>, Error> {
    map_operands
        .iter()
        .map(|&operand| {
            let host = context.host(operand.array())?;
            let (host, unit) = match operand {
                MapOperand::PerElement(_) => (&host[elements.clone()], size_of::<T>()),
                MapOperand::Whole(_) if repeated == Repeated::Cut => {
                    (&host[..elements.len()], size_of::<T>())
                }
                MapOperand::Whole(_) => (host, 0),
            };
            Ok(ChunkedMapInput::new(
                bytemuck::cast_slice::<_, u8>(host),
                unit,
            ))
        })
        .collect()
}

fn work<'a, T: Element>(
    inputs: &'a [ChunkedMapInput<'a>],
    output: &'a mut [T],
    memory_budget: Bytes,
) -> ChunkedMap<'a> {
    ChunkedMap::new(
        inputs,
        bytemuck::cast_slice_mut::<_, u8>(output),
        size_of::<T>(),
    )
    .within(memory_budget)
}
