//! Comparison of two runs: what became faster, slower, larger or moved to another
//! device.
//!
//! `pairing` decides which calls are compared, `ratio` computes the ratio of their
//! times, `interval` its confidence interval; the rows for operations, memory and
//! routing are in the modules of those names.
//!
//! An operation is compared by the undisturbed time of the same work, the mean of
//! the faster half of its calls, with an interval from the run's own stretches.
//! Nothing is random and no distribution is assumed, so the same two files have the
//! same verdict on every machine. Two files cannot tell a change in the program
//! from another program on the same cores that slows the whole run.

mod interval;
mod memory;
mod operation;
mod pairing;
mod ratio;
mod routing;

use serde::Serialize;

use crate::recording::Recording;
pub use interval::{ComparisonOutcome, Interval};
pub use memory::MemoryChange;
pub use operation::{OperationChange, WholeChange};
pub use routing::RoutingChange;

/// The thresholds of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CompareSettings {
    /// A relative change smaller than this is noise: 0.05 for 5 %.
    pub noise: f64,
    /// The confidence of the intervals: 0.95 for 95 %.
    pub confidence: f64,
    /// An operation with less than this share of both runs is shown, but is no
    /// regression.
    pub least_share: f64,
    /// With fewer calls of an operation than this in either run nothing is
    /// concluded, unless they took the same time to the nanosecond.
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

/// The constants of the comparison. The report page needs them to reach the same
/// verdicts.
#[cfg(feature = "report")]
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Rules {
    #[serde(flatten)]
    settings: CompareSettings,
    stretches: usize,
    least_stretches: usize,
    faster_part: f64,
    most_amounts: usize,
    least_moved: f64,
}

#[cfg(feature = "report")]
impl Default for Rules {
    fn default() -> Self {
        Self {
            settings: CompareSettings::default(),
            stretches: ratio::STRETCHES,
            least_stretches: interval::LEAST_STRETCHES,
            faster_part: ratio::FASTER_PART,
            most_amounts: pairing::MOST_AMOUNTS,
            least_moved: pairing::LEAST_MOVED,
        }
    }
}

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The settings used.
    pub settings: CompareSettings,
    /// The runs' labels.
    pub labels: [String; 2],
    /// Operations, the largest change first.
    pub operations: Vec<OperationChange>,
    /// The work of both runs, taken together.
    pub whole: WholeChange,
    /// Memory by device.
    pub memory: Vec<MemoryChange>,
    /// Changes of routing, by operation and device.
    pub routing: Vec<RoutingChange>,
    /// The overall verdict: worse if any relevant operation is.
    pub verdict: ComparisonOutcome,
}

impl Recording {
    /// Compares this run with a later one.
    #[must_use]
    pub fn compare(&self, after: &Self, settings: CompareSettings) -> Comparison {
        let runs = [self, after];
        let (mut operations, whole) = operation::changes(runs, &settings);
        operations.sort_by(|a, b| {
            let size =
                |change: &OperationChange| change.ratio.map_or(0.0, |ratio| ratio.ln().abs());
            size(b).total_cmp(&size(a))
        });
        let memory = memory::changes(runs, &settings);
        let verdict = overall(&operations, &whole, &memory, &settings);
        Comparison {
            settings,
            labels: runs.map(|run| run.label.clone()),
            operations,
            whole,
            memory,
            routing: routing::changes(runs, &settings),
            verdict,
        }
    }
}

impl Comparison {
    /// Whether something relevant became worse.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.verdict == ComparisonOutcome::Worse
    }
}

/// Worse if any relevant operation is, else better if any is, else the verdict on
/// the whole: many operations together have a narrower interval than each.
fn overall(
    operations: &[OperationChange],
    whole: &WholeChange,
    memory: &[MemoryChange],
    settings: &CompareSettings,
) -> ComparisonOutcome {
    let any = |verdict| {
        operations
            .iter()
            .filter(|change| change.share >= settings.least_share)
            .any(|change| change.verdict == verdict)
            || memory.iter().any(|change| change.verdict == verdict)
    };
    if any(ComparisonOutcome::Worse) {
        ComparisonOutcome::Worse
    } else if any(ComparisonOutcome::Better) {
        ComparisonOutcome::Better
    } else {
        whole.verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{MemorySample, RecordedSpan, compute_self_times};

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
        compute_self_times(&mut spans);
        Recording {
            spans,
            ..Recording::default()
        }
    }

    fn verdict(before: &Recording, after: &Recording) -> ComparisonOutcome {
        before.compare(after, CompareSettings::default()).verdict
    }

    #[test]
    fn slower_is_worse_and_faster_is_better() {
        let base = run("xor", "cpu", 10_000, 100);
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 13_000, 100)),
            ComparisonOutcome::Worse
        );
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 7_000, 100)),
            ComparisonOutcome::Better
        );
        assert_eq!(
            verdict(&base, &run("xor", "cpu", 10_100, 100)),
            ComparisonOutcome::NoChange
        );
        assert_eq!(verdict(&base, &base), ComparisonOutcome::NoChange);
    }

    #[test]
    fn few_runs_prove_nothing() {
        let few = run("xor", "cpu", 10_000, 4);
        assert_eq!(
            verdict(&few, &run("xor", "cpu", 90_000, 4)),
            ComparisonOutcome::Inconclusive
        );
        let other = run("sum", "cpu", 10_000, 100);
        assert_eq!(verdict(&few, &other), ComparisonOutcome::Inconclusive);
        assert_eq!(
            verdict(&Recording::default(), &Recording::default()),
            ComparisonOutcome::Inconclusive
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
        assert_eq!(same.verdict, ComparisonOutcome::NoChange, "{same:?}");
        // The operation with the most time decides, not the one with the most
        // calls.
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
        assert_eq!(compared.operations[0].verdict, ComparisonOutcome::Worse);
        assert!(!compared.is_regression());
    }

    #[test]
    fn a_move_to_another_device_is_reported() {
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
        assert_eq!(
            verdict(&with(1_000), &with(2_000)),
            ComparisonOutcome::Worse
        );
        assert_eq!(
            verdict(&with(1_000), &with(1_010)),
            ComparisonOutcome::NoChange
        );
        assert_eq!(verdict(&with(0), &with(0)), ComparisonOutcome::NoChange);
        // A sample may miss the peak; the spans do not.
        let seen = |sampled, peak| {
            let mut run = with(sampled);
            for span in &mut run.spans {
                span.device = "cuda:0".into();
                span.mem_peak = peak;
            }
            run
        };
        assert_eq!(
            verdict(&seen(900, 1_000), &seen(300, 1_000)),
            ComparisonOutcome::NoChange
        );
        assert_eq!(
            verdict(&seen(900, 1_000), &seen(900, 3_000)),
            ComparisonOutcome::Worse
        );
    }
}
