//! Programs made from bytes, so that every input is evaluated: the engine has the
//! reference's results, and a merged plan has those of its programs.

use heddle_arc::plan::{self, CallGraph};
use heddle_testing::Random;

use crate::any_program::case;
use crate::differential;

pub fn check(bytes: &[u8]) {
    let (programs, inputs) = case(bytes);
    differential::check_on(&programs, &inputs);
    let graph = CallGraph::merge(&programs);
    let read = plan::read(&plan::write(&graph), "plan.py").expect("a plan reads back");
    assert_eq!(read.nodes, graph.nodes);
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::seeded(7);
    (0..64)
        .map(|length| random.bytes(16 + 4 * length))
        .collect()
}
