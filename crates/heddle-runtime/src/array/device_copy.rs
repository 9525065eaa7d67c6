//! An array's copy on a device, in a place of its own.
//!
//! The device's memory lists it, weakly, so that a clean-up can drop it while the
//! host has the elements too, or move it to the host. The list cannot hold the
//! array itself: who wants to write an array in place asks whether anybody else
//! refers to it. So what was moved waits here until the array is asked for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::buffer::HostBuffer;
use super::holding_device::AtomicDeviceId;
use super::transfers::count as count_transfer;
use crate::device::{DeviceBuffer, DeviceId, TransferTotals};
use crate::error::Error;
use crate::memory::Cached;
use crate::units::Bytes;

/// Counts uses of any copy, so that the older of two can be told.
static USES: AtomicU64 = AtomicU64::new(0);

/// Room for one copy on one device.
#[derive(Debug, Default)]
pub(super) struct DeviceCopy {
    buffer: Mutex<Option<Arc<DeviceBuffer>>>,
    /// The elements' bytes, once there was no more room for them on the device.
    spilled: Mutex<Option<HostBuffer<u8>>>,
    /// Who holds it, for readers that do not want the copy itself: describing an
    /// operation asks this of every operand. Written under the lock above.
    holding_device: AtomicDeviceId,
    /// The device whose memory lists this.
    listed: AtomicDeviceId,
    /// Whether the host has the elements too, and the copy may go.
    spare: AtomicBool,
    last_use: AtomicU64,
}

impl DeviceCopy {
    /// Who holds it.
    pub(super) fn holding_device(&self) -> Option<DeviceId> {
        self.holding_device.get()
    }

    /// The copy, wherever it is.
    pub(super) fn get(&self) -> Option<Arc<DeviceBuffer>> {
        self.lock().clone()
    }

    /// Notes a use, so that others go first.
    pub(super) fn touch(&self) {
        let now = USES.fetch_add(1, Ordering::Relaxed);
        self.last_use.store(now, Ordering::Relaxed);
    }

    pub(super) fn keep(&self, buffer: Arc<DeviceBuffer>) {
        self.touch();
        let mut place = self.lock();
        self.holding_device.set(Some(buffer.device()));
        let before = place.replace(buffer);
        drop(place);
        drop(before);
    }

    pub(super) fn forget(&self) {
        let mut place = self.lock();
        self.holding_device.set(None);
        let before = place.take();
        // Freeing it may call others back, who must not find the lock taken.
        drop(place);
        drop(before);
    }

    /// Hands what was moved to the host to `receive`, once. Others who ask meanwhile
    /// wait until it has landed.
    pub(super) fn take_spilled(&self, receive: impl FnOnce(HostBuffer<u8>)) {
        let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = spilled.take() {
            self.spare.store(true, Ordering::Release);
            receive(bytes);
        }
    }

    /// Says that the host has the elements too; the device's memory may drop the
    /// copy from now on.
    pub(super) fn mark_spare(self: &Arc<Self>) {
        self.spare.store(true, Ordering::Release);
        self.list();
    }

    /// Makes the copy known to the device's memory.
    pub(super) fn list(self: &Arc<Self>) {
        let Some(buffer) = self.get() else { return };
        if self.listed.get() == Some(buffer.device()) {
            return;
        }
        if let Some(memory) = buffer.memory() {
            self.listed.set(Some(buffer.device()));
            let copy: Weak<Self> = Arc::downgrade(self);
            memory.add_cached(copy);
        }
    }

    /// Says that this is the only copy.
    pub(super) fn mark_needed(&self) {
        self.spare.store(false, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<DeviceBuffer>>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cached for DeviceCopy {
    fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }

    /// The bytes come down while nobody can get hold of the copy.
    fn spill_from(&self, device: DeviceId) -> Result<Bytes, Error> {
        let mut place = self.lock();
        let Some(buffer) = place.take_if(|buffer| {
            buffer.device() == device
                && Arc::strong_count(buffer) == 1
                && !self.spare.load(Ordering::Acquire)
        }) else {
            return Ok(Bytes(0));
        };
        let mut landing = HostBuffer::unspecified(buffer.bytes().0 as usize);
        match buffer.download(landing.as_mut_slice()) {
            Ok(down_time) => {
                let down = buffer.bytes();
                count_transfer(&TransferTotals {
                    down,
                    down_time,
                    ..TransferTotals::default()
                });
                let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
                *spilled = Some(landing);
                self.holding_device.set(None);
                drop(spilled);
                drop(place);
                drop(buffer);
                Ok(down)
            }
            Err(error) => {
                *place = Some(buffer);
                Err(error)
            }
        }
    }

    /// Whoever uses the copy has a count on it, taken under the lock.
    fn evict_from(&self, device: DeviceId) -> Bytes {
        let evicted = {
            let mut place = self.lock();
            let may_go = self.spare.load(Ordering::Acquire)
                && place.as_ref().is_some_and(|buffer| {
                    buffer.device() == device && Arc::strong_count(buffer) == 1
                });
            if !may_go {
                return Bytes(0);
            }
            self.holding_device.set(None);
            place.take()
        };
        evicted.map_or(Bytes(0), |buffer| buffer.bytes())
    }
}
