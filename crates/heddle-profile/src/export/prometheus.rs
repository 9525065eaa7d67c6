//! Metrics in Prometheus' text exposition format, version 0.0.4.
//!
//! A recording holds only the newest spans, so a sum over them falls when spans are
//! overwritten, and no counter may. [`Metrics`] adds what is new in each recording; spans
//! overwritten before any recording held them are counted in
//! `heddle_spans_overwritten_total`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::counters::Counters;
use super::exposition::Family;
use crate::name::Name;
use crate::recording::{MemorySample, RecordedSpan, Recording};
use crate::summary::{Summary, Totals};

/// The counters of all recordings that were shown, of one profiler or, where a file is rewritten by
/// another run, of one after the other. No counter ever decreases.
///
/// ```
/// use heddle_profile::{Metrics, Profiler};
///
/// let (profiler, mut metrics) = (Profiler::new(1_024), Metrics::default());
/// profiler.time("solve", || ());
/// let text = metrics.text(&profiler.recording());
/// let counted = "heddle_operations_total{operation=\"solve\",element=\"\",device=\"cpu\"}";
/// assert!(text.contains(&format!("{counted} 1")));
/// profiler.time("solve", || ());
/// let text = metrics.text(&profiler.recording());
/// assert!(text.contains(&format!("{counted} 2")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Which profiler the last recording is of.
    started_unix_us: u64,
    label: String,
    /// How often that profiler had been cleared then.
    clears: u64,
    /// Spans that profiler had recorded then.
    recorded: u64,
    /// The same of all profilers, however often they were cleared.
    recorded_in_all: u64,
    /// Spans that no recording had.
    unseen: u64,
    totals: BTreeMap<Key, Totals>,
    /// What a recording counts itself.
    counters: Counters,
}

/// Operation, element and device.
type Key = (Name, Name, Name);

impl Metrics {
    /// Everything a recording says, as metrics; counters go on from the recordings before. A
    /// recording of another profiler than the last one is new as a whole.
    #[must_use]
    pub fn text(&mut self, recording: &Recording) -> String {
        self.take_in(recording);
        let mut text = String::new();
        self.spans_metrics(recording, &mut text);
        self.operation_metrics(&recording.summary(), &mut text);
        recording.memory_metrics(&mut text);
        self.counters.write(&mut text);
        text
    }

    /// Adds the spans that were recorded since the last time: the last to end.
    fn take_in(&mut self, recording: &Recording) {
        let is_same =
            (self.started_unix_us, &self.label) == (recording.started_unix_us, &recording.label);
        let recorded = recording.recorded();
        // Of a profiler without a name, fewer spans than before are another's.
        let is_cleared = recording.clears != self.clears || recorded < self.recorded;
        let is_other = !is_same || (is_cleared && self.started_unix_us == 0);
        if is_other {
            self.started_unix_us = recording.started_unix_us;
            self.label.clone_from(&recording.label);
            self.counters.begin_profiler();
        }
        self.counters.take_in(recording);
        let before = if is_other || is_cleared {
            0
        } else {
            self.recorded
        };
        let new = recorded - before;
        let mut spans: Vec<&RecordedSpan> = recording.spans.iter().collect();
        let seen = spans.len().min(usize::try_from(new).unwrap_or(usize::MAX));
        if seen < spans.len() && seen > 0 {
            let end = |span: &&RecordedSpan| span.start_ns.saturating_add(span.total_ns);
            spans.select_nth_unstable_by_key(seen - 1, |span| Reverse(end(span)));
        }
        for span in &spans[..seen] {
            let key = (
                span.operation.clone(),
                span.element.clone(),
                span.device.clone(),
            );
            self.totals.entry(key).or_default().add(&Totals::of(span));
        }
        (self.clears, self.recorded) = (recording.clears, recorded);
        self.recorded_in_all = self.recorded_in_all.saturating_add(new);
        self.unseen = self.unseen.saturating_add(new - seen as u64);
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl Metrics {
    fn spans_metrics(&self, recording: &Recording, text: &mut String) {
        let mut family = Family::new(
            text,
            "heddle_spans_recorded_total",
            "counter",
            "Spans recorded.",
        );
        family.sample(&[], self.recorded_in_all);
        let mut family = Family::new(
            text,
            "heddle_spans_overwritten_total",
            "counter",
            "Spans overwritten by newer ones before they were read; the metrics below leave them out.",
        );
        family.sample(&[], self.unseen);
        let mut family = Family::new(
            text,
            "heddle_spans_sampled_ratio",
            "gauge",
            "The share of spans that are recorded.",
        );
        family.sample(&[], 1.0 / f64::from(recording.sampled_one_in.max(1)));
        let coverage = recording.device_time_coverage();
        let mut family = Family::new(
            text,
            "heddle_device_timed_ratio",
            "gauge",
            "The share of spans on GPUs with a time by the GPU's own clock.",
        );
        family.sample(&[], coverage.share());
    }

    fn operation_metrics(&self, summary: &Summary, text: &mut String) {
        let mut family = Family::new(
            text,
            "heddle_operations_total",
            "counter",
            "Operations executed.",
        );
        for ((operation, element, device), totals) in &self.totals {
            family.sample(
                &[
                    ("operation", operation),
                    ("element", element),
                    ("device", device),
                ],
                totals.count,
            );
        }
        let mut family = Family::new(
            text,
            "heddle_operation_seconds_total",
            "counter",
            "Self time of operations, by kind of time.",
        );
        for ((operation, element, device), totals) in &self.totals {
            for (part, ns) in [
                ("gpu", totals.gpu_ns),
                ("cpu", totals.cpu_ns),
                ("transfer", totals.transfer_ns),
                ("overhead", totals.overhead_ns),
            ] {
                family.sample(
                    &[
                        ("operation", operation),
                        ("element", element),
                        ("device", device),
                        ("part", part),
                    ],
                    seconds(ns),
                );
            }
        }
        let mut family = Family::new(
            text,
            "heddle_operation_duration_seconds",
            "gauge",
            "Time of one operation, by quantile, of the spans kept.",
        );
        for row in &summary.rows {
            for (quantile, ns) in [
                ("0.5", row.p50_ns),
                ("0.95", row.p95_ns),
                ("0.99", row.p99_ns),
            ] {
                family.sample(
                    &[
                        ("operation", &row.operation),
                        ("element", &row.element),
                        ("device", &row.device),
                        ("quantile", quantile),
                    ],
                    seconds(ns),
                );
            }
        }
        let mut family = Family::new(
            text,
            "heddle_operation_bytes_total",
            "counter",
            "Bytes read, written and moved between memories.",
        );
        for ((operation, element, device), totals) in &self.totals {
            for (direction, bytes) in [
                ("in", totals.bytes_in),
                ("out", totals.bytes_out),
                ("moved", totals.bytes_moved),
            ] {
                family.sample(
                    &[
                        ("operation", operation),
                        ("element", element),
                        ("device", device),
                        ("direction", direction),
                    ],
                    bytes,
                );
            }
        }
    }
}

impl Recording {
    /// Everything this recording says, as metrics. Of a profiler that goes on, show
    /// every recording to the same [`Metrics`] instead: counters of this one alone lack
    /// what was overwritten.
    #[must_use]
    pub fn prometheus(&self) -> String {
        Metrics::default().text(self)
    }

    fn memory_metrics(&self, text: &mut String) {
        let latest = self.latest_memory();
        let mut family = Family::new(
            text,
            "heddle_memory_bytes",
            "gauge",
            "The last sample of a device's memory.",
        );
        for sample in &latest {
            for (state, bytes) in [
                ("allocated", sample.allocated),
                ("reserved", sample.reserved),
                ("pooled", sample.pooled),
                ("free", sample.free),
                ("limit", sample.limit),
            ] {
                family.sample(&[("device", &sample.device), ("state", state)], bytes);
            }
        }
        let mut family = Family::new(
            text,
            "heddle_memory_pressure_level",
            "gauge",
            "0 low, 1 moderate, 2 high, 3 critical.",
        );
        for sample in &latest {
            family.sample(&[("device", &sample.device)], sample.pressure as u8);
        }
    }

    /// The newest sample of each device.
    fn latest_memory(&self) -> Vec<&MemorySample> {
        let mut latest = std::collections::BTreeMap::new();
        for sample in &self.memory {
            latest.insert(&sample.device, sample);
        }
        latest.into_values().collect()
    }
}
