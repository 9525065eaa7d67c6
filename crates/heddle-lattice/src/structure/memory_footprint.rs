//! The memory of a lattice, compared with an explicit graph.

use serde::Serialize;

use super::closed_form;
use crate::lattice::{Lattice, Weights};

/// The memory of a description and of an explicit graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryFootprint {
    /// The size of the description, with blocked sites and costs.
    pub described_bytes: u64,
    /// The size of a graph in compressed rows: 8 bytes per vertex, 4 per neighbour
    /// and 8 per cost. Blocked sites are counted as if they were free.
    pub explicit_bytes: u64,
    /// The second divided by the first.
    pub reduction: f64,
}

/// The memory used, the memory of a graph, and their ratio.
#[must_use]
pub fn memory_footprint(lattice: &Lattice) -> MemoryFootprint {
    let strided_axes = size_of_val(lattice.strided_axes()) as u64;
    let costs = match lattice.weights() {
        Weights::Unit => 0,
        Weights::Axes(costs) | Weights::Sites(costs) => size_of_val::<[f64]>(costs) as u64,
    };
    let described_bytes =
        size_of::<Lattice>() as u64 + strided_axes + lattice.blocked().bytes() + costs;
    let per_neighbour = if lattice.weights().is_unit() { 4 } else { 12 };
    let explicit_bytes =
        8 * (lattice.sites() + 1) + 2 * closed_form::edges(lattice) * per_neighbour;
    MemoryFootprint {
        described_bytes,
        explicit_bytes,
        reduction: explicit_bytes as f64 / described_bytes as f64,
    }
}
