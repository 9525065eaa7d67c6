//! Which devices may run an operation, before costs are compared.

use std::sync::atomic::{AtomicBool, Ordering};

use super::settings::RouteSettings;
use crate::device::DeviceId;
use crate::error::Error;
use crate::operation::Description;
use crate::units::Bytes;

/// A rule that keeps an operation from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    Lost,
    NotAllowed,
    Denied,
    Emulated,
    NotImplemented,
    BelowMinimum,
}

/// The devices and their rules.
#[derive(Debug)]
pub(super) struct Policy {
    pub(super) devices: Box<[DeviceId]>,
    /// The exclusions that the settings make for each device, whatever the operation.
    exclusions: Box<[Option<Exclusion>]>,
    lost: Box<[AtomicBool]>,
    min_gpu: Bytes,
}

impl Policy {
    pub(super) fn new(devices: &[DeviceId], settings: &RouteSettings) -> Self {
        Self {
            devices: devices.into(),
            exclusions: devices
                .iter()
                .map(|device| exclusions(*device, settings))
                .collect(),
            lost: devices.iter().map(|_| AtomicBool::new(false)).collect(),
            min_gpu: settings.min_gpu,
        }
    }

    pub(super) fn slot(&self, device: DeviceId) -> Option<usize> {
        self.devices.iter().position(|&known| known == device)
    }

    /// The slot of a device named by the caller or the configuration.
    pub(super) fn named(&self, device: DeviceId) -> Result<usize, Error> {
        self.slot(device).ok_or_else(|| Error::NoSuchDevice {
            asked: device,
            available: self.names(),
        })
    }

    /// Why the device of `slot` may not run the operation, if so.
    #[inline]
    pub(super) fn excludes(
        &self,
        slot: usize,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
    ) -> Option<Exclusion> {
        let device = self.devices[slot];
        if self.is_lost(slot) {
            Some(Exclusion::Lost)
        } else if let Some(exclusions) = self.exclusions[slot] {
            Some(exclusions)
        } else if !runs_on(device) {
            Some(Exclusion::NotImplemented)
        } else if self.min_gpu.0 > 0 && device.has_own_memory() && d.input() < self.min_gpu {
            Some(Exclusion::BelowMinimum)
        } else {
            None
        }
    }

    pub(super) fn is_lost(&self, slot: usize) -> bool {
        self.lost[slot].load(Ordering::Relaxed)
    }

    pub(super) fn mark_lost(&self, device: DeviceId) {
        if let Some(slot) = self.slot(device) {
            self.lost[slot].store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn lost(&self) -> Vec<DeviceId> {
        (0..self.devices.len())
            .filter(|&slot| self.is_lost(slot))
            .map(|slot| self.devices[slot])
            .collect()
    }

    pub(super) fn min_gpu(&self) -> Bytes {
        self.min_gpu
    }

    /// The error that names the rule which excluded each device.
    #[cold]
    pub(super) fn nothing_left(
        &self,
        d: &Description,
        runs_on: &dyn Fn(DeviceId) -> bool,
    ) -> Error {
        let rules: Vec<String> = (0..self.devices.len())
            .filter_map(|slot| {
                let rule = match self.excludes(slot, d, runs_on)? {
                    Exclusion::Lost => "was lost".to_owned(),
                    Exclusion::NotAllowed => "is not in `route.allow`".to_owned(),
                    Exclusion::Denied => "is in `route.deny`".to_owned(),
                    Exclusion::Emulated => {
                        "is emulated and neither forced nor in `route.allow`".to_owned()
                    }
                    Exclusion::NotImplemented => "has no implementation of it".to_owned(),
                    Exclusion::BelowMinimum => format!(
                        "takes no operands below {}, and these are {}",
                        self.min_gpu,
                        d.input()
                    ),
                };
                Some(format!("{} {rule}", self.devices[slot]))
            })
            .collect();
        Error::NoCandidate {
            operation: d.kind.name(),
            why: if rules.is_empty() {
                "no device is registered".to_owned()
            } else {
                rules.join(", ")
            },
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.devices.iter().map(ToString::to_string).collect();
        names.join(", ")
    }
}

fn exclusions(device: DeviceId, settings: &RouteSettings) -> Option<Exclusion> {
    if settings.deny.contains(&device) {
        return Some(Exclusion::Denied);
    }
    match &settings.allow {
        Some(allowed) => (!allowed.contains(&device)).then_some(Exclusion::NotAllowed),
        None => device.is_emulated().then_some(Exclusion::Emulated),
    }
}
