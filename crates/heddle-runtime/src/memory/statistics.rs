//! Counts allocations, in all and by site.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::clock::TimeSource;
use super::site::AllocationSite;
use super::storage::{Block, Refusal, Storage, StreamIndex, StreamSet, delegate_storage};
use crate::units::{Bytes, Nanos};

/// Counts allocations in all and by [`AllocationSite`].
#[derive(Debug)]
pub struct Statistics<S> {
    upstream: S,
    clock: Arc<dyn TimeSource>,
    site_table: Mutex<CallSiteTable>,
}

/// The state of [`Statistics`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StatisticsReading {
    /// The bytes granted and not freed.
    pub allocated: Bytes,
    /// The most bytes granted at once.
    pub peak: Bytes,
    /// Blocks granted and not freed.
    pub live: u64,
    /// Blocks granted.
    pub allocations: u64,
    /// Blocks freed.
    pub frees: u64,
    /// Requests refused, including repeated attempts.
    pub refusals: u64,
}

/// The memory held by one site.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct SiteUsage {
    /// The site.
    pub site: AllocationSite,
    /// The bytes it holds.
    pub bytes: Bytes,
    /// The number of its blocks.
    pub blocks: u64,
    /// The time when the oldest of them was allocated.
    pub oldest: Nanos,
}

/// The least a site has held since the last query.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteMinimum {
    pub(super) site: AllocationSite,
    pub(super) least: Bytes,
}

#[derive(Debug, Default)]
struct CallSiteTable {
    total: StatisticsReading,
    accounts: Vec<SiteAccount>,
    /// The account of each site, by the addresses of its constants.
    by_site: HashMap<(usize, usize), u32, AddressBuildHasher>,
    /// The account used last: an operation allocates more than once.
    last: usize,
    live: HashMap<u64, LiveBlock, AddressBuildHasher>,
}

#[derive(Debug)]
struct SiteAccount {
    site: AllocationSite,
    bytes: u64,
    least: u64,
}

#[derive(Clone, Copy, Debug)]
struct LiveBlock {
    account: u32,
    bytes: u64,
    allocated_at: Nanos,
}

type AddressBuildHasher = BuildHasherDefault<AddressHasher>;

/// A hasher for addresses, which only need to fill all bits of the hash.
#[derive(Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // The golden ratio's bits, as in Fibonacci hashing.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

impl<S: Storage> Statistics<S> {
    /// Counts the requests to `upstream`.
    pub fn new(upstream: S, clock: Arc<dyn TimeSource>) -> Self {
        Self {
            upstream,
            clock,
            site_table: Mutex::default(),
        }
    }

    /// The part below.
    pub fn upstream(&self) -> &S {
        &self.upstream
    }

    /// Returns the current counts.
    pub fn statistics(&self) -> StatisticsReading {
        self.lock().total
    }

    /// Returns the `most` largest holders, largest first.
    pub fn holders(&self, most: usize) -> Vec<SiteUsage> {
        let mut holders = self.lock().holders();
        holders.sort_by_key(|holder| (std::cmp::Reverse(holder.bytes), holder.site.key()));
        holders.truncate(most);
        holders
    }

    /// Returns the least each site has held since the last call. A site that has never held
    /// memory is left out.
    pub(super) fn take_minima(&self) -> Vec<SiteMinimum> {
        let mut site_table = self.lock();
        let floors = site_table.accounts.iter_mut().map(|account| SiteMinimum {
            site: account.site,
            least: Bytes(std::mem::replace(&mut account.least, account.bytes)),
        });
        floors.collect()
    }

    fn lock(&self) -> MutexGuard<'_, CallSiteTable> {
        self.site_table
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Storage::allocate`], attributed to `site`.
    #[inline]
    pub(crate) fn allocate_for(
        &self,
        site: AllocationSite,
        bytes: Bytes,
        stream: Option<StreamIndex>,
    ) -> Result<Block, Refusal> {
        match self.upstream.allocate(bytes, stream) {
            Ok(block) => {
                let allocated_at = self.clock.approximate_now();
                self.lock().add(site, &block, allocated_at);
                Ok(block)
            }
            Err(refusal) => {
                self.lock().total.refusals += 1;
                Err(refusal)
            }
        }
    }
}

impl CallSiteTable {
    #[inline]
    fn add(&mut self, site: AllocationSite, block: &Block, allocated_at: Nanos) {
        let bytes = block.bytes.0;
        let number = self.account(site);
        if let Some(account) = self.accounts.get_mut(number) {
            account.bytes += bytes;
        }
        let live = LiveBlock {
            account: number as u32,
            bytes,
            allocated_at,
        };
        self.live.insert(block.address, live);
        let total = &mut self.total;
        total.allocations += 1;
        total.live += 1;
        total.allocated.0 += bytes;
        total.peak = total.peak.max(total.allocated);
    }

    #[inline]
    fn remove(&mut self, address: u64) {
        let Some(live) = self.live.remove(&address) else {
            return;
        };
        if let Some(account) = self.accounts.get_mut(live.account as usize) {
            account.bytes -= live.bytes;
            account.least = account.least.min(account.bytes);
        }
        self.total.frees += 1;
        self.total.live -= 1;
        self.total.allocated.0 -= live.bytes;
    }

    /// The index of a site's account.
    #[inline]
    fn account(&mut self, site: AllocationSite) -> usize {
        let last = self.accounts.get(self.last);
        if last.is_some_and(|account| account.site.is_identical(site)) {
            return self.last;
        }
        let key = (
            std::ptr::from_ref(site.place).addr(),
            site.kind.as_ptr().addr(),
        );
        let next = self.accounts.len() as u32;
        let number = *self.by_site.entry(key).or_insert(next);
        if number == next {
            self.accounts.push(SiteAccount {
                site,
                bytes: 0,
                least: 0,
            });
        }
        self.last = number as usize;
        self.last
    }

    fn holders(&self) -> Vec<SiteUsage> {
        let mut holders: HashMap<_, SiteUsage> = HashMap::new();
        for live in self.live.values() {
            let Some(account) = self.accounts.get(live.account as usize) else {
                continue;
            };
            let holder = holders.entry(account.site.key()).or_insert(SiteUsage {
                site: account.site,
                bytes: Bytes(0),
                blocks: 0,
                oldest: live.allocated_at,
            });
            holder.bytes.0 += live.bytes;
            holder.blocks += 1;
            holder.oldest = holder.oldest.min(live.allocated_at);
        }
        holders.into_values().collect()
    }
}

impl<S: Storage> Storage for Statistics<S> {
    #[track_caller]
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        self.allocate_for(AllocationSite::current(), bytes, stream)
    }

    #[inline]
    fn free(&self, block: Block, busy: StreamSet) {
        // Removed before the free: once the block is free below, its address may be granted
        // again.
        self.lock().remove(block.address);
        self.upstream.free(block, busy);
    }

    delegate_storage!(self => self.upstream; granted, streams, release, tick, driver_free, reading);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::memory::{ManualClock, SimulatedStorage};

    #[test]
    fn records_what_each_site_holds_since_when() {
        let clock = Arc::new(ManualClock::default());
        let simulated_storage = SimulatedStorage::new(Bytes(1000));
        let statistics =
            Statistics::new(simulated_storage, Arc::clone(&clock) as Arc<dyn TimeSource>);
        let allocate = |bytes| statistics.allocate(Bytes(bytes), None).unwrap();
        let (old, young, other);
        {
            let _site = AllocationSite::of_caller("xor").enter();
            old = allocate(100);
            clock.advance(Duration::from_secs(1));
            young = allocate(200);
        }
        {
            let _site = AllocationSite::of_caller("matmul").enter();
            other = allocate(250);
            assert!(statistics.allocate(Bytes(5000), None).is_err());
        }
        let holders = statistics.holders(9);
        let says: Vec<_> = holders
            .iter()
            .map(|holder| {
                (
                    holder.site.kind,
                    holder.bytes.0,
                    holder.blocks,
                    holder.oldest.0,
                )
            })
            .collect();
        assert_eq!(
            says,
            [("xor", 300, 2, 0), ("matmul", 250, 1, 1_000_000_000)]
        );
        statistics.free(old, StreamSet::NONE);
        assert_eq!(statistics.holders(1)[0].site.kind, "matmul");
        for block in [young, other] {
            statistics.free(block, StreamSet::NONE);
        }
        assert!(statistics.holders(9).is_empty());
        let expected = StatisticsReading {
            allocated: Bytes(0),
            peak: Bytes(550),
            live: 0,
            allocations: 3,
            frees: 3,
            refusals: 1,
        };
        assert_eq!(statistics.statistics(), expected);
    }

    #[test]
    fn a_floor_is_the_least_since_the_last_look() {
        let clock = Arc::new(ManualClock::default());
        let statistics = Statistics::new(SimulatedStorage::new(Bytes(1000)), clock);
        let check_after_change = || {
            statistics
                .take_minima()
                .iter()
                .map(|floor| floor.least.0)
                .sum::<u64>()
        };
        let _site = AllocationSite::of_caller("sawtooth").enter();
        let [first, second] = [(); 2].map(|()| statistics.allocate(Bytes(100), None).unwrap());
        assert_eq!(check_after_change(), 0, "it held nothing at first");
        statistics.free(first, StreamSet::NONE);
        let third = statistics.allocate(Bytes(300), None).unwrap();
        assert_eq!((check_after_change(), check_after_change()), (100, 400));
        for block in [second, third] {
            statistics.free(block, StreamSet::NONE);
        }
        assert_eq!(check_after_change(), 0);
    }
}
