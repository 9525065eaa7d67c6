//! Centrality of vertices: degree, closeness, betweenness, eigenvector.
//!
//! Definitions and normalisation are python-igraph's defaults, so that results can
//! be compared with it:
//!
//! - *degree*: the number of neighbours;
//! - *closeness*: the number of vertices reached, over the sum of the distances to
//!   them; not a number where nothing is reached, as at a single site;
//! - *betweenness*: the sum over pairs of other vertices of the share of their
//!   shortest paths that lead through, each pair once, not normalised;
//! - *eigenvector*: the eigenvector of the adjacency's greatest eigenvalue, its
//!   greatest entry 1.
//!
//! Closeness and betweenness use step costs; degree and eigenvector ignore them. On
//! a regular lattice the values come from formulas and symmetry (see [`ComputationMethod`]).

mod betweenness;
mod closeness;
mod dijkstra;
mod eigenvector;
mod hop_search;
mod per_axis;
mod symmetry;
mod tridiagonal;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use serde::Serialize;

use heddle_runtime::Runtime;

pub use betweenness::{BETWEENNESS, betweenness};
pub use closeness::{CLOSENESS, closeness};
pub(crate) use dijkstra::{CostSearch, distance_sums};
pub use eigenvector::{EIGENVECTOR, eigenvector};

use crate::admission::admit;
use crate::error::Error;
use crate::graph::{Graph, Numbering};
use crate::lattice::{Lattice, Site};

/// The method that gave a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ComputationMethod {
    /// By a formula, without a search.
    ClosedForm,
    /// Searches from one vertex of each symmetry class; symmetry gives the rest.
    Symmetry,
    /// By an algorithm over the whole graph.
    Computed,
}

/// One value per vertex: free sites, ascending.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The values.
    pub values: Vec<f64>,
    /// The method that gave them.
    pub method: ComputationMethod,
    numbering: Numbering,
}

impl Scores {
    pub(crate) fn new(values: Vec<f64>, method: ComputationMethod, numbering: Numbering) -> Self {
        Self {
            values,
            method,
            numbering,
        }
    }

    /// The mapping between sites and vertices.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The value of a site; `None` if it is blocked or does not exist.
    #[must_use]
    pub fn at(&self, site: Site) -> Option<f64> {
        self.values.get(self.numbering.vertex(site)?).copied()
    }

    /// The sites of the `count` largest values, in descending order; equal values
    /// by site. NaN comes last.
    #[must_use]
    pub fn top(&self, count: usize) -> Vec<(Site, f64)> {
        let count = count.min(self.values.len());
        // The last of the ranked vertices is on top.
        let mut ranked = BinaryHeap::with_capacity(count);
        for (vertex, &value) in self.values.iter().enumerate() {
            let next = RankedVertex { value, vertex };
            if ranked.len() < count {
                ranked.push(next);
            } else if let Some(mut last) = ranked.peek_mut()
                && next < *last
            {
                *last = next;
            }
        }
        let ranked = ranked.into_sorted_vec().into_iter();
        ranked
            .filter_map(|ranked| Some((self.numbering.site(ranked.vertex)?, ranked.value)))
            .collect()
    }
}

/// A vertex in the order of its rank: by descending value, then by number; NaN comes last.
struct RankedVertex {
    value: f64,
    vertex: usize,
}

impl Ord for RankedVertex {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |value: f64| {
            if value.is_nan() {
                f64::NEG_INFINITY
            } else {
                value
            }
        };
        let by_value = key(other.value).total_cmp(&key(self.value));
        by_value.then(self.vertex.cmp(&other.vertex))
    }
}

impl PartialOrd for RankedVertex {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RankedVertex {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RankedVertex {}

/// The number of neighbours of every vertex.
pub fn degree(runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
    let numbering = Numbering::of(lattice, "degrees")?;
    if lattice.is_regular() {
        let values = per_axis::sum(lattice, |strided_axis, at| {
            let last = strided_axis.axis.size() - 1;
            if strided_axis.axis.wraps() {
                2.0
            } else {
                f64::from(u8::from(at > 0) + u8::from(at < last))
            }
        })?;
        return Ok(Scores::new(
            values,
            ComputationMethod::ClosedForm,
            numbering,
        ));
    }
    let graph = Graph::build(runtime, lattice)?;
    admit("a degree for each site", graph.vertices() as u64, 8)?;
    let values = (0..graph.vertices())
        .map(|vertex| graph.neighbours(vertex).len() as f64)
        .collect();
    Ok(Scores::new(values, ComputationMethod::Computed, numbering))
}
