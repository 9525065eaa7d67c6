//! Values share their parts, copies do not: what would not fit is not copied.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::engine::{Example, Grid, Verdict, Worker};
use heddle_arc::fault::{Fault, Limit};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use std::time::{Duration, Instant};

/// A program of so many lines of `repeat`, each of ten of the one before.
fn repeated(lines: usize) -> Plan {
    let mut text = vec!["def solve_deep(I):\n    x0 = repeat(I, TEN)".to_owned()];
    text.extend((1..lines).map(|line| format!("    x{line} = repeat(x{}, TEN)", line - 1)));
    text.push(format!("    return x{}", lines - 1));
    let loaded = load(&text.join("\n"), "deep.py");
    assert!(loaded.errors.is_empty());
    Plan::new(&loaded.programs)
}

#[test]
fn a_thousand_million_shared_parts_are_not_copied() {
    let input = Grid::new(&[[1, 2], [3, 4]]).unwrap();
    let mut worker = Worker::new(Budget::default());
    let start = Instant::now();
    worker.run(&repeated(9), &[Example::new(&input)], |_, _, verdict| {
        assert!(matches!(verdict, Verdict::Defined { .. }));
        let fault = verdict.to_plain().unwrap_err().fault;
        assert_eq!(fault, Fault::Budget(Limit::Bytes));
    });
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_few_thousand_are() {
    let input = Grid::new(&[[1, 2], [3, 4]]).unwrap();
    let mut worker = Worker::new(Budget::default());
    worker.run(&repeated(3), &[Example::new(&input)], |_, _, verdict| {
        let copied = verdict.to_plain().unwrap().to_string();
        assert_eq!(copied.matches("(1, 2)").count(), 1000);
    });
}
