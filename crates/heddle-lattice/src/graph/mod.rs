//! The explicit graph: compressed rows of neighbours, made only where an algorithm
//! walks over all of them again and again.
//!
//! Vertices are the free sites, renumbered ascending; [`Graph::numbering`] leads
//! from one to the other. Everything a formula answers does without this.

mod build;
pub(crate) mod gpu;
mod numbering;
mod odometer;

use heddle_runtime::{Array, Runtime};

pub use build::{BUILD, Build, Progress};
pub use numbering::{MAX_VISITED, Numbering};
pub(crate) use odometer::Odometer;

use crate::error::Error;
use crate::lattice::Lattice;

/// A lattice's free sites and the steps between them.
#[derive(Clone, Debug)]
pub struct Graph {
    numbering: Numbering,
    /// Where each vertex's neighbours begin, and where the last one's end.
    offsets: Vec<u64>,
    targets: Vec<u32>,
    /// One cost per target; none where every step costs 1.
    costs: Option<Vec<f64>>,
}

impl Graph {
    /// Builds it on the device that will be done soonest.
    pub fn build(runtime: &Runtime, lattice: &Lattice) -> Result<Self, Error> {
        Ok(runtime.run(Build::new(lattice)?)?)
    }

    /// Which site is which vertex.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// How many vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many edges, each counted once.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.targets.len() as u64 / 2
    }

    /// The vertices one step from `vertex`, in axis order, backwards before
    /// forwards. Panics if there is no such vertex.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.targets[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// Each neighbour with what the step to it costs. Panics if there is no such
    /// vertex.
    #[inline]
    pub fn steps(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let costs = self.costs.as_ref().map(|costs| &costs[range.clone()]);
        let targets = self.targets[range].iter().enumerate();
        targets.map(move |(at, &to)| (to, costs.map_or(1.0, |costs| costs[at])))
    }

    /// Where each vertex's neighbours begin in [`targets`](Self::targets); one more
    /// than there are vertices.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The neighbours of all vertices, one vertex behind the other.
    #[must_use]
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// What each step to a target costs; none where every step costs 1.
    #[must_use]
    pub fn costs(&self) -> Option<&[f64]> {
        self.costs.as_deref()
    }

    /// Bytes it keeps.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let costs = self
            .costs
            .as_ref()
            .map_or(0, |costs| size_of_val::<[f64]>(costs));
        let rows = size_of_val::<[u64]>(&self.offsets) + size_of_val::<[u32]>(&self.targets);
        (rows + costs) as u64 + self.numbering.bytes()
    }

    /// The square matrix of what steps cost, 0 where there is none, for at most
    /// `most_vertices` vertices.
    pub fn dense(&self, most_vertices: usize) -> Result<Array<f64>, Error> {
        let vertices = self.vertices();
        if vertices > most_vertices {
            return Err(Error::DenseTooLarge {
                vertices,
                most: most_vertices,
            });
        }
        let mut dense = Array::zeros(&[vertices, vertices])?;
        let rows = dense.as_mut_slice()?.chunks_mut(vertices.max(1));
        for (vertex, row) in rows.enumerate() {
            for (to, cost) in self.steps(vertex) {
                row[to as usize] = cost;
            }
        }
        Ok(dense)
    }
}
