//! The id of the device that holds a copy, in one atomic number.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::device::{DeviceFamily, DeviceId};

/// The id of a device, or none. Reading it takes no lock.
#[derive(Debug, Default)]
pub(super) struct AtomicDeviceId(AtomicU32);

impl AtomicDeviceId {
    pub(super) fn get(&self) -> Option<DeviceId> {
        let code = self.0.load(Ordering::Acquire);
        // Zero stands for no device, so families count from one.
        let family = (code >> 16).checked_sub(1)?;
        Some(DeviceId::new(
            DeviceFamily::of_code(family as u8),
            code as u16,
        ))
    }

    pub(super) fn set(&self, device: Option<DeviceId>) {
        let code = device.map_or(0, |device| {
            ((u32::from(device.family().code()) + 1) << 16) | u32::from(device.index())
        });
        self.0.store(code, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_id_is_read_back() {
        let holding_device = AtomicDeviceId::default();
        assert_eq!(holding_device.get(), None);
        for device in [
            DeviceId::CPU,
            DeviceId::cuda(0),
            DeviceId::cuda(u16::MAX),
            DeviceId::simt(7),
        ] {
            holding_device.set(Some(device));
            assert_eq!(holding_device.get(), Some(device));
        }
        holding_device.set(None);
        assert_eq!(holding_device.get(), None);
    }
}
