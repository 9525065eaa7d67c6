//! Communities: groups of vertices with more edges inside than between them.
//!
//! All three methods use edges, not their costs, and return the same result for the
//! same seed on every machine. The modularity of a grouping is the share of edges
//! inside groups less what that share would be if edges were random with the same
//! degrees.

mod girvan_newman;
mod group_graph;
mod label_propagation;
mod louvain;

use heddle_runtime::ops::SplitMix64;
use heddle_runtime::{Kind, WorkUnit};

pub use girvan_newman::{GirvanNewman, edge_betweenness};
pub use label_propagation::{LabelPropagation, label_propagation};
pub use louvain::louvain;

use crate::cpu_task::TaskAmount;
use crate::graph::{Graph, Numbering};
use crate::lattice::Site;

/// Grouping vertices.
pub static COMMUNITIES: Kind = Kind::new("lattice-communities", WorkUnit::Items);

/// The amount of a method's work. All of them hold the rows once more with a number for each entry,
/// and some ten numbers for each vertex.
fn task_amount(graph: &Graph, work: u64) -> TaskAmount {
    TaskAmount {
        work,
        bytes: 24 * graph.targets().len() as u64 + 80 * graph.vertices() as u64,
    }
}

/// All vertices, shuffled.
fn shuffled_vertices(random: &mut SplitMix64, count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    random.shuffle(&mut order);
    order
}

/// A grouping of the vertices.
#[derive(Clone, Debug)]
pub struct Communities {
    /// The group of each vertex; groups are numbered by their first vertex.
    pub labels: Vec<u32>,
    /// The number of vertices of each group.
    pub sizes: Vec<u64>,
    /// The modularity, at most 1: the excess of edges inside groups over chance.
    /// NaN where there is no edge.
    pub modularity: f64,
    numbering: Numbering,
}

impl Communities {
    /// Renumbers `labels` by first appearance.
    fn new(graph: &Graph, mut labels: Vec<u32>) -> Self {
        let count = renumber(&mut labels);
        let mut sizes = vec![0; count];
        for &label in &labels {
            sizes[label as usize] += 1;
        }
        Self {
            modularity: modularity(graph, &labels, count),
            labels,
            sizes,
            numbering: graph.numbering().clone(),
        }
    }

    /// The number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no groups.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The group of a site; `None` if it is blocked or does not exist.
    #[must_use]
    pub fn of(&self, site: Site) -> Option<u32> {
        self.labels.get(self.numbering.vertex(site)?).copied()
    }
}

/// Numbers labels, all below their count, by first appearance and returns their
/// number.
fn renumber(labels: &mut [u32]) -> usize {
    let mut names = vec![u32::MAX; labels.len()];
    let mut count = 0;
    for label in labels {
        let name = &mut names[*label as usize];
        if *name == u32::MAX {
            *name = count;
            count += 1;
        }
        *label = *name;
    }
    count as usize
}

/// The modularity of a grouping into `count` groups.
fn modularity(graph: &Graph, labels: &[u32], count: usize) -> f64 {
    let ends = graph.targets().len() as f64;
    let mut inside = 0_u64;
    let mut degrees = vec![0_u64; count];
    for (vertex, &label) in labels.iter().enumerate() {
        let around = graph.neighbours(vertex);
        degrees[label as usize] += around.len() as u64;
        let same = around.iter().filter(|&&to| labels[to as usize] == label);
        inside += same.count() as u64;
    }
    let chance: f64 = degrees
        .iter()
        .map(|&degree| (degree as f64 / ends).powi(2))
        .sum();
    inside as f64 / ends - chance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;
    use heddle_runtime::Runtime;

    pub(super) fn runtime() -> Runtime {
        Runtime::builder().without_model_cache().build().unwrap()
    }

    /// Two squares joined by one edge.
    pub(super) fn dumbbell() -> Lattice {
        let lattice = Lattice::cubic(2, 9).unwrap();
        let wall = (0..9).filter(|&row| row != 4).map(|row| row * 9 + 4);
        lattice.with_blocked(wall).unwrap()
    }

    #[test]
    fn modularity_is_that_of_its_definition() {
        let graph = Graph::build(&runtime(), &Lattice::cubic(1, 4).unwrap()).unwrap();
        let two = Communities::new(&graph, vec![3, 3, 1, 1]);
        assert_eq!(two.labels, [0, 0, 1, 1]);
        assert!((two.modularity - (4.0 / 6.0 - 0.5)).abs() < 1e-15);
        let one = Communities::new(&graph, vec![0; 4]);
        assert!(one.modularity.abs() < 1e-15);
    }

    #[test]
    fn a_wall_separates_two_communities() {
        let (runtime, lattice) = (runtime(), dumbbell());
        let settings = GirvanNewman {
            communities: Some(2),
            ..GirvanNewman::default()
        };
        let halves = edge_betweenness(&runtime, &lattice, &settings).unwrap();
        assert_eq!(halves.len(), 2);
        assert!(halves.sizes.iter().all(|&size| size >= 36));
        for seed in 0..3 {
            let found = louvain(&runtime, &lattice, seed).unwrap();
            let again = louvain(&runtime, &lattice, seed).unwrap();
            assert_eq!(found.labels, again.labels);
            assert!(found.modularity >= halves.modularity);
            // No group crosses the wall.
            assert_ne!(found.of(0), found.of(8));
            let settings = LabelPropagation {
                seed,
                ..LabelPropagation::default()
            };
            let propagated = label_propagation(&runtime, &lattice, &settings).unwrap();
            let again = label_propagation(&runtime, &lattice, &settings).unwrap();
            assert_eq!(propagated.labels, again.labels);
            assert!(propagated.len() > 1 && propagated.modularity > 0.2);
        }
    }

    #[test]
    fn the_work_limit_is_enforced() {
        let settings = GirvanNewman {
            max_visits: 1000,
            ..GirvanNewman::default()
        };
        assert!(matches!(
            edge_betweenness(&runtime(), &dumbbell(), &settings),
            Err(crate::Error::OverLimit { limit: 1000, .. })
        ));
    }

    #[test]
    fn isolated_vertices_form_own_communities() {
        let lattice = Lattice::cubic(1, 5).unwrap().with_blocked([1, 3]).unwrap();
        let settings = GirvanNewman::default();
        let found = [
            louvain(&runtime(), &lattice, 1).unwrap(),
            label_propagation(&runtime(), &lattice, &LabelPropagation::default()).unwrap(),
            edge_betweenness(&runtime(), &lattice, &settings).unwrap(),
        ];
        assert!(found.iter().all(|found| found.labels == [0, 1, 2]));
        let nothing = lattice.with_blocked(0..5).unwrap();
        assert!(louvain(&runtime(), &nothing, 1).unwrap().is_empty());
    }
}
