//! The name of the device that holds a copy, in one atomic number.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::device::{DeviceId, DeviceKind};

/// A device's name, or nobody's. Reading it takes no lock.
#[derive(Debug, Default)]
pub(super) struct Holder(AtomicU32);

/// Families in the order of their codes; code zero is nobody.
const FAMILIES: [DeviceKind; 3] = [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::Simt];

impl Holder {
    pub(super) fn get(&self) -> Option<DeviceId> {
        let code = self.0.load(Ordering::Acquire);
        let family = FAMILIES.get((code >> 16).checked_sub(1)? as usize)?;
        Some(DeviceId::new(*family, code as u16))
    }

    pub(super) fn set(&self, device: Option<DeviceId>) {
        let code = device.map_or(0, |device| {
            ((device.kind() as u32 + 1) << 16) | u32::from(device.index())
        });
        self.0.store(code, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let holder = Holder::default();
        assert_eq!(holder.get(), None);
        for device in [
            DeviceId::CPU,
            DeviceId::cuda(0),
            DeviceId::cuda(u16::MAX),
            DeviceId::simt(7),
        ] {
            holder.set(Some(device));
            assert_eq!(holder.get(), Some(device));
        }
        holder.set(None);
        assert_eq!(holder.get(), None);
    }
}
