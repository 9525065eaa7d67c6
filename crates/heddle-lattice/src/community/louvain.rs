//! Louvain's method: move vertices while modularity grows, contract the groups to a
//! graph, and repeat.

use heddle_runtime::Runtime;
use heddle_runtime::ops::SplitMix64;

use super::group_graph::GroupGraph;
use super::{COMMUNITIES, Communities, renumber, task_amount};
use crate::cpu_task;
use crate::error::Error;
use crate::graph::Graph;
use crate::lattice::Lattice;

/// Groups of high modularity; `seed` gives the order of moves.
pub fn louvain(runtime: &Runtime, lattice: &Lattice, seed: u64) -> Result<Communities, Error> {
    let graph = Graph::build(runtime, lattice)?;
    let work = graph.targets().len() as u64;
    cpu_task::run(runtime, &COMMUNITIES, task_amount(&graph, work), |_| {
        Communities::new(&graph, labels(&graph, seed))
    })
}

fn labels(graph: &Graph, seed: u64) -> Vec<u32> {
    let mut random = SplitMix64::new(seed);
    let mut labels: Vec<u32> = (0..graph.vertices() as u32).collect();
    let mut group_graph = GroupGraph::of(graph);
    loop {
        let (mut groups, moved) = group_graph.grouped(&mut random);
        if !moved {
            return labels;
        }
        let count = renumber(&mut groups);
        for label in &mut labels {
            *label = groups[*label as usize];
        }
        if count == group_graph.vertices() {
            return labels;
        }
        group_graph = group_graph.contracted(&groups, count);
    }
}
