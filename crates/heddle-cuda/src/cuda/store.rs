//! Device memory, kept after use because asking the driver is slow.
//!
//! The driver takes some 100 µs for a large block and stops the whole device to
//! free one; a shelf takes a lock. A block that is dropped while work on it may
//! still run waits until that work's lease has settled, so that nobody else gets
//! it early.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUdeviceptr};
use heddle_runtime::Error;
use heddle_runtime::units::Bytes;

use super::context::Context;
use super::drops;
use super::fault::{Fault, check};

/// The smallest block, and the driver's alignment.
const SMALLEST: u64 = 512;
/// The driver maps memory in pages of this size; finer steps save nothing.
const PAGE: u64 = 2 << 20;

/// A piece of device memory.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) pointer: CUdeviceptr,
    /// Its size, rounded up to a class.
    room: u64,
}

/// All of one device's memory that we hold.
#[derive(Debug)]
pub(super) struct Store {
    context: Arc<Context>,
    shelves: Mutex<Shelves>,
    /// One bit for each lease with work queued that nobody has waited for.
    pub(super) pending: AtomicU64,
    capacity: u64,
}

#[derive(Debug, Default)]
struct Shelves {
    free: BTreeMap<u64, Vec<CUdeviceptr>>,
    /// Dropped while these leases' work was pending.
    waiting: Vec<(Block, u64)>,
    shelved: u64,
    used: u64,
}

impl Store {
    pub(super) fn new(context: &Arc<Context>, capacity: Bytes) -> Self {
        Self {
            context: Arc::clone(context),
            shelves: Mutex::default(),
            pending: AtomicU64::new(0),
            capacity: capacity.0,
        }
    }

    /// A block of at least `bytes` bytes; `bytes` is not 0.
    pub(super) fn take(&self, bytes: Bytes) -> Result<Block, Error> {
        self.context.alive()?;
        let room = class(bytes.0);
        if let Some(block) = self.lock().find(room) {
            return Ok(block);
        }
        self.context.enter()?;
        let mut allocated = allocate(room);
        if allocated.is_err_and(Fault::is_out_of_memory) {
            self.trim()?;
            allocated = allocate(room);
        }
        match allocated {
            Ok(pointer) => {
                self.lock().used += room;
                Ok(Block { pointer, room })
            }
            Err(fault) if fault.is_out_of_memory() => {
                let (free, capacity) = self.context.memory()?;
                Err(Error::OutOfMemory {
                    operation: "an allocation",
                    device: self.context.id(),
                    asked: bytes,
                    free,
                    reserved: Bytes(self.lock().used),
                    capacity,
                })
            }
            Err(fault) => Err(self.context.error(fault)),
        }
    }

    /// Takes a block back. `touched` says which leases ever worked on it.
    pub(super) fn give(&self, block: Block, touched: u64) {
        let mut shelves = self.lock();
        shelves.used -= block.room;
        // Read under the lock: `settle` clears the bit first and takes the lock
        // after, so a block that is put to wait here is found there.
        let unfinished = touched & self.pending.load(Ordering::SeqCst);
        if unfinished != 0 {
            shelves.waiting.push((block, unfinished));
        } else if shelves.shelved + block.room > self.capacity / 4 {
            drop(shelves);
            self.release(block);
        } else {
            shelves.shelve(block);
        }
    }

    /// Says that the work of the lease with this bit has run.
    pub(super) fn settle(&self, bit: u64) {
        self.pending.fetch_and(!bit, Ordering::SeqCst);
        self.lock().settle(bit);
    }

    /// Gives every block nobody uses back to the driver.
    pub(super) fn trim(&self) -> Result<(), Error> {
        let (free, waiting) = {
            let mut shelves = self.lock();
            shelves.shelved = 0;
            (
                std::mem::take(&mut shelves.free),
                std::mem::take(&mut shelves.waiting),
            )
        };
        // Their owners are gone, so once the device has come to rest they are free.
        let rested = if waiting.is_empty() {
            self.context.enter()
        } else {
            self.context.synchronize()
        };
        for (room, pointers) in free {
            for pointer in pointers {
                self.release(Block { pointer, room });
            }
        }
        for (block, _) in waiting {
            self.release(block);
        }
        rested
    }

    /// Bytes on the shelves, which the next allocation can have.
    pub(super) fn shelved(&self) -> Bytes {
        Bytes(self.lock().shelved)
    }

    fn release(&self, Block { pointer, .. }: Block) {
        drops::note(self.context.make_current());
        // SAFETY: the block came from cuMemAlloc, is freed once, and no work on it
        // is pending.
        drops::note(check("cuMemFree", unsafe { sys::cuMemFree_v2(pointer) }));
    }

    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.trim() {
            drops::note_message(error.to_string());
        }
    }
}

impl Shelves {
    fn find(&mut self, room: u64) -> Option<Block> {
        // Up to an eighth too large is no worse than what rounding may waste.
        let (&room, pointers) = self
            .free
            .range_mut(room..=room + room / 8)
            .find(|(_, pointers)| !pointers.is_empty())?;
        let pointer = pointers.pop()?;
        self.shelved -= room;
        self.used += room;
        Some(Block { pointer, room })
    }

    /// Shelves what waited for this lease alone.
    fn settle(&mut self, bit: u64) {
        for (block, mut unfinished) in std::mem::take(&mut self.waiting) {
            unfinished &= !bit;
            if unfinished == 0 {
                self.shelve(block);
            } else {
                self.waiting.push((block, unfinished));
            }
        }
    }

    fn shelve(&mut self, Block { pointer, room }: Block) {
        self.shelved += room;
        self.free.entry(room).or_default().push(pointer);
    }
}

fn allocate(room: u64) -> Result<CUdeviceptr, Fault> {
    let mut pointer = 0;
    // SAFETY: the argument outlives the call; the caller entered the context.
    check("cuMemAlloc", unsafe {
        sys::cuMemAlloc_v2(&raw mut pointer, room as usize)
    })?;
    Ok(pointer)
}

/// The size a request is rounded up to: eight steps per power of two, none
/// coarser than the driver's page.
fn class(bytes: u64) -> u64 {
    let step = (1_u64 << bytes.max(SMALLEST).ilog2() >> 3).clamp(SMALLEST, PAGE);
    bytes.max(1).checked_next_multiple_of(step).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_class_holds_its_request_and_wastes_little(bytes in 1_u64..1 << 40) {
            let room = class(bytes);
            prop_assert!(room >= bytes);
            prop_assert!(room.is_multiple_of(SMALLEST));
            prop_assert!(room - bytes < SMALLEST.max(bytes / 8).clamp(SMALLEST, PAGE) + 1);
            prop_assert_eq!(class(room), room);
        }
    }

    #[test]
    fn an_absurd_request_does_not_overflow() {
        assert_eq!(class(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_shelf_serves_its_size_and_a_little_less() {
        let mut shelves = Shelves::default();
        shelves.shelve(Block {
            pointer: 7,
            room: 4096,
        });
        assert!(shelves.find(2048).is_none());
        assert!(shelves.find(4608).is_none());
        assert_eq!(shelves.find(4096 - 256).map(|block| block.pointer), Some(7));
        assert_eq!(shelves.shelved, 0);
        assert!(shelves.find(4096).is_none());
    }
    #[test]
    fn a_block_waits_for_every_lease_that_used_it() {
        let mut shelves = Shelves::default();
        let block = Block {
            pointer: 7,
            room: 4096,
        };
        shelves.waiting.push((block, 0b101));
        shelves.settle(0b010);
        shelves.settle(0b001);
        assert!(shelves.find(4096).is_none());
        shelves.settle(0b100);
        assert_eq!(shelves.find(4096).map(|block| block.pointer), Some(7));
    }
}
