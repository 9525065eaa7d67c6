//! How a batch's items are run one by one or on several threads, and where the
//! answers of one launch land.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use crate::array::{Array, HostBuffer};
use crate::device::{DeviceId, Lane, Moved, Place, Sink};
use crate::dtype::Element;
use crate::error::Error;
use crate::shape::Shape;
use crate::units::Bytes;

use super::Batchable;

/// Work every item adds beside its bytes: making its result takes a processor some
/// 100 ns, in which it would move about this much.
pub(crate) const ITEM_BYTES: u64 = 1024;
/// What an item must cost for threads to share items. Smaller ones spend their time
/// in the allocator, which is slower on threads that help: 10,000 xors of 1 kB took
/// 9.9 ms on one thread and 14.8 on two (EPYC Zen 4, two cores, both busy).
const SHARE_FROM: u64 = 16 << 10;
/// Answers of at most this many bytes share a buffer, so many of them: one that is
/// kept keeps the others' bytes too, and that must stay a small multiple of it.
const SHARED_UP_TO: u64 = 4 << 10;
const MOST_TOGETHER: usize = 16;
/// Every answer begins on a cache line.
const LINE: usize = 64;
/// Turns each thread takes, about: enough to even out, few enough to be free.
const TURNS: usize = 16;

/// Elements of one item, and what it takes to reach the next one's cache line.
fn spaced<T: Element>(len: usize) -> usize {
    let line = (LINE / size_of::<T>()).max(1);
    len.next_multiple_of(line)
}

/// Where the answers of a batch go: each to a buffer of its own, or, where they are
/// small, a few to one buffer.
#[derive(Debug)]
pub(crate) struct Landing<T: Element> {
    buffers: Vec<Shared<T>>,
    lengths: Vec<usize>,
}

/// A buffer, and how many answers it is for.
#[derive(Debug)]
struct Shared<T: Element> {
    buffer: HostBuffer<T>,
    answers: usize,
}

impl<T: Element> Landing<T> {
    /// Room for answers of so many elements each.
    pub(crate) fn of(lengths: impl Iterator<Item = usize>) -> Self {
        let lengths: Vec<usize> = lengths.collect();
        let mut buffers = Vec::with_capacity(lengths.len() / MOST_TOGETHER + 1);
        let mut rest = &lengths[..];
        while let [first, ..] = rest {
            let is_small = |&len: &usize| Bytes::of::<T>(len).0 <= SHARED_UP_TO;
            let together = if is_small(first) {
                rest.iter()
                    .take(MOST_TOGETHER)
                    .take_while(|len| is_small(len))
                    .count()
            } else {
                1
            };
            let (here, after) = rest.split_at(together);
            let total = here.iter().map(|&len| spaced::<T>(len)).sum();
            buffers.push(Shared {
                buffer: HostBuffer::unspecified(total),
                answers: together,
            });
            rest = after;
        }
        Self { buffers, lengths }
    }

    /// The room for writing, each answer taking a multiple of `step` bytes of the
    /// whole.
    pub(crate) fn sink(&mut self, step: usize) -> Sink<'_> {
        let mut lengths = self.lengths.iter();
        Sink::pieces(self.buffers.iter_mut().flat_map(|shared| {
            let mut rest = shared.buffer.as_mut_slice();
            let of_this = lengths.by_ref().take(shared.answers).copied();
            let parts: SmallVec<[_; MOST_TOGETHER]> = of_this
                .map(|len| {
                    let (part, after) = mem::take(&mut rest).split_at_mut(spaced::<T>(len));
                    rest = after;
                    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut part[..len]);
                    let room = bytes.len().next_multiple_of(step);
                    (bytes, room)
                })
                .collect();
            parts
        }))
    }

    /// The answers, of these shapes; none is an error.
    pub(crate) fn answers<'a>(
        self,
        mut shapes: impl Iterator<Item = &'a Shape>,
    ) -> Vec<Result<Array<T>, Error>> {
        let mut arrays = Vec::with_capacity(self.lengths.len());
        let mut lengths = self.lengths.into_iter();
        for Shared { buffer, answers } in self.buffers {
            if answers == 1 && lengths.len() > 0 && buffer.len() == lengths.as_slice()[0] {
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
            for len in lengths.by_ref().take(answers) {
                arrays.extend(
                    shapes
                        .next()
                        .map(|shape| Ok(Array::within(shape.clone(), &buffer, start))),
                );
                start += spaced::<T>(len);
            }
        }
        arrays
    }
}

/// Runs items one after another in one execution. A device that fails takes all of
/// them with it; anything else is that item's own.
pub(crate) fn one_by_one<B: Batchable>(
    items: &mut [B],
    lane: &Lane<'_>,
) -> Result<Vec<Result<B::Output, Error>>, Error> {
    items
        .iter_mut()
        .map(|item| match item.run(lane) {
            Err(error) if is_of_device(&error, lane.device()) => Err(error),
            done => Ok(done),
        })
        .collect()
}

/// Whether `device` failed, and not the item.
pub(crate) fn is_of_device(error: &Error, device: DeviceId) -> bool {
    match error {
        Error::Device { device: at, .. } | Error::DeviceLost { device: at, .. } => *at == device,
        Error::OutOfMemory { shortage, .. } => shortage.device == device,
        _ => false,
    }
}

/// Runs the items on the host, shared between threads where that pays: the
/// answers, in order. `cost` is what all of them touch; a thread's items share a
/// state, for what neighbours have in common.
pub(crate) fn on_host<'a, B: Batchable, S: Default>(
    items: &'a mut [B],
    lane: &Lane<'_>,
    cost: Bytes,
    run: impl Fn(&mut S, &'a mut B, &Lane<'_>) -> Result<B::Output, Error> + Sync,
) -> Result<Vec<Result<B::Output, Error>>, Error> {
    let pool = lane.pool("a batch")?;
    if cost.0 / (items.len().max(1) as u64) < SHARE_FROM || !pool.is_worth_sharing(cost) {
        let mut state = S::default();
        let items = items.iter_mut();
        return Ok(items.map(|item| run(&mut state, item, lane)).collect());
    }
    let mut slots: Vec<Option<Result<B::Output, Error>>> = Vec::new();
    slots.resize_with(items.len(), || None);
    let part = items.len().div_ceil(pool.threads() * TURNS).max(1);
    let parts = items.chunks_mut(part).zip(slots.chunks_mut(part));
    let (device, moved) = (lane.device(), Mutex::new(Moved::default()));
    pool.each(cost, parts, |(items, slots)| {
        // A lane counts its transfers without a lock, so every part has its own.
        let lane = Lane::new(device, Place::Host(pool));
        let mut state = S::default();
        for (item, slot) in items.iter_mut().zip(slots) {
            *slot = Some(run(&mut state, item, &lane));
        }
        if lane.moved() != Moved::default() {
            let mut moved = moved.lock().unwrap_or_else(PoisonError::into_inner);
            *moved = moved.and(&lane.moved());
        }
    });
    lane.count(&moved.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(slots.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_answer_lands_in_its_own_array(
            lengths in prop::collection::vec(0_usize..3000, 0..60),
            step in 1_usize..32,
        ) {
            let mut landing = Landing::<u32>::of(lengths.iter().copied());
            let sink = landing.sink(step);
            let mut whole = vec![0; sink.len()];
            let mut at = 0;
            for (index, &len) in lengths.iter().enumerate() {
                whole[at..at + 4 * len].fill(index as u8 + 1);
                at += (4 * len).next_multiple_of(step);
            }
            let mut sink = sink;
            sink.put(&whole);
            let shapes: Vec<Shape> = lengths.iter().map(|&len| Shape::flat(len)).collect();
            let arrays = landing.answers(shapes.iter());
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
    fn writing_one_answer_leaves_its_neighbours_alone() {
        let mut landing = Landing::<u8>::of([3, 3].into_iter());
        landing.sink(1).put(b"abcdef");
        let shape = Shape::flat(3);
        let answers = landing.answers([&shape, &shape].into_iter());
        let mut arrays: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        arrays[0].as_mut_slice().unwrap()[0] = b'x';
        assert_eq!(arrays[0].as_slice().unwrap(), b"xbc");
        assert_eq!(arrays[1].as_slice().unwrap(), b"def");
    }
}
