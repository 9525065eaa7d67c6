//! Launches that do too little work, and bytes that are transferred too often.

use std::collections::BTreeMap;

use super::{Advice, Suggestion, time};
use crate::name::Name;
use crate::recording::Recording;

/// Overhead beyond this share of an operation's GPU time means that its launches
/// are too small.
const TOO_MUCH_OVERHEAD: f64 = 0.5;

/// From this number of launches on, merging is suggested.
const MANY_LAUNCHES: u64 = 16;

/// Transfers beyond this share of an operation's GPU time are suggested to be
/// avoided.
const TOO_MUCH_TRANSFER: f64 = 0.3;

#[derive(Default)]
struct LaunchTotals {
    count: u64,
    self_ns: u64,
    transfer_ns: u64,
    overhead_ns: u64,
    bytes_moved: u64,
}

pub(super) fn suggest(recording: &Recording) -> Vec<Suggestion> {
    let mut groups: BTreeMap<(&Name, &Name), LaunchTotals> = BTreeMap::new();
    for span in &recording.spans {
        if span.is_on_gpu() && !span.is_scope() {
            let totals = groups.entry((&span.operation, &span.device)).or_default();
            totals.count += 1;
            totals.self_ns = totals.self_ns.saturating_add(span.self_ns);
            totals.transfer_ns = totals.transfer_ns.saturating_add(span.transfer_ns);
            totals.overhead_ns = totals.overhead_ns.saturating_add(span.overhead_ns);
            totals.bytes_moved = totals.bytes_moved.saturating_add(span.bytes_moved);
        }
    }
    groups
        .into_iter()
        .flat_map(|((operation, device), totals)| {
            [
                batch(recording, operation, device, &totals),
                keep_resident(operation, device, &totals),
            ]
        })
        .flatten()
        .collect()
}

fn batch(
    recording: &Recording,
    operation: &Name,
    device: &Name,
    totals: &LaunchTotals,
) -> Option<Suggestion> {
    let share = totals.overhead_ns as f64 / totals.self_ns.max(1) as f64;
    if totals.count < MANY_LAUNCHES || share < TOO_MUCH_OVERHEAD {
        return None;
    }
    let each_ns = totals.overhead_ns as f64 / totals.count as f64;
    let merged = recording
        .counters
        .batches
        .iter()
        .find(|row| row.operation == *operation && row.device == *device && row.batches > 0)
        .map(|row| {
            format!(
                ", {:.1} items in a batch",
                row.items as f64 / row.batches as f64
            )
        })
        .unwrap_or_default();
    Some(Suggestion {
        found: format!(
            "{} launches of {operation} on {device} each spent {} in launching and waiting, {:.0} % of \
             their time{merged}",
            totals.count,
            time(each_ns),
            share * 100.0
        ),
        action: format!(
            "give {operation} more work per call: use batched operations (`batch_matmul`) or \
             larger batches"
        ),
        // One launch remains.
        predicted_saving_ns: Some((each_ns * (totals.count - 1) as f64) as u64),
        ..Suggestion::new(Advice::Batch, operation, device)
    })
}

fn keep_resident(operation: &Name, device: &Name, totals: &LaunchTotals) -> Option<Suggestion> {
    let share = totals.transfer_ns as f64 / totals.self_ns.max(1) as f64;
    if totals.count < 2 || share < TOO_MUCH_TRANSFER {
        return None;
    }
    Some(Suggestion {
        found: format!(
            "{} runs of {operation} on {device} moved {} bytes in {}, {:.0} % of their time",
            totals.count,
            totals.bytes_moved,
            time(totals.transfer_ns as f64),
            share * 100.0
        ),
        action: format!(
            "copy the operands once with `Runtime::prefetch(&array, {device})` and use the same arrays \
             again; results stay on the device until they are read"
        ),
        // The first transfer remains.
        predicted_saving_ns: Some(
            (totals.transfer_ns as f64 * (1.0 - 1.0 / totals.count as f64)) as u64,
        ),
        ..Suggestion::new(Advice::KeepResident, operation, device)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::RecordedSpan;

    fn runs(count: usize, transfer_ns: u64, overhead_ns: u64, gpu_ns: u64) -> Recording {
        let span = RecordedSpan {
            operation: "xor".into(),
            device: "cuda:0".into(),
            self_ns: transfer_ns + overhead_ns + gpu_ns,
            transfer_ns,
            overhead_ns,
            gpu_ns,
            bytes_moved: 100,
            ..RecordedSpan::default()
        };
        Recording {
            spans: vec![span; count],
            ..Recording::default()
        }
    }

    #[test]
    fn small_launches_and_repeated_transfers_are_reported_with_their_cost() {
        let list = suggest(&runs(100, 0, 9_000, 1_000));
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].advice, Advice::Batch);
        assert_eq!(list[0].predicted_saving_ns, Some(99 * 9_000));
        let list = suggest(&runs(10, 5_000, 100, 1_000));
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].advice, Advice::KeepResident);
        assert_eq!(list[0].predicted_saving_ns, Some(45_000));
    }

    #[test]
    fn large_work_is_left_alone() {
        assert_eq!(suggest(&runs(100, 100, 100, 10_000)), []);
        assert_eq!(suggest(&runs(3, 0, 9_000, 1_000)), []);
    }
}
