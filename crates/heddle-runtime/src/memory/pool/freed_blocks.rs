//! Freed blocks by size class, not yet joined with their neighbours.
//!
//! A repeating workload requests the sizes it has just freed. Its blocks are stored and taken
//! here without examining their neighbours.

use std::collections::BTreeMap;

use crate::memory::size_class;
use crate::memory::storage::{StreamIndex, StreamSet};
use crate::units::Nanos;

/// The number of waiting blocks searched for one that waits only for the requesting stream. The
/// last ones freed are the likeliest.
const WAITING_SEARCH_LIMIT: usize = 32;

/// A freed block.
#[derive(Clone, Copy, Debug)]
struct FreedBlock {
    address: u64,
    since: Nanos,
}

/// The freed blocks of one size.
#[derive(Debug, Default)]
struct SizeBin {
    size: u64,
    ready: Vec<FreedBlock>,
    /// With the streams that have work outstanding on it.
    waiting: Vec<(FreedBlock, StreamSet)>,
}

/// A block that leaves its bin: its address, its size, and when it became idle.
pub(super) type DrainedBlock = (u64, u64, Nanos);

#[derive(Debug)]
pub(super) struct FreedBlocks {
    counted: Vec<SizeBin>,
    /// A bit per bin with waiting blocks.
    with_waiting: u128,
    uncounted: BTreeMap<u64, SizeBin>,
    pub(super) ready_bytes: u64,
    /// The number of blocks that wait for nothing.
    pub(super) ready_blocks: usize,
    pub(super) waiting_bytes: u64,
}

const _: () = assert!(size_class::COUNTED <= u128::BITS as usize);

impl FreedBlocks {
    pub(super) fn new() -> Self {
        Self {
            counted: std::iter::repeat_with(SizeBin::default)
                .take(size_class::COUNTED)
                .collect(),
            with_waiting: 0,
            uncounted: BTreeMap::new(),
            ready_bytes: 0,
            ready_blocks: 0,
            waiting_bytes: 0,
        }
    }

    /// The address of a block of exactly this class that `stream` may have now, and the stream
    /// itself if it still has work queued on it.
    #[inline]
    pub(super) fn take(
        &mut self,
        size: u64,
        stream: Option<StreamIndex>,
    ) -> Option<(u64, Option<StreamIndex>)> {
        let bin = match size_class::number(size) {
            Some(number) => self.counted.get_mut(number)?,
            None => self.uncounted.get_mut(&size)?,
        };
        // A block in use by the same stream comes first: any stream can have the others.
        if let Some(own) = stream
            && let Some(place) = bin.waiting_for(own)
        {
            let (freed, _) = bin.waiting.swap_remove(place);
            self.waiting_bytes -= size;
            return Some((freed.address, stream));
        }
        let freed = bin.ready.pop()?;
        self.ready_bytes -= size;
        self.ready_blocks -= 1;
        Some((freed.address, None))
    }

    #[inline]
    pub(super) fn put(&mut self, address: u64, size: u64, busy: StreamSet, since: Nanos) {
        let freed = FreedBlock { address, since };
        let number = size_class::number(size);
        let bin = match number.and_then(|number| self.counted.get_mut(number)) {
            Some(bin) => bin,
            None => self.uncounted.entry(size).or_default(),
        };
        bin.size = size;
        if busy.is_empty() {
            bin.ready.push(freed);
            self.ready_bytes += size;
            self.ready_blocks += 1;
        } else {
            bin.waiting.push((freed, busy));
            self.waiting_bytes += size;
            if let Some(number) = number {
                self.with_waiting |= 1 << number;
            }
        }
    }

    /// Makes ready the blocks that waited only for these streams.
    pub(super) fn mark_synchronized(&mut self, streams: StreamSet) {
        if self.waiting_bytes == 0 {
            return;
        }
        let mut left = self.with_waiting;
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            let Some(bin) = self.counted.get_mut(number) else {
                continue;
            };
            let synchronized = bin.mark_synchronized(streams);
            self.ready_blocks += synchronized;
            self.waiting_bytes -= synchronized as u64 * bin.size;
            self.ready_bytes += synchronized as u64 * bin.size;
            if bin.waiting.is_empty() {
                self.with_waiting &= !(1 << number);
            }
        }
        for bin in self.uncounted.values_mut() {
            let synchronized = bin.mark_synchronized(streams);
            self.ready_blocks += synchronized;
            self.waiting_bytes -= synchronized as u64 * bin.size;
            self.ready_bytes += synchronized as u64 * bin.size;
        }
    }

    /// Takes out every block that waits for nothing and has been idle since `before` or longer.
    pub(super) fn drain(&mut self, before: Nanos, mut each: impl FnMut(DrainedBlock)) {
        for bin in self.counted.iter_mut().chain(self.uncounted.values_mut()) {
            let size = bin.size;
            bin.ready.retain(|freed| {
                let stays = freed.since > before;
                if !stays {
                    each((freed.address, size, freed.since));
                    self.ready_bytes -= size;
                    self.ready_blocks -= 1;
                }
                stays
            });
        }
        self.uncounted
            .retain(|_, bin| !(bin.ready.is_empty() && bin.waiting.is_empty()));
    }

    /// The size of the largest block that waits for nothing.
    pub(super) fn largest(&self) -> u64 {
        let counted = self.counted.iter();
        let bins = counted.chain(self.uncounted.values());
        bins.filter(|bin| !bin.ready.is_empty())
            .map(|bin| bin.size)
            .max()
            .unwrap_or(0)
    }
}

impl SizeBin {
    /// The position of a block that waits for this stream alone.
    fn waiting_for(&self, stream: StreamIndex) -> Option<usize> {
        let alone = stream.as_set();
        let last = self
            .waiting
            .iter()
            .enumerate()
            .rev()
            .take(WAITING_SEARCH_LIMIT);
        last.filter(|(_, (_, busy))| *busy == alone)
            .map(|(place, _)| place)
            .next()
    }

    /// Returns the number of blocks that became ready.
    fn mark_synchronized(&mut self, streams: StreamSet) -> usize {
        let before = self.ready.len();
        let ready = &mut self.ready;
        self.waiting.retain_mut(|(freed, busy)| {
            *busy = busy.without(streams);
            let rests = busy.is_empty();
            if rests {
                ready.push(*freed);
            }
            !rests
        });
        self.ready.len() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_waits_for_every_stream_that_used_it() {
        let mut bins = FreedBlocks::new();
        let [zero, one] = [0, 1].map(StreamIndex::new);
        for size in [4096, 1 << 30] {
            bins.put(7, size, StreamSet(0b101), Nanos(0));
            bins.mark_synchronized(StreamSet(0b010));
            assert_eq!(bins.take(size, zero), None);
            bins.mark_synchronized(StreamSet(0b100));
            assert_eq!(bins.take(size, one), None, "still busy on 0");
            assert_eq!(bins.take(size, None), None, "no stream's order protects it");
            assert_eq!(bins.take(size, zero), Some((7, zero)), "its own order does");
            bins.put(8, size, StreamSet(1), Nanos(0));
            bins.mark_synchronized(StreamSet::ALL);
            assert_eq!(bins.take(size, one), Some((8, None)));
            let left = (bins.ready_bytes, bins.ready_blocks, bins.waiting_bytes);
            assert_eq!(left, (0, 0, 0));
        }
    }

    #[test]
    fn only_what_rested_long_enough_is_drained() {
        let mut bins = FreedBlocks::new();
        bins.put(1, 256, StreamSet::NONE, Nanos(10));
        bins.put(2, 256, StreamSet::NONE, Nanos(20));
        bins.put(3, 512, StreamSet(1), Nanos(10));
        let mut drained = Vec::new();
        bins.drain(Nanos(10), |leaving| drained.push(leaving));
        assert_eq!(drained, [(1, 256, Nanos(10))]);
        assert_eq!((bins.largest(), bins.ready_bytes), (256, 256));
        assert_eq!(bins.ready_blocks, 1);
    }
}
