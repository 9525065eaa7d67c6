//! Texts of merged plans: what is read is written, and read again as the same plan.

use heddle_arc::plan::{CallGraph, Plan, read, write};
use heddle_arc::program::load;

use crate::programs;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let graph = match read(&text, "fuzz.py") {
        Ok(graph) => graph,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = write(&graph);
    let again = read(&written, "again.py").expect("a plan that was written is read");
    assert_eq!(again.nodes, graph.nodes);
    let outputs = |graph: &CallGraph| {
        let outputs = graph.outputs.iter();
        outputs
            .map(|output| (output.name.to_string(), output.form, output.result))
            .collect::<Vec<_>>()
    };
    assert_eq!(outputs(&again), outputs(&graph));
    assert_eq!(write(&again), written);
    for number in 0..graph.outputs.len() {
        let _ = graph.slice(number).to_string();
    }
    assert_eq!(Plan::of(graph).len(), again.outputs.len());
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = programs::texts();
    let merged = |texts: &[String]| {
        let programs: Vec<_> = texts
            .iter()
            .flat_map(|text| load(text, "seed.py").programs)
            .collect();
        write(&CallGraph::merge(&programs)).into_bytes()
    };
    let alone = texts.chunks(1).step_by(7).map(merged);
    let together = texts.chunks(5).step_by(3).map(merged);
    alone.chain(together).chain([merged(&[])]).collect()
}
