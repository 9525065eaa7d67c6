//! The copy of an array on a device.
//!
//! The device's memory lists the copy, weakly, so that a clean-up can drop it if the host has the
//! elements too, or move it to the host otherwise. The list does not refer to the array itself,
//! because an array is written in place only if nothing else refers to it. So bytes that were moved
//! are kept here until the array is read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::buffer::HostBuffer;
use super::holding_device::AtomicDeviceId;
use super::transfers::count as count_transfer;
use crate::device::{DeviceBuffer, DeviceId, TransferTotals};
use crate::error::Error;
use crate::memory::Cached;
use crate::units::Bytes;

/// Counts uses of all copies, to find the older of two.
static USES: AtomicU64 = AtomicU64::new(0);

/// The copy of an array on one device, if there is one.
#[derive(Debug, Default)]
pub(super) struct DeviceCopy {
    buffer: Mutex<Option<Arc<DeviceBuffer>>>,
    /// The bytes of the elements after they were moved off the device.
    spilled: Mutex<Option<HostBuffer<u8>>>,
    /// The device of the copy, for readers that do not need the copy itself: the description of an
    /// operation reads it for every operand. Written under the lock above.
    holding_device: AtomicDeviceId,
    /// The device whose memory lists this copy.
    listed: AtomicDeviceId,
    /// Whether the host has the elements too, so that the copy may be dropped.
    spare: AtomicBool,
    last_use: AtomicU64,
}

impl DeviceCopy {
    /// Returns the device of the copy.
    pub(super) fn holding_device(&self) -> Option<DeviceId> {
        self.holding_device.get()
    }

    /// Returns the copy, on whichever device it is.
    pub(super) fn get(&self) -> Option<Arc<DeviceBuffer>> {
        self.lock().clone()
    }

    /// Records a use, so that older copies are dropped first.
    pub(super) fn touch(&self) {
        let now = USES.fetch_add(1, Ordering::Relaxed);
        self.last_use.store(now, Ordering::Relaxed);
    }

    pub(super) fn keep(&self, buffer: Arc<DeviceBuffer>) {
        self.touch();
        let mut held_buffer = self.lock();
        self.holding_device.set(Some(buffer.device()));
        let before = held_buffer.replace(buffer);
        drop(held_buffer);
        drop(before);
    }

    pub(super) fn forget(&self) {
        let mut held_buffer = self.lock();
        self.holding_device.set(None);
        let before = held_buffer.take();
        // Freeing the buffer may call back into this copy, so the lock is released first.
        drop(held_buffer);
        drop(before);
    }

    /// Passes bytes that were moved to the host to `receive`, once. Concurrent callers wait until
    /// it has returned.
    pub(super) fn take_spilled(&self, receive: impl FnOnce(HostBuffer<u8>)) {
        let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = spilled.take() {
            self.spare.store(true, Ordering::Release);
            receive(bytes);
        }
    }

    /// Records that the host has the elements too: the device's memory may drop the copy from now
    /// on.
    pub(super) fn mark_spare(self: &Arc<Self>) {
        self.spare.store(true, Ordering::Release);
        self.list();
    }

    /// Lists the copy in the device's memory.
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

    /// Records that this is the only copy.
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

    /// Downloads the bytes under the lock, so that no reader gets the copy in the meantime.
    fn spill_from(&self, device: DeviceId) -> Result<Bytes, Error> {
        let mut held_buffer = self.lock();
        let Some(buffer) = held_buffer.take_if(|buffer| {
            buffer.device() == device
                && Arc::strong_count(buffer) == 1
                && !self.spare.load(Ordering::Acquire)
        }) else {
            return Ok(Bytes(0));
        };
        let mut host_bytes =
            HostBuffer::try_unspecified("moving an array to the host", buffer.bytes().0 as usize)?;
        match buffer.download(host_bytes.as_mut_slice()) {
            Ok(down_time) => {
                let down = buffer.bytes();
                count_transfer(&TransferTotals {
                    down,
                    down_time,
                    ..TransferTotals::default()
                });
                let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
                *spilled = Some(host_bytes);
                self.holding_device.set(None);
                drop(spilled);
                drop(held_buffer);
                drop(buffer);
                Ok(down)
            }
            Err(error) => {
                *held_buffer = Some(buffer);
                Err(error)
            }
        }
    }

    /// Every user of the copy holds a reference that was taken under the lock.
    fn evict_from(&self, device: DeviceId) -> Bytes {
        let evicted = {
            let mut held_buffer = self.lock();
            let may_go = self.spare.load(Ordering::Acquire)
                && held_buffer.as_ref().is_some_and(|buffer| {
                    buffer.device() == device && Arc::strong_count(buffer) == 1
                });
            if !may_go {
                return Bytes(0);
            }
            self.holding_device.set(None);
            held_buffer.take()
        };
        evicted.map_or(Bytes(0), |buffer| buffer.bytes())
    }
}
