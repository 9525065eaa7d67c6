//! Statistics of a batch of lattices.

use serde::Serialize;

use crate::lattice::Lattice;
use crate::structure::memory_footprint;

/// The smallest, the largest and the sum of one figure; zeros for no lattices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SizeSummary {
    /// The smallest.
    pub least: u64,
    /// The largest.
    pub greatest: u64,
    /// The sum.
    pub total: u64,
}

impl SizeSummary {
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
pub struct LatticeStatistics {
    /// The number of lattices.
    pub lattices: usize,
    /// The number of lattices without blocked sites.
    pub regular: usize,
    /// The number of axes.
    pub dimensions: SizeSummary,
    /// The number of sites, blocked ones included.
    pub sites: SizeSummary,
    /// The number of free sites.
    pub vertices: SizeSummary,
    /// The size of the descriptions in bytes.
    pub described_bytes: SizeSummary,
}

impl LatticeStatistics {
    pub(super) fn of(lattices: &[Lattice]) -> Self {
        let all = lattices.iter();
        Self {
            lattices: lattices.len(),
            regular: all.clone().filter(|lattice| lattice.is_regular()).count(),
            dimensions: SizeSummary::of(all.clone().map(|lattice| lattice.dimensions() as u64)),
            sites: SizeSummary::of(all.clone().map(Lattice::sites)),
            vertices: SizeSummary::of(all.clone().map(Lattice::free_sites)),
            described_bytes: SizeSummary::of(
                all.map(|lattice| memory_footprint(lattice).described_bytes),
            ),
        }
    }
}
