//! Prometheus counters never decrease, although a profiler keeps few spans and another run may
//! rewrite the file. They count every span of every recording.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::{BTreeMap, BTreeSet};

use heddle_profile::{
    Counters, Metrics, Name, Profiler, RecordedBatches, RecordedFallback, RecordedPool, Recording,
    RoutingRow,
};

/// Every sample of a counter, by name and labels.
fn counters(text: &str) -> BTreeMap<String, f64> {
    let mut counters = BTreeMap::new();
    let mut is_counter = false;
    for line in text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            is_counter = family.ends_with(" counter");
        } else if is_counter && !line.starts_with('#') {
            let (name, value) = line.rsplit_once(' ').unwrap();
            counters.insert(name.to_owned(), value.parse().unwrap());
        }
    }
    counters
}

fn count(counters: &BTreeMap<String, f64>, operation: &str) -> f64 {
    let labels = format!("{{operation=\"{operation}\",element=\"\",device=\"cpu\"}}");
    counters[&format!("heddle_operations_total{labels}")]
}

fn record(profiler: &Profiler, operation: &'static str, times: usize) {
    for _ in 0..times {
        profiler.time(operation, || ());
    }
}

fn assert_grown(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>) {
    for (name, value) in before {
        assert!(
            after[name] >= *value,
            "{name}: {value}, then {}",
            after[name]
        );
    }
}

const CAPACITY: usize = 64;

#[test]
fn what_was_overwritten_stays_counted() {
    let (profiler, mut metrics) = (Profiler::new(CAPACITY), Metrics::default());
    let mut before = BTreeMap::new();
    for round in 1..=5 {
        record(&profiler, "append_rows", 30);
        record(&profiler, "count_rows", 20);
        let after = counters(&metrics.text(&profiler.recording()));
        assert_grown(&before, &after);
        assert_eq!(
            count(&after, "append_rows").to_bits(),
            f64::from(30 * round).to_bits()
        );
        assert_eq!(
            count(&after, "count_rows").to_bits(),
            f64::from(20 * round).to_bits()
        );
        before = after;
    }
    // Without new spans, no counter changes.
    let after = counters(&metrics.text(&profiler.recording()));
    assert_eq!(before, after);
    // An operation whose spans are all gone keeps its counters.
    record(&profiler, "other", 3 * CAPACITY);
    let after = counters(&metrics.text(&profiler.recording()));
    assert_grown(&before, &after);
    assert_eq!(
        after["heddle_spans_recorded_total"].to_bits(),
        442.0_f64.to_bits()
    );
    let counted: f64 = ["append_rows", "count_rows", "other"]
        .map(|name| count(&after, name))
        .iter()
        .sum();
    let unseen = after["heddle_spans_overwritten_total"];
    assert!(unseen > 0.0, "more were recorded at once than are kept");
    assert_eq!((counted + unseen).to_bits(), 442.0_f64.to_bits());
}

#[test]
fn counters_continue_after_a_clear_and_for_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let (profiler, mut metrics) = (Profiler::new(CAPACITY), Metrics::default());
    let mut scrape = |profiler: &Profiler| {
        profiler.recording().write(&file).unwrap();
        counters(&metrics.text(&Recording::read(&file).unwrap()))
    };
    record(&profiler, "append_rows", 50);
    let first = scrape(&profiler);
    profiler.clear();
    record(&profiler, "append_rows", 10);
    let second = scrape(&profiler);
    assert_grown(&first, &second);
    assert_eq!(count(&second, "append_rows").to_bits(), 60.0_f64.to_bits());
    // A profiler of another process starts at least a microsecond later.
    std::thread::sleep(std::time::Duration::from_millis(1));
    let other = Profiler::new(CAPACITY);
    record(&other, "append_rows", 70);
    let third = scrape(&other);
    assert_grown(&second, &third);
    let counted = count(&third, "append_rows") + third["heddle_spans_overwritten_total"];
    assert_eq!(counted.to_bits(), 130.0_f64.to_bits());
}

/// A recording whose own counters have this value; `started_unix_us` tells its process.
fn counted(started_unix_us: u64, value: u64) -> Recording {
    let device = || Name::from("cuda:0");
    Recording::default().with(|it| {
        it.started_unix_us = started_unix_us;
        it.counters = Counters {
            fallbacks: vec![RecordedFallback {
                operation: "sum".into(),
                from: device(),
                to: "cpu".into(),
                cause: "out of memory".to_owned(),
                count: value,
            }],
            batches: vec![RecordedBatches {
                operation: "xor".into(),
                device: device(),
                batches: value,
                items: value,
            }],
            pools: vec![RecordedPool {
                device: device(),
                hits: value,
                misses: value,
            }],
        };
        it.routing = vec![RoutingRow {
            operation: "xor".into(),
            device: device(),
            count: value,
            ..RoutingRow::default()
        }];
    })
}

#[test]
fn what_a_recording_counts_itself_never_falls_either() {
    let mut metrics = Metrics::default();
    let mut before = BTreeMap::new();
    let mut show = |recording: &Recording, total: f64| {
        let after = counters(&metrics.text(recording));
        assert_grown(&before, &after);
        let counted = ["pool_requests", "fallbacks", "batches", "batch_items"];
        for family in counted.map(|name| format!("heddle_{name}_total{{")) {
            let mut samples = after.iter().filter(|(name, _)| name.starts_with(&family));
            assert!(
                samples.all(|(_, value)| value.to_bits() == total.to_bits()),
                "{family} {total}: {after:?}"
            );
        }
        let used = after
            .iter()
            .find(|(name, _)| name.contains("purpose=\"use\""));
        assert_eq!(used.unwrap().1.to_bits(), total.to_bits());
        before = after;
    };
    show(&counted(1, 100), 100.0);
    show(&counted(1, 130), 130.0);
    // Another process, which counts from zero.
    show(&counted(2, 40), 170.0);
    show(&counted(2, 50), 180.0);
    // It has more than the one before.
    show(&counted(3, 60), 240.0);
    // One that counted nothing.
    show(&Recording::default(), 240.0);
}

#[test]
fn rows_with_the_same_labels_are_one_sample() {
    let mut recording = counted(1, u64::MAX);
    let again = recording.counters.clone();
    recording.counters.pools.extend(again.pools);
    recording.counters.fallbacks.extend(again.fallbacks);
    recording.counters.batches.extend(again.batches);
    let text = recording.prometheus();
    let names: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), distinct.len(), "{text}");
}
