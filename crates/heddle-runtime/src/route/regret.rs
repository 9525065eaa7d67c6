//! How much time the best measured device would have saved.
//!
//! Operations are compared within cells of one kind, element type, octave of
//! work and residency class. What the other device would have cost there is its
//! measured mean, never a prediction; where no other device was measured,
//! nothing is claimed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::octave::{OCTAVES, octave};
use super::report::KindRegret;
use crate::array::Residency;
use crate::device::DeviceId;
use crate::operation::Description;
use crate::units::Nanos;

/// One device's measurements in one cell.
#[derive(Debug, Default)]
struct Account {
    /// Decided operations.
    decided: AtomicU64,
    decided_ns: AtomicU64,
    /// Runs outside decisions: calibration, verification.
    observed: AtomicU64,
    observed_ns: AtomicU64,
}

/// The accounts of one kind and element type.
#[derive(Debug)]
pub(super) struct RegretBook {
    devices: usize,
    /// Per octave, per residency class, per device.
    octaves: [OnceLock<Box<[Account]>>; OCTAVES],
}

impl RegretBook {
    pub(super) fn new(devices: usize) -> Self {
        Self {
            devices,
            octaves: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    pub(super) fn enter(&self, work: u64, class: usize, slot: usize, ns: u64, decided: bool) {
        let accounts = self.octaves[octave(work)].get_or_init(|| {
            (0..classes(self.devices) * self.devices)
                .map(|_| Account::default())
                .collect()
        });
        let account = &accounts[class * self.devices + slot];
        let (count, total) = if decided {
            (&account.decided, &account.decided_ns)
        } else {
            (&account.observed, &account.observed_ns)
        };
        count.fetch_add(1, Ordering::Relaxed);
        total.fetch_add(ns, Ordering::Relaxed);
    }

    /// Adds what this book says to its kind's regret.
    pub(super) fn sum_into(&self, regret: &mut KindRegret) {
        let cells = self
            .octaves
            .iter()
            .filter_map(OnceLock::get)
            .flat_map(|accounts| accounts.chunks(self.devices));
        for cell in cells {
            let mut operations = 0;
            let mut spent = 0;
            let mut measured = 0;
            let mut best_mean = f64::INFINITY;
            for account in cell {
                let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                let (decided, decided_ns) = (read(&account.decided), read(&account.decided_ns));
                let count = decided + read(&account.observed);
                operations += decided;
                spent += decided_ns;
                if count > 0 {
                    measured += 1;
                    let total = decided_ns.saturating_add(read(&account.observed_ns));
                    best_mean = best_mean.min(total as f64 / count as f64);
                }
            }
            regret.operations += operations;
            regret.spent += Nanos(spent);
            if measured > 1 {
                let saved = spent as f64 - operations as f64 * best_mean;
                regret.regret += Nanos(saved.max(0.0) as u64);
            } else {
                regret.unmeasured += operations;
            }
        }
    }
}

/// Residency classes for so many devices: host, one device, anything else.
fn classes(devices: usize) -> usize {
    devices + 2
}

/// The residency class of an operation: 0 when the host has every operand, one
/// plus the slot when one device has every operand and the host none, the last
/// class for anything between.
pub(super) fn class(d: &Description, devices: &[DeviceId]) -> usize {
    let mixed = classes(devices.len()) - 1;
    let mut holders = d.operands.iter().map(|operand| match operand.residency {
        Residency::Host => Some(None),
        Residency::Device(holder) => Some(Some(holder)),
        Residency::Both(_) => None,
    });
    let Some(first) = holders.next() else {
        return 0;
    };
    if holders.any(|holder| holder != first) {
        return mixed;
    }
    match first {
        Some(None) => 0,
        Some(Some(holder)) => devices
            .iter()
            .position(|&known| known == holder)
            .map_or(mixed, |slot| slot + 1),
        None => mixed,
    }
}
