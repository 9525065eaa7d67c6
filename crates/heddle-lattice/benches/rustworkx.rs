//! The same queries by this crate and by rustworkx-core, in the same run. The graph of
//! rustworkx-core exists before.
//!
//! Four dimensions, side 10, a tenth of the sites blocked; both libraries use every
//! core where they can.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a bench that cannot be set up has failed"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use heddle_lattice::centrality::{betweenness, closeness, eigenvector};
use heddle_lattice::structure::components;
use heddle_lattice::{Graph, Lattice};
use heddle_runtime::Runtime;
use rustworkx_core::centrality::{
    betweenness_centrality, closeness_centrality, eigenvector_centrality,
};
use rustworkx_core::connectivity::connected_components;
use rustworkx_core::dictmap::DictMap;
use rustworkx_core::petgraph::graph::{NodeIndex, UnGraph};
use rustworkx_core::shortest_path::{astar, dijkstra};

/// The number of vertices from which work is shared between threads, rustworkx's
/// default in Python.
const PARALLEL_FROM: usize = 50;

fn explicit_graph(lattice: &Lattice) -> UnGraph<u64, f64> {
    let mut graph = UnGraph::new_undirected();
    let free = (0..lattice.sites()).filter(|&site| !lattice.blocked().contains(site));
    let nodes: Vec<(u64, NodeIndex)> = free.map(|site| (site, graph.add_node(site))).collect();
    let node = |site| nodes[nodes.binary_search_by_key(&site, |node| node.0).unwrap()].1;
    for &(site, from) in &nodes {
        for step in lattice.neighbours(site).filter(|step| step.site > site) {
            graph.add_edge(from, node(step.site), 1.0);
        }
    }
    graph
}

fn bench_queries(criterion: &mut Criterion) {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let lattice = Lattice::cubic(4, 10).unwrap();
    let lattice = lattice.with_random_blocked(0.1, 1).unwrap();
    let graph = explicit_graph(&lattice);
    let last = NodeIndex::new(graph.node_count() - 1);
    let end = graph[last];

    let mut group = criterion.benchmark_group("components/cpu");
    group.bench_function("heddle", |b| b.iter(|| components(&runtime, &lattice)));
    group.bench_function("rustworkx", |b| b.iter(|| connected_components(&graph)));
    group.finish();

    let mut group = criterion.benchmark_group("shortest path/cpu");
    group.bench_function("heddle", |b| b.iter(|| lattice.shortest_path(0, end)));
    group.bench_function("rustworkx, A* with the same estimate", |b| {
        b.iter(|| {
            let left = |node: NodeIndex| Ok(lattice.steps_between(graph[node], end)? as f64);
            let found: Result<_, heddle_lattice::Error> = astar(
                &graph,
                NodeIndex::new(0),
                |node| Ok(node == last),
                |edge| Ok(*edge.weight()),
                left,
            );
            black_box(found.unwrap())
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("distances from one/cpu");
    group.bench_function("heddle", |b| b.iter(|| lattice.distances(&[0])));
    group.bench_function("rustworkx, Dijkstra", |b| {
        b.iter(|| {
            let found: Result<DictMap<NodeIndex, f64>, ()> = dijkstra(
                &graph,
                NodeIndex::new(0),
                None,
                |edge| Ok(*edge.weight()),
                None,
            );
            black_box(found.unwrap())
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("explicit graph/cpu");
    group.bench_function("heddle", |b| b.iter(|| Graph::build(&runtime, &lattice)));
    group.bench_function("petgraph", |b| b.iter(|| explicit_graph(&lattice)));
    group.finish();

    let mut group = criterion.benchmark_group("eigenvector/cpu");
    group.sample_size(10);
    group.bench_function("heddle", |b| b.iter(|| eigenvector(&runtime, &lattice)));
    group.bench_function("rustworkx, to 1e-12", |b| {
        b.iter(|| {
            eigenvector_centrality(&graph, |_| Ok::<f64, ()>(1.0), Some(100_000), Some(1e-12))
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("betweenness/cpu");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    group.bench_function("heddle", |b| b.iter(|| betweenness(&runtime, &lattice)));
    group.bench_function("rustworkx", |b| {
        b.iter(|| betweenness_centrality(&graph, false, false, PARALLEL_FROM));
    });
    group.finish();

    let mut group = criterion.benchmark_group("closeness/cpu");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    group.bench_function("heddle", |b| b.iter(|| closeness(&runtime, &lattice)));
    group.bench_function("rustworkx", |b| {
        b.iter(|| closeness_centrality(&graph, false, PARALLEL_FROM));
    });
    group.finish();
}

criterion_group!(benches, bench_queries);
criterion_main!(benches);
