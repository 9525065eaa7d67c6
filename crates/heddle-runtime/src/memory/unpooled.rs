//! No reuse: every block comes from the part below and is freed there.
//!
//! For devices whose storage checks each buffer on its own, as the emulated GPU's guard zones
//! do. Blocks with work outstanding still wait for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pending_streams::PendingStreams;
use super::storage::{
    Block, Refusal, Storage, StorageReading, StreamIndex, StreamSet, delegate_storage,
};
use crate::units::Bytes;

/// Passes every request on and frees as soon as no work is queued.
#[derive(Debug)]
pub struct Unpooled<S: Storage> {
    upstream: S,
    pending_streams: PendingStreams,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<(Block, StreamSet)>,
    used: u64,
    waiting_bytes: u64,
    allocations: u64,
}

impl<S: Storage> Unpooled<S> {
    /// Takes each block from `upstream`. `tracks_queued_work` is as in
    /// [`PoolSettings`](super::PoolSettings).
    pub fn new(upstream: S, tracks_queued_work: bool) -> Self {
        Self {
            upstream,
            pending_streams: PendingStreams::new(tracks_queued_work),
            state: Mutex::default(),
        }
    }

    /// The part below.
    pub fn upstream(&self) -> &S {
        &self.upstream
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Storage> Storage for Unpooled<S> {
    fn allocate(&self, bytes: Bytes, stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        let block = self.upstream.allocate(bytes, stream)?;
        let mut state = self.lock();
        state.used += block.bytes.0;
        state.allocations += 1;
        Ok(block)
    }

    fn free(&self, block: Block, busy: StreamSet) {
        {
            let mut state = self.lock();
            state.used -= block.bytes.0;
            let busy = self.pending_streams.narrow(busy);
            if !busy.is_empty() {
                state.waiting_bytes += block.bytes.0;
                state.waiting.push((block, busy));
                return;
            }
        }
        self.upstream.free(block, StreamSet::NONE);
    }

    fn queued(&self, streams: StreamSet) {
        self.pending_streams.queued(streams);
    }

    fn synchronized(&self, streams: StreamSet) {
        self.pending_streams.synchronized(streams);
        let rested = self.lock().mark_synchronized(streams);
        for block in rested {
            self.upstream.free(block, StreamSet::NONE);
        }
    }

    fn unsynchronized(&self) -> StreamSet {
        self.pending_streams.unsynchronized()
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

    delegate_storage!(self => self.upstream; release, tick, granted, driver_free);
}

impl State {
    /// Removes the blocks that waited only for these streams.
    fn mark_synchronized(&mut self, streams: StreamSet) -> Vec<Block> {
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
    use crate::memory::SimulatedStorage;

    #[test]
    fn a_busy_block_is_freed_once_its_streams_are_synchronized() {
        let unpooled = Unpooled::new(SimulatedStorage::new(Bytes(1000)), false);
        let block = unpooled.allocate(Bytes(1000), None).unwrap();
        unpooled.free(block, StreamSet(0b11));
        assert!(unpooled.allocate(Bytes(1), None).is_err());
        unpooled.synchronized(StreamSet(0b01));
        assert_eq!(unpooled.reading().waiting, Bytes(1000));
        unpooled.synchronized(StreamSet(0b10));
        assert_eq!(unpooled.upstream().reading().used, Bytes(0));
    }

    #[test]
    fn told_of_queued_work_it_waits_for_nothing_else() {
        let unpooled = Unpooled::new(SimulatedStorage::new(Bytes(1000)), true);
        unpooled.queued(StreamSet(0b01));
        let [first, second] = [(); 2].map(|()| unpooled.allocate(Bytes(100), None).unwrap());
        unpooled.free(first, StreamSet(0b10));
        assert_eq!(
            unpooled.reading().held,
            Bytes(100),
            "nothing was queued there"
        );
        unpooled.free(second, StreamSet(0b11));
        assert_eq!(unpooled.reading().waiting, Bytes(100));
        unpooled.synchronized(StreamSet(0b01));
        assert_eq!(unpooled.reading().held, Bytes(0));
    }
}
