//! Metrics in Prometheus' text exposition format, version 0.0.4.
//!
//! A recording holds only the newest spans, so a sum over them falls when spans are
//! overwritten, and no counter may. [`Metrics`] adds what is new in each recording; spans
//! overwritten before any recording held them are counted in
//! `heddle_spans_overwritten_total`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::name::Name;
use crate::recording::{MemorySample, RecordedSpan, Recording};
use crate::summary::{Summary, Totals};

/// The counters of one profiler, over all recordings of it that were shown.
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
    /// Which profiler it is.
    started_unix_us: u64,
    label: String,
    /// Spans the profiler had recorded at its last recording.
    recorded: u64,
    /// The same since it began, however often it was cleared.
    recorded_in_all: u64,
    /// Spans that no recording had.
    unseen: u64,
    totals: BTreeMap<Key, Totals>,
}

/// Operation, element and device.
type Key = (Name, Name, Name);

impl Metrics {
    /// Everything a recording says, as metrics; counters go on from the recordings of
    /// the same profiler before. With a recording of another one they begin again.
    #[must_use]
    pub fn text(&mut self, recording: &Recording) -> String {
        self.take_in(recording);
        let mut text = String::new();
        self.spans_metrics(recording, &mut text);
        self.operation_metrics(&recording.summary(), &mut text);
        recording.memory_metrics(&mut text);
        recording.routing_metrics(&mut text);
        recording.counter_metrics(&mut text);
        text
    }

    /// Adds the spans that were recorded since the last time: the last to end.
    fn take_in(&mut self, recording: &Recording) {
        let is_same =
            (self.started_unix_us, &self.label) == (recording.started_unix_us, &recording.label);
        let recorded = recording.recorded();
        // Of a profiler without a name, fewer spans than before are another's.
        let is_cleared = recorded < self.recorded;
        if !is_same || (is_cleared && self.started_unix_us == 0) {
            *self = Self {
                started_unix_us: recording.started_unix_us,
                label: recording.label.clone(),
                ..Self::default()
            };
        }
        let before = if is_cleared { 0 } else { self.recorded };
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
        self.recorded = recorded;
        self.recorded_in_all += new;
        self.unseen += new - seen as u64;
    }
}

/// A metric family being written.
struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl<'a> Family<'a> {
    fn new(text: &'a mut String, name: &'static str, kind: &str, help: &str) -> Self {
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Self { text, name }
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: impl fmt::Display) {
        self.text.push_str(self.name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{before}{label}=\"{}\"", Escaped(text));
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

/// A label's value: backslash, quote and line feed are escaped, nothing else.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
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
        let mut family = Family::new(
            text,
            "heddle_pool_requests_total",
            "counter",
            "Memory requests that a pool served (hit) or passed to the driver (miss).",
        );
        for pool in &self.counters.pools {
            family.sample(&[("device", &pool.device), ("result", "hit")], pool.hits);
            family.sample(&[("device", &pool.device), ("result", "miss")], pool.misses);
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

    fn routing_metrics(&self, text: &mut String) {
        // Summed over size classes, which would multiply the number of series.
        let mut sums = std::collections::BTreeMap::new();
        for row in &self.routing {
            let (count, explored) = sums
                .entry((&row.operation, &row.element, &row.device))
                .or_insert((0_u64, 0_u64));
            *count += row.count;
            *explored += row.explored;
        }
        let mut family = Family::new(
            text,
            "heddle_routing_decisions_total",
            "counter",
            "Operations by the device they were routed to, and whether that was exploration.",
        );
        for ((operation, element, device), (count, explored)) in sums {
            for (purpose, value) in [
                ("use", count.saturating_sub(explored)),
                ("explore", explored),
            ] {
                family.sample(
                    &[
                        ("operation", operation),
                        ("element", element),
                        ("device", device),
                        ("purpose", purpose),
                    ],
                    value,
                );
            }
        }
    }

    fn counter_metrics(&self, text: &mut String) {
        let mut family = Family::new(
            text,
            "heddle_fallbacks_total",
            "counter",
            "Operations that ran on another device than the one they were routed to.",
        );
        for row in &self.counters.fallbacks {
            family.sample(
                &[
                    ("operation", &row.operation),
                    ("from", &row.from),
                    ("to", &row.to),
                    ("cause", &row.cause),
                ],
                row.count,
            );
        }
        let mut family = Family::new(
            text,
            "heddle_batches_total",
            "counter",
            "Launches that merged small work.",
        );
        for row in &self.counters.batches {
            family.sample(
                &[("operation", &row.operation), ("device", &row.device)],
                row.batches,
            );
        }
        let mut family = Family::new(
            text,
            "heddle_batch_items_total",
            "counter",
            "Items in those launches.",
        );
        for row in &self.counters.batches {
            family.sample(
                &[("operation", &row.operation), ("device", &row.device)],
                row.items,
            );
        }
    }
}
