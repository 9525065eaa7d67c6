//! Label propagation: each vertex takes the label that most of its neighbours have.

use heddle_runtime::Runtime;
use heddle_runtime::ops::SplitMix64;

use super::{COMMUNITIES, Communities, shuffled_vertices, task_amount};
use crate::cpu_task;
use crate::error::Error;
use crate::graph::Graph;
use crate::lattice::Lattice;

/// The settings of label propagation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelPropagation {
    /// The seed of the order of vertices and of the choice among equals.
    pub seed: u64,
    /// The largest number of rounds; on a lattice, where many labels are equally
    /// frequent, the labels need not converge.
    pub max_rounds: usize,
}

impl Default for LabelPropagation {
    fn default() -> Self {
        Self {
            seed: 0,
            max_rounds: 100,
        }
    }
}

/// Groups of vertices with one label.
pub fn label_propagation(
    runtime: &Runtime,
    lattice: &Lattice,
    settings: &LabelPropagation,
) -> Result<Communities, Error> {
    let graph = Graph::build(runtime, lattice)?;
    let work = graph.targets().len() as u64;
    cpu_task::run(runtime, &COMMUNITIES, task_amount(&graph, work), |_| {
        Communities::new(&graph, labels(&graph, settings))
    })
}

fn labels(graph: &Graph, settings: &LabelPropagation) -> Vec<u32> {
    let mut random = SplitMix64::new(settings.seed);
    let mut labels: Vec<u32> = (0..graph.vertices() as u32).collect();
    let mut around: Vec<u32> = Vec::new();
    for _ in 0..settings.max_rounds {
        let mut changed = false;
        for vertex in shuffled_vertices(&mut random, graph.vertices()) {
            let neighbours = graph.neighbours(vertex as usize);
            around.clear();
            around.extend(neighbours.iter().map(|&to| labels[to as usize]));
            let own = labels[vertex as usize];
            let label = most_frequent(&mut around, own, &mut random);
            changed |= label != own;
            labels[vertex as usize] = label;
        }
        if !changed {
            break;
        }
    }
    labels
}

/// The most frequent label; its own among equals, else a random one.
fn most_frequent(around: &mut [u32], own: u32, random: &mut SplitMix64) -> u32 {
    around.sort_unstable();
    let runs = || around.chunk_by(|one, other| one == other);
    let Some(most) = runs().map(<[u32]>::len).max() else {
        return own;
    };
    let best = || runs().filter(|run| run.len() == most).map(|run| run[0]);
    if best().any(|label| label == own) {
        return own;
    }
    let drawn = random.below(best().count());
    best().nth(drawn).unwrap_or(own)
}
