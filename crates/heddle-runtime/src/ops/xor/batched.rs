//! Many exclusive ors as one: on a GPU the data lies in one buffer, and each item
//! finds its own key by a table.

use crate::array::{Array, HostBuffer};
use crate::batch::pack::{self, ITEM_BYTES, Landing};
use crate::batch::{Batchable, Group, Operands, family};
use crate::device::{
    Accelerator, Argument, Kernel, Lane, Pieces, PipelineChunk, PipelineInput, Place, Source,
};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::units::Bytes;

use super::super::kernel;
use super::super::loops::zip_part;
use super::super::pass;
use super::key::RepeatedKey;
use super::{BitElement, Bits, XOR, Xor, gpu, traffic};

const KERNEL: &Kernel = kernel::named("xor_ragged_u8");
/// Every item starts on a line of this many bytes, as kernels/ragged.cu wants it.
const LINE: usize = 16;
/// An item of this size may be worth several threads by itself.
const LARGE: Bytes = Bytes(512 << 10);

impl<T: BitElement> Batchable for Xor<T> {
    fn group(&self) -> Group {
        Group::new(&XOR, T::DTYPE).living(&[&self.data, &self.key])
    }

    fn describe_batch(items: &[Self]) -> Description {
        let home = items.first().and_then(|item| item.group().home());
        let mut operands = Operands::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut key = None;
        for item in items {
            operands.add(home, &item.data, None);
            operands.add(home, &item.key, key);
            key = Some(&item.key);
            output = output + item.data.bytes();
            work = work.saturating_add(traffic(&item.data, &item.key).0 + ITEM_BYTES);
        }
        operands.describe(family(&XOR), home, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        lane: &Lane<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        match lane.place() {
            Place::Host(_) => {
                let costs = items.iter().map(|item| traffic(&item.data, &item.key));
                let cost = costs.sum();
                pack::on_host(items, lane, cost, one)
            }
            Place::Accelerator(_) if items[0].group().home() == Some(lane.device()) => {
                pack::one_by_one(items, lane)
            }
            Place::Accelerator(accelerator) => packed(items, lane, accelerator),
        }
    }
}

/// The key the last item had, ready to be repeated over so many elements.
type Last<'a, T> = Option<(&'a Array<T>, usize, RepeatedKey<'a, T>)>;

/// One item on the calling thread, or on several if it is large. Items in a row
/// that share a key share its preparation.
fn one<'a, T: BitElement>(
    last: &mut Last<'a, T>,
    item: &'a mut Xor<T>,
    lane: &Lane<'_>,
) -> Result<Array<T>, Error> {
    let len = item.data.len();
    if Bytes::of::<T>(len) >= LARGE {
        return item.run(lane);
    }
    let item: &'a Xor<T> = item;
    let suits =
        |(key, longest, _): &(&Array<T>, usize, _)| key.is_same(&item.key) && len <= *longest;
    let (_, _, key) = match last.take() {
        Some(known) if suits(&known) => last.insert(known),
        _ => {
            let key = RepeatedKey::over(lane.host(&item.key)?, len);
            last.insert((&item.key, len, key))
        }
    };
    let data = lane.host(&item.data)?;
    let mut out = HostBuffer::unspecified(len);
    let elements = out.as_mut_slice();
    key.runs(0, len, |range, key| {
        zip_part(&mut elements[range.clone()], &data[range], key, Bits);
    });
    Ok(Array::on_host(item.data.shape().clone(), out))
}

/// Where an item's data and key lie. Mirrors kernels/ragged.cu.
type Entry = [u64; 3];

fn packed<T: BitElement>(
    items: &[Xor<T>],
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let mut data = Pieces::with_capacity(items.len());
    for item in items {
        let bytes = bytes(lane, &item.data)?;
        data.push(bytes, bytes.len().next_multiple_of(LINE));
    }
    let mut landing = Landing::of(items.iter().map(|item| item.data.len()));
    let each = |pieces| PipelineInput {
        bytes: Source::Pieces(pieces),
        unit: 1,
    };
    // Keys that do not repeat lie beside their data, and go with it piece by piece.
    let beside = items.iter().all(|item| item.key.len() >= item.data.len());
    if beside {
        let mut keys = Pieces::with_capacity(items.len());
        for item in items {
            let len = item.data.bytes().0 as usize;
            let key = &bytes(lane, &item.key)?[..len];
            keys.push(key, len.next_multiple_of(LINE));
        }
        let inputs = [each(&data), each(&keys)];
        let sink = landing.sink(LINE);
        pass::scattered(lane, accelerator, &inputs, sink, 1, &mut |chunk| {
            launch_plain(accelerator, chunk)
        })?;
    } else {
        let (keys, table) = tabulate(lane, items)?;
        let whole = |bytes| PipelineInput { bytes, unit: 0 };
        let table = Source::Whole(bytemuck::cast_slice(&table));
        let inputs = [each(&data), whole((&keys).into()), whole(table)];
        let sink = landing.sink(LINE);
        pass::scattered(lane, accelerator, &inputs, sink, 1, &mut |chunk| {
            launch_ragged(accelerator, items.len(), chunk)
        })?;
    }
    let shapes = items.iter().map(|item| item.data.shape());
    Ok(landing.answers(shapes))
}

fn bytes<'a, T: BitElement>(lane: &Lane<'_>, array: &'a Array<T>) -> Result<&'a [u8], Error> {
    lane.host(array).map(bytemuck::cast_slice)
}

/// The keys, one that several items in a row share once, and the table of items.
fn tabulate<'a, T: BitElement>(
    lane: &Lane<'_>,
    items: &'a [Xor<T>],
) -> Result<(Pieces<'a>, Vec<Entry>), Error> {
    let mut table: Vec<Entry> = Vec::with_capacity(items.len());
    let mut keys = Pieces::default();
    let (mut start, mut end, mut at) = (0, 0, 0);
    let mut last: Option<&Array<T>> = None;
    for item in items {
        if last.is_none_or(|key| !key.is_same(&item.key)) {
            let key = bytes(lane, &item.key)?;
            let room = key.len().next_multiple_of(LINE);
            keys.push(key, room);
            (at, end) = (end, end + room as u64);
            last = Some(&item.key);
        }
        // An item of no bytes may have no key; no byte ever asks for it.
        table.push([start, at, item.key.bytes().0.max(1)]);
        start += item.data.bytes().0.next_multiple_of(LINE as u64);
    }
    Ok((keys, table))
}

fn launch_plain(accelerator: &dyn Accelerator, chunk: &PipelineChunk<'_>) -> Result<(), Error> {
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
    chunk: &PipelineChunk<'_>,
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
