//! The operations with the most self time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;

/// A part of self time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TimeCategory {
    /// Computing on a GPU.
    Gpu,
    /// Computing on the CPU.
    Cpu,
    /// Moving bytes between memories.
    Transfer,
    /// Neither computing nor transfer.
    Overhead,
}

/// An operation on a device, by its self time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bottleneck {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// How often it ran.
    pub count: u64,
    /// Its total self time.
    pub self_ns: u64,
    /// Its share of the total self time, from 0 to 1.
    pub share: f64,
    /// Its self time on average.
    pub mean_self_ns: f64,
    /// The part with most of that time.
    pub mostly: TimeCategory,
    /// That part's share, from 0 to 1.
    pub mostly_share: f64,
}

#[derive(Default)]
struct SelfTimeTotals {
    count: u64,
    self_ns: u64,
    parts: [u64; 4],
}

impl Recording {
    /// The `most` operations with the most self time, the longest first, then by
    /// name.
    #[must_use]
    pub fn bottlenecks(&self, most: usize) -> Vec<Bottleneck> {
        let mut groups: BTreeMap<(&Name, &Name), SelfTimeTotals> = BTreeMap::new();
        for span in &self.spans {
            let sums = groups.entry((&span.operation, &span.device)).or_default();
            sums.count += 1;
            sums.self_ns = sums.self_ns.saturating_add(span.self_ns);
            let parts = [span.gpu_ns, span.cpu_ns, span.transfer_ns, span.overhead_ns];
            for (sum, part) in sums.parts.iter_mut().zip(parts) {
                *sum = sum.saturating_add(part);
            }
        }
        let all_ns: f64 = groups.values().map(|sums| sums.self_ns as f64).sum();
        let mut rows: Vec<Bottleneck> = groups
            .into_iter()
            .map(|((operation, device), sums)| sums.row(operation, device, all_ns))
            .collect();
        // The sort is stable and the groups are in order of name.
        rows.sort_by_key(|row| Reverse(row.self_ns));
        rows.truncate(most);
        rows
    }
}

impl SelfTimeTotals {
    fn row(&self, operation: &Name, device: &Name, all_ns: f64) -> Bottleneck {
        let share = |part: u64, whole: f64| {
            if whole > 0.0 {
                part as f64 / whole
            } else {
                0.0
            }
        };
        let names = [
            TimeCategory::Gpu,
            TimeCategory::Cpu,
            TimeCategory::Transfer,
            TimeCategory::Overhead,
        ];
        let (mostly, part_ns) = names
            .into_iter()
            .zip(self.parts)
            // The first among equals.
            .rev()
            .max_by_key(|&(_, ns)| ns)
            .unwrap_or((TimeCategory::Cpu, 0));
        Bottleneck {
            operation: operation.clone(),
            device: device.clone(),
            count: self.count,
            self_ns: self.self_ns,
            share: share(self.self_ns, all_ns),
            mean_self_ns: self.self_ns as f64 / self.count.max(1) as f64,
            mostly,
            mostly_share: share(part_ns, self.self_ns as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordedSpan, compute_self_times};

    #[test]
    fn a_scope_is_not_blamed_for_what_runs_inside_it() {
        let span = |operation: &str, parent, start_ns, total_ns| RecordedSpan {
            operation: operation.into(),
            device: "cpu".into(),
            parent,
            start_ns,
            total_ns,
            ..RecordedSpan::default()
        };
        let mut spans = vec![
            span("frame", None, 0, 100),
            span("xor", Some(0), 5, 60),
            span("sum", Some(0), 70, 25),
        ];
        compute_self_times(&mut spans);
        let recording = Recording {
            spans,
            ..Recording::default()
        };
        let rows = recording.bottlenecks(2);
        let names: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
        assert_eq!(names, ["xor", "sum"]);
        assert_eq!((rows[0].self_ns, rows[0].mostly), (60, TimeCategory::Cpu));
        assert!((rows[0].share - 0.6).abs() < 1e-12);
        assert!(Recording::default().bottlenecks(5).is_empty());
    }
}
