//! Operations that moved to another device.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::CompareSettings;
use crate::name::Name;
use crate::recording::Recording;

/// An operation that moved to or from a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RoutingChange {
    /// The operation.
    pub operation: Name,
    /// The element type.
    pub element: Name,
    /// The device.
    pub device: Name,
    /// The share of its calls on this device, before and after.
    pub share: [f64; 2],
}

type Key<'a> = (&'a Name, &'a Name);

/// The share of each operation's calls on each device.
fn device_shares(run: &Recording) -> BTreeMap<(Key<'_>, &Name), f64> {
    let mut counts: BTreeMap<Key<'_>, u64> = BTreeMap::new();
    let mut by_device: BTreeMap<(Key<'_>, &Name), u64> = BTreeMap::new();
    for span in run.spans.iter().filter(|span| !span.is_scope()) {
        let key = (&span.operation, &span.element);
        *counts.entry(key).or_default() += 1;
        *by_device.entry((key, &span.device)).or_default() += 1;
    }
    by_device
        .into_iter()
        .map(|((key, device), count)| {
            let all = counts.get(&key).copied().unwrap_or(count);
            ((key, device), count as f64 / all.max(1) as f64)
        })
        .collect()
}

pub(super) fn changes(runs: [&Recording; 2], settings: &CompareSettings) -> Vec<RoutingChange> {
    let sides = runs.map(device_shares);
    let ran_in_both = |key: Key<'_>| {
        sides
            .iter()
            .all(|side| side.keys().any(|&(known, _)| known == key))
    };
    let places: BTreeSet<_> = sides.iter().flat_map(|side| side.keys().copied()).collect();
    places
        .into_iter()
        .filter(|&(key, _)| ran_in_both(key))
        .filter_map(|place| {
            let share = sides
                .each_ref()
                .map(|side| side.get(&place).copied().unwrap_or(0.0));
            let ((operation, element), device) = place;
            ((share[0] - share[1]).abs() > settings.noise).then(|| RoutingChange {
                operation: operation.clone(),
                element: element.clone(),
                device: device.clone(),
                share,
            })
        })
        .collect()
}
