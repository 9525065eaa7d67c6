//! Pinned slots that large transfers pass through.
//!
//! Ordinary host memory may be moved by the operating system, so the device can
//! only reach it through the driver's own copy, which runs at a fraction of the
//! bus. Here each slot is filled or emptied by a thread of ours while the device
//! works on others.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use heddle_runtime::Error;

use super::context::Context;
use super::pinned::Pinned;
use super::stream::{Event, EventPurpose};

/// Slots one transfer holds beyond one per copying thread: those the device has.
const IN_FLIGHT: usize = 4;

/// One pinned buffer and the marks of its journey.
#[derive(Debug)]
pub(super) struct PinnedSlot {
    pub(super) memory: Pinned,
    /// Its bytes have reached the device.
    pub(super) arrived: Event,
    /// The kernels on them have run.
    pub(super) computed: Event,
    /// The device has no more business with it.
    pub(super) done: Event,
}

/// The slots of one device.
#[derive(Debug)]
pub(super) struct Staging {
    context: Arc<Context>,
    slot_bytes: usize,
    /// Slots one transfer takes at most.
    share: usize,
    stock: Mutex<SlotStock>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct SlotStock {
    idle: Vec<PinnedSlot>,
    /// Slots in existence, idle or not.
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

    /// Slots for a transfer of so many bytes in this many chunks: at least one, and no
    /// more than its share. Two transfers find slots at once; a third waits.
    ///
    /// To pin a slot takes about a millisecond: no more are made than the bytes would
    /// fill, and one each time for those that come again and again.
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
                // With fewer slots it is slower, not wrong.
                Err(_) if !slots.is_empty() => break,
                Err(error) => return Err(error),
            }
            stock.made += 1;
        }
        Ok(slots)
    }

    /// Takes slots back; no transfer through them is under way.
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
