//! The explicit graph: compressed rows of neighbours, for algorithms that traverse
//! all of them repeatedly.
//!
//! Vertices are the free sites, renumbered in ascending order; [`Graph::numbering`]
//! converts between them. Formulas do not need the graph.

mod build;
pub(crate) mod gpu;
mod numbering;
mod site_cursor;

use heddle_runtime::{Array, Runtime};

pub use build::{BUILD, Build};
pub(crate) use numbering::MAX_VISITED;
pub use numbering::Numbering;
pub(crate) use site_cursor::SiteCursor;

use crate::error::Error;
use crate::lattice::Lattice;

/// A lattice's free sites and the steps between them.
#[derive(Clone, Debug)]
pub struct Graph {
    numbering: Numbering,
    /// The index of each vertex's first neighbour, and the end of the last row.
    offsets: Vec<u64>,
    targets: Vec<u32>,
    /// One cost per target; `None` where every step costs 1.
    costs: Option<Vec<f64>>,
}

impl Graph {
    /// Builds the graph on the device with the earliest predicted finish.
    pub fn build(runtime: &Runtime, lattice: &Lattice) -> Result<Self, Error> {
        Ok(runtime.run(Build::new(lattice)?)?)
    }

    /// The mapping between sites and vertices.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of edges, each counted once.
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

    /// Each neighbour with the cost of the step to it. Panics if there is no such
    /// vertex.
    #[inline]
    pub fn steps(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let costs = self.costs.as_ref().map(|costs| &costs[range.clone()]);
        let targets = self.targets[range].iter().enumerate();
        targets.map(move |(at, &to)| (to, costs.map_or(1.0, |costs| costs[at])))
    }

    /// The index of each vertex's first neighbour in [`targets`](Self::targets),
    /// and the end of the last row.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The neighbours of all vertices, row after row.
    #[must_use]
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The cost of the step to each target; `None` where every step costs 1.
    #[must_use]
    pub fn costs(&self) -> Option<&[f64]> {
        self.costs.as_deref()
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let costs = self
            .costs
            .as_ref()
            .map_or(0, |costs| size_of_val::<[f64]>(costs));
        let rows = size_of_val::<[u64]>(&self.offsets) + size_of_val::<[u32]>(&self.targets);
        (rows + costs) as u64 + self.numbering.bytes()
    }

    /// The square matrix of step costs, 0 where there is no step, for at most
    /// `max_vertices` vertices.
    pub fn dense(&self, max_vertices: usize) -> Result<Array<f64>, Error> {
        let vertices = self.vertices();
        if vertices > max_vertices {
            return Err(Error::DenseTooLarge {
                vertices,
                most: max_vertices,
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
