//! The bottom of a stack for tests and replays: addresses without memory.
//!
//! No address is given out twice, and blocks are adjacent, so that a pool which wrongly joins
//! two of them is detected when it frees them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::storage::{Block, Refusal, Storage, StorageReading, StreamIndex, StreamSet};
use crate::units::Bytes;

/// The address of the first block. A GPU's allocator aligns at least as well.
const FIRST_ADDRESS: u64 = 1 << 32;
/// The alignment of a GPU's allocator.
const ALIGNMENT: u64 = 256;

/// Storage with a capacity and faults on demand, but no memory.
#[derive(Debug)]
pub struct SimulatedStorage {
    capacity: Bytes,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    live: BTreeMap<u64, Bytes>,
    used: u64,
    end: u64,
    requests: u64,
    faults: BTreeSet<u64>,
    taken_by_others: u64,
    misuses: u64,
}

impl SimulatedStorage {
    /// Creates a storage that grants at most `capacity` at once.
    #[must_use]
    pub fn new(capacity: Bytes) -> Self {
        Self {
            capacity,
            state: Mutex::default(),
        }
    }

    /// Makes the `n`-th allocation from now fail, counted from 1.
    pub fn fail_allocation(&self, n: u64) {
        let mut state = self.lock();
        let nth = state.requests + n;
        state.faults.insert(nth);
    }

    /// Sets how much of the capacity other processes hold.
    pub fn set_taken_by_others(&self, bytes: Bytes) {
        self.lock().taken_by_others = bytes.0;
    }

    /// The number of blocks freed that were never given out, had another size, or were busy.
    #[must_use]
    pub fn misuses(&self) -> u64 {
        self.lock().misuses
    }

    /// The number of allocations requested so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.lock().requests
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for SimulatedStorage {
    fn allocate(&self, bytes: Bytes, _stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let mut state = self.lock();
        state.requests += 1;
        let nth = state.requests;
        let faulty = state.faults.remove(&nth);
        let free = self
            .capacity
            .0
            .saturating_sub(state.used)
            .saturating_sub(state.taken_by_others);
        if faulty || bytes.0 > free {
            return Err(Refusal::Exhausted { asked: bytes });
        }
        let address = FIRST_ADDRESS + state.end;
        state.end += bytes.0.max(1).next_multiple_of(ALIGNMENT);
        state.used += bytes.0;
        state.live.insert(address, bytes);
        Ok(Block::new(address, bytes))
    }

    fn free(&self, block: Block, busy: StreamSet) {
        let mut state = self.lock();
        let known = state.live.remove(&block.address);
        if known != Some(block.bytes) || !busy.is_empty() {
            state.misuses += 1;
        }
        state.used -= known.unwrap_or_default().0;
    }

    fn synchronized(&self, _streams: StreamSet) {}

    fn release(&self, _wanted: Bytes) -> Bytes {
        Bytes(0)
    }

    fn driver_free(&self) -> Option<Bytes> {
        let state = self.lock();
        Some(
            self.capacity
                .saturating_sub(Bytes(state.used))
                .saturating_sub(Bytes(state.taken_by_others)),
        )
    }

    fn reading(&self) -> StorageReading {
        let state = self.lock();
        StorageReading {
            used: Bytes(state.used),
            held: Bytes(state.used),
            misses: state.requests,
            ..StorageReading::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_its_capacity_and_fails_on_demand() {
        let simulated_storage = SimulatedStorage::new(Bytes(1000));
        let first = simulated_storage.allocate(Bytes(600), None).unwrap();
        assert!(simulated_storage.allocate(Bytes(401), None).is_err());
        simulated_storage.fail_allocation(2);
        let second = simulated_storage.allocate(Bytes(100), None).unwrap();
        assert!(simulated_storage.allocate(Bytes(100), None).is_err());
        let third = simulated_storage.allocate(Bytes(100), None).unwrap();
        assert_ne!(second.address, third.address);
        simulated_storage.set_taken_by_others(Bytes(150));
        assert_eq!(simulated_storage.driver_free(), Some(Bytes(50)));
        for block in [first, second, third] {
            simulated_storage.free(block, StreamSet::NONE);
        }
        assert_eq!(
            (
                simulated_storage.reading().used,
                simulated_storage.misuses()
            ),
            (Bytes(0), 0)
        );
    }

    #[test]
    fn detects_frees_of_blocks_it_never_granted() {
        let simulated_storage = SimulatedStorage::new(Bytes(1000));
        let block = simulated_storage.allocate(Bytes(600), None).unwrap();
        simulated_storage.free(Block::new(block.address, Bytes(599)), StreamSet::NONE);
        simulated_storage.free(Block::new(1, Bytes(1)), StreamSet::NONE);
        assert_eq!(simulated_storage.misuses(), 2);
    }
}
