//! Metrics in Prometheus' text exposition format, version 0.0.4.
//!
//! The one thing to know: counters are sums over the spans a recording holds.
//! When older spans were overwritten they do not grow without bound but slide,
//! and `heddle_spans_overwritten_total` says so.

use std::fmt::{self, Write as _};

use crate::recording::{MemorySample, Recording};

/// A metric family being written.
struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl<'a> Family<'a> {
    fn new(text: &'a mut String, name: &'static str, kind: &str, help: &str) -> Self {
        // A `String` takes everything.
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

impl Recording {
    /// Everything this recording says, as metrics.
    ///
    /// ```
    /// let profiler = heddle_profile::Profiler::new(1_024);
    /// profiler.time("weave", || ());
    /// let text = profiler.recording().prometheus();
    /// assert!(text.contains("heddle_operations_total{operation=\"weave\",element=\"\",device=\"cpu\"} 1"));
    /// ```
    #[must_use]
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        self.spans_metrics(&mut text);
        self.operation_metrics(&mut text);
        self.memory_metrics(&mut text);
        self.routing_metrics(&mut text);
        self.counter_metrics(&mut text);
        text
    }

    fn spans_metrics(&self, text: &mut String) {
        let mut family = Family::new(
            text,
            "heddle_spans_recorded_total",
            "counter",
            "Spans recorded.",
        );
        family.sample(&[], self.recorded());
        let mut family = Family::new(
            text,
            "heddle_spans_overwritten_total",
            "counter",
            "Spans that newer ones took the place of; the figures below lack them.",
        );
        family.sample(&[], self.missing());
        let mut family = Family::new(
            text,
            "heddle_spans_sampled_ratio",
            "gauge",
            "The share of spans that is recorded.",
        );
        family.sample(&[], 1.0 / f64::from(self.sampled_one_in.max(1)));
        let proof = self.device_proof();
        let mut family = Family::new(
            text,
            "heddle_device_timed_ratio",
            "gauge",
            "The share of spans on GPUs with a time by the GPU's own clock.",
        );
        family.sample(&[], proof.share());
    }

    fn operation_metrics(&self, text: &mut String) {
        let rows = self.summary().rows;
        let mut family = Family::new(
            text,
            "heddle_operations_total",
            "counter",
            "Operations that ran.",
        );
        for row in &rows {
            family.sample(
                &[
                    ("operation", &row.operation),
                    ("element", &row.element),
                    ("device", &row.device),
                ],
                row.totals.count,
            );
        }
        let mut family = Family::new(
            text,
            "heddle_operation_seconds_total",
            "counter",
            "Time of operations without what ran inside them, by what it went to.",
        );
        for row in &rows {
            for (part, ns) in [
                ("gpu", row.totals.gpu_ns),
                ("cpu", row.totals.cpu_ns),
                ("transfer", row.totals.transfer_ns),
                ("overhead", row.totals.overhead_ns),
            ] {
                family.sample(
                    &[
                        ("operation", &row.operation),
                        ("element", &row.element),
                        ("device", &row.device),
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
            "Time of one operation, by quantile.",
        );
        for row in &rows {
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
        for row in &rows {
            for (direction, bytes) in [
                ("in", row.totals.bytes_in),
                ("out", row.totals.bytes_out),
                ("moved", row.totals.bytes_moved),
            ] {
                family.sample(
                    &[
                        ("operation", &row.operation),
                        ("element", &row.element),
                        ("device", &row.device),
                        ("direction", direction),
                    ],
                    bytes,
                );
            }
        }
    }

    fn memory_metrics(&self, text: &mut String) {
        let latest = self.latest_memory();
        let mut family = Family::new(
            text,
            "heddle_memory_bytes",
            "gauge",
            "A device's memory as last seen.",
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
            "Requests for memory that a pool answered (hit) or passed on (miss).",
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
        // Size classes would multiply the series without being asked for.
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
            "Operations by the device they were sent to, and whether to measure it.",
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
            "Operations that could not stay where they were sent.",
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
