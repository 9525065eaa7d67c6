//! Reductions by kernels: from chunks of a fixed size to partial results, and from those to
//! one.
//!
//! A chunk is the same bytes on every device and partial results are merged along one tree, so
//! the bits depend on the input alone. Of an input on the device only the last partial result
//! leaves it, and only if the result is a value. An input that does not fit there is streamed
//! in whole chunks: the chunks and so the partial results are the same.

use std::sync::Arc;

use crate::array::Array;
use crate::device::{
    Accelerator, Argument, ChunkedMap, ChunkedMapInput, DeviceBuffer, DeviceMemory,
    ExecutionContext, Kernel, Launch,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Description, Kind, ResultLocation};
use crate::units::Bytes;

use super::super::kernel::{BLOCK, Kernels, kernels, named};
use super::super::memory_budget;
use super::super::number::{Float, Number};
use super::extremes::MIN;
use super::sum::Summable;

/// Bytes one block reduces: `REDUCE_THREADS * REDUCE_LINES` lines of sixteen in
/// `kernels/reduce.cuh`.
const CHUNK: usize = 32 << 10;
/// Partial results that one block of a `merge_…` kernel reads.
const MERGED: usize = 1024;
/// Bytes of three doubles, as moments and square sums are stored.
const TRIPLE: usize = 3 * size_of::<f64>();

const SUMS: Kernels = kernels!("reduce_sum", all);
const MINIMA: Kernels = kernels!("reduce_min", all);
const MAXIMA: Kernels = kernels!("reduce_max", all);
const MOMENTS: Kernels = kernels!("reduce_moments", all);
const EXTREMES: Kernels = kernels!("reduce_extremes", floats);
const SQUARES: Kernels = kernels!("reduce_squares", floats);
const SUM_OF_INTEGERS: &Kernel = named("reduce_sum_u64");
const SUM_OF_FLOATS: &Kernel = named("reduce_sum_f64");
const MERGE_MOMENTS: &Kernel = named("merge_moments");
const MERGE_SQUARES: &Kernel = named("merge_squares");

/// The input of a reduction.
#[derive(Clone, Debug)]
pub(in super::super) enum ReductionInput<'a> {
    /// In the device's memory.
    Device(Arc<DeviceBuffer>),
    /// On the host, from which it is streamed.
    Host(&'a [u8]),
}

impl<'a> ReductionInput<'a> {
    /// Returns the input on the device if it is there or fits there, with `beside` more
    /// bytes.
    pub(in super::super) fn of<T: Element>(
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
        input: &'a Array<T>,
        beside: Bytes,
    ) -> Result<Self, Error> {
        let is_there = input.residency().is_on(context.device());
        if is_there || memory_budget::has(context, input.bytes() + beside) {
            return context.resident(input, accelerator).map(Self::Device);
        }
        Ok(Self::Host(bytemuck::cast_slice(context.host(input)?)))
    }
}

/// One kernel of a reduction, and what each of its blocks reads and writes.
#[derive(Clone, Copy)]
struct ReductionPass {
    kernel: &'static Kernel,
    /// Bytes of an element that it reads.
    element: usize,
    /// Elements that a block reads.
    share: usize,
    /// Bytes of the partial result that a block writes.
    partial: usize,
}

impl ReductionPass {
    /// A kernel over chunks of elements of `element` bytes.
    fn chunks(kernel: &'static Kernel, element: usize, partial: usize) -> Self {
        Self {
            kernel,
            element,
            share: CHUNK / element,
            partial,
        }
    }

    /// A kernel that merges partial results of three doubles.
    fn merges(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            element: TRIPLE,
            share: MERGED,
            partial: TRIPLE,
        }
    }

    /// Queues the kernel over all of `input`.
    fn launch(
        self,
        accelerator: &dyn Accelerator,
        input: &dyn DeviceMemory,
    ) -> Result<DeviceBuffer, Error> {
        let elements = input.bytes().0 / self.element as u64;
        let blocks = elements.div_ceil(self.share as u64);
        let partials = accelerator.allocate(Bytes(blocks * self.partial as u64))?;
        self.queue(accelerator, input, elements, &*partials)?;
        Ok(partials)
    }

    /// Queues the kernel over the first `elements` of `input`.
    fn queue(
        self,
        accelerator: &dyn Accelerator,
        input: &dyn DeviceMemory,
        elements: u64,
        partials: &dyn DeviceMemory,
    ) -> Result<(), Error> {
        let blocks = elements.div_ceil(self.share as u64);
        accelerator.launch(&Launch::new(
            self.kernel,
            blocks as u32,
            BLOCK,
            &[
                Argument::Buffer(input),
                Argument::U64(elements),
                Argument::Buffer(partials),
            ],
        ))
    }

    /// Reduces `input` by this kernel and then by `again` until one partial result is left.
    fn reduce(
        self,
        again: Self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
        input: &ReductionInput<'_>,
    ) -> Result<DeviceBuffer, Error> {
        let mut partials = match input {
            ReductionInput::Device(input) => self.launch(accelerator, &***input)?,
            ReductionInput::Host(input) => {
                let memory_budget = memory_budget::for_chunks(context);
                let mut partials = self.stream(context, accelerator, input, memory_budget)?;
                // Merging these partial results takes less memory than they do.
                while partials.len() as u64 > memory_budget.0 / 2 && partials.len() > self.partial {
                    partials = again.stream(context, accelerator, &partials, memory_budget)?;
                }
                memory_budget::upload(context, accelerator, &partials)?
            }
        };
        while partials.bytes().0 > self.partial as u64 {
            partials = again.launch(accelerator, &*partials)?;
        }
        Ok(partials)
    }

    /// Returns the partial results of an input that is streamed through the device, one per
    /// block.
    fn stream(
        self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
        input: &[u8],
        memory_budget: Bytes,
    ) -> Result<Vec<u8>, Error> {
        let share = self.share * self.element;
        let whole = input.len() / share;
        let mut partials = vec![0; input.len().div_ceil(share) * self.partial];
        let (shares, rest) = input.split_at(whole * share);
        let (of_shares, of_rest) = partials.split_at_mut(whole * self.partial);
        for (bytes, unit, output) in [(shares, share, of_shares), (rest, rest.len(), of_rest)] {
            if bytes.is_empty() {
                continue;
            }
            let inputs = [ChunkedMapInput::new(bytes, unit)];
            let work = ChunkedMap::new(&inputs, output, self.partial).within(memory_budget);
            context.chunked_map(accelerator, work, &mut |chunk| {
                let elements = (chunk.elements * unit / self.element) as u64;
                self.queue(accelerator, chunk.inputs[0], elements, chunk.output)
            })?;
        }
        Ok(partials)
    }
}

/// The description of a reduction: the value is always copied to the host, and the partial
/// results of a first and a second kernel need memory.
pub(super) fn described(description: Description) -> Description {
    memory_budget::can_split(Description {
        scratch: scratch(description.input()),
        result: ResultLocation::Host,
        ..description
    })
}

/// At most 24 bytes per 32 KiB, the same again for merging those, and a block of the allocator
/// for each.
pub(in super::super) fn scratch(input: Bytes) -> Bytes {
    Bytes(input.0 / 1024 + 512)
}

/// Returns the input of a reduction to a value, with memory for its partial results.
fn source<'a, T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    input: &'a Array<T>,
) -> Result<ReductionInput<'a>, Error> {
    ReductionInput::of(context, accelerator, input, scratch(input.bytes()))
}

/// Returns the sum; zero of an empty array.
pub(super) fn sum<T: Summable>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &Array<T>,
) -> Result<T::Sum, Error> {
    let mut sum = T::Sum::default();
    if input.is_empty() {
        return Ok(sum);
    }
    let word = size_of::<T::Sum>();
    let again = if T::IS_INTEGER {
        SUM_OF_INTEGERS
    } else {
        SUM_OF_FLOATS
    };
    let first = ReductionPass::chunks(SUMS.of::<T>(kind.name())?, size_of::<T>(), word);
    let again = ReductionPass::chunks(again, word, word);
    let partial = first.reduce(
        again,
        context,
        accelerator,
        &source(context, accelerator, input)?,
    )?;
    context.download(&*partial, bytemuck::bytes_of_mut(&mut sum))?;
    Ok(sum)
}

/// Returns the least or the greatest element, by `kind`. The input is not empty.
pub(super) fn extreme<T: Number>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &Array<T>,
) -> Result<T, Error> {
    let kernels = if kind.name() == MIN.name() {
        &MINIMA
    } else {
        &MAXIMA
    };
    let pass = ReductionPass::chunks(
        kernels.of::<T>(kind.name())?,
        size_of::<T>(),
        size_of::<T>(),
    );
    let partial = pass.reduce(
        pass,
        context,
        accelerator,
        &source(context, accelerator, input)?,
    )?;
    let mut extreme = T::ZERO;
    context.download(&*partial, bytemuck::bytes_of_mut(&mut extreme))?;
    Ok(extreme)
}

/// Returns the population standard deviation. The input is not empty.
pub(super) fn std<T: Number>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &Array<T>,
) -> Result<f64, Error> {
    let input = source(context, accelerator, input)?;
    let partial = moments::<T>(context, accelerator, kind, &input)?;
    let mut moments = [0.0; 3];
    context.download(&*partial, bytemuck::cast_slice_mut(&mut moments))?;
    let [count, _, squares] = moments;
    Ok(f64::sqrt(squares / count))
}

/// Computes number, mean and sum of squared deviations as three doubles on the device.
pub(in super::super) fn moments<T: Element>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &ReductionInput<'_>,
) -> Result<DeviceBuffer, Error> {
    ReductionPass::chunks(MOMENTS.of::<T>(kind.name())?, size_of::<T>(), TRIPLE).reduce(
        ReductionPass::merges(MERGE_MOMENTS),
        context,
        accelerator,
        input,
    )
}

/// Computes the least and the greatest element, one after the other on the device.
pub(in super::super) fn extremes<T: Float>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &ReductionInput<'_>,
) -> Result<DeviceBuffer, Error> {
    // Pairs of extremes are again elements: their extremes are those of the whole.
    let pass = ReductionPass::chunks(
        EXTREMES.of::<T>(kind.name())?,
        size_of::<T>(),
        2 * size_of::<T>(),
    );
    pass.reduce(pass, context, accelerator, input)
}

/// Computes square sums as three doubles on the device, from which a kernel computes the
/// Euclidean length.
pub(in super::super) fn squares<T: Float>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    input: &ReductionInput<'_>,
) -> Result<DeviceBuffer, Error> {
    ReductionPass::chunks(SQUARES.of::<T>(kind.name())?, size_of::<T>(), TRIPLE).reduce(
        ReductionPass::merges(MERGE_SQUARES),
        context,
        accelerator,
        input,
    )
}
