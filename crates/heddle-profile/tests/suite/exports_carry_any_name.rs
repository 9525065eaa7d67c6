//! Tables, stacks and metrics contain every span, and any name as far as their formats
//! allow.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;

use heddle_profile::{RecordedSpan, Recording};
use heddle_testing::recorded::name;
use proptest::prelude::*;

prop_compose! {
    fn recording()(
        rows in prop::collection::vec(
            (name(), name(), 0_u64..1 << 40, 1_u64..1 << 30, any::<Option<prop::sample::Index>>()),
            0..30,
        ),
    ) -> Recording {
        Recording::default().with(|it| it.spans = rows
                .into_iter()
                .enumerate()
                .map(|(row, (operation, element, start_ns, self_ns, parent))| RecordedSpan::default().with(|it| { it.operation = operation.into(); it.element = element.into(); it.device = "cpu".into(); it.start_ns = start_ns; it.total_ns = self_ns; it.self_ns = self_ns; it.cpu_ns = self_ns; it.parent = parent.filter(|_| row > 0).map(|parent| parent.index(row) as u32); }))
                .collect())
    }
}

type Labels = Vec<(String, String)>;

/// The samples of a text exposition: name, labels, value.
fn samples(text: &str) -> Vec<(String, Labels, f64)> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let value = value.parse().unwrap();
            match series.split_once('{') {
                None => (series.to_owned(), Vec::new(), value),
                Some((name, rest)) => (name.to_owned(), labels(rest), value),
            }
        })
        .collect()
}

/// Reads labels by the rules of the format: `\\`, `\"` and `\n` are the only escapes.
fn labels(text: &str) -> Labels {
    let mut found = Vec::new();
    let mut rest = text;
    while rest != "}" {
        let (label, after) = rest.split_once("=\"").unwrap();
        let mut value = String::new();
        let mut characters = after.char_indices();
        let end = loop {
            match characters.next().unwrap() {
                (at, '"') => break at,
                (_, '\\') => value.push(match characters.next().unwrap().1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, other) => value.push(other),
            }
        };
        found.push((label.trim_start_matches(',').to_owned(), value));
        rest = &after[end + 1..];
    }
    found
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(96))]

    #[test]
    fn a_table_reads_back(recording in recording()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        recording.write_csv(&path, u64::MAX).unwrap();
        let mut reader = csv::Reader::from_path(&path).unwrap();
        let titles = reader.headers().unwrap().clone();
        let at = |title: &str| titles.iter().position(|found| found == title).unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(rows.len(), recording.spans.len());
        for (row, span) in rows.iter().zip(&recording.spans) {
            prop_assert_eq!(&row[at("operation")], &*span.operation);
            prop_assert_eq!(&row[at("element")], &*span.element);
            prop_assert_eq!(row[at("start_ns")].parse::<u64>().unwrap(), span.start_ns);
            prop_assert_eq!(row[at("parent")].parse::<u32>().ok(), span.parent);
        }
    }

    #[test]
    fn a_capped_table_is_below_its_cap_and_whole(
        recording in recording(), cap_bytes in 400_u64..4_000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let written = recording.write_csv(&path, cap_bytes).unwrap();
        prop_assert_eq!(fs::metadata(&path).unwrap().len(), written.bytes);
        prop_assert!(written.bytes <= cap_bytes);
        let rows = csv::Reader::from_path(&path).unwrap().records().map(Result::unwrap).count();
        prop_assert_eq!(rows as u64, written.spans);
        prop_assert_eq!(written.spans + written.left_out, recording.spans.len() as u64);
    }

    #[test]
    fn stacks_hold_all_the_time_one_line_each(recording in recording()) {
        let lines = recording.collapsed_stacks();
        let mut total_ns = 0;
        for line in &lines {
            prop_assert!(!line.contains(|c: char| c.is_control()), "{:?}", line);
            prop_assert!(!line.starts_with('#'), "{:?}", line);
            let (stack, ns) = line.rsplit_once(' ').unwrap();
            total_ns += ns.parse::<u64>().unwrap();
            // A second number would be read as a second count.
            let last = stack.rsplit(' ').next().unwrap();
            prop_assert!(!stack.contains(' ') || last.parse::<f64>().is_err(), "{:?}", line);
            prop_assert!(stack.split(';').all(|frame| !frame.is_empty()), "{:?}", line);
        }
        prop_assert_eq!(total_ns, recording.spans.iter().map(|span| span.self_ns).sum::<u64>());
    }

    #[test]
    fn metrics_read_back_by_their_formats_rules(recording in recording()) {
        let samples = samples(&recording.prometheus());
        for row in recording.summary().rows {
            let expected = [
                ("operation".to_owned(), row.operation.clone()),
                ("element".to_owned(), row.element.clone()),
                ("device".to_owned(), row.device.clone()),
            ];
            let found = samples
                .iter()
                .find(|(name, labels, _)| name == "heddle_operations_total" && *labels == expected);
            let count = found.map(|(_, _, count)| *count as u64);
            prop_assert_eq!(count, Some(row.totals.count), "{:?}", row.operation);
        }
    }
}
