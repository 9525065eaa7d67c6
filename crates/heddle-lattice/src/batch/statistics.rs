//! What the lattices of a batch have in common.

use serde::Serialize;

use crate::lattice::Lattice;
use crate::structure::metrics;

/// The least, the greatest and the sum of one figure; zeros of no lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Spread {
    /// The least.
    pub least: u64,
    /// The greatest.
    pub greatest: u64,
    /// All together.
    pub total: u64,
}

impl Spread {
    fn of(figures: impl Iterator<Item = u64> + Clone) -> Self {
        Self {
            least: figures.clone().min().unwrap_or(0),
            greatest: figures.clone().max().unwrap_or(0),
            total: figures.sum(),
        }
    }
}

/// A batch in figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Lattices.
    pub lattices: usize,
    /// Of them, those with nothing blocked.
    pub regular: usize,
    /// Axes.
    pub dimensions: Spread,
    /// Sites, blocked ones included.
    pub sites: Spread,
    /// Free sites.
    pub vertices: Spread,
    /// Bytes of the descriptions.
    pub described_bytes: Spread,
}

impl Statistics {
    pub(super) fn of(lattices: &[Lattice]) -> Self {
        let all = lattices.iter();
        Self {
            lattices: lattices.len(),
            regular: all.clone().filter(|lattice| lattice.is_regular()).count(),
            dimensions: Spread::of(all.clone().map(|lattice| lattice.dimensions() as u64)),
            sites: Spread::of(all.clone().map(Lattice::sites)),
            vertices: Spread::of(all.clone().map(Lattice::free_sites)),
            described_bytes: Spread::of(all.map(|lattice| metrics(lattice).described_bytes)),
        }
    }
}
