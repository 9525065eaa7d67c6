//! Closeness: by a formula, a sweep, or Dijkstra from every vertex.

use heddle_runtime::{Kind, Runtime, WorkUnit};

use super::{Method, Scores, axes, figures};
use crate::error::Error;
use crate::graph::{Graph, Numbering};
use crate::lattice::{Lattice, Rail, Weights};
use crate::sweep::sweep_all;

/// The operation kind of distances from every vertex where steps have costs.
pub static CLOSENESS: Kind = Kind::new("lattice-distances", WorkUnit::Items);

/// The number of vertices reached divided by the sum of the distances to them.
pub fn closeness(runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
    let numbering = Numbering::of(lattice, "closeness")?;
    if lattice.is_regular() && !matches!(lattice.weights(), Weights::Sites(_)) {
        let others = (lattice.sites() - 1) as f64;
        let mut values = axes::sum(lattice, |rail, at| {
            cost(lattice, rail)
                * along(rail, at) as f64
                * (lattice.sites() / rail.axis.size()) as f64
        });
        for value in &mut values {
            *value = others / *value;
        }
        return Ok(Scores::new(values, Method::ClosedForm, numbering));
    }
    let values = if lattice.weights().is_unit() {
        let reach = sweep_all(runtime, lattice)?;
        let pairs = reach.reached.iter().zip(&reach.total);
        pairs
            .map(|(&reached, &total)| reached as f64 / total as f64)
            .collect()
    } else {
        let graph = Graph::build(runtime, lattice)?;
        let figures = figures(runtime, &graph)?;
        figures
            .iter()
            .map(|figures| figures.reached as f64 / figures.total)
            .collect()
    };
    Ok(Scores::new(values, Method::Computed, numbering))
}

/// The cost of a step along this axis, where all its steps cost the same.
fn cost(lattice: &Lattice, rail: &Rail) -> f64 {
    match lattice.weights() {
        Weights::Axes(costs) => lattice
            .rails()
            .iter()
            .zip(costs.iter())
            .find(|(other, _)| std::ptr::eq(*other, rail))
            .map_or(1.0, |(_, &cost)| cost),
        Weights::Unit | Weights::Sites(_) => 1.0,
    }
}

/// The sum of the steps from coordinate `at` to every coordinate of its axis.
fn along(rail: &Rail, at: u64) -> u64 {
    let size = rail.axis.size();
    if rail.axis.wraps() {
        return size * size / 4;
    }
    let behind = size - 1 - at;
    at * (at + 1) / 2 + behind * (behind + 1) / 2
}
