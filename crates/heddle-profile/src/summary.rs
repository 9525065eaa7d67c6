//! The summary table: one row for each operation, element and device.
//!
//! Only figures; formatting is left to the caller. Every figure is over the spans
//! *kept*: when [`Summary::overwritten`] is not zero, older spans are missing from
//! it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::recording::RecordedSpan;

/// Sums over a number of spans, saturating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// The number of spans.
    pub count: u64,
    /// Their time by the system clock. Spans that ran concurrently count in full.
    pub total_ns: u64,
    /// Their self time, without that of their children: a sum that counts nothing
    /// twice.
    pub self_ns: u64,
    /// Self time spent computing on a GPU.
    pub gpu_ns: u64,
    /// Self time spent computing on the CPU.
    pub cpu_ns: u64,
    /// The time by the device's clock, of the spans that have one.
    pub device_ns: u64,
    /// The number of spans with a time by the device's clock.
    pub device_timed: u64,
    /// Their transfer time.
    pub transfer_ns: u64,
    /// Their overhead.
    pub overhead_ns: u64,
    /// Bytes they read.
    pub bytes_in: u64,
    /// Bytes they wrote.
    pub bytes_out: u64,
    /// Bytes transferred between memories for them.
    pub bytes_moved: u64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.count, other.count);
        add(&mut self.total_ns, other.total_ns);
        add(&mut self.self_ns, other.self_ns);
        add(&mut self.gpu_ns, other.gpu_ns);
        add(&mut self.cpu_ns, other.cpu_ns);
        add(&mut self.device_ns, other.device_ns);
        add(&mut self.device_timed, other.device_timed);
        add(&mut self.transfer_ns, other.transfer_ns);
        add(&mut self.overhead_ns, other.overhead_ns);
        add(&mut self.bytes_in, other.bytes_in);
        add(&mut self.bytes_out, other.bytes_out);
        add(&mut self.bytes_moved, other.bytes_moved);
    }
}

/// The figures of one operation on one element type on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The operation's name.
    pub operation: String,
    /// The element type.
    pub element: String,
    /// The device: `"cpu"`, `"cuda:0"`.
    pub device: String,
    /// Sums over the row's spans.
    pub totals: Totals,
    /// This row's share of the self time of all rows, from 0 to 1.
    pub share: f64,
    /// Mean of the spans' total times.
    pub mean_ns: f64,
    /// Standard deviation of the total times, over the spans as the whole
    /// population (divided by their number, not by one less).
    pub deviation_ns: f64,
    /// Shortest total time.
    pub min_ns: u64,
    /// Median total time, by nearest rank: the percentile `p` of `n` times is
    /// the one at rank `⌈p/100 · n⌉` in ascending order, so it is always a
    /// time that was measured.
    pub p50_ns: u64,
    /// 95th percentile of the total times, by nearest rank.
    pub p95_ns: u64,
    /// 99th percentile of the total times, by nearest rank.
    pub p99_ns: u64,
    /// Longest total time.
    pub max_ns: u64,
}

/// The summary of a run, by operation, element and device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// One row for each (operation, element, device): by descending time, then by
    /// operation, element and device.
    pub rows: Vec<SummaryRow>,
    /// Sums over all rows.
    pub totals: Totals,
    /// The number of overwritten spans, which are missing here.
    pub overwritten: u64,
}

impl Summary {
    /// The table of `spans`, after `overwritten` others were lost.
    #[must_use]
    pub fn of(spans: &[RecordedSpan], overwritten: u64) -> Self {
        let mut groups: BTreeMap<Key<'_>, SummaryGroup> = BTreeMap::new();
        for span in spans {
            let key = (&*span.operation, &*span.element, &*span.device);
            groups.entry(key).or_default().add(Totals::of(span));
        }

        let mut totals = Totals::default();
        for group in groups.values() {
            totals.add(&group.totals);
        }
        let all_ns: f64 = groups
            .values()
            .map(|group| group.totals.self_ns as f64)
            .sum();

        let mut rows: Vec<SummaryRow> = groups
            .into_iter()
            .filter_map(|(key, group)| group.into_row(key, all_ns))
            .collect();
        // The sort is stable and the groups are in order of their keys.
        rows.sort_by_key(|row| std::cmp::Reverse(row.totals.total_ns));
        Self {
            rows,
            totals,
            overwritten,
        }
    }
}

type Key<'a> = (&'a str, &'a str, &'a str);

impl Totals {
    pub(crate) fn of(span: &RecordedSpan) -> Self {
        Self {
            count: 1,
            total_ns: span.total_ns,
            self_ns: span.self_ns,
            gpu_ns: span.gpu_ns,
            cpu_ns: span.cpu_ns,
            device_ns: span.device_ns.unwrap_or(0),
            device_timed: u64::from(span.device_ns.is_some()),
            transfer_ns: span.transfer_ns,
            overhead_ns: span.overhead_ns,
            bytes_in: span.bytes_in,
            bytes_out: span.bytes_out,
            bytes_moved: span.bytes_moved,
        }
    }
}

/// The spans of one row.
#[derive(Default)]
struct SummaryGroup {
    totals: Totals,
    times_ns: Vec<u64>,
}

impl SummaryGroup {
    fn add(&mut self, figures: Totals) {
        self.totals.add(&figures);
        self.times_ns.push(figures.total_ns);
    }

    /// The row, or `None` for a group of no spans.
    fn into_row(mut self, key: Key<'_>, all_ns: f64) -> Option<SummaryRow> {
        // Sorted before adding up: a sum of floats must not depend on the order in
        // which threads recorded.
        self.times_ns.sort_unstable();
        let times_ns = &self.times_ns;
        let (&min_ns, &max_ns) = (times_ns.first()?, times_ns.last()?);
        let count = times_ns.len() as f64;
        let mean_ns = times_ns.iter().map(|&ns| ns as f64).sum::<f64>() / count;
        let variance = times_ns
            .iter()
            .map(|&ns| (ns as f64 - mean_ns).powi(2))
            .sum::<f64>()
            / count;
        let (operation, element, device) = key;
        Some(SummaryRow {
            operation: operation.to_owned(),
            element: element.to_owned(),
            device: device.to_owned(),
            totals: self.totals,
            share: share(self.totals.self_ns, all_ns),
            mean_ns,
            deviation_ns: variance.sqrt(),
            min_ns,
            p50_ns: percentile(times_ns, 50),
            p95_ns: percentile(times_ns, 95),
            p99_ns: percentile(times_ns, 99),
            max_ns,
        })
    }
}

fn share(part_ns: u64, all_ns: f64) -> f64 {
    if part_ns == 0 {
        0.0
    } else {
        part_ns as f64 / all_ns
    }
}

/// The percentile by nearest rank of ascending times. There must be at least one.
fn percentile(sorted_ns: &[u64], percent: usize) -> u64 {
    let rank = (sorted_ns.len() * percent).div_ceil(100).max(1);
    sorted_ns[rank - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(operation: &str, total_ns: u64) -> RecordedSpan {
        RecordedSpan {
            operation: operation.into(),
            element: "u8".into(),
            device: "cpu".into(),
            total_ns,
            self_ns: total_ns,
            overhead_ns: 1,
            bytes_in: 2,
            ..RecordedSpan::default()
        }
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-12 * right.abs().max(1.0)
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let five = [15, 20, 35, 40, 50];
        assert_eq!(percentile(&five, 50), 35);
        assert_eq!(percentile(&five, 95), 50);
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([50, 95, 99].map(|p| percentile(&hundred, p)), [50, 95, 99]);
        let even = [1, 2, 3, 4];
        assert_eq!(percentile(&even, 50), 2);
        assert_eq!(percentile(&[7], 99), 7);
    }

    #[test]
    fn a_row_holds_the_figures_of_its_spans() {
        let spans = [2, 4, 4, 4, 5, 5, 7, 9].map(|ns| timed("xor", ns));
        let summary = Summary::of(&spans, 3);
        let row = &summary.rows[0];
        assert!(close(row.mean_ns, 5.0) && close(row.deviation_ns, 2.0));
        assert_eq!((row.min_ns, row.p50_ns, row.max_ns), (2, 4, 9));
        assert_eq!(row.totals.total_ns, 40);
        assert_eq!(row.totals.bytes_in, 16);
        assert_eq!(row.totals.overhead_ns, 8);
        assert_eq!(summary.overwritten, 3);
        assert_eq!(summary.totals, row.totals);
    }

    #[test]
    fn rows_come_by_time_and_then_by_name() {
        let spans = [timed("b", 5), timed("a", 5), timed("c", 90)];
        let summary = Summary::of(&spans, 0);
        let names: Vec<_> = summary.rows.iter().map(|row| &*row.operation).collect();
        assert_eq!(names, ["c", "a", "b"]);
        assert!(close(summary.rows[0].share, 0.9));
        assert!(close(summary.rows.iter().map(|row| row.share).sum(), 1.0));
    }

    #[test]
    fn devices_and_elements_have_rows_of_their_own() {
        let cuda = |index| RecordedSpan {
            device: format!("cuda:{index}").into(),
            ..timed("xor", 1)
        };
        let spans = [
            cuda(3),
            cuda(2),
            timed("xor", 1),
            RecordedSpan {
                element: "u64".into(),
                ..timed("xor", 1)
            },
        ];
        let summary = Summary::of(&spans, 0);
        let rows: Vec<_> = summary
            .rows
            .iter()
            .map(|row| (&*row.element, &*row.device))
            .collect();
        assert_eq!(
            rows,
            [
                ("u64", "cpu"),
                ("u8", "cpu"),
                ("u8", "cuda:2"),
                ("u8", "cuda:3")
            ]
        );
    }

    #[test]
    fn only_spans_with_a_device_time_count_as_device_timed() {
        let spans = [
            timed("xor", 9),
            RecordedSpan {
                device_ns: Some(0),
                ..timed("xor", 9)
            },
            RecordedSpan {
                device_ns: Some(4),
                ..timed("xor", 9)
            },
        ];
        let totals = Summary::of(&spans, 0).totals;
        assert_eq!(
            (totals.count, totals.device_timed, totals.device_ns),
            (3, 2, 4)
        );
    }

    #[test]
    fn no_spans_and_no_time_give_no_nan() {
        assert_eq!(Summary::of(&[], 0), Summary::default());
        let row = &Summary::of(&[timed("xor", 0)], 0).rows[0];
        assert!(close(row.share, 0.0) && close(row.deviation_ns, 0.0));
    }

    #[test]
    fn sums_too_large_stay_at_the_largest_number() {
        let spans = [timed("xor", u64::MAX), timed("xor", u64::MAX)];
        let row = &Summary::of(&spans, 0).rows[0];
        assert_eq!(row.totals.total_ns, u64::MAX);
        assert!(close(row.mean_ns, u64::MAX as f64));
    }
}
