//! Groups operations for merging, and returns results in the callers' order.

use std::collections::BTreeMap;

use super::spread::shares_of;
use super::{Batchable, Book, Group, carry, spread};
use crate::Runtime;
use crate::device::DeviceId;
use crate::error::Error;

/// Returns the results of `operations`, in their order, merged by group. An item that is
/// already an error is its own result.
pub(crate) fn answers<B: Batchable>(
    runtime: &Runtime,
    book: &Book,
    operations: impl Iterator<Item = Result<B, Error>>,
) -> Vec<Result<B::Output, Error>> {
    by_group(operations, |items| carry(runtime, book, items))
}

/// As [`answers`], for operations none of which is an error.
pub(crate) fn answers_to<B: Batchable>(
    runtime: &Runtime,
    book: &Book,
    operations: Vec<B>,
) -> Vec<Result<B::Output, Error>> {
    let mut groups = operations.iter().map(Batchable::group);
    let Some(first) = groups.next() else {
        return Vec::new();
    };
    if groups.all(|group| group == first) {
        return carry(runtime, book, operations);
    }
    answers(runtime, book, operations.into_iter().map(Ok))
}

/// As [`answers`], on these devices, each with a share.
pub(crate) fn answers_on<B: Batchable>(
    runtime: &Runtime,
    book: &Book,
    devices: &[DeviceId],
    operations: impl Iterator<Item = Result<B, Error>>,
) -> Vec<Result<B::Output, Error>> {
    by_group(operations, |items| {
        let shares = shares_of(runtime, &B::describe_batch(&items), devices);
        // The caller chose the devices, so merging did not send the items to a GPU.
        spread(runtime, book, items, &shares, false)
    })
}

/// The items of one group, with their original positions.
struct Heap<B> {
    group: Group,
    places: Vec<usize>,
    items: Vec<B>,
}

fn by_group<B: Batchable>(
    operations: impl Iterator<Item = Result<B, Error>>,
    mut run: impl FnMut(Vec<B>) -> Vec<Result<B::Output, Error>>,
) -> Vec<Result<B::Output, Error>> {
    let mut heaps: Vec<Heap<B>> = Vec::new();
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
                if heaps.get(last).is_none_or(|heap| heap.group != group) {
                    last = *known.entry(group).or_insert_with(|| {
                        let room = if heaps.is_empty() { expected } else { 0 };
                        heaps.push(Heap {
                            group,
                            places: Vec::with_capacity(room),
                            items: Vec::with_capacity(room),
                        });
                        heaps.len() - 1
                    });
                }
                heaps[last].places.push(count);
                heaps[last].items.push(item);
            }
        }
        count += 1;
    }
    if failures.is_empty() && heaps.len() == 1 {
        return heaps.pop().map_or_else(Vec::new, |heap| run(heap.items));
    }
    let mut slots: Vec<Option<Result<B::Output, Error>>> = Vec::new();
    slots.resize_with(count, || None);
    for (place, error) in failures {
        slots[place] = Some(Err(error));
    }
    for heap in heaps {
        for (place, answer) in heap.places.into_iter().zip(run(heap.items)) {
            slots[place] = Some(answer);
        }
    }
    slots.into_iter().flatten().collect()
}
