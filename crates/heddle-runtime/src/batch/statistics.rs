//! Statistics of merged work.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::size::BatchSizer;
use crate::device::DeviceId;
use crate::units::{Estimate, Nanos};

/// One device's part of a kind's merged work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceShare {
    /// The device.
    pub device: DeviceId,
    /// The merged operations it ran.
    pub batches: u64,
    /// Items in them.
    pub items: u64,
    /// The time they took there.
    pub time: Nanos,
    /// Its share of all items, 0 to 1.
    pub share: f64,
}

/// The merged work of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindBatchCount {
    /// The kind of the merged work.
    pub kind: &'static str,
    /// Merged operations.
    pub batches: u64,
    /// Items in them.
    pub items: u64,
    /// Items per merged operation.
    pub mean_size: f64,
    /// The time of the merged operations, divided by their items.
    pub ns_per_item: f64,
    /// Merged operations that went to a GPU although their items, one by one, would have run on
    /// the CPU.
    pub to_gpu_by_merging: u64,
    /// Items that were run one by one because the merged operation failed.
    pub taken_apart: u64,
    /// The devices that ran them.
    pub devices: Vec<DeviceShare>,
}

/// All merged work so far, from measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BatchStatistics {
    /// Per kind, sorted by name.
    pub kinds: Vec<KindBatchCount>,
}

impl BatchStatistics {
    /// The number of merged operations.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.kinds.iter().map(|count| count.batches).sum()
    }

    /// The number of items in them.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.kinds.iter().map(|count| count.items).sum()
    }

    /// The number of merged operations that went to a GPU because they were merged.
    #[must_use]
    pub fn to_gpu_by_merging(&self) -> u64 {
        self.kinds.iter().map(|count| count.to_gpu_by_merging).sum()
    }
}

impl fmt::Display for BatchStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kinds.is_empty() {
            return f.write_str("nothing was merged");
        }
        for (index, count) in self.kinds.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(
                f,
                "{}: {} items in {} batches, {:.1} each, {} per item",
                count.kind,
                count.items,
                count.batches,
                count.mean_size,
                Estimate(count.ns_per_item)
            )?;
            for device in &count.devices {
                write!(f, ", {:.0} % on {}", 100.0 * device.share, device.device)?;
            }
            if count.to_gpu_by_merging > 0 {
                write!(
                    f,
                    "; {} went to a GPU only because they were merged",
                    count.to_gpu_by_merging
                )?;
            }
            if count.taken_apart > 0 {
                write!(f, "; {} items were taken apart", count.taken_apart)?;
            }
        }
        Ok(())
    }
}

/// The statistics and sizers of one runtime.
#[derive(Debug, Default)]
pub(crate) struct BatchCounters {
    kinds: Mutex<BTreeMap<&'static str, KindCounters>>,
}

#[derive(Debug, Default)]
struct KindCounters {
    /// Batches, items and nanoseconds.
    devices: BTreeMap<DeviceId, [u64; 3]>,
    to_gpu_by_merging: u64,
    taken_apart: u64,
    batch_sizer: BatchSizer,
}

impl BatchCounters {
    /// Records one merged operation.
    pub(crate) fn ran(
        &self,
        kind: &'static str,
        device: DeviceId,
        items: usize,
        time: Nanos,
        by_merging: bool,
    ) {
        let mut kinds = self.lock();
        let page = kinds.entry(kind).or_default();
        let sums = page.devices.entry(device).or_default();
        sums[0] += 1;
        sums[1] += items as u64;
        sums[2] += time.0;
        page.to_gpu_by_merging += u64::from(by_merging);
    }

    /// Records items that were run one by one.
    pub(crate) fn ran_singly(&self, kind: &'static str, items: usize) {
        self.lock().entry(kind).or_default().taken_apart += items as u64;
    }

    /// Calls `ask` with the kind's sizer.
    pub(crate) fn size<R>(&self, kind: &'static str, ask: impl FnOnce(&mut BatchSizer) -> R) -> R {
        ask(&mut self.lock().entry(kind).or_default().batch_sizer)
    }

    pub(crate) fn statistics(&self) -> BatchStatistics {
        let kinds = self.lock();
        let counts = kinds.iter().map(|(&kind, page)| {
            let sum = |field: usize| -> u64 { page.devices.values().map(|sums| sums[field]).sum() };
            let (batches, items, ns) = (sum(0), sum(1), sum(2));
            let per = |amount: u64, of: u64| amount as f64 / of.max(1) as f64;
            KindBatchCount {
                kind,
                batches,
                items,
                mean_size: per(items, batches),
                ns_per_item: per(ns, items),
                to_gpu_by_merging: page.to_gpu_by_merging,
                taken_apart: page.taken_apart,
                devices: page
                    .devices
                    .iter()
                    .map(|(&device, sums)| DeviceShare {
                        device,
                        batches: sums[0],
                        items: sums[1],
                        time: Nanos(sums[2]),
                        share: per(sums[1], items),
                    })
                    .collect(),
            }
        });
        BatchStatistics {
            kinds: counts
                .filter(|count| count.batches > 0 || count.taken_apart > 0)
                .collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, KindCounters>> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_are_displayed() {
        let batch_counters = BatchCounters::default();
        batch_counters.ran("xor-batch", DeviceId::CPU, 30, Nanos(3_000), false);
        batch_counters.ran("xor-batch", DeviceId::cuda(0), 10, Nanos(1_000), true);
        let statistics = batch_counters.statistics();
        let count = &statistics.kinds[0];
        assert_eq!((count.batches, count.items), (2, 40));
        assert_eq!((count.mean_size, count.ns_per_item), (20.0, 100.0));
        assert_eq!(
            statistics.to_string(),
            "xor-batch: 40 items in 2 batches, 20.0 each, 100 ns per item, 75 % on cpu, \
             25 % on cuda:0; 1 went to a GPU only because they were merged"
        );
        let json = serde_json::to_value(&statistics).unwrap();
        assert_eq!(json["kinds"][0]["devices"][1]["device"], "cuda:0");
    }
}
