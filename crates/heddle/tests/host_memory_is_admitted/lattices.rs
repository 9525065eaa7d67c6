//! What a lattice stores for each site.

use heddle::Runtime;
use heddle::lattice::centrality::{betweenness, closeness, degree, eigenvector};
use heddle::lattice::community::{
    GirvanNewman, LabelPropagation, edge_betweenness, label_propagation, louvain,
};
use heddle::lattice::path::SearchAlgorithm;
use heddle::lattice::structure::{AnalysisLimits, components};
use heddle::lattice::sweep::{Sweep, probes, sweep_all};
use heddle::lattice::{Axis, Error, Graph, Lattice, PathFinder, Weights, analyze};
use heddle::memory::set_host_limit;
use heddle::units::Bytes;

use super::Turn;

const MIB: u64 = 1 << 20;

fn assert_refused<T>(what: &str, result: Result<T, Error>) {
    match result {
        Err(Error::Runtime(heddle::Error::OutOfMemory { .. })) => {}
        Err(error) => panic!("{what}: another error: {error}"),
        Ok(_) => panic!("{what}: granted"),
    }
}

#[test]
fn values_of_every_site_are_errors() {
    let _turn = Turn::take();
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let regular = Lattice::cubic(2, 1 << 13).unwrap();
    let torus = Lattice::new([Axis::periodic(1 << 13), Axis::periodic(1 << 13)]).unwrap();
    let by_axis = regular
        .clone()
        .with_weights(Weights::Axes([1.0, 2.0].into()))
        .unwrap();
    let walled = regular.clone().with_blocked([5]).unwrap();
    let costly = by_axis.clone().with_blocked([5]).unwrap();
    // 64 Mi sites: 8 MiB of bits are granted, a number for each is not.
    set_host_limit(Bytes(128 * MIB));
    for lattice in [&regular, &torus, &by_axis, &walled, &costly] {
        assert_refused("distances", lattice.distances(&[0]));
        assert_refused("from two", lattice.distances(&[0, 9]));
        assert_refused("degree", degree(&runtime, lattice));
        assert_refused("closeness", closeness(&runtime, lattice));
        assert_refused("betweenness", betweenness(&runtime, lattice));
        assert_refused("eigenvector", eigenvector(&runtime, lattice));
        assert_refused("components", components(&runtime, lattice));
        assert_refused("graph", Graph::build(&runtime, lattice));
        assert_refused("sweep", sweep_all(&runtime, lattice));
        assert_refused("louvain", louvain(&runtime, lattice, 1));
        let settings = LabelPropagation::default();
        assert_refused("labels", label_propagation(&runtime, lattice, &settings));
        let settings = GirvanNewman::default();
        assert_refused("edges", edge_betweenness(&runtime, lattice, &settings));
    }
    assert_refused("one source", Sweep::new(&walled, [0]));
    assert_refused(
        "random costs",
        regular.clone().with_random_weights(1.0..2.0, 1),
    );
    assert_refused(
        "analysis",
        analyze(&runtime, &walled, &AnalysisLimits::default()),
    );
    assert_refused("counting", costly.count_shortest_paths(0, 1 << 20));
    let large = Lattice::cubic(2, 1 << 16).unwrap();
    assert_refused("listed sites", large.clone().with_blocked(0..large.sites()));
    let bits = Lattice::cubic(2, 1 << 15).unwrap();
    assert_refused("bits of sites", bits.with_random_blocked(0.1, 1));
    let line = Lattice::cubic(1, 1 << 26).unwrap();
    assert_refused("a long path", line.shortest_path(0, (1 << 26) - 1));
    for probe in probes() {
        for size in [1 << 10, 1 << 13, 1 << 20, usize::MAX] {
            assert!(probe.prepare(size).is_err());
        }
    }
}

#[test]
fn a_search_is_refused_when_it_has_grown_too_large() {
    let _turn = Turn::take();
    // A wall with a gap at its far end, so that nearly all sites are visited.
    let side = 1 << 12;
    let wall = (0..side - 1).map(|row| row * side + side / 2);
    let lattice = Lattice::cubic(2, side).unwrap().with_blocked(wall).unwrap();
    let costly = lattice
        .clone()
        .with_weights(Weights::Axes([1.0, 1.5].into()))
        .unwrap();
    set_host_limit(Bytes(128 * MIB));
    for search in [SearchAlgorithm::AStar, SearchAlgorithm::BidirectionalBfs] {
        let mut finder = PathFinder::new(&lattice).with_search(search);
        assert_refused("a search", finder.shortest_path(0, side - 1));
    }
    assert_refused("by cost", costly.shortest_path(0, side - 1));
    assert_refused("levels", lattice.count_shortest_paths(0, side - 1));
}
