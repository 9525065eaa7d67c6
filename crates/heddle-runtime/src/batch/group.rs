//! Groups operations for merging, and returns results in the callers' order.

use std::collections::BTreeMap;

use super::run_on_devices::shares_of;
use super::{BatchCounters, Batchable, Group, run_in_batches, run_on_devices};
use crate::Runtime;
use crate::device::DeviceId;
use crate::error::Error;

/// Returns the results of `operations`, in their order, merged by group. An item that is
/// already an error is its own result.
pub(crate) fn results<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    operations: impl Iterator<Item = Result<B, Error>>,
) -> Vec<Result<B::Output, Error>> {
    by_group(operations, |items| {
        run_in_batches(runtime, batch_counters, items)
    })
}

/// As [`results`], for operations none of which is an error.
pub(crate) fn results_of<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    operations: Vec<B>,
) -> Vec<Result<B::Output, Error>> {
    let mut groups = operations.iter().map(Batchable::group);
    let Some(first) = groups.next() else {
        return Vec::new();
    };
    if groups.all(|group| group == first) {
        return run_in_batches(runtime, batch_counters, operations);
    }
    results(runtime, batch_counters, operations.into_iter().map(Ok))
}

/// As [`results`], on these devices, each with a share.
pub(crate) fn results_on<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    devices: &[DeviceId],
    operations: impl Iterator<Item = Result<B, Error>>,
) -> Vec<Result<B::Output, Error>> {
    by_group(operations, |items| {
        let shares = shares_of(runtime, &B::describe_batch(&items), devices);
        // The caller chose the devices, so merging did not send the items to a GPU.
        run_on_devices(runtime, batch_counters, items, &shares, false)
    })
}

/// The items of one group, with their original positions.
struct GroupedItems<B> {
    group: Group,
    positions: Vec<usize>,
    items: Vec<B>,
}

fn by_group<B: Batchable>(
    operations: impl Iterator<Item = Result<B, Error>>,
    mut run: impl FnMut(Vec<B>) -> Vec<Result<B::Output, Error>>,
) -> Vec<Result<B::Output, Error>> {
    let mut grouped: Vec<GroupedItems<B>> = Vec::new();
    let mut known: BTreeMap<Group, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let (mut last, mut count) = (0, 0);
    let expected = operations.size_hint().0;
    for operation in operations {
        match operation {
            Err(error) => failures.push((count, error)),
            Ok(item) => {
                let group = item.group();
                // Neighbours are mostly of one group and need no search.
                if grouped
                    .get(last)
                    .is_none_or(|group_items| group_items.group != group)
                {
                    last = *known.entry(group).or_insert_with(|| {
                        let capacity = if grouped.is_empty() { expected } else { 0 };
                        grouped.push(GroupedItems {
                            group,
                            positions: Vec::with_capacity(capacity),
                            items: Vec::with_capacity(capacity),
                        });
                        grouped.len() - 1
                    });
                }
                grouped[last].positions.push(count);
                grouped[last].items.push(item);
            }
        }
        count += 1;
    }
    if failures.is_empty() && grouped.len() == 1 {
        return grouped
            .pop()
            .map_or_else(Vec::new, |group_items| run(group_items.items));
    }
    let mut slots: Vec<Option<Result<B::Output, Error>>> = Vec::new();
    slots.resize_with(count, || None);
    for (place, error) in failures {
        slots[place] = Some(Err(error));
    }
    for group_items in grouped {
        for (place, result) in group_items
            .positions
            .into_iter()
            .zip(run(group_items.items))
        {
            slots[place] = Some(result);
        }
    }
    slots.into_iter().flatten().collect()
}
