//! What a lattice keeps in memory, and what a graph of it would.

use serde::Serialize;

use super::closed;
use crate::lattice::{Lattice, Weights};

/// Memory of a description against memory of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// Bytes of the description, blocked sites and costs included.
    pub described_bytes: u64,
    /// Bytes of a graph in compressed rows: 8 per vertex, 4 per neighbour and 8 per
    /// cost. With blocked sites it is what the graph would have without them.
    pub explicit_bytes: u64,
    /// The second over the first.
    pub reduction: f64,
}

/// Memory used, memory a graph would use, and how many times as much that is.
#[must_use]
pub fn metrics(lattice: &Lattice) -> Metrics {
    let rails = size_of_val(lattice.rails()) as u64;
    let costs = match lattice.weights() {
        Weights::Unit => 0,
        Weights::Axes(costs) | Weights::Sites(costs) => size_of_val::<[f64]>(costs) as u64,
    };
    let described_bytes = size_of::<Lattice>() as u64 + rails + lattice.blocked().bytes() + costs;
    let per_neighbour = if lattice.weights().is_unit() { 4 } else { 12 };
    let explicit_bytes = 8 * (lattice.sites() + 1) + 2 * closed::edges(lattice) * per_neighbour;
    Metrics {
        described_bytes,
        explicit_bytes,
        reduction: explicit_bytes as f64 / described_bytes as f64,
    }
}
