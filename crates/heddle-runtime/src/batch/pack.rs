//! Runs a batch's items one by one or on several threads, and allocates the results of one
//! launch.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use crate::array::{Array, HostBuffer};
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget, ScatterSink, TransferTotals};
use crate::dtype::Element;
use crate::error::Error;
use crate::shape::Shape;
use crate::units::Bytes;

use super::Batchable;

/// Work that every item adds beside its bytes: creating its result takes a CPU some 100 ns, in
/// which it would move about this much.
pub(crate) const ITEM_BYTES: u64 = 1024;
/// The least cost of an item for items to be shared between threads. Smaller ones spend their
/// time in the allocator, which is slower on worker threads: 10,000 xors of 1 kB took 9.9 ms on
/// one thread and 14.8 on two (EPYC Zen 4, two cores, both busy).
const PARALLEL_FROM: u64 = 16 << 10;
/// The largest result that shares a buffer, and the number of results in one. A result that is
/// kept also keeps the other results' bytes, which must stay a small multiple of its own.
const SHARED_BUFFER_MAX: u64 = 4 << 10;
const MAX_RESULTS_PER_BUFFER: usize = 16;
/// The alignment of every result, one cache line.
const LINE: usize = 64;
/// The approximate number of parts per thread: enough to balance the load, and few enough to
/// add no cost.
const CHUNKS_PER_THREAD: usize = 16;

/// The elements of one item, padded to the next cache line.
fn padded_len<T: Element>(len: usize) -> usize {
    let line = (LINE / size_of::<T>()).max(1);
    len.next_multiple_of(line)
}

/// The buffers for the results of a batch: one for each, or, where they are small, one for
/// several.
#[derive(Debug)]
pub(crate) struct ResultBuffers<T: Element> {
    buffers: Vec<SharedBuffer<T>>,
    lengths: Vec<usize>,
}

/// A buffer, and the number of results in it.
#[derive(Debug)]
struct SharedBuffer<T: Element> {
    buffer: HostBuffer<T>,
    results: usize,
}

impl<T: Element> ResultBuffers<T> {
    /// Allocates buffers for results of these lengths.
    pub(crate) fn of(lengths: impl Iterator<Item = usize>) -> Result<Self, Error> {
        let lengths: Vec<usize> = lengths.collect();
        let mut buffers = Vec::with_capacity(lengths.len() / MAX_RESULTS_PER_BUFFER + 1);
        let mut rest = &lengths[..];
        while let [first, ..] = rest {
            let is_small = |&len: &usize| Bytes::of::<T>(len).0 <= SHARED_BUFFER_MAX;
            let together = if is_small(first) {
                rest.iter()
                    .take(MAX_RESULTS_PER_BUFFER)
                    .take_while(|len| is_small(len))
                    .count()
            } else {
                1
            };
            let (here, after) = rest.split_at(together);
            let total = here.iter().map(|&len| padded_len::<T>(len)).sum();
            buffers.push(SharedBuffer {
                buffer: HostBuffer::try_unspecified("a batch of results", total)?,
                results: together,
            });
            rest = after;
        }
        Ok(Self { buffers, lengths })
    }

    /// A sink that writes to the buffers, in which each result takes a multiple of `step`
    /// bytes.
    pub(crate) fn sink(&mut self, step: usize) -> ScatterSink<'_> {
        let mut lengths = self.lengths.iter();
        ScatterSink::pieces(self.buffers.iter_mut().flat_map(|shared| {
            let mut rest = shared.buffer.as_mut_slice();
            let of_this = lengths.by_ref().take(shared.results).copied();
            let parts: SmallVec<[_; MAX_RESULTS_PER_BUFFER]> = of_this
                .map(|len| {
                    let (part, after) = mem::take(&mut rest).split_at_mut(padded_len::<T>(len));
                    rest = after;
                    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut part[..len]);
                    let padded = bytes.len().next_multiple_of(step);
                    (bytes, padded)
                })
                .collect();
            parts
        }))
    }

    /// The results, with these shapes; none is an error.
    pub(crate) fn results<'a>(
        self,
        mut shapes: impl Iterator<Item = &'a Shape>,
    ) -> Vec<Result<Array<T>, Error>> {
        let mut arrays = Vec::with_capacity(self.lengths.len());
        let mut lengths = self.lengths.into_iter();
        for SharedBuffer { buffer, results } in self.buffers {
            if results == 1 && lengths.len() > 0 && buffer.len() == lengths.as_slice()[0] {
                lengths.next();
                arrays.extend(
                    shapes
                        .next()
                        .map(|shape| Ok(Array::on_host(shape.clone(), buffer))),
                );
                continue;
            }
            let buffer = Arc::new(buffer);
            let mut start = 0;
            for len in lengths.by_ref().take(results) {
                arrays.extend(
                    shapes
                        .next()
                        .map(|shape| Ok(Array::within(shape.clone(), &buffer, start))),
                );
                start += padded_len::<T>(len);
            }
        }
        arrays
    }
}

/// Runs items one after another in one execution. A failure of the device fails all of them;
/// any other error fails its item alone.
pub(crate) fn one_by_one<B: Batchable>(
    items: &mut [B],
    context: &ExecutionContext<'_>,
) -> Result<Vec<Result<B::Output, Error>>, Error> {
    items
        .iter_mut()
        .map(|item| match item.run(context) {
            Err(error) if is_of_device(&error, context.device()) => Err(error),
            done => Ok(done),
        })
        .collect()
}

/// Whether the error is a failure of `device` and not of the item.
pub(crate) fn is_of_device(error: &Error, device: DeviceId) -> bool {
    match error {
        Error::Device { device: at, .. } | Error::DeviceLost { device: at, .. } => *at == device,
        Error::OutOfMemory { shortage, .. } => shortage.device == device,
        _ => false,
    }
}

/// Runs the items on the host, shared between threads where that pays, and returns the results
/// in order. `cost` is the bytes that all of them touch. The items of one thread share a state,
/// for what consecutive items have in common.
pub(crate) fn on_host<'a, B: Batchable, S: Default>(
    items: &'a mut [B],
    context: &ExecutionContext<'_>,
    cost: Bytes,
    run: impl Fn(&mut S, &'a mut B, &ExecutionContext<'_>) -> Result<B::Output, Error> + Sync,
) -> Result<Vec<Result<B::Output, Error>>, Error> {
    let pool = context.pool("a batch")?;
    if cost.0 / (items.len().max(1) as u64) < PARALLEL_FROM || !pool.is_worth_sharing(cost) {
        let mut state = S::default();
        let items = items.iter_mut();
        return Ok(items.map(|item| run(&mut state, item, context)).collect());
    }
    let mut slots: Vec<Option<Result<B::Output, Error>>> = Vec::new();
    slots.resize_with(items.len(), || None);
    let part = items
        .len()
        .div_ceil(pool.threads() * CHUNKS_PER_THREAD)
        .max(1);
    let parts = items.chunks_mut(part).zip(slots.chunks_mut(part));
    let (device, moved) = (context.device(), Mutex::new(TransferTotals::default()));
    pool.each(cost, parts, |(items, slots)| {
        // A context counts its transfers without a lock, so every part needs its own.
        let context = ExecutionContext::new(device, ExecutionTarget::Host(pool));
        let mut state = S::default();
        for (item, slot) in items.iter_mut().zip(slots) {
            *slot = Some(run(&mut state, item, &context));
        }
        if context.moved() != TransferTotals::default() {
            let mut moved = moved.lock().unwrap_or_else(PoisonError::into_inner);
            *moved = moved.and(&context.moved());
        }
    });
    context.count(&moved.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(slots.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_result_lands_in_its_own_array(
            lengths in prop::collection::vec(0_usize..3000, 0..60),
            step in 1_usize..32,
        ) {
            let mut result_buffers = ResultBuffers::<u32>::of(lengths.iter().copied()).unwrap();
            let sink = result_buffers.sink(step);
            let mut whole = vec![0; sink.len()];
            let mut at = 0;
            for (index, &len) in lengths.iter().enumerate() {
                whole[at..at + 4 * len].fill(index as u8 + 1);
                at += (4 * len).next_multiple_of(step);
            }
            let mut sink = sink;
            sink.put(&whole);
            let shapes: Vec<Shape> = lengths.iter().map(|&len| Shape::flat(len)).collect();
            let arrays = result_buffers.results(shapes.iter());
            let arrays: Vec<_> = arrays.into_iter().map(Result::unwrap).collect();
            prop_assert_eq!(arrays.len(), lengths.len());
            for (index, array) in arrays.iter().enumerate() {
                let wanted = u32::from_ne_bytes([index as u8 + 1; 4]);
                prop_assert_eq!(array.len(), lengths[index]);
                let elements = array.as_slice().unwrap();
                prop_assert!(elements.iter().all(|&element| element == wanted));
                prop_assert!(elements.as_ptr().addr().is_multiple_of(LINE));
            }
        }
    }

    #[test]
    fn writing_one_result_leaves_its_neighbours_alone() {
        let mut result_buffers = ResultBuffers::<u8>::of([3, 3].into_iter()).unwrap();
        result_buffers.sink(1).put(b"abcdef");
        let shape = Shape::flat(3);
        let results = result_buffers.results([&shape, &shape].into_iter());
        let mut arrays: Vec<_> = results.into_iter().map(Result::unwrap).collect();
        arrays[0].as_mut_slice().unwrap()[0] = b'x';
        assert_eq!(arrays[0].as_slice().unwrap(), b"xbc");
        assert_eq!(arrays[1].as_slice().unwrap(), b"def");
    }
}
