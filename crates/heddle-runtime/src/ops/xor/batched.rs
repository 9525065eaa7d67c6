//! Many exclusive ors as one: on a GPU the data is in one buffer, and a table gives each item
//! its key.

use crate::array::{Array, HostBuffer};
use crate::batch::pack::{self, ITEM_BYTES, ResultBuffers};
use crate::batch::{Batchable, Group, OperandTotals, family};
use crate::device::{
    Accelerator, Argument, ChunkedMapInput, ExecutionContext, ExecutionTarget, GatherPieces,
    GatherSource, Kernel, MapChunk,
};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::units::Bytes;

use super::super::elementwise_gpu;
use super::super::kernel;
use super::super::loops::zip_part;
use super::key::RepeatedKey;
use super::{BitElement, XOR, Xor, XorBits, gpu, traffic};

const KERNEL: &Kernel = kernel::named("xor_ragged_u8");
/// Every item starts at a multiple of this many bytes, as kernels/ragged.cu requires.
const LINE: usize = 16;
/// An item of this size may use several threads by itself.
const LARGE: Bytes = Bytes(512 << 10);

impl<T: BitElement> Batchable for Xor<T> {
    fn group(&self) -> Group {
        Group::new(&XOR, T::DTYPE).resident_with(&[&self.data, &self.key])
    }

    fn describe_batch(items: &[Self]) -> Description {
        let resident_device = items
            .first()
            .and_then(|item| item.group().resident_device());
        let mut operands = OperandTotals::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut key = None;
        for item in items {
            operands.add(resident_device, &item.data, None);
            operands.add(resident_device, &item.key, key);
            key = Some(&item.key);
            output = output + item.data.bytes();
            work = work.saturating_add(traffic(&item.data, &item.key).0 + ITEM_BYTES);
        }
        operands.describe(family(&XOR), resident_device, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        context: &ExecutionContext<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        match context.target() {
            ExecutionTarget::Host(_) => {
                let costs = items.iter().map(|item| traffic(&item.data, &item.key));
                let cost = costs.sum();
                pack::on_host(items, context, cost, one)
            }
            ExecutionTarget::Accelerator(_)
                if items[0].group().resident_device() == Some(context.device()) =>
            {
                pack::one_by_one(items, context)
            }
            ExecutionTarget::Accelerator(accelerator) => packed(items, context, accelerator),
        }
    }
}

/// The key of the previous item, repeated for this number of elements.
type LastKey<'a, T> = Option<(&'a Array<T>, usize, RepeatedKey<'a, T>)>;

/// Computes one item on the calling thread, or on several if it is large. Consecutive items
/// with the same key prepare it once.
fn one<'a, T: BitElement>(
    last: &mut LastKey<'a, T>,
    item: &'a mut Xor<T>,
    context: &ExecutionContext<'_>,
) -> Result<Array<T>, Error> {
    let len = item.data.len();
    if Bytes::of::<T>(len) >= LARGE {
        return item.run(context);
    }
    let item: &'a Xor<T> = item;
    let suits =
        |(key, longest, _): &(&Array<T>, usize, _)| key.is_same(&item.key) && len <= *longest;
    let (_, _, key) = match last.take() {
        Some(known) if suits(&known) => last.insert(known),
        _ => {
            let key = RepeatedKey::over(context.host(&item.key)?, len);
            last.insert((&item.key, len, key))
        }
    };
    let data = context.host(&item.data)?;
    let mut out = HostBuffer::try_unspecified(XOR.name(), len)?;
    let elements = out.as_mut_slice();
    key.runs(0, len, |range, key| {
        zip_part(&mut elements[range.clone()], &data[range], key, XorBits);
    });
    Ok(Array::on_host(item.data.shape().clone(), out))
}

/// Where the data and key of an item are. Mirrors kernels/ragged.cu.
type ItemEntry = [u64; 3];

fn packed<T: BitElement>(
    items: &[Xor<T>],
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let mut data = GatherPieces::with_capacity(items.len());
    for item in items {
        let bytes = bytes(context, &item.data)?;
        data.push(bytes, bytes.len().next_multiple_of(LINE));
    }
    let mut result_buffers = ResultBuffers::of(items.iter().map(|item| item.data.len()))?;
    let each = |pieces| ChunkedMapInput {
        bytes: GatherSource::GatherPieces(pieces),
        unit: 1,
    };
    // Keys that do not repeat are stored like their data, and are streamed with it.
    let beside = items.iter().all(|item| item.key.len() >= item.data.len());
    if beside {
        let mut keys = GatherPieces::with_capacity(items.len());
        for item in items {
            let len = item.data.bytes().0 as usize;
            let key = &bytes(context, &item.key)?[..len];
            keys.push(key, len.next_multiple_of(LINE));
        }
        let inputs = [each(&data), each(&keys)];
        let sink = result_buffers.sink(LINE);
        elementwise_gpu::scattered(context, accelerator, &inputs, sink, 1, &mut |chunk| {
            launch_plain(accelerator, chunk)
        })?;
    } else {
        let (keys, table) = tabulate(context, items)?;
        let whole = |bytes| ChunkedMapInput { bytes, unit: 0 };
        let table = GatherSource::Whole(bytemuck::cast_slice(&table));
        let inputs = [each(&data), whole((&keys).into()), whole(table)];
        let sink = result_buffers.sink(LINE);
        elementwise_gpu::scattered(context, accelerator, &inputs, sink, 1, &mut |chunk| {
            launch_ragged(accelerator, items.len(), chunk)
        })?;
    }
    let shapes = items.iter().map(|item| item.data.shape());
    Ok(result_buffers.results(shapes))
}

fn bytes<'a, T: BitElement>(
    context: &ExecutionContext<'_>,
    array: &'a Array<T>,
) -> Result<&'a [u8], Error> {
    context.host(array).map(bytemuck::cast_slice)
}

/// Returns the keys, one per run of items that share it, and the table of items.
fn tabulate<'a, T: BitElement>(
    context: &ExecutionContext<'_>,
    items: &'a [Xor<T>],
) -> Result<(GatherPieces<'a>, Vec<ItemEntry>), Error> {
    let mut table: Vec<ItemEntry> = Vec::with_capacity(items.len());
    let mut keys = GatherPieces::default();
    let (mut start, mut end, mut at) = (0, 0, 0);
    let mut last: Option<&Array<T>> = None;
    for item in items {
        if last.is_none_or(|key| !key.is_same(&item.key)) {
            let key = bytes(context, &item.key)?;
            let memory_budget = key.len().next_multiple_of(LINE);
            keys.push(key, memory_budget);
            (at, end) = (end, end + memory_budget as u64);
            last = Some(&item.key);
        }
        // An item of no bytes may have an empty key, which is never read.
        table.push([start, at, item.key.bytes().0.max(1)]);
        start += item.data.bytes().0.next_multiple_of(LINE as u64);
    }
    Ok((keys, table))
}

fn launch_plain(accelerator: &dyn Accelerator, chunk: &MapChunk<'_>) -> Result<(), Error> {
    kernel::over_elements(
        accelerator,
        gpu::KERNEL,
        chunk.elements,
        kernel::per_line::<u8>(),
        &[
            Argument::Buffer(chunk.inputs[0]),
            Argument::U64(0),
            Argument::Buffer(chunk.inputs[1]),
            Argument::U64(chunk.elements as u64),
            Argument::U64(0),
            Argument::Buffer(chunk.output),
            Argument::U64(0),
            Argument::U64(chunk.elements as u64),
        ],
    )
}

fn launch_ragged(
    accelerator: &dyn Accelerator,
    items: usize,
    chunk: &MapChunk<'_>,
) -> Result<(), Error> {
    kernel::over_elements(
        accelerator,
        KERNEL,
        chunk.elements,
        kernel::per_line::<u8>(),
        &[
            Argument::Buffer(chunk.inputs[0]),
            Argument::Buffer(chunk.inputs[2]),
            Argument::U64(items as u64),
            Argument::Buffer(chunk.inputs[1]),
            Argument::Buffer(chunk.output),
            Argument::U64(chunk.first_element),
            Argument::U64(chunk.elements as u64),
        ],
    )
}
