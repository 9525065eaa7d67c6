//! Formulas of a lattice with nothing blocked. None of them visits a site.

use crate::lattice::{Lattice, Rail, Weights};

/// Steps there are.
pub(super) fn edges(lattice: &Lattice) -> u64 {
    let lines = |rail: &Rail| lattice.sites() / rail.axis.size();
    let rails = lattice.rails().iter();
    rails.map(|rail| rail.axis.steps() * lines(rail)).sum()
}

/// Triangles: three sites that close on themselves are one.
pub(super) fn triangles(lattice: &Lattice) -> u64 {
    let threes = lattice.rails().iter();
    let threes = threes.filter(|rail| rail.axis.wraps() && rail.axis.size() == 3);
    threes.count() as u64 * (lattice.sites() / 3)
}

/// Pairs of neighbours of one site, over all sites.
///
/// With `k` neighbours there are `k (k - 1) / 2`; sums over all sites of `k` and of
/// `k^2` follow from the same sums along each axis, for axes are independent.
pub(super) fn corners(lattice: &Lattice) -> u128 {
    // Sums of k and of k^2 over the sites of the axes so far, and their number.
    let (mut count, mut sum, mut squares) = (1_u128, 0_u128, 0_u128);
    for rail in lattice.rails() {
        let size = u128::from(rail.axis.size());
        let (k, k2) = match (rail.axis.wraps(), size) {
            (true, _) => (2 * size, 4 * size),
            (false, 1) => (0, 0),
            (false, _) => (2 * (size - 1), 2 + 4 * (size - 2)),
        };
        squares = squares * size + 2 * sum * k + count * k2;
        sum = sum * size + count * k;
        count *= size;
    }
    (squares - sum) / 2
}

/// The greatest distance along one axis, and the greatest from its middle.
fn reach(rail: &Rail) -> (u64, u64) {
    let half = rail.axis.size() / 2;
    if rail.axis.wraps() {
        (half, half)
    } else {
        (rail.axis.size() - 1, half)
    }
}

/// Each axis with what a step along it costs. Costs of single sites have no formula.
fn priced(lattice: &Lattice) -> impl Iterator<Item = (&Rail, f64)> {
    let cost = |axis: usize| match lattice.weights() {
        Weights::Axes(costs) => costs[axis],
        Weights::Unit | Weights::Sites(_) => 1.0,
    };
    let rails = lattice.rails().iter().enumerate();
    rails.map(move |(axis, rail)| (rail, cost(axis)))
}

/// The greatest distance there is.
pub(super) fn diameter(lattice: &Lattice) -> f64 {
    priced(lattice)
        .map(|(rail, cost)| reach(rail).0 as f64 * cost)
        .sum()
}

/// The least of the sites' greatest distances.
pub(super) fn radius(lattice: &Lattice) -> f64 {
    priced(lattice)
        .map(|(rail, cost)| reach(rail).1 as f64 * cost)
        .sum()
}

/// Steps between all ordered pairs of coordinates of one axis.
fn pairs(rail: &Rail) -> u128 {
    let size = u128::from(rail.axis.size());
    if rail.axis.wraps() {
        size * (size * size / 4)
    } else {
        (size * size * size - size) / 3
    }
}

/// Along one axis, steps between all ordered pairs of sites: at most 2^120.
fn pairs_of_sites(lattice: &Lattice, rail: &Rail) -> u128 {
    let lines = u128::from(lattice.sites() / rail.axis.size());
    pairs(rail) * lines * lines
}

/// Steps between all ordered pairs of sites.
pub(crate) fn ordered_steps(lattice: &Lattice) -> u128 {
    let rails = lattice.rails().iter();
    rails.map(|rail| pairs_of_sites(lattice, rail)).sum()
}

/// The mean distance of two different sites, of which there are two.
pub(super) fn mean_distance(lattice: &Lattice) -> f64 {
    let sites = lattice.sites() as f64;
    let sum: f64 = priced(lattice)
        .map(|(rail, cost)| pairs_of_sites(lattice, rail) as f64 * cost)
        .sum();
    sum / sites / (sites - 1.0)
}
