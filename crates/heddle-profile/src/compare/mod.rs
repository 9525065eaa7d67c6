//! Two runs side by side: what became faster, slower, larger or went elsewhere.
//!
//! The statistics are in `interval`.
//!
//! The one thing to know: an operation is compared by the ratio of its typical
//! times (geometric means) with a confidence interval by Welch's method on their
//! logarithms. Times are skewed and logarithms are not nearly as much, a ratio
//! needs no unit, and the interval is the same on every machine: nothing is drawn
//! at random. Runs of the same amount of work are compared with each other and
//! the ratios put together by the time they stand for, so that a mixture of small
//! and large is not taken for noise.

mod interval;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;
pub use interval::Interval;
use interval::{Logs, Strata};

/// What is told apart from noise, and what is worth telling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CompareSettings {
    /// A change by less than this share is none: 0.05 for 5 %.
    pub noise: f64,
    /// The confidence of the intervals: 0.95 for 95 %.
    pub confidence: f64,
    /// An operation that takes less than this share of both runs is shown, but
    /// is no regression.
    pub least_share: f64,
    /// With fewer runs of an operation than this on either side nothing is
    /// concluded.
    pub least_count: u64,
}

impl Default for CompareSettings {
    fn default() -> Self {
        Self {
            noise: 0.05,
            confidence: 0.95,
            least_share: 0.01,
            least_count: 5,
        }
    }
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Less, beyond noise and doubt.
    Better,
    /// More, beyond noise and doubt.
    Worse,
    /// The same, within noise and beyond doubt.
    NoChange,
    /// Too few measurements, or too far apart, to say.
    Inconclusive,
}

/// One operation in both runs, whatever device it ran on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationChange {
    /// The operation.
    pub operation: Name,
    /// The element type.
    pub element: Name,
    /// How often it ran before and after.
    pub count: [u64; 2],
    /// Its time in all, before and after.
    pub total_ns: [u64; 2],
    /// Its typical time (geometric mean) before and after; `None` where it did
    /// not run.
    pub typical_ns: [Option<f64>; 2],
    /// The larger of its shares of the two runs.
    pub share: f64,
    /// After as a multiple of before: 1.1 for 10 % longer.
    pub ratio: Option<f64>,
    /// Where the ratio lies with the confidence asked for.
    pub interval: Option<Interval>,
    /// What that means.
    pub verdict: Verdict,
}

/// The most memory in use on one device in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryChange {
    /// The device.
    pub device: Name,
    /// The most bytes, before and after.
    pub peak_bytes: [u64; 2],
    /// What that means; there is one peak in a run, so there is no doubt to
    /// measure and only noise is left out.
    pub verdict: Verdict,
}

/// An operation that went elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoutingChange {
    /// The operation.
    pub operation: Name,
    /// The element type.
    pub element: Name,
    /// The device.
    pub device: Name,
    /// The share of its runs there, before and after.
    pub share: [f64; 2],
}

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What was asked.
    pub settings: CompareSettings,
    /// The runs' labels.
    pub labels: [String; 2],
    /// Operations, those that changed most first.
    pub operations: Vec<OperationChange>,
    /// Memory by device.
    pub memory: Vec<MemoryChange>,
    /// What went elsewhere, by operation and device.
    pub routing: Vec<RoutingChange>,
    /// All of it in one word: worse if anything that matters is.
    pub verdict: Verdict,
}

type Key<'a> = (&'a Name, &'a Name);

impl Recording {
    /// This run against a later one.
    #[must_use]
    pub fn compare(&self, after: &Self, settings: CompareSettings) -> Comparison {
        let runs = [self, after];
        let mut operations = operations(runs, &settings);
        operations.sort_by(|a, b| {
            let size =
                |change: &OperationChange| change.ratio.map_or(0.0, |ratio| ratio.ln().abs());
            size(b).total_cmp(&size(a))
        });
        let memory = memory(runs, &settings);
        let verdict = overall(&operations, &memory, &settings);
        Comparison {
            settings,
            labels: runs.map(|run| run.label.clone()),
            operations,
            memory,
            routing: routing(runs, &settings),
            verdict,
        }
    }
}

impl Comparison {
    /// Whether something that matters became worse.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.verdict == Verdict::Worse
    }
}

/// With more different amounts of work than this, those of one power of two
/// count as the same.
const MOST_AMOUNTS: usize = 256;

/// The runs of one operation, by their amount of work.
#[derive(Default)]
struct Times {
    all: Logs,
    by_work: BTreeMap<u64, Logs>,
    total_ns: u64,
    self_ns: u64,
}

impl Times {
    /// With amounts of work of one power of two put together.
    fn coarse(&self) -> BTreeMap<u64, Logs> {
        let mut classes: BTreeMap<u64, Logs> = BTreeMap::new();
        for (work, logs) in &self.by_work {
            classes
                .entry((work | 1).ilog2().into())
                .or_default()
                .merge(logs);
        }
        classes
    }
}

fn times(run: &Recording) -> BTreeMap<Key<'_>, Times> {
    let mut groups: BTreeMap<Key<'_>, Times> = BTreeMap::new();
    for span in &run.spans {
        let group = groups.entry((&span.operation, &span.element)).or_default();
        group.all.add(span.total_ns);
        group
            .by_work
            .entry(span.work)
            .or_default()
            .add(span.total_ns);
        group.total_ns = group.total_ns.saturating_add(span.total_ns);
        group.self_ns = group.self_ns.saturating_add(span.self_ns);
    }
    groups
}

fn operations(runs: [&Recording; 2], settings: &CompareSettings) -> Vec<OperationChange> {
    let sides = runs.map(times);
    let all_ns = sides
        .each_ref()
        .map(|side| side.values().map(|times| times.self_ns as f64).sum::<f64>());
    let keys: BTreeSet<Key<'_>> = sides.iter().flat_map(|side| side.keys().copied()).collect();
    keys.into_iter()
        .map(|key| {
            let found = sides.each_ref().map(|side| side.get(&key));
            let strata = found[0]
                .zip(found[1])
                .map(|(before, after)| strata(before, after));
            let interval = strata
                .as_ref()
                .filter(|strata| strata.least_count() >= settings.least_count)
                .and_then(|strata| strata.interval(settings.confidence));
            let share = found
                .iter()
                .zip(all_ns)
                .filter_map(|(times, all)| {
                    let times = (*times)?;
                    (all > 0.0).then(|| times.self_ns as f64 / all)
                })
                .fold(0.0, f64::max);
            OperationChange {
                operation: key.0.clone(),
                element: key.1.clone(),
                count: found.map(|times| times.map_or(0, |times| times.all.count())),
                total_ns: found.map(|times| times.map_or(0, |times| times.total_ns)),
                typical_ns: found.map(|times| times.and_then(|times| times.all.typical())),
                share,
                ratio: strata.as_ref().and_then(Strata::ratio),
                interval,
                verdict: interval.map_or(Verdict::Inconclusive, |interval| {
                    judge(interval, settings.noise)
                }),
            }
        })
        .collect()
}

/// The runs of an operation, paired by their amount of work.
fn strata(before: &Times, after: &Times) -> Strata {
    let amounts = before.by_work.keys().chain(after.by_work.keys());
    let amounts: BTreeSet<u64> = amounts.copied().collect();
    let (before, after) = if amounts.len() > MOST_AMOUNTS {
        (before.coarse(), after.coarse())
    } else {
        (before.by_work.clone(), after.by_work.clone())
    };
    Strata::new(
        before
            .iter()
            .filter_map(|(work, logs)| Some((*logs, *after.get(work)?))),
    )
}

/// Beyond noise and doubt, or not.
fn judge(interval: Interval, noise: f64) -> Verdict {
    let (slower, faster) = (1.0 + noise, 1.0 / (1.0 + noise));
    if interval.low > slower {
        Verdict::Worse
    } else if interval.high < faster {
        Verdict::Better
    } else if interval.low >= faster && interval.high <= slower {
        Verdict::NoChange
    } else {
        Verdict::Inconclusive
    }
}

fn memory(runs: [&Recording; 2], settings: &CompareSettings) -> Vec<MemoryChange> {
    let sides = runs.map(|run| {
        let mut peaks: BTreeMap<&Name, u64> = BTreeMap::new();
        for sample in &run.memory {
            let peak = peaks.entry(&sample.device).or_default();
            *peak = (*peak).max(sample.allocated);
        }
        peaks
    });
    let [before, after] = &sides;
    before
        .iter()
        // A device that only one run watched says nothing about a change.
        .filter_map(|(&device, &peak)| {
            let peak_bytes = [peak, *after.get(device)?];
            let verdict = if peak_bytes == [0, 0] {
                Verdict::NoChange
            } else {
                let ratio = peak_bytes[1] as f64 / peak_bytes[0].max(1) as f64;
                judge(Interval::exactly(ratio), settings.noise)
            };
            Some(MemoryChange {
                device: device.clone(),
                peak_bytes,
                verdict,
            })
        })
        .collect()
}

/// The share of each operation's runs on each device.
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

fn routing(runs: [&Recording; 2], settings: &CompareSettings) -> Vec<RoutingChange> {
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

/// Worse if anything that matters is, else better if anything is; no change only
/// if that is known of the larger part of the time.
fn overall(
    operations: &[OperationChange],
    memory: &[MemoryChange],
    settings: &CompareSettings,
) -> Verdict {
    let matter = || {
        operations
            .iter()
            .filter(|change| change.share >= settings.least_share)
    };
    let any = |verdict| {
        matter().any(|change| change.verdict == verdict)
            || memory.iter().any(|change| change.verdict == verdict)
    };
    let share = |verdict| {
        matter()
            .filter(|change| change.verdict == verdict)
            .map(|change| change.share)
            .sum::<f64>()
    };
    if any(Verdict::Worse) {
        Verdict::Worse
    } else if any(Verdict::Better) {
        Verdict::Better
    } else if share(Verdict::NoChange) > share(Verdict::Inconclusive) {
        Verdict::NoChange
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{MemorySample, RecordedSpan, settle};

    /// Spans around a time, spread by a few per cent.
    fn run(operation: &str, device: &str, typical_ns: u64, count: u64) -> Recording {
        let mut spans: Vec<RecordedSpan> = (0..count)
            .map(|index| RecordedSpan {
                operation: operation.into(),
                device: device.into(),
                start_ns: index * 10 * typical_ns,
                total_ns: typical_ns + typical_ns * (index % 7) / 100,
                ..RecordedSpan::default()
            })
            .collect();
        settle(&mut spans);
        Recording {
            spans,
            ..Recording::default()
        }
    }

    fn verdict(before: &Recording, after: &Recording) -> Verdict {
        before.compare(after, CompareSettings::default()).verdict
    }

    #[test]
    fn slower_is_worse_and_faster_is_better() {
        let base = run("xor", "cpu", 10_000, 100);
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 13_000, 100)),
            Verdict::Worse
        );
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 7_000, 100)),
            Verdict::Better
        );
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 10_100, 100)),
            Verdict::NoChange
        );
        assert_eq!(verdict(&base, &base), Verdict::NoChange);
    }

    #[test]
    fn few_runs_prove_nothing() {
        let few = run("xor", "cpu", 10_000, 4);
        assert_eq!(
            verdict(&few, &run("xor", "cpu", 90_000, 4)),
            Verdict::Inconclusive
        );
        let other = run("sum", "cpu", 10_000, 100);
        assert_eq!(verdict(&few, &other), Verdict::Inconclusive);
        assert_eq!(
            verdict(&Recording::default(), &Recording::default()),
            Verdict::Inconclusive
        );
    }

    #[test]
    fn small_and_large_work_are_not_taken_for_noise() {
        let mixed = |small_ns, large_ns| {
            let mut recording = run("xor", "cpu", small_ns, 50);
            let mut large = run("xor", "cpu", large_ns, 50).spans;
            for span in &mut large {
                span.work = 1 << 20;
            }
            recording.spans.extend(large);
            recording
        };
        let base = mixed(1_000, 1_000_000);
        let same = base.compare(&base, CompareSettings::default());
        assert_eq!(same.verdict, Verdict::NoChange, "{same:?}");
        // What takes the time decides, not what runs as often.
        let slower = base.compare(&mixed(1_000, 1_300_000), CompareSettings::default());
        let ratio = slower.operations[0].ratio.unwrap();
        assert!((ratio - 1.3).abs() < 0.01, "{ratio}");
        assert!(slower.is_regression());
    }

    #[test]
    fn what_hardly_counts_is_no_regression() {
        let with = |small_ns| {
            let mut recording = run("matmul", "cpu", 1_000_000, 50);
            recording
                .spans
                .extend(run("xor", "cpu", small_ns, 50).spans);
            recording
        };
        let compared = with(1_000).compare(&with(2_000), CompareSettings::default());
        assert_eq!(compared.operations[0].operation, "xor");
        assert_eq!(compared.operations[0].verdict, Verdict::Worse);
        assert!(!compared.is_regression());
    }

    #[test]
    fn a_move_to_another_device_is_told() {
        let before = run("xor", "cpu", 10_000, 50);
        let after = run("xor", "cuda:0", 10_000, 50);
        let routing = before.compare(&after, CompareSettings::default()).routing;
        let moved: Vec<_> = routing
            .iter()
            .map(|change| (change.device.as_str(), change.share))
            .collect();
        assert_eq!(moved, [("cpu", [1.0, 0.0]), ("cuda:0", [0.0, 1.0])]);
    }

    #[test]
    fn memory_that_grew_is_a_regression() {
        let with = |allocated| Recording {
            memory: vec![MemorySample {
                device: "cuda:0".into(),
                allocated,
                ..MemorySample::default()
            }],
            ..run("xor", "cpu", 10_000, 50)
        };
        assert_eq!(verdict(&with(1_000), &with(2_000)), Verdict::Worse);
        assert_eq!(verdict(&with(1_000), &with(1_010)), Verdict::NoChange);
        assert_eq!(verdict(&with(0), &with(0)), Verdict::NoChange);
    }
}
