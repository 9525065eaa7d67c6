//! Prometheus counters of one profiler never decrease, although it keeps few spans. They
//! count every span of every recording.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeMap;

use heddle_profile::{Metrics, Profiler, Recording};

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
fn counters_continue_after_a_clear_and_restart_for_another_process() {
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
    let counted = count(&third, "append_rows") + third["heddle_spans_overwritten_total"];
    assert_eq!(counted.to_bits(), 70.0_f64.to_bits());
}
