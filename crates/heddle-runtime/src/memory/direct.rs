//! No reuse: every block comes from the part below and is freed there.
//!
//! For devices whose storage checks each buffer on its own, as the emulated GPU's guard zones
//! do. Blocks with work outstanding still wait for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pending::Pending;
use super::storage::{Block, Refusal, Storage, StorageReading, Stream, Streams};
use crate::units::Bytes;

/// Passes every request on and frees as soon as no work is queued.
#[derive(Debug)]
pub struct Direct<S: Storage> {
    below: S,
    pending: Pending,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<(Block, Streams)>,
    used: u64,
    waiting_bytes: u64,
    allocations: u64,
}

impl<S: Storage> Direct<S> {
    /// Takes each block from `below`. `hears_queued` is as in
    /// [`PoolSettings`](super::PoolSettings).
    pub fn new(below: S, hears_queued: bool) -> Self {
        Self {
            below,
            pending: Pending::new(hears_queued),
            state: Mutex::default(),
        }
    }

    /// The part below.
    pub fn below(&self) -> &S {
        &self.below
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Storage> Storage for Direct<S> {
    fn allocate(&self, bytes: Bytes, stream: Option<Stream>) -> Result<Block, Refusal> {
        let block = self.below.allocate(bytes, stream)?;
        let mut state = self.lock();
        state.used += block.bytes.0;
        state.allocations += 1;
        Ok(block)
    }

    fn free(&self, block: Block, busy: Streams) {
        {
            let mut state = self.lock();
            state.used -= block.bytes.0;
            let busy = self.pending.narrow(busy);
            if !busy.is_empty() {
                state.waiting_bytes += block.bytes.0;
                state.waiting.push((block, busy));
                return;
            }
        }
        self.below.free(block, Streams::NONE);
    }

    fn queued(&self, streams: Streams) {
        self.pending.queued(streams);
    }

    fn settled(&self, streams: Streams) {
        self.pending.settled(streams);
        let rested = self.lock().settle(streams);
        for block in rested {
            self.below.free(block, Streams::NONE);
        }
    }

    fn unsettled(&self) -> Streams {
        self.pending.unsettled()
    }

    fn release(&self, wanted: Bytes) -> Bytes {
        self.below.release(wanted)
    }

    fn tick(&self) -> Bytes {
        self.below.tick()
    }

    fn granted(&self, bytes: Bytes) -> Bytes {
        self.below.granted(bytes)
    }

    fn driver_free(&self) -> Option<Bytes> {
        self.below.driver_free()
    }

    fn reading(&self) -> StorageReading {
        let state = self.lock();
        StorageReading {
            used: Bytes(state.used),
            held: Bytes(state.used + state.waiting_bytes),
            waiting: Bytes(state.waiting_bytes),
            misses: state.allocations,
            ..StorageReading::default()
        }
    }
}

impl State {
    /// Removes the blocks that waited only for these streams.
    fn settle(&mut self, streams: Streams) -> Vec<Block> {
        let mut rested = Vec::new();
        for (block, busy) in std::mem::take(&mut self.waiting) {
            let busy = busy.without(streams);
            if busy.is_empty() {
                self.waiting_bytes -= block.bytes.0;
                rested.push(block);
            } else {
                self.waiting.push((block, busy));
            }
        }
        rested
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::HostStorage;

    #[test]
    fn a_busy_block_goes_back_once_its_streams_settle() {
        let direct = Direct::new(HostStorage::new(Bytes(1000)), false);
        let block = direct.allocate(Bytes(1000), None).unwrap();
        direct.free(block, Streams(0b11));
        assert!(direct.allocate(Bytes(1), None).is_err());
        direct.settled(Streams(0b01));
        assert_eq!(direct.reading().waiting, Bytes(1000));
        direct.settled(Streams(0b10));
        assert_eq!(direct.below().reading().used, Bytes(0));
    }

    #[test]
    fn told_of_queued_work_it_waits_for_nothing_else() {
        let direct = Direct::new(HostStorage::new(Bytes(1000)), true);
        direct.queued(Streams(0b01));
        let [first, second] = [(); 2].map(|()| direct.allocate(Bytes(100), None).unwrap());
        direct.free(first, Streams(0b10));
        assert_eq!(
            direct.reading().held,
            Bytes(100),
            "nothing was queued there"
        );
        direct.free(second, Streams(0b11));
        assert_eq!(direct.reading().waiting, Bytes(100));
        direct.settled(Streams(0b01));
        assert_eq!(direct.reading().held, Bytes(0));
    }
}
