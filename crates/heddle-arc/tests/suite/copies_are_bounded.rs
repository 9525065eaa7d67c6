//! Values share their parts and copies do not: a copy that would be too large is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::engine::{EvaluationRef, Example, Grid, Worker};
use heddle_arc::fault::{BudgetLimit, Fault};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use std::time::{Duration, Instant};

/// A program of this many lines of `repeat`, each of which repeats the previous one ten
/// times.
fn repeated(lines: usize) -> Plan {
    let mut text = vec!["def solve_deep(I):\n    x0 = repeat(I, TEN)".to_owned()];
    text.extend((1..lines).map(|line| format!("    x{line} = repeat(x{}, TEN)", line - 1)));
    text.push(format!("    return x{}", lines - 1));
    let loaded = load(&text.join("\n"), "deep.py");
    assert!(loaded.errors.is_empty());
    Plan::new(&loaded.programs)
}

#[test]
fn exponential_copies_are_refused() {
    let input = Grid::new(&[[1, 2], [3, 4]]).unwrap();
    let mut worker = Worker::new(Budget::default());
    let start = Instant::now();
    worker.run(&repeated(9), &[Example::new(&input)], |_, _, evaluation| {
        assert!(matches!(evaluation, EvaluationRef::Defined { .. }));
        let fault = evaluation.to_plain().unwrap_err().fault;
        assert_eq!(fault, Fault::Budget(BudgetLimit::Bytes));
    });
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn small_copies_are_made() {
    let input = Grid::new(&[[1, 2], [3, 4]]).unwrap();
    let mut worker = Worker::new(Budget::default());
    worker.run(&repeated(3), &[Example::new(&input)], |_, _, evaluation| {
        let copied = evaluation.to_plain().unwrap().to_string();
        assert_eq!(copied.matches("(1, 2)").count(), 1000);
    });
}
