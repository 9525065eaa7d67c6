//! Formulas for a lattice without blocked sites. None of them visits a site.

use crate::lattice::{Lattice, StridedAxis, Weights};

/// The number of steps.
pub(super) fn edges(lattice: &Lattice) -> u64 {
    let lines = |strided_axis: &StridedAxis| lattice.sites() / strided_axis.axis.size();
    let strided_axes = lattice.strided_axes().iter();
    strided_axes
        .map(|strided_axis| strided_axis.axis.steps() * lines(strided_axis))
        .sum()
}

/// The number of triangles: lines of three sites on a periodic axis.
pub(super) fn triangles(lattice: &Lattice) -> u64 {
    let threes = lattice.strided_axes().iter();
    let threes =
        threes.filter(|strided_axis| strided_axis.axis.wraps() && strided_axis.axis.size() == 3);
    threes.count() as u64 * (lattice.sites() / 3)
}

/// The number of pairs of neighbours of one site, summed over all sites.
///
/// `k` neighbours make `k (k - 1) / 2` pairs. The sums of `k` and `k^2` over all
/// sites follow from the same sums along each axis, because axes are independent.
pub(super) fn corners(lattice: &Lattice) -> u128 {
    // Sums of k and of k^2 over the sites of the axes so far, and their number.
    let (mut count, mut sum, mut squares) = (1_u128, 0_u128, 0_u128);
    for strided_axis in lattice.strided_axes() {
        let size = u128::from(strided_axis.axis.size());
        let (k, k2) = match (strided_axis.axis.wraps(), size) {
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
fn reach(strided_axis: &StridedAxis) -> (u64, u64) {
    let half = strided_axis.axis.size() / 2;
    if strided_axis.axis.wraps() {
        (half, half)
    } else {
        (strided_axis.axis.size() - 1, half)
    }
}

/// Each axis with the cost of a step along it. Costs of single sites have no
/// formula.
fn axes_with_cost(lattice: &Lattice) -> impl Iterator<Item = (&StridedAxis, f64)> {
    let cost = |axis: usize| match lattice.weights() {
        Weights::Axes(costs) => costs[axis],
        Weights::Unit | Weights::Sites(_) => 1.0,
    };
    let strided_axes = lattice.strided_axes().iter().enumerate();
    strided_axes.map(move |(axis, strided_axis)| (strided_axis, cost(axis)))
}

/// The largest distance.
pub(super) fn diameter(lattice: &Lattice) -> f64 {
    axes_with_cost(lattice)
        .map(|(strided_axis, cost)| reach(strided_axis).0 as f64 * cost)
        .sum()
}

/// The smallest eccentricity of a site.
pub(super) fn radius(lattice: &Lattice) -> f64 {
    axes_with_cost(lattice)
        .map(|(strided_axis, cost)| reach(strided_axis).1 as f64 * cost)
        .sum()
}

/// The sum of steps over all ordered pairs of coordinates of one axis.
fn pairs(strided_axis: &StridedAxis) -> u128 {
    let size = u128::from(strided_axis.axis.size());
    if strided_axis.axis.wraps() {
        size * (size * size / 4)
    } else {
        (size * size * size - size) / 3
    }
}

/// The sum of steps along one axis over all ordered pairs of sites: at most 2^120.
fn pairs_of_sites(lattice: &Lattice, strided_axis: &StridedAxis) -> u128 {
    let lines = u128::from(lattice.sites() / strided_axis.axis.size());
    pairs(strided_axis) * lines * lines
}

/// The sum of steps over all ordered pairs of sites.
pub(crate) fn ordered_steps(lattice: &Lattice) -> u128 {
    let strided_axes = lattice.strided_axes().iter();
    strided_axes
        .map(|strided_axis| pairs_of_sites(lattice, strided_axis))
        .sum()
}

/// The mean distance of two different sites. There must be at least two.
pub(super) fn mean_distance(lattice: &Lattice) -> f64 {
    let sites = lattice.sites() as f64;
    let sum: f64 = axes_with_cost(lattice)
        .map(|(strided_axis, cost)| pairs_of_sites(lattice, strided_axis) as f64 * cost)
        .sum();
    sum / sites / (sites - 1.0)
}
