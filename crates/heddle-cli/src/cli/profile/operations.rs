//! The table of operations, as `heddle run` and `heddle profile show` print it.

use comfy_table::Table;
use heddle::profile::SummaryRow;
use heddle::units::{Estimate, Nanos};

use super::shown;
use crate::cli::table::table;

/// A column: its title, whether the short table shows it, and its cell.
type Column = (&'static str, bool, fn(&SummaryRow) -> String);

const COLUMNS: [Column; 13] = [
    ("operation ", true, |row| shown(&row.operation)),
    ("type ", true, |row| shown(&row.element)),
    ("device ", true, |row| shown(&row.device)),
    ("runs", true, |row| row.totals.count.to_string()),
    ("total", true, |row| Nanos(row.totals.total_ns).to_string()),
    ("mean", true, |row| Estimate(row.mean_ns).to_string()),
    ("deviation", false, |row| {
        Estimate(row.deviation_ns).to_string()
    }),
    ("p50", false, |row| Nanos(row.p50_ns).to_string()),
    ("p95", false, |row| Nanos(row.p95_ns).to_string()),
    ("p99", true, |row| Nanos(row.p99_ns).to_string()),
    ("max", false, |row| Nanos(row.max_ns).to_string()),
    ("device time", true, device_time),
    ("share", true, |row| format!("{:.1} %", row.share * 100.0)),
];

/// Which columns are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Detail {
    /// The columns that fit on a terminal of usual width.
    Short,
    /// Every column.
    Full,
}

/// Returns a table with one line for each row.
pub(in crate::cli) fn operations<'a>(
    rows: impl Iterator<Item = &'a SummaryRow>,
    detail: Detail,
) -> Table {
    let columns = || {
        COLUMNS
            .iter()
            .filter(|(_, in_short, _)| *in_short || detail == Detail::Full)
    };
    let titles: Vec<&str> = columns().map(|(title, _, _)| *title).collect();
    let mut list = table(&titles);
    for row in rows {
        list.add_row(columns().map(|(_, _, cell)| cell(row)));
    }
    list
}

/// Formats the time by the device's own clock, or `-` if no span was timed by one.
fn device_time(row: &SummaryRow) -> String {
    match row.totals.device_timed {
        0 => "-".to_owned(),
        _ => Nanos(row.totals.device_ns).to_string(),
    }
}
