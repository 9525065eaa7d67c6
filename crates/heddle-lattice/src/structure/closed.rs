//! Formulas for a lattice without blocked sites. None of them visits a site.

use crate::lattice::{Lattice, Rail, Weights};

/// The number of steps.
pub(super) fn edges(lattice: &Lattice) -> u64 {
    let lines = |rail: &Rail| lattice.sites() / rail.axis.size();
    let rails = lattice.rails().iter();
    rails.map(|rail| rail.axis.steps() * lines(rail)).sum()
}

/// The number of triangles: lines of three sites on a periodic axis.
pub(super) fn triangles(lattice: &Lattice) -> u64 {
    let threes = lattice.rails().iter();
    let threes = threes.filter(|rail| rail.axis.wraps() && rail.axis.size() == 3);
    threes.count() as u64 * (lattice.sites() / 3)
}

/// The number of pairs of neighbours of one site, summed over all sites.
///
/// `k` neighbours make `k (k - 1) / 2` pairs. The sums of `k` and `k^2` over all
/// sites follow from the same sums along each axis, because axes are independent.
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

/// The largest distance along one axis, and the largest from its middle.
fn reach(rail: &Rail) -> (u64, u64) {
    let half = rail.axis.size() / 2;
    if rail.axis.wraps() {
        (half, half)
    } else {
        (rail.axis.size() - 1, half)
    }
}

/// Each axis with the cost of a step along it. Costs of single sites have no
/// formula.
fn priced(lattice: &Lattice) -> impl Iterator<Item = (&Rail, f64)> {
    let cost = |axis: usize| match lattice.weights() {
        Weights::Axes(costs) => costs[axis],
        Weights::Unit | Weights::Sites(_) => 1.0,
    };
    let rails = lattice.rails().iter().enumerate();
    rails.map(move |(axis, rail)| (rail, cost(axis)))
}

/// The largest distance.
pub(super) fn diameter(lattice: &Lattice) -> f64 {
    priced(lattice)
        .map(|(rail, cost)| reach(rail).0 as f64 * cost)
        .sum()
}

/// The smallest eccentricity of a site.
pub(super) fn radius(lattice: &Lattice) -> f64 {
    priced(lattice)
        .map(|(rail, cost)| reach(rail).1 as f64 * cost)
        .sum()
}

/// The sum of steps over all ordered pairs of coordinates of one axis.
fn pairs(rail: &Rail) -> u128 {
    let size = u128::from(rail.axis.size());
    if rail.axis.wraps() {
        size * (size * size / 4)
    } else {
        (size * size * size - size) / 3
    }
}

/// The sum of steps along one axis over all ordered pairs of sites: at most 2^120.
fn pairs_of_sites(lattice: &Lattice, rail: &Rail) -> u128 {
    let lines = u128::from(lattice.sites() / rail.axis.size());
    pairs(rail) * lines * lines
}

/// The sum of steps over all ordered pairs of sites.
pub(crate) fn ordered_steps(lattice: &Lattice) -> u128 {
    let rails = lattice.rails().iter();
    rails.map(|rail| pairs_of_sites(lattice, rail)).sum()
}

/// The mean distance of two different sites. There must be at least two.
pub(super) fn mean_distance(lattice: &Lattice) -> f64 {
    let sites = lattice.sites() as f64;
    let sum: f64 = priced(lattice)
        .map(|(rail, cost)| pairs_of_sites(lattice, rail) as f64 * cost)
        .sum();
    sum / sites / (sites - 1.0)
}
