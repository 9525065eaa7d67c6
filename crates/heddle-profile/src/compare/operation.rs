//! Changes of each operation, and of the runs as a whole.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::CompareSettings;
use super::interval::{ComparisonOutcome, Interval};
use super::pairing::CallTimes;
use super::ratio::{IntervalSettings, Ratio, Stratum, typical_ns};
use crate::name::Name;
use crate::recording::Recording;

/// One operation in both runs, on any device.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OperationChange {
    /// The operation.
    pub operation: Name,
    /// The element type.
    pub element: Name,
    /// How often it ran before and after.
    pub count: [u64; 2],
    /// Its total time, before and after.
    pub total_ns: [u64; 2],
    /// Its typical time, the mean of the faster half of its calls, before and
    /// after; `None` where it did not run.
    pub typical_ns: [Option<f64>; 2],
    /// The larger of its shares of the two runs.
    pub share: f64,
    /// After as a multiple of before, for the same work: 1.1 for 10 % longer.
    pub ratio: Option<f64>,
    /// The interval of the ratio at the requested confidence.
    pub interval: Option<Interval>,
    /// The verdict.
    pub verdict: ComparisonOutcome,
}

/// The work done in both runs, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WholeChange {
    /// After as a multiple of before.
    pub ratio: Option<f64>,
    /// The interval of the ratio at the requested confidence.
    pub interval: Option<Interval>,
    /// The verdict.
    pub verdict: ComparisonOutcome,
}

type Key<'a> = (&'a Name, &'a Name);

/// The calls of one operation.
#[derive(Default)]
struct Times<'a> {
    calls: CallTimes<'a>,
    /// The same by self time, which counts nothing twice.
    own: CallTimes<'a>,
    all_ns: Vec<u64>,
    total_ns: u64,
    self_ns: u64,
}

fn times(run: &Recording) -> BTreeMap<Key<'_>, Times<'_>> {
    let mut groups: BTreeMap<Key<'_>, Times<'_>> = BTreeMap::new();
    for span in &run.spans {
        let group = groups.entry((&span.operation, &span.element)).or_default();
        group.calls.add(span.work, &span.device, span.total_ns);
        group.own.add(span.work, &span.device, span.self_ns);
        group.all_ns.push(span.total_ns);
        group.total_ns = group.total_ns.saturating_add(span.total_ns);
        group.self_ns = group.self_ns.saturating_add(span.self_ns);
    }
    groups
}

/// The change of every operation of either run, by name, and of all of them
/// together.
pub(super) fn changes(
    runs: [&Recording; 2],
    settings: &CompareSettings,
) -> (Vec<OperationChange>, WholeChange) {
    let sides = runs.map(times);
    let all_ns = sides
        .each_ref()
        .map(|side| side.values().map(|times| times.self_ns as f64).sum::<f64>());
    let keys: BTreeSet<Key<'_>> = sides.iter().flat_map(|side| side.keys().copied()).collect();
    let share = |key: &Key<'_>| {
        sides
            .iter()
            .zip(all_ns)
            .filter_map(|(side, all)| {
                let times = side.get(key)?;
                (all > 0.0).then(|| times.self_ns as f64 / all)
            })
            .fold(0.0, f64::max)
    };
    let in_both = |key: &Key<'_>| sides.iter().all(|side| side.contains_key(key));
    let compared = keys
        .iter()
        .filter(|key| in_both(key) && share(key) >= settings.least_share)
        .count();
    let mut whole = Vec::new();
    let operations = keys
        .iter()
        .map(|key| {
            let found = sides.each_ref().map(|side| side.get(key));
            let strata = found[0]
                .zip(found[1])
                .map_or_else(Vec::new, |(before, after)| {
                    whole.extend(before.own.strata(&after.own));
                    before.calls.strata(&after.calls)
                });
            let change = change_of(&strata, compared, settings);
            OperationChange {
                operation: key.0.clone(),
                element: key.1.clone(),
                count: found.map(|times| times.map_or(0, |times| times.all_ns.len() as u64)),
                total_ns: found.map(|times| times.map_or(0, |times| times.total_ns)),
                typical_ns: found.map(|times| times.and_then(|times| typical_ns(&times.all_ns))),
                share: share(key),
                ratio: change.ratio,
                interval: change.interval,
                verdict: change.verdict,
            }
        })
        .collect();
    (operations, change_of(&whole, 1, settings))
}

fn change_of(strata: &[Stratum], ratios: usize, settings: &CompareSettings) -> WholeChange {
    let interval_settings = IntervalSettings {
        least_count: settings.least_count,
        confidence: settings.confidence,
        ratios,
    };
    let found = Ratio::of(strata, interval_settings);
    let interval = found.and_then(|ratio| ratio.interval);
    let among_all = found.and_then(|ratio| ratio.among_all);
    WholeChange {
        ratio: found.map(|ratio| ratio.value),
        interval,
        verdict: interval
            .zip(among_all)
            .map_or(ComparisonOutcome::Inconclusive, |(interval, among_all)| {
                ComparisonOutcome::of(interval, among_all, settings.noise)
            }),
    }
}
