//! The storage below an emulated GPU's memory: one guarded region for each block.
//!
//! No pool lies above it: a stray write into memory kept for reuse would miss the guards.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heddle_runtime::memory::{Block, Refusal, Storage, StorageReading, StreamIndex, StreamSet};
use heddle_runtime::units::Bytes;

use super::fault::FaultPlan;
use super::memory::GuardedRegion;

/// The regions of one device.
pub(super) struct SimtStorage {
    memory: Bytes,
    checked: bool,
    faults: Arc<FaultPlan>,
    live: Mutex<LiveRegions>,
}

#[derive(Default)]
struct LiveRegions {
    /// The live regions, by the address of the content.
    regions: BTreeMap<u64, Arc<GuardedRegion>>,
    used: u64,
    allocations: u64,
    /// A guard error found in a region that has been freed.
    damage: Option<String>,
}

impl SimtStorage {
    /// A storage of `memory` bytes, all of them free.
    pub(super) fn new(memory: Bytes, checked: bool, faults: Arc<FaultPlan>) -> Self {
        Self {
            memory,
            checked,
            faults,
            live: Mutex::default(),
        }
    }

    /// The region whose content starts at `address`.
    pub(super) fn at(&self, address: u64) -> Option<Arc<GuardedRegion>> {
        self.lock().regions.get(&address).cloned()
    }

    /// Describes a write over the guards of a live region; reported once.
    pub(super) fn take_damage(&self) -> Option<String> {
        let live = self.lock();
        live.regions
            .values()
            .find_map(|region| region.take_damage())
    }

    /// Describes a write over the guards of a freed region; reported once.
    pub(super) fn take_past_damage(&self) -> Option<String> {
        self.lock().damage.take()
    }

    fn lock(&self) -> MutexGuard<'_, LiveRegions> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for SimtStorage {
    fn allocate(&self, bytes: Bytes, _stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let exhausted = || Refusal::Exhausted { asked: bytes };
        if self.faults.refuses_memory() {
            return Err(exhausted());
        }
        {
            // Counted first: a block over the limit must not be allocated on the host
            // either.
            let mut live = self.lock();
            if bytes.0 > self.memory.0.saturating_sub(live.used) {
                return Err(exhausted());
            }
            live.used += bytes.0;
        }
        let region = GuardedRegion::new(bytes, self.checked);
        let mut live = self.lock();
        let Some(region) = region else {
            live.used -= bytes.0;
            return Err(exhausted());
        };
        let address = region.address();
        live.allocations += 1;
        live.regions.insert(address, Arc::new(region));
        Ok(Block::new(address, bytes))
    }

    /// Checks the guards a last time. The region itself is dropped with its last user, the
    /// buffer that is being dropped.
    fn free(&self, block: Block, _busy: StreamSet) {
        let mut live = self.lock();
        let region = live.regions.remove(&block.address);
        live.used -= block.bytes.0;
        if let Some(damage) = region.and_then(|region| region.take_damage()) {
            live.damage.get_or_insert(damage);
        }
    }

    fn synchronized(&self, _streams: StreamSet) {}

    /// The storage keeps nothing for reuse.
    fn release(&self, _wanted: Bytes) -> Bytes {
        Bytes(0)
    }

    fn driver_free(&self) -> Option<Bytes> {
        Some(self.memory.saturating_sub(Bytes(self.lock().used)))
    }

    fn reading(&self) -> StorageReading {
        let live = self.lock();
        StorageReading {
            used: Bytes(live.used),
            held: Bytes(live.used),
            misses: live.allocations,
            ..StorageReading::default()
        }
    }
}
