//! Pinned slots that large transfers pass through.
//!
//! The operating system may move ordinary host memory, so the device can only reach it
//! through the driver's own copy, which runs at a fraction of the bus. Here a copying
//! thread fills or empties each slot while the device works on others.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use heddle_runtime::Error;

use super::context::Context;
use super::pinned::Pinned;
use super::stream::{Event, EventPurpose};

/// Slots that one transfer holds beyond one per copying thread: those in use by the device.
const IN_FLIGHT: usize = 4;

/// One pinned buffer and the events of its transfer.
///
/// Invariant: outside a transfer, the device has finished with the memory. Code that queues a
/// copy through it promises that.
#[derive(Debug)]
pub(super) struct PinnedSlot {
    pub(super) memory: Pinned,
    /// The slot's bytes have reached the device.
    pub(super) arrived: Event,
    /// The kernels that use them have run.
    pub(super) computed: Event,
    /// The device has finished with the slot.
    pub(super) done: Event,
}

/// The slots of one device.
#[derive(Debug)]
pub(super) struct Staging {
    context: Arc<Context>,
    slot_bytes: usize,
    /// The most slots one transfer takes.
    share: usize,
    stock: Mutex<SlotStock>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct SlotStock {
    idle: Vec<PinnedSlot>,
    /// The number of slots made, idle or not.
    made: usize,
}

impl Staging {
    pub(super) fn new(context: &Arc<Context>, slot_bytes: usize, threads: usize) -> Self {
        Self {
            context: Arc::clone(context),
            slot_bytes,
            share: threads + IN_FLIGHT,
            stock: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    /// Bytes of each slot.
    pub(super) fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    /// Takes slots for a transfer of `bytes` bytes in `chunks` chunks: at least one, and no
    /// more than a transfer's share. Two transfers find slots at once; a third waits.
    ///
    /// Pinning a slot takes about a millisecond. So a call makes no more slots than the
    /// bytes would fill; repeated small transfers add one slot each until they have their
    /// share.
    pub(super) fn take(&self, chunks: usize, bytes: usize) -> Result<Vec<PinnedSlot>, Error> {
        let wanted = chunks.clamp(1, self.share);
        let mut stock = self.lock();
        while stock.idle.is_empty() && stock.made >= 2 * self.share {
            stock = self
                .returned
                .wait(stock)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let from = stock.idle.len().saturating_sub(wanted);
        let mut slots = stock.idle.split_off(from);
        let most = bytes.div_ceil(self.slot_bytes).max(slots.len() + 1);
        while slots.len() < wanted.min(most) && stock.made < 2 * self.share {
            match self.make() {
                Ok(slot) => slots.push(slot),
                // Fewer slots are slower, not wrong.
                Err(_) if !slots.is_empty() => break,
                Err(error) => return Err(error),
            }
            stock.made += 1;
        }
        Ok(slots)
    }

    /// Returns slots; no transfer through them may be under way.
    pub(super) fn give(&self, slots: Vec<PinnedSlot>) {
        self.lock().idle.extend(slots);
        self.returned.notify_all();
    }

    fn make(&self) -> Result<PinnedSlot, Error> {
        Ok(PinnedSlot {
            memory: Pinned::new(&self.context, self.slot_bytes)?,
            arrived: Event::new(&self.context, EventPurpose::Order)?,
            computed: Event::new(&self.context, EventPurpose::Order)?,
            done: Event::new(&self.context, EventPurpose::Order)?,
        })
    }

    fn lock(&self) -> MutexGuard<'_, SlotStock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
