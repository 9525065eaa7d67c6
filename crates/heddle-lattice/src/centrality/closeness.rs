//! Closeness: by a formula, a sweep, or Dijkstra from every vertex.

use heddle_runtime::{Kind, Runtime, WorkUnit};

use super::{ComputationMethod, Scores, distance_sums, per_axis};
use crate::admission::admit;
use crate::error::Error;
use crate::graph::{Graph, Numbering};
use crate::lattice::{Lattice, StridedAxis, Weights};
use crate::sweep::sweep_all;

/// The operation kind of distances from every vertex where steps have costs.
pub static CLOSENESS: Kind = Kind::new("lattice-distances", WorkUnit::Items);

/// The number of vertices reached divided by the sum of the distances to them.
pub fn closeness(runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
    let numbering = Numbering::of(lattice, "closeness")?;
    if lattice.is_regular() && !matches!(lattice.weights(), Weights::Sites(_)) {
        let others = (lattice.sites() - 1) as f64;
        let mut values = per_axis::sum(lattice, |strided_axis, at| {
            cost(lattice, strided_axis)
                * along(strided_axis, at) as f64
                * (lattice.sites() / strided_axis.axis.size()) as f64
        })?;
        for value in &mut values {
            *value = others / *value;
        }
        return Ok(Scores::new(
            values,
            ComputationMethod::ClosedForm,
            numbering,
        ));
    }
    let values = if lattice.weights().is_unit() {
        let reach = sweep_all(runtime, lattice)?;
        admit("closeness", reach.total.len() as u64, 8)?;
        let pairs = reach.reached.iter().zip(&reach.total);
        pairs
            .map(|(&reached, &total)| reached as f64 / total as f64)
            .collect()
    } else {
        let graph = Graph::build(runtime, lattice)?;
        let distance_sums = distance_sums(runtime, &graph)?;
        admit("closeness", distance_sums.len() as u64, 8)?;
        distance_sums
            .iter()
            .map(|distance_sums| distance_sums.reached as f64 / distance_sums.total)
            .collect()
    };
    Ok(Scores::new(values, ComputationMethod::Computed, numbering))
}

/// The cost of a step along this axis, where all its steps cost the same.
fn cost(lattice: &Lattice, strided_axis: &StridedAxis) -> f64 {
    match lattice.weights() {
        Weights::Axes(costs) => lattice
            .strided_axes()
            .iter()
            .zip(costs.iter())
            .find(|(other, _)| std::ptr::eq(*other, strided_axis))
            .map_or(1.0, |(_, &cost)| cost),
        Weights::Unit | Weights::Sites(_) => 1.0,
    }
}

/// The sum of the steps from coordinate `at` to every coordinate of its axis.
fn along(strided_axis: &StridedAxis, at: u64) -> u64 {
    let size = strided_axis.axis.size();
    if strided_axis.axis.wraps() {
        return size * size / 4;
    }
    let behind = size - 1 - at;
    at * (at + 1) / 2 + behind * (behind + 1) / 2
}
