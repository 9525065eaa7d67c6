//! Statistics of a batch of lattices.

use serde::Serialize;

use crate::lattice::Lattice;
use crate::structure::metrics;

/// The smallest, the largest and the sum of one figure; zeros for no lattices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Spread {
    /// The smallest.
    pub least: u64,
    /// The largest.
    pub greatest: u64,
    /// The sum.
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

/// The statistics of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of lattices.
    pub lattices: usize,
    /// The number of lattices without blocked sites.
    pub regular: usize,
    /// The number of axes.
    pub dimensions: Spread,
    /// The number of sites, blocked ones included.
    pub sites: Spread,
    /// The number of free sites.
    pub vertices: Spread,
    /// The size of the descriptions in bytes.
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
