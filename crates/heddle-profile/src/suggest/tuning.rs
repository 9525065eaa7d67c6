//! Missing measurements, wrong predictions, missing device times and pool misses.

use std::collections::{BTreeMap, BTreeSet};

use super::{Advice, Suggestion, time};
use crate::name::Name;
use crate::recording::Recording;

/// The factor from which a prediction counts as wrong.
const FAR_OFF: f64 = 2.0;

/// A pool with a larger share of misses is too small.
const TOO_MANY_MISSES: f64 = 0.2;

pub(super) fn suggest(recording: &Recording) -> Vec<Suggestion> {
    let mut list = never_calibrated(recording);
    list.extend(far_off(recording));
    list.extend(unproven(recording));
    list.extend(pools(recording));
    list
}

fn never_calibrated(recording: &Recording) -> Vec<Suggestion> {
    let kinds: BTreeSet<(&Name, &Name)> = recording
        .routing
        .iter()
        .filter(|row| !row.calibrated && row.count > row.explored)
        .map(|row| (&row.operation, &row.device))
        .collect();
    kinds
        .into_iter()
        .map(|(operation, device)| {
            let rows = || {
                recording
                    .routing
                    .iter()
                    .filter(|row| row.operation == *operation && row.device == *device)
            };
            let runs: u64 = rows().map(|row| row.count).sum();
            let ns: f64 = rows()
                .map(|row| row.measured_ns.unwrap_or(0.0) * row.count as f64)
                .sum();
            Suggestion {
                found: format!(
                    "{runs} runs of {operation} ({}) were sent to {device} without a measurement there",
                    time(ns)
                ),
                action: "run `heddle calibrate`".to_owned(),
                ..Suggestion::new(Advice::Calibrate, operation, device)
            }
        })
        .collect()
}

fn far_off(recording: &Recording) -> Vec<Suggestion> {
    // For each kind, the class that took the most time.
    let mut worst: BTreeMap<(&Name, &Name), (f64, f64, f64)> = BTreeMap::new();
    for row in &recording.routing {
        let (Some(predicted), Some(measured)) = (row.predicted_ns, row.measured_ns) else {
            continue;
        };
        let factor = (predicted / measured).max(measured / predicted);
        if !factor.is_finite() || factor < FAR_OFF {
            continue;
        }
        let weight = measured * row.count as f64;
        let entry = worst
            .entry((&row.operation, &row.device))
            .or_insert((weight, predicted, measured));
        if weight > entry.0 {
            *entry = (weight, predicted, measured);
        }
    }
    worst
        .into_iter()
        .map(
            |((operation, device), (_, predicted, measured))| Suggestion {
                found: format!(
                    "{operation} on {device} was predicted to take {} and took {}",
                    time(predicted),
                    time(measured)
                ),
                action: "run `heddle calibrate` on this machine again".to_owned(),
                ..Suggestion::new(Advice::Recalibrate, operation, device)
            },
        )
        .collect()
}

fn unproven(recording: &Recording) -> Vec<Suggestion> {
    recording
        .device_time_coverage()
        .unproven
        .into_iter()
        .map(|row| Suggestion {
            found: format!(
                "{} of {} runs of {} on {} have no time by the device's clock",
                row.spans - row.timed,
                row.spans,
                row.operation,
                row.device
            ),
            action: format!(
                "check with `heddle selftest --device {}` that they run there",
                row.device
            ),
            ..Suggestion::new(Advice::ProveDevice, &row.operation, &row.device)
        })
        .collect()
}

fn pools(recording: &Recording) -> Vec<Suggestion> {
    recording
        .counters
        .pools
        .iter()
        .filter_map(|pool| {
            let requests = pool.hits.saturating_add(pool.misses);
            let share = pool.misses as f64 / requests.max(1) as f64;
            (requests > 0 && share > TOO_MANY_MISSES).then(|| Suggestion {
                found: format!(
                    "{} of {requests} requests for memory on {} went to the driver ({:.0} %)",
                    pool.misses,
                    pool.device,
                    share * 100.0
                ),
                action:
                    "raise `memory.device_limit` in heddle.toml, so that more is kept for reuse"
                        .to_owned(),
                ..Suggestion::new(Advice::GrowPool, &Name::default(), &pool.device)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Counters, RecordedPool, RecordedSpan, RoutingRow};

    fn advice(recording: &Recording) -> Vec<Advice> {
        suggest(recording).iter().map(|s| s.advice).collect()
    }

    #[test]
    fn each_problem_is_reported_only_where_it_occurs() {
        let row = |calibrated, predicted_ns, measured_ns| RoutingRow {
            operation: "arc".into(),
            device: "cuda:0".into(),
            count: 10,
            calibrated,
            predicted_ns,
            measured_ns: Some(measured_ns),
            ..RoutingRow::default()
        };
        let with = |routing| Recording {
            routing: vec![routing],
            ..Recording::default()
        };
        assert_eq!(advice(&with(row(true, Some(90.0), 100.0))), []);
        assert_eq!(advice(&with(row(false, None, 100.0))), [Advice::Calibrate]);
        assert_eq!(
            advice(&with(row(true, Some(30.0), 100.0))),
            [Advice::Recalibrate]
        );
        let silent = Recording {
            spans: vec![RecordedSpan {
                device: "cuda:0".into(),
                ..RecordedSpan::default()
            }],
            ..Recording::default()
        };
        assert_eq!(advice(&silent), [Advice::ProveDevice]);
        let pool = |hits, misses| Recording {
            counters: Counters {
                pools: vec![RecordedPool {
                    device: "cuda:0".into(),
                    hits,
                    misses,
                }],
                ..Counters::default()
            },
            ..Recording::default()
        };
        assert_eq!(advice(&pool(5, 5)), [Advice::GrowPool]);
        assert_eq!(advice(&pool(95, 5)), []);
        assert_eq!(advice(&pool(0, 0)), []);
    }
}
