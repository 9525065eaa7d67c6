//! Structure and centrality of 200 random lattices equal rustworkx-core's.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::float_cmp,
    reason = "what is exact on both sides is compared exactly"
)]

use heddle_lattice::centrality::{betweenness, closeness, degree, eigenvector};
use heddle_lattice::structure::{AnalysisLimits, analyze, components};
use heddle_lattice::{Lattice, Weights};
use heddle_runtime::Runtime;
use rustworkx_core::centrality::{betweenness_centrality, eigenvector_centrality};
use rustworkx_core::connectivity::connected_components;
use rustworkx_core::petgraph::graph::UnGraph;
use rustworkx_core::petgraph::visit::EdgeRef;
use rustworkx_core::shortest_path::dijkstra;

use heddle_testing::Random;

const LATTICES: usize = 200;
const CLOSE: f64 = 1e-9;
/// The most steps of rustworkx's power iteration. It does not converge within them if the
/// two largest eigenvalues are close; such a vector is checked against the definition.
const MAX_STEPS: usize = 20_000;

type Oracle = UnGraph<u64, f64>;

/// The graph of a lattice, made from the neighbours of every free site.
fn graph(lattice: &Lattice) -> Oracle {
    let mut graph = Oracle::new_undirected();
    let free = (0..lattice.sites()).filter(|&site| !lattice.blocked().contains(site));
    let nodes: Vec<_> = free.map(|site| (site, graph.add_node(site))).collect();
    let node = |site| nodes[nodes.binary_search_by_key(&site, |node| node.0).unwrap()].1;
    for &(site, from) in &nodes {
        for step in lattice.neighbours(site) {
            if step.site > site {
                let cost = lattice.weights().of(step.axis, site, step.site);
                graph.add_edge(from, node(step.site), cost);
            }
        }
    }
    graph
}

fn near(found: f64, expected: f64) -> bool {
    found == expected
        || found.is_nan() && expected.is_nan()
        || (found - expected).abs() <= CLOSE * found.abs().max(expected.abs())
}

#[track_caller]
fn all_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (vertex, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            near(found, expected),
            "{what} of {vertex}: {found} and {expected}"
        );
    }
}

/// Distances from every vertex to those it reaches, itself included.
fn distances(graph: &Oracle) -> Vec<Vec<f64>> {
    let from = |start| -> Vec<f64> {
        let found: Result<rustworkx_core::dictmap::DictMap<_, f64>, ()> =
            dijkstra(graph, start, None, |edge| Ok(*edge.weight()), None);
        found.unwrap().into_values().collect()
    };
    graph.node_indices().map(from).collect()
}

/// Whether this is the leading eigenvector by definition, for lattices where power
/// iteration is too slow.
fn is_leading(graph: &Oracle, vector: &[f64], greatest: f64) -> bool {
    let most = vector.iter().copied().fold(0.0, f64::max);
    most == 1.0
        && graph.node_indices().all(|node| {
            let neighbour_sum: f64 = graph.neighbors(node).map(|to| vector[to.index()]).sum();
            (neighbour_sum - greatest * vector[node.index()]).abs() < CLOSE
        })
}

fn check(runtime: &Runtime, lattice: &Lattice) {
    let graph = graph(lattice);
    let analysis = analyze(runtime, lattice, &AnalysisLimits::default()).unwrap();
    assert_eq!(analysis.vertices, graph.node_count() as u64);
    assert_eq!(analysis.edges.value(), Some(&(graph.edge_count() as u64)));

    let parts = connected_components(&graph);
    let found = components(runtime, lattice).unwrap();
    assert_eq!(found.len(), parts.len());
    assert_eq!(analysis.components.value(), Some(&(parts.len() as u64)));
    for part in &parts {
        let mut labels = part.iter().map(|node| found.labels[node.index()]);
        let first = labels.next().unwrap();
        assert!(labels.all(|label| label == first));
        assert_eq!(found.sizes[first as usize], part.len() as u64);
    }

    let degrees: Vec<f64> = graph
        .node_indices()
        .map(|node| graph.neighbors(node).count() as f64)
        .collect();
    all_near(
        &degree(runtime, lattice).unwrap().values,
        &degrees,
        "degree",
    );

    let distances = distances(&graph);
    let furthest = |row: &Vec<f64>| row.iter().copied().fold(0.0, f64::max);
    if graph.node_count() > 0 {
        let diameter = distances.iter().map(furthest).fold(0.0, f64::max);
        let radius = distances.iter().map(furthest).fold(f64::INFINITY, f64::min);
        assert!(near(*analysis.diameter.value().unwrap(), diameter));
        assert!(near(*analysis.radius.value().unwrap(), radius));
    }
    let pairs: usize = distances.iter().map(|row| row.len() - 1).sum();
    if pairs > 0 {
        let total: f64 = distances.iter().flatten().sum();
        assert!(near(
            *analysis.mean_distance.value().unwrap(),
            total / pairs as f64
        ));
    }
    let closenesses: Vec<f64> = distances
        .iter()
        .map(|row| (row.len() - 1) as f64 / row.iter().sum::<f64>())
        .collect();
    all_near(
        &closeness(runtime, lattice).unwrap().values,
        &closenesses,
        "closeness",
    );

    // The oracle counts steps, not costs.
    let plain = lattice.clone().with_weights(Weights::Unit).unwrap();
    let expected: Vec<f64> = betweenness_centrality(&graph, false, false, 1000)
        .into_iter()
        .flatten()
        .collect();
    all_near(
        &betweenness(runtime, &plain).unwrap().values,
        &expected,
        "betweenness",
    );

    let found = eigenvector(runtime, lattice).unwrap().values;
    if graph.edge_count() == 0 {
        assert!(found.iter().all(|&value| value == 1.0));
        return;
    }
    let expected =
        eigenvector_centrality(&graph, |_| Ok::<f64, ()>(1.0), Some(MAX_STEPS), Some(1e-14));
    // The largest eigenvalue: the Rayleigh quotient of this crate's vector.
    let square: f64 = found.iter().map(|x| x * x).sum();
    let twice: f64 = graph
        .edge_references()
        .map(|edge| 2.0 * found[edge.source().index()] * found[edge.target().index()])
        .sum();
    let value = twice / square;
    assert!(is_leading(&graph, &found, value), "no eigenvector: {value}");
    if let Ok(Some(expected)) = expected
        && parts.len() == 1
    {
        let most = expected.iter().copied().fold(0.0, f64::max);
        for (vertex, (x, y)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (x - y / most).abs() < CLOSE,
                "eigenvector of {vertex}: {x} and {}",
                y / most
            );
        }
    }
}

#[test]
fn two_hundred_random_lattices_agree() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    for seed in 0..LATTICES as u64 {
        let lattice = Random::seeded(seed).lattice(120);
        println!("seed {seed}: {lattice:?}");
        check(&runtime, &lattice);
    }
}

/// Betweenness by its definition: counts the paths of every pair.
fn betweenness_by_definition(graph: &Oracle) -> Vec<f64> {
    let cost = |a, b| *graph.edge_weight(graph.find_edge(a, b).unwrap()).unwrap();
    let nodes: Vec<_> = graph.node_indices().collect();
    let mut sums = vec![0.0; nodes.len()];
    for (at, &start) in nodes.iter().enumerate() {
        for &goal in &nodes[at + 1..] {
            let paths =
                rustworkx_core::shortest_path::all_shortest_paths(graph, start, goal, |edge| {
                    Ok::<f64, ()>(cost(edge.source(), edge.target()))
                })
                .unwrap();
            for path in &paths {
                for node in &path[1..path.len() - 1] {
                    sums[node.index()] += 1.0 / paths.len() as f64;
                }
            }
        }
    }
    sums
}

#[test]
fn weighted_betweenness_follows_its_definition() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    for seed in 0..40 {
        let lattice = Random::seeded(1000 + seed).lattice(16);
        println!("seed {seed}: {lattice:?}");
        let expected = betweenness_by_definition(&graph(&lattice));
        let found = betweenness(&runtime, &lattice).unwrap().values;
        all_near(&found, &expected, "betweenness");
    }
}
