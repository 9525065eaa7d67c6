//! Every primitive gives the known results, on plain and on compact values.
//!
//! `golden/*.vectors` are outputs of the public reference DSL on generated inputs, in the
//! short notation of `heddle_arc::golden::notation`; see `golden/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::evaluators::{CompactEvaluator, PlainEvaluator};
use heddle_arc::golden::{self, Evaluator, GoldenVector, VectorReport};
use heddle_arc::prim::{Prim, PrimFamily};
use std::collections::BTreeSet;
use std::path::Path;

fn vectors() -> Vec<GoldenVector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden");
    golden::read(&folder).unwrap()
}

fn check(evaluator: &mut impl Evaluator) {
    let report: VectorReport = golden::check(&vectors(), evaluator);
    let differences: Vec<&String> = report
        .by_primitive
        .values()
        .flat_map(|tally| &tally.differences)
        .collect();
    assert_eq!(report.failed, 0, "{differences:#?}");
    assert_eq!(report.passed, 10_940);
}

#[test]
fn plain_evaluation_matches_vectors() {
    check(&mut PlainEvaluator::default());
}

#[test]
fn compact_evaluation_matches_vectors() {
    check(&mut CompactEvaluator::default());
}

#[test]
fn all_160_original_primitives_are_checked() {
    let checked: BTreeSet<Prim> = vectors().iter().map(|vector| vector.prim).collect();
    let missing: Vec<&Prim> = Prim::ALL
        .iter()
        .filter(|prim| prim.family() != PrimFamily::Additions && !checked.contains(prim))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn wrong_results_are_reported() {
    let wrong =
        golden::read_text("add 1 1 -> 3\nfirst {} -> 0", Path::new("made.vectors")).unwrap();
    let report = golden::check(&wrong, &mut CompactEvaluator::default());
    assert_eq!((report.passed, report.failed), (0, 2));
    assert!(report.by_primitive["add"].differences[0].contains("expected 3, found 2"));
    assert!(report.by_primitive["first"].differences[0].contains("found error"));
}

#[test]
fn an_invalid_line_is_reported_with_file_and_line() {
    let error = golden::read_text("add 1 1 -> 2\nadd (1", Path::new("made.vectors")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("made.vectors:2: not a vector"),
        "{error}"
    );
}
