//! How much time the best measured device would have saved.
//!
//! Operations are compared within cells of one kind, element type, eighth of an octave of work
//! and residency class. Operations in a cell differ by at most an eighth in work, so two
//! devices' means there are of like operations. The cost on another device is its measured
//! mean, never a prediction. The mean is of decided operations where there are any, otherwise
//! of calibration and of operations before the last restart. Where no other device was
//! measured, no regret is claimed. A device is not compared with itself: its own slow runs are
//! noise, not a wrong decision.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::octave::{OCTAVES, octave};
use super::report::KindRegret;
use crate::array::Residency;
use crate::device::DeviceId;
use crate::operation::Description;
use crate::units::Nanos;

/// The number of parts of an octave, as a power of two.
const PARTS_LOG: u32 = 3;

/// One device's measurements in one cell.
#[derive(Debug, Default)]
struct CellMeasurements {
    /// Decided operations.
    decided: AtomicU64,
    decided_ns: AtomicU64,
    /// All other measurements: calibration, verification, and decisions that are no longer
    /// counted.
    observed: AtomicU64,
    observed_ns: AtomicU64,
}

/// The measurements of one kind and element type, by cell and device.
#[derive(Debug)]
pub(super) struct RegretTable {
    devices: usize,
    /// Per octave, per part of it, per residency class, per device.
    octaves: [OnceLock<Box<[CellMeasurements]>>; OCTAVES],
}

impl RegretTable {
    pub(super) fn new(devices: usize) -> Self {
        Self {
            devices,
            octaves: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    pub(super) fn enter(&self, work: u64, class: usize, slot: usize, ns: u64, decided: bool) {
        let classes = classes(self.devices);
        let measurements = self.octaves[octave(work)].get_or_init(|| {
            (0..(classes << PARTS_LOG) * self.devices)
                .map(|_| CellMeasurements::default())
                .collect()
        });
        let cell = part(work) * classes + class;
        let measured = &measurements[cell * self.devices + slot];
        let (count, total) = if decided {
            (&measured.decided, &measured.decided_ns)
        } else {
            (&measured.observed, &measured.observed_ns)
        };
        count.fetch_add(1, Ordering::Relaxed);
        total.fetch_add(ns, Ordering::Relaxed);
    }

    /// Stops counting all decisions made so far; their measurements are kept.
    pub(super) fn restart(&self) {
        for measured in self.octaves.iter().filter_map(OnceLock::get).flatten() {
            let count = measured.decided.swap(0, Ordering::Relaxed);
            let ns = measured.decided_ns.swap(0, Ordering::Relaxed);
            measured.observed.fetch_add(count, Ordering::Relaxed);
            measured.observed_ns.fetch_add(ns, Ordering::Relaxed);
        }
    }

    /// Adds this table's regret to its kind. `other_tables` are of other routers over the same
    /// devices: only their measurements count, not their decisions.
    pub(super) fn sum_into(&self, other_tables: &[&Self], regret: &mut KindRegret) {
        for (octave, measurements) in self.octaves.iter().enumerate() {
            let Some(measurements) = measurements.get() else {
                continue;
            };
            let others: Vec<&[CellMeasurements]> = other_tables
                .iter()
                .filter_map(|table| table.octaves[octave].get())
                .map(AsRef::as_ref)
                .collect();
            for (index, cell) in measurements.chunks(self.devices).enumerate() {
                let first = index * self.devices;
                add_cell(cell, regret, |slot| {
                    let of_others = others
                        .iter()
                        .map(|measurements| &measurements[first + slot]);
                    let same: Vec<&CellMeasurements> = of_others.chain([&cell[slot]]).collect();
                    mean_ns(&same)
                });
            }
        }
    }
}

/// Adds one cell to its kind's regret.
fn add_cell(
    cell: &[CellMeasurements],
    regret: &mut KindRegret,
    mean_ns: impl Fn(usize) -> Option<f64>,
) {
    for (slot, measured) in cell.iter().enumerate() {
        let operations = measured.decided.load(Ordering::Relaxed);
        if operations == 0 {
            continue;
        }
        let spent = measured.decided_ns.load(Ordering::Relaxed);
        regret.operations += operations;
        regret.spent += Nanos(spent);
        let best = (0..cell.len())
            .filter(|&other| other != slot)
            .filter_map(&mean_ns)
            .min_by(f64::total_cmp);
        match best {
            Some(best) => {
                let saved = spent as f64 - operations as f64 * best;
                regret.regret += Nanos(saved.max(0.0) as u64);
            }
            None => regret.unmeasured += operations,
        }
    }
}

/// The mean of one device's measurements: of the decided operations, which resemble those it is
/// compared with and ran at the same time, else of all other measurements.
fn mean_ns(measurements: &[&CellMeasurements]) -> Option<f64> {
    let mean = |pick: fn(&CellMeasurements) -> (&AtomicU64, &AtomicU64)| {
        let (count, total) = measurements
            .iter()
            .fold((0, 0_u64), |(count, total), measured| {
                let (more, ns) = pick(measured);
                (
                    count + more.load(Ordering::Relaxed),
                    total.saturating_add(ns.load(Ordering::Relaxed)),
                )
            });
        (count > 0).then(|| total as f64 / count as f64)
    };
    mean(|measured| (&measured.decided, &measured.decided_ns))
        .or_else(|| mean(|measured| (&measured.observed, &measured.observed_ns)))
}

/// The part of its octave that an amount of work falls in.
#[inline]
fn part(work: u64) -> usize {
    let octave = octave(work) as u32;
    let below = work.max(1) - (1 << octave);
    let scaled = match octave.checked_sub(PARTS_LOG) {
        Some(excess) => below >> excess,
        None => below << (PARTS_LOG - octave),
    };
    scaled as usize
}

/// The number of residency classes for this many devices: host, one device, host and a device.
fn classes(devices: usize) -> usize {
    devices + 2
}

/// The residency class of an operation: one plus the slot of the device that holds at least
/// half of its operands' bytes, the last class if the host has them too, and 0 if no device
/// holds them. The other operands are a small part of what would have to move.
pub(super) fn class(d: &Description, devices: &[DeviceId]) -> usize {
    let (mut on_host, mut on_device, mut holder) = (0, 0, None);
    for operand in &d.operands {
        if operand.residency.is_on_host() {
            on_host += operand.bytes.0;
        }
        if let Residency::Device(device) | Residency::Both(device) = operand.residency {
            on_device += operand.bytes.0;
            holder.get_or_insert(device);
        }
    }
    let half = d.input().0 / 2;
    let slot = holder
        .filter(|_| on_device > half)
        .and_then(|holder| devices.iter().position(|&known| known == holder));
    match slot {
        None => 0,
        Some(_) if on_host > half => classes(devices.len()) - 1,
        Some(slot) => slot + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::operation::{Kind, Operand, WorkUnit};
    use crate::units::Bytes;

    static KIND: Kind = Kind::new("test-regret", WorkUnit::Bytes);

    #[test]
    fn most_of_the_bytes_make_the_class() {
        let gpu = DeviceId::cuda(0);
        let devices = [DeviceId::CPU, gpu];
        let classed = |operands: &[(u64, Residency)]| {
            let described = operands.iter().fold(
                Description::new(&KIND, DType::U8, 1),
                |described, &(bytes, residency)| {
                    described.reads(Operand {
                        bytes: Bytes(bytes),
                        residency,
                    })
                },
            );
            class(&described, &devices)
        };
        assert_eq!(classed(&[]), 0);
        assert_eq!(classed(&[(500, Residency::Host)]), 0);
        assert_eq!(
            classed(&[(500, Residency::Host), (17, Residency::Both(gpu))]),
            0
        );
        assert_eq!(
            classed(&[(500, Residency::Device(gpu)), (17, Residency::Host)]),
            2
        );
        assert_eq!(
            classed(&[(500, Residency::Both(gpu)), (17, Residency::Host)]),
            3
        );
        assert_eq!(classed(&[(500, Residency::Device(DeviceId::cuda(9)))]), 0);
    }

    #[test]
    fn an_octave_is_divided_evenly() {
        assert_eq!([0, 1, 2, 3].map(part), [0, 0, 0, 4]);
        assert_eq!([4, 5, 6, 7].map(part), [0, 2, 4, 6]);
        assert_eq!([8, 9, 15].map(part), [0, 1, 7]);
        assert_eq!(
            [1 << 20, (1 << 20) * 9 / 8, (2 << 20) - 1].map(part),
            [0, 1, 7]
        );
        assert_eq!(part(u64::MAX), 7);
    }

    fn regret(table: &RegretTable, other_tables: &[&RegretTable]) -> (u64, u64, u64, u64) {
        let mut regret = KindRegret {
            kind: "test",
            operations: 0,
            spent: Nanos(0),
            regret: Nanos(0),
            unmeasured: 0,
        };
        table.sum_into(other_tables, &mut regret);
        (
            regret.operations,
            regret.spent.0,
            regret.regret.0,
            regret.unmeasured,
        )
    }

    #[test]
    fn unlike_sizes_are_not_compared() {
        let table = RegretTable::new(2);
        table.enter(1_000, 0, 0, 500, true);
        table.enter(600, 0, 1, 300, false);
        assert_eq!(regret(&table, &[]), (1, 500, 0, 1));
        table.enter(1_010, 0, 1, 300, false);
        assert_eq!(regret(&table, &[]), (1, 500, 200, 0));
    }

    #[test]
    fn a_device_is_compared_with_others_only() {
        let (table, other) = (RegretTable::new(2), RegretTable::new(2));
        table.enter(1_000, 0, 0, 500, true);
        // The same device was faster elsewhere and the other one slower. Measurements outside
        // decisions count where there are no others.
        other.enter(1_000, 0, 1, 1, false);
        other.enter(1_000, 0, 0, 100, true);
        other.enter(1_000, 0, 1, 900, true);
        assert_eq!(regret(&table, &[&other]), (1, 500, 0, 0));
        other.enter(1_000, 0, 1, 10, true);
        assert_eq!(regret(&table, &[&other]), (1, 500, 45, 0));
    }

    #[test]
    fn decisions_before_a_restart_count_as_measurements_only() {
        let table = RegretTable::new(2);
        table.enter(1_000, 0, 0, 500, true);
        table.enter(1_000, 0, 1, 200, true);
        table.restart();
        assert_eq!(regret(&table, &[]), (0, 0, 0, 0));
        table.enter(1_000, 0, 0, 500, true);
        assert_eq!(regret(&table, &[]), (1, 500, 300, 0));
    }
}
