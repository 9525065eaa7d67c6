//! Golden vectors: an error names its line, and what is read runs within its budget.

use std::path::Path;

use heddle_arc::evaluators::CompactEvaluator;
use heddle_arc::golden::{self, read_text};
use heddle_arc::meter::Budget;

/// The most vectors of an input that are run.
const MOST: usize = 64;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let vectors = match read_text(&text, Path::new("fuzz.vectors")) {
        Ok(vectors) => vectors,
        Err(error) => {
            assert!(error.to_string().contains("fuzz.vectors"), "{error}");
            return;
        }
    };
    let budget = Budget::default().with(|it| it.steps = 100_000);
    let few = &vectors[..vectors.len().min(MOST)];
    golden::check(few, &mut CompactEvaluator::new(budget));
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let files = [
        include_str!("../../heddle-arc/tests/suite/golden/order_free.vectors"),
        "{\"fn\": \"add\", \"args\": [1, 2], \"out\": 3}\n# a comment\n\n",
    ];
    let lines = files.iter().flat_map(|file| file.lines().step_by(50));
    lines.map(|line| format!("{line}\n").into_bytes()).collect()
}
