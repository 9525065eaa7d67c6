//! The driver's allocation calls, below the pool of one GPU.
//!
//! The driver takes some 100 µs to allocate a large block and stops the whole device to
//! free one, so a pool above it calls it as rarely as possible.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys;
use heddle_runtime::memory::{
    AcceleratorMemory, Block, MemorySettings, Refusal, Storage, StorageReading, StreamIndex,
    StreamSet, SystemClock,
};
use heddle_runtime::units::Bytes;

use super::context::Context;
use super::driver;
use super::driver_error::check;
use super::drop_failures;

/// The driver's memory of one device.
#[derive(Debug)]
struct DriverStorage {
    context: Arc<Context>,
    used: AtomicU64,
    allocations: AtomicU64,
}

/// All of one device's memory: a pool over the driver. The pool is notified of work before
/// it is queued, so that a block may be freed with every lease that ever used it.
pub(super) fn memory(context: &Arc<Context>, capacity: Bytes) -> AcceleratorMemory {
    let driver = DriverStorage {
        context: Arc::clone(context),
        used: AtomicU64::new(0),
        allocations: AtomicU64::new(0),
    };
    let settings =
        MemorySettings::new(context.id(), capacity).with(|it| it.tracks_queued_work = true);
    AcceleratorMemory::new(Box::new(driver), settings, Arc::new(SystemClock::new()))
}

impl Storage for DriverStorage {
    fn allocate(&self, bytes: Bytes, _stream: Option<StreamIndex>) -> Result<Block, Refusal> {
        self.context
            .enter()
            .map_err(|error| Refusal::DriverError(Box::new(error)))?;
        match driver::allocate(bytes.0 as usize) {
            Ok(pointer) => {
                self.used.fetch_add(bytes.0, Ordering::Relaxed);
                self.allocations.fetch_add(1, Ordering::Relaxed);
                Ok(Block::new(pointer, bytes))
            }
            Err(driver_error) if driver_error.is_out_of_memory() => {
                Err(Refusal::Exhausted { asked: bytes })
            }
            Err(driver_error) => Err(Refusal::DriverError(Box::new(
                self.context.error(driver_error),
            ))),
        }
    }

    /// The pool has waited for all work on the block.
    fn free(&self, block: Block, _busy: StreamSet) {
        self.used.fetch_sub(block.bytes.0, Ordering::Relaxed);
        drop_failures::note(self.context.make_current());
        // SAFETY: the block came from cuMemAlloc, is freed once, and no work on it
        // is pending.
        drop_failures::note(check("cuMemFree", unsafe {
            sys::cuMemFree_v2(block.address)
        }));
    }

    fn synchronized(&self, _streams: StreamSet) {}

    /// The driver keeps nothing for reuse.
    fn release(&self, _wanted: Bytes) -> Bytes {
        Bytes(0)
    }

    fn driver_free(&self) -> Option<Bytes> {
        self.context.memory().ok().map(|(free, _)| free)
    }

    fn reading(&self) -> StorageReading {
        let used = Bytes(self.used.load(Ordering::Relaxed));
        StorageReading {
            used,
            held: used,
            misses: self.allocations.load(Ordering::Relaxed),
            ..StorageReading::default()
        }
    }
}
