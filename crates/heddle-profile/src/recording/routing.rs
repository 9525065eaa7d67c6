//! Routing decisions and their predictions.
//!
//! Decisions are not kept one by one but added up by operation, element, size class
//! and device, so their number is bounded by the kinds of work and not by its
//! amount.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// A device an operation was not sent to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Alternative {
    /// The device.
    pub device: Name,
    /// The predicted time there; `None` where it was never measured.
    pub predicted_ns: Option<f64>,
}

/// The decisions of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoutingRow {
    /// The operation.
    pub operation: Name,
    /// The element type.
    pub element: Name,
    /// The device it was sent to.
    pub device: Name,
    /// The size class: class `c` is work from 2^c up to 2^(c+1).
    pub size_class: u8,
    /// The mean number of bytes of operands and result.
    pub bytes: u64,
    /// How often it was sent there.
    pub count: u64,
    /// How many of those were sent only to be measured.
    pub explored: u64,
    /// The mean predicted time; `None` if there was no prediction.
    pub predicted_ns: Option<f64>,
    /// The mean measured time; `None` if it never ran.
    pub measured_ns: Option<f64>,
    /// The other devices.
    pub alternatives: Vec<Alternative>,
    /// The reason, in a sentence.
    pub reason: String,
    /// Whether this kind of work had been measured on the device before.
    pub calibrated: bool,
}

/// The size class of an amount of work; zero counts as one.
#[must_use]
pub(crate) fn size_class(work: u64) -> u8 {
    (work | 1).ilog2() as u8
}

/// Adds up decisions.
///
/// ```
/// use heddle_profile::{RoutingLog, RoutingRow};
///
/// let mut log = RoutingLog::default();
/// for measured in [900.0, 1_100.0] {
///     log.add(1_024, || RoutingRow {
///         operation: "xor".into(),
///         device: "cpu".into(),
///         bytes: 3_072,
///         predicted_ns: Some(1_050.0),
///         measured_ns: Some(measured),
///         ..RoutingRow::default()
///     });
/// }
/// let rows = log.rows();
/// assert_eq!((rows[0].count, rows[0].size_class), (2, 10));
/// assert_eq!(rows[0].measured_ns, Some(1_000.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RoutingLog {
    rows: BTreeMap<(Name, Name, u8, Name), RoutingTotals>,
}

#[derive(Clone, Debug)]
struct RoutingTotals {
    row: RoutingRow,
    bytes: u128,
    predicted: Mean,
    measured: Mean,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl RoutingLog {
    /// Adds one decision about an amount of work. The row's count and class are set
    /// here; its `explored` must be 1 or 0.
    pub fn add(&mut self, work: u64, decision: impl FnOnce() -> RoutingRow) {
        let row = decision();
        let class = size_class(work);
        let key = (
            row.operation.clone(),
            row.element.clone(),
            class,
            row.device.clone(),
        );
        let sums = self.rows.entry(key).or_insert_with(|| RoutingTotals {
            row: RoutingRow {
                size_class: class,
                count: 0,
                explored: 0,
                ..row.clone()
            },
            bytes: 0,
            predicted: Mean::default(),
            measured: Mean::default(),
        });
        sums.row.count += 1;
        sums.row.explored += row.explored;
        // The latest decision has the most measurements.
        sums.row.alternatives = row.alternatives;
        sums.bytes += u128::from(row.bytes);
        sums.predicted.add(row.predicted_ns);
        sums.measured.add(row.measured_ns);
    }

    /// The rows, by operation, element, size class and device.
    #[must_use]
    pub fn rows(&self) -> Vec<RoutingRow> {
        self.rows
            .values()
            .map(|sums| RoutingRow {
                bytes: (sums.bytes / u128::from(sums.row.count.max(1))) as u64,
                predicted_ns: sums.predicted.get(),
                measured_ns: sums.measured.get(),
                ..sums.row.clone()
            })
            .collect()
    }
}
