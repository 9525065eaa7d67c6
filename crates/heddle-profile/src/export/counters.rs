//! The counters that a recording holds itself: memory requests, decisions, fallbacks, batches.
//!
//! They count from the start of their process. When another run rewrites the file they fall, and
//! what was counted before is kept.

use std::collections::BTreeMap;

use super::exposition::Family;
use crate::name::Name;
use crate::recording::Recording;

/// A counter family.
struct CounterFamily {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
}

const POOL_REQUESTS: usize = 0;
const DECISIONS: usize = 1;
const FALLBACKS: usize = 2;
const BATCHES: usize = 3;
const BATCH_ITEMS: usize = 4;

/// The families, in the order they are written.
static FAMILIES: [CounterFamily; 5] = [
    CounterFamily {
        name: "heddle_pool_requests_total",
        help: "Memory requests that a pool served (hit) or passed to the driver (miss).",
        labels: &["device", "result"],
    },
    CounterFamily {
        name: "heddle_routing_decisions_total",
        help: "Operations by the device they were routed to, and whether that was exploration.",
        labels: &["operation", "element", "device", "purpose"],
    },
    CounterFamily {
        name: "heddle_fallbacks_total",
        help: "Operations that ran on another device than the one they were routed to.",
        labels: &["operation", "from", "to", "cause"],
    },
    CounterFamily {
        name: "heddle_batches_total",
        help: "Launches that merged small work.",
        labels: &["operation", "device"],
    },
    CounterFamily {
        name: "heddle_batch_items_total",
        help: "Items in those launches.",
        labels: &["operation", "device"],
    },
];

/// A family and the values of its labels.
type Series = (usize, Vec<Name>);

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// Its value in the last recording.
    last: u64,
    /// The sum of its increases.
    total: u64,
}

impl Counter {
    fn raise(&mut self, value: u64) {
        // A value below the last one was counted from zero again.
        let new = value.checked_sub(self.last).unwrap_or(value);
        self.total = self.total.saturating_add(new);
        self.last = value;
    }
}

/// The counters over all recordings.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters(BTreeMap<Series, Counter>);

impl Counters {
    /// The next recording is of another profiler, which counts from zero.
    pub(super) fn begin_profiler(&mut self) {
        for counter in self.0.values_mut() {
            counter.last = 0;
        }
    }

    pub(super) fn take_in(&mut self, recording: &Recording) {
        for (series, value) in values(recording) {
            self.0.entry(series).or_default().raise(value);
        }
    }

    pub(super) fn write(&self, text: &mut String) {
        for (index, family) in FAMILIES.iter().enumerate() {
            let mut written = Family::new(text, family.name, "counter", family.help);
            let all = self.0.range((index, Vec::new())..(index + 1, Vec::new()));
            for ((_, values), counter) in all {
                let values = values.iter().map(Name::as_str);
                let labels: Vec<_> = family.labels.iter().copied().zip(values).collect();
                written.sample(&labels, counter.total);
            }
        }
    }
}

/// The values of one recording. Rows with the same labels, such as the size classes of a decision,
/// are summed: a series may be written once only.
fn values(recording: &Recording) -> BTreeMap<Series, u64> {
    let mut sums: BTreeMap<Series, u64> = BTreeMap::new();
    let mut add = |family: usize, labels: &[&Name], value: u64| {
        let labels = labels.iter().map(|&label| label.clone()).collect();
        let sum = sums.entry((family, labels)).or_default();
        *sum = sum.saturating_add(value);
    };
    let [hit, miss, used, explored] = ["hit", "miss", "use", "explore"].map(Name::from);
    for pool in &recording.counters.pools {
        add(POOL_REQUESTS, &[&pool.device, &hit], pool.hits);
        add(POOL_REQUESTS, &[&pool.device, &miss], pool.misses);
    }
    for row in &recording.routing {
        let (operation, element, device) = (&row.operation, &row.element, &row.device);
        let others = row.count.saturating_sub(row.explored);
        add(DECISIONS, &[operation, element, device, &used], others);
        add(
            DECISIONS,
            &[operation, element, device, &explored],
            row.explored,
        );
    }
    for row in &recording.counters.fallbacks {
        let cause = Name::from(row.cause.as_str());
        add(
            FALLBACKS,
            &[&row.operation, &row.from, &row.to, &cause],
            row.count,
        );
    }
    for row in &recording.counters.batches {
        add(BATCHES, &[&row.operation, &row.device], row.batches);
        add(BATCH_ITEMS, &[&row.operation, &row.device], row.items);
    }
    sums
}
