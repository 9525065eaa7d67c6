//! Runs one batch on several GPUs: shares in proportion to their measured speeds. A device that
//! has finished takes pieces from the end of another's share.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::run_in_batches::part_of;
use super::{BatchCounters, Batchable, MergedOperation};
use crate::Runtime;
use crate::device::DeviceId;
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::route::Decision;

/// A batch is shared between GPUs if it is predicted to take at most this share of the time on the best GPU
/// alone. Otherwise threads and more launches cost more than they gain.
const PROFITABLE_SHARE: f64 = 0.8;
/// A share is run in pieces of half of its remainder each, so that another device can take over
/// at its end. There are this many pieces, and the last ones are equal.
const PIECES: u32 = 4;

/// The GPUs that are worth using together, with the share of each; empty when one is as fast.
pub(super) fn profitable_gpus(
    runtime: &Runtime,
    whole: &Description,
    items: usize,
    decision: &Decision,
) -> Vec<(DeviceId, f64)> {
    let costs: Vec<(DeviceId, f64)> = decision
        .candidates
        .iter()
        .filter(|candidate| candidate.device.has_own_memory())
        .filter_map(|candidate| Some((candidate.device, candidate.cost?.total_ns())))
        .filter(|(_, ns)| *ns > 0.0)
        .collect();
    let best = costs
        .iter()
        .map(|(_, ns)| *ns)
        .fold(f64::INFINITY, f64::min);
    if costs.len() < 2 || items < 2 * costs.len() {
        return Vec::new();
    }
    let shares = in_proportion(&costs);
    let slowest = shares
        .iter()
        .filter_map(|&(device, share)| {
            let count = (items as f64 * share).ceil() as usize;
            let part = part_of(whole, count, items);
            let cost = runtime.router().candidate(&part, device).cost?;
            Some(cost.total_ns())
        })
        .fold(0.0, f64::max);
    if slowest < PROFITABLE_SHARE * best {
        shares
    } else {
        Vec::new()
    }
}

/// Shares that add up to one, inversely proportional to the times.
fn in_proportion(times: &[(DeviceId, f64)]) -> Vec<(DeviceId, f64)> {
    let total: f64 = times.iter().map(|(_, ns)| 1.0 / ns).sum();
    times
        .iter()
        .map(|&(device, ns)| (device, 1.0 / ns / total))
        .collect()
}

/// Shares for devices that the caller named: by their measured times for this work. A device
/// without measurements counts as the fastest.
pub(crate) fn shares_of(
    runtime: &Runtime,
    whole: &Description,
    devices: &[DeviceId],
) -> Vec<(DeviceId, f64)> {
    let cost = |device: DeviceId| {
        let candidate = runtime.router().candidate(whole, device);
        candidate.cost.map(|cost| cost.total_ns().max(1.0))
    };
    let costs: Vec<Option<f64>> = devices.iter().map(|&device| cost(device)).collect();
    let fastest = costs
        .iter()
        .flatten()
        .copied()
        .fold(f64::INFINITY, f64::min);
    let assumed = if fastest.is_finite() { fastest } else { 1.0 };
    let times: Vec<(DeviceId, f64)> = devices
        .iter()
        .zip(costs)
        .map(|(&device, cost)| (device, cost.unwrap_or(assumed)))
        .collect();
    in_proportion(&times)
}

/// Consecutive items, and the position of the first one.
struct ItemRange<B> {
    first: usize,
    items: Vec<B>,
}

/// The remaining work of one device.
struct DeviceQueue<B> {
    pieces: VecDeque<ItemRange<B>>,
    /// Whether it has begun. Until then its first piece is kept for it, because the device
    /// started first would otherwise do all the work, and more slowly than all of them
    /// together.
    begun: bool,
}

impl<B> DeviceQueue<B> {
    /// The number of items that another device may take.
    fn open(&self) -> usize {
        let kept = usize::from(!self.begun);
        self.pieces
            .iter()
            .skip(kept)
            .map(|piece| piece.items.len())
            .sum()
    }
}

/// The remaining work, by device.
struct DeviceQueues<B> {
    shares: Mutex<Vec<DeviceQueue<B>>>,
}

impl<B> DeviceQueues<B> {
    /// Divides `items` into a queue of pieces for each share.
    fn cut(mut items: Vec<B>, shares: &[(DeviceId, f64)]) -> Self {
        let total = items.len();
        let mut ends = Vec::with_capacity(shares.len());
        let mut sum = 0.0;
        for (_, share) in shares {
            sum += share;
            ends.push(((total as f64 * sum).round() as usize).min(total));
        }
        // From the back, so that every item is moved once.
        let mut parts = Vec::with_capacity(shares.len());
        for device in (0..shares.len()).rev() {
            let start = if device == 0 { 0 } else { ends[device - 1] };
            parts.push(DeviceQueue {
                pieces: pieces(start, items.split_off(start)),
                begun: false,
            });
        }
        parts.reverse();
        Self {
            shares: Mutex::new(parts),
        }
    }

    /// The next piece for a device: its own, or the last piece of the device with the most
    /// left.
    fn take(&self, device: usize) -> Option<ItemRange<B>> {
        let mut shares = self.lock();
        shares[device].begun = true;
        if let Some(own) = shares[device].pieces.pop_front() {
            return Some(own);
        }
        let most = shares.iter_mut().max_by_key(|share| share.open())?;
        if most.open() == 0 {
            return None;
        }
        most.pieces.pop_back()
    }

    /// Returns a piece for other devices to take.
    fn give_back(&self, device: usize, piece: ItemRange<B>) {
        self.lock()[device].pieces.push_back(piece);
    }

    /// The pieces that no device took.
    fn rest(self) -> impl Iterator<Item = ItemRange<B>> {
        let shares = self
            .shares
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        shares.into_iter().flat_map(|share| share.pieces)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DeviceQueue<B>>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pieces<B>(first: usize, mut items: Vec<B>) -> VecDeque<ItemRange<B>> {
    let mut queue = VecDeque::new();
    let mut at = first;
    for step in 1..=PIECES {
        let count = if step == PIECES {
            items.len()
        } else {
            items.len().div_ceil(2)
        };
        let rest = items.split_off(count);
        if !items.is_empty() {
            queue.push_back(ItemRange { first: at, items });
        }
        at += count;
        items = rest;
    }
    queue
}

/// Returns the results of `items`, which are of one group, in their order; each device runs its
/// share. Items that fail on a device run on the others, and items that fail on all of them run
/// through the ordinary pipeline. `by_merging` is whether the items would have run on the CPU
/// one by one.
pub(crate) fn run_on_devices<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    items: Vec<B>,
    shares: &[(DeviceId, f64)],
    by_merging: bool,
) -> Vec<Result<B::Output, Error>> {
    let total = items.len();
    let work = DeviceQueues::cut(items, shares);
    let results: Mutex<PieceResults<B>> = Mutex::default();
    std::thread::scope(|scope| {
        for (index, &(device, _)) in shares.iter().enumerate() {
            let (work, results) = (&work, &results);
            let run = move || {
                while let Some(mut piece) = work.take(index) {
                    let kind = B::describe_batch(&piece.items).kind.name();
                    let done = runtime
                        .run_traced(MergedOperation::new(&mut piece.items[..]), Some(device));
                    let Ok(done) = done else {
                        // It takes no further part in this batch.
                        work.give_back(index, piece);
                        return;
                    };
                    let (count, time) = (piece.items.len(), done.timing.total);
                    batch_counters.ran(kind, device, count, time, by_merging);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((piece.first, done.output));
                }
            };
            // Without a thread of its own, a device leaves its share to the others, and what they
            // leave goes through the ordinary pipeline.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    for piece in work.rest() {
        results.push((
            piece.first,
            run_remaining(runtime, batch_counters, piece.items),
        ));
    }
    results.sort_by_key(|(first, _)| *first);
    let mut all = Vec::with_capacity(total);
    all.extend(results.into_iter().flat_map(|(_, results)| results));
    all
}

/// The results of pieces, each with the position of its first item.
type PieceResults<B> = Vec<(usize, Vec<Result<<B as Operation>::Output, Error>>)>;

/// The results of items that failed on every device of the batch.
fn run_remaining<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    mut items: Vec<B>,
) -> Vec<Result<B::Output, Error>> {
    let kind = B::describe_batch(&items).kind.name();
    if let Ok(outcome) = runtime.run_traced(MergedOperation::new(&mut items[..]), None) {
        let device = outcome.decision.device;
        batch_counters.ran(kind, device, items.len(), outcome.timing.total, false);
        return outcome.output;
    }
    batch_counters.ran_singly(kind, items.len());
    items.into_iter().map(|item| runtime.run(item)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_item_is_in_one_piece(
            total in 0_usize..500,
            times in prop::collection::vec(1.0_f64..100.0, 1..6),
        ) {
            let times: Vec<_> = times
                .iter()
                .enumerate()
                .map(|(index, &ns)| (DeviceId::simt(index as u16), ns))
                .collect();
            let shares = in_proportion(&times);
            let work = DeviceQueues::cut((0..total).collect(), &shares);
            let mut seen = vec![0; total];
            // The first device takes all it may before the others begin.
            for device in 0..times.len() {
                while let Some(piece) = work.take(device) {
                    for (offset, item) in piece.items.iter().enumerate() {
                        prop_assert_eq!(*item, piece.first + offset);
                        seen[*item] += 1;
                    }
                }
            }
            prop_assert!(seen.iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn the_faster_device_gets_more() {
        let shares = in_proportion(&[(DeviceId::simt(0), 10.0), (DeviceId::simt(1), 30.0)]);
        assert!((shares[0].1 - 0.75).abs() < 1e-9);
        assert!((shares[1].1 - 0.25).abs() < 1e-9);
    }
}
