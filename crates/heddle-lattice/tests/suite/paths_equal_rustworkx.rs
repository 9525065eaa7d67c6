//! Paths, distances and catalytic path lengths of 200 random lattices equal
//! rustworkx-core's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_testing::oracle;
use heddle_testing::random::word_of;
use std::ops::ControlFlow;

use heddle_lattice::{CatalyticSettings, Error, Lattice, Site};
use proptest::prelude::*;
use rustworkx_core::dictmap::DictMap;
use rustworkx_core::petgraph::graph::{NodeIndex, UnGraph};
use rustworkx_core::shortest_path::dijkstra;

/// Costs from `start`, infinite where there is no path. Every site is a node; blocked
/// ones have no edges.
fn costs(lattice: &Lattice, start: Site) -> Vec<f64> {
    let mut graph = UnGraph::<(), f64>::new_undirected();
    let nodes: Vec<NodeIndex> = (0..lattice.sites()).map(|_| graph.add_node(())).collect();
    for site in 0..lattice.sites() {
        for step in lattice.neighbours(site).filter(|step| step.site > site) {
            let cost = lattice.weights().of(step.axis, site, step.site);
            graph.add_edge(nodes[site as usize], nodes[step.site as usize], cost);
        }
    }
    let from = nodes[start as usize];
    let found: Result<DictMap<NodeIndex, f64>, ()> =
        dijkstra(&graph, from, None, |edge| Ok(*edge.weight()), None);
    let found = found.unwrap();
    nodes
        .iter()
        .map(|node| found.get(node).copied().unwrap_or(f64::INFINITY))
        .collect()
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(200))]

    #[test]
    fn random_lattices_agree(lattice in oracle::weighted(), choices in any::<(u64, u64)>(), seed in any::<u64>()) {
        let Some(start) = oracle::free_site(&lattice, choices.0) else { return Ok(()); };
        let Some(end) = oracle::free_site(&lattice, choices.1) else { return Ok(()); };
        let expected = costs(&lattice, start);
        let distances = lattice.distances(&[start]).unwrap().to_costs().unwrap();
        for (found, expected) in distances.iter().zip(&expected) {
            prop_assert!(oracle::close(*found, *expected), "{found} {expected}");
        }
        match lattice.shortest_path(start, end) {
            Ok(path) => prop_assert!(oracle::close(path.cost, expected[end as usize])),
            Err(Error::NoPath { .. }) => prop_assert!(expected[end as usize].is_infinite()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        if lattice.weights().is_unit() && expected[end as usize].is_finite() {
            let mut borrowed: Vec<u64> = (0..lattice.catalytic_words()).map(|next_u64| word_of(next_u64 ^ seed)).collect();
            let settings = CatalyticSettings::default().with(|it| it.seed = seed);
            let found = lattice.catalytic_path_by(start, end, &mut borrowed, settings, |_| ControlFlow::Continue(())).unwrap();
            prop_assert!(oracle::close(found.path.cost, expected[end as usize]));
        }
    }
}
