//! The regions a pool holds and the free spans in them, joined where they touch.

use std::collections::{BTreeMap, BTreeSet};

use crate::memory::storage::Block;
use crate::units::Nanos;

/// Adjacent free bytes.
#[derive(Clone, Copy, Debug)]
struct FreeSpan {
    bytes: u64,
    /// When the last part of it was freed.
    since: Nanos,
}

#[derive(Debug, Default)]
pub(super) struct RegionMap {
    regions: BTreeMap<u64, Block>,
    spans: BTreeMap<u64, FreeSpan>,
    /// Size and address of every span, so that the first one large enough is the smallest.
    by_size: BTreeSet<(u64, u64)>,
}

impl RegionMap {
    /// Adds a region, all of it free.
    pub(super) fn add(&mut self, region: Block, now: Nanos) {
        let (address, bytes) = (region.address, region.bytes.0);
        self.regions.insert(address, region);
        self.put(address, bytes, now);
    }

    /// Adds a freed block and joins it with its free neighbours, but never across the border of
    /// a region.
    pub(super) fn put(&mut self, mut address: u64, mut bytes: u64, mut since: Nanos) {
        let before = self.spans.range(..address).next_back();
        if let Some((&start, &span)) = before
            && start + span.bytes == address
            && !self.regions.contains_key(&address)
        {
            self.remove(start, span);
            address = start;
            bytes += span.bytes;
            since = since.max(span.since);
        }
        let end = address + bytes;
        if let Some(&span) = self.spans.get(&end)
            && !self.regions.contains_key(&end)
        {
            self.remove(end, span);
            bytes += span.bytes;
            since = since.max(span.since);
        }
        self.insert(address, FreeSpan { bytes, since });
    }

    /// Takes a block of `size` from the smallest span that is large enough, if that span is not
    /// larger than `most`. The rest of the span stays free.
    pub(super) fn fit(&mut self, size: u64, most: u64) -> Option<u64> {
        let &(bytes, address) = self.by_size.range((size, 0)..).next()?;
        if bytes > most {
            return None;
        }
        let span = *self.spans.get(&address)?;
        self.remove(address, span);
        if bytes > size {
            let rest = FreeSpan {
                bytes: bytes - size,
                ..span
            };
            self.insert(address + size, rest);
        }
        Some(address)
    }

    /// Takes out wholly free regions that have been idle since `before` or longer, the longest
    /// idle first, until they make up `wanted` bytes.
    pub(super) fn release(&mut self, wanted: u64, before: Nanos) -> Vec<Block> {
        if wanted == 0 {
            return Vec::new();
        }
        let mut idle: Vec<_> = self
            .idle()
            .filter(|(span, _)| span.since <= before)
            .collect();
        idle.sort_by_key(|&(span, address)| (span.since, address));
        let mut released = Vec::new();
        let mut bytes = 0;
        for (span, address) in idle {
            if bytes >= wanted {
                break;
            }
            self.remove(address, span);
            released.extend(self.regions.remove(&address));
            bytes += span.bytes;
        }
        released
    }

    /// The size of the largest span.
    pub(super) fn largest(&self) -> u64 {
        self.by_size.last().map_or(0, |&(bytes, _)| bytes)
    }

    /// The bytes of the wholly free regions.
    pub(super) fn idle_bytes(&self) -> u64 {
        self.idle().map(|(span, _)| span.bytes).sum()
    }

    fn idle(&self) -> impl Iterator<Item = (FreeSpan, u64)> {
        self.regions.iter().filter_map(|(&address, region)| {
            let span = *self.spans.get(&address)?;
            (span.bytes == region.bytes.0).then_some((span, address))
        })
    }

    fn insert(&mut self, address: u64, span: FreeSpan) {
        self.spans.insert(address, span);
        self.by_size.insert((span.bytes, address));
    }

    fn remove(&mut self, address: u64, span: FreeSpan) {
        self.spans.remove(&address);
        self.by_size.remove(&(span.bytes, address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn region(address: u64, bytes: u64) -> Block {
        Block::new(address, Bytes(bytes))
    }

    #[test]
    fn spans_are_joined_within_a_region_and_never_across() {
        let mut region_map = RegionMap::default();
        region_map.add(region(0, 1024), Nanos(0));
        region_map.add(region(1024, 1024), Nanos(0));
        assert_eq!(region_map.largest(), 1024);
        let blocks = [256; 8].map(|size| region_map.fit(size, u64::MAX).unwrap());
        assert_eq!(region_map.largest(), 0);
        for address in blocks
            .iter()
            .rev()
            .step_by(2)
            .chain(blocks.iter().step_by(2))
        {
            region_map.put(*address, 256, Nanos(0));
        }
        assert_eq!(
            (region_map.largest(), region_map.idle_bytes()),
            (1024, 2048)
        );
    }

    #[test]
    fn the_longest_idle_region_goes_first() {
        let mut region_map = RegionMap::default();
        for (address, since) in [(0, 30), (4096, 10), (8192, 20)] {
            region_map.add(region(address, 1024), Nanos(since));
        }
        let idle = region_map.release(1, Nanos(20));
        assert_eq!(idle, [region(4096, 1024)]);
        assert_eq!(
            region_map.release(u64::MAX, Nanos(20)),
            [region(8192, 1024)]
        );
        assert_eq!(region_map.idle_bytes(), 1024);
    }

    #[test]
    fn the_smallest_span_that_fits_is_split() {
        let mut region_map = RegionMap::default();
        region_map.add(region(0, 4096), Nanos(0));
        region_map.add(region(8192, 1024), Nanos(0));
        assert_eq!(region_map.fit(512, u64::MAX), Some(8192));
        assert_eq!(region_map.fit(1024, 2048), None, "the next one is larger");
        assert_eq!(region_map.fit(1024, u64::MAX), Some(0));
        assert_eq!(region_map.largest(), 3072);
    }
}
