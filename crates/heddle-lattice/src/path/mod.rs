//! Paths between two sites.
//!
//! [`Lattice::shortest_path`] runs one query; a [`PathFinder`] keeps its working
//! memory for the next one, and a [`PathCache`] keeps the paths. Without blocked
//! sites the path is a formula, [`Staircase`]. [`count`] counts shortest paths, and
//! [`simple`] enumerates the paths that visit no site twice.

mod astar;
mod bidirectional;
mod cache;
pub mod count;
mod dijkstra;
mod finder;
pub mod simple;
pub(crate) mod site_table;
mod staircase;

use std::time::Duration;

pub use cache::PathCache;
pub use count::{CountValue, PathCount};
pub use finder::{PathFinder, SearchAlgorithm};
pub use simple::{EndReason, SimplePaths, SimplePathsLimits};
pub use staircase::Staircase;

use crate::error::Error;
use crate::lattice::{Lattice, Site};

/// The largest number of steps of a stored path: 1 GiB of vertices.
pub const MAX_STEPS: u64 = 1 << 27;

/// The method that gave a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PathMethod {
    /// A formula, without blocked sites.
    ClosedForm,
    /// A formula's path that no blocked site lies on.
    FreeStaircase,
    /// A* by number of steps.
    AStar,
    /// Breadth-first search from both ends.
    BidirectionalBfs,
    /// A* by cost.
    WeightedAStar,
    /// A catalytic register program.
    Catalytic,
}

/// A path and the method that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Every site of it, start and end included.
    pub vertices: Vec<Site>,
    /// The sum of its steps' costs; the number of steps where each costs 1.
    pub cost: f64,
    /// The method that found it.
    pub method: PathMethod,
    /// The number of sites expanded; 0 for a formula.
    pub expanded: u64,
    /// The elapsed time of the query.
    pub elapsed: Duration,
}

impl Path {
    /// The number of steps.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.vertices.len().saturating_sub(1) as u64
    }

    /// Whether this is a path of `lattice`: every vertex is free and one step from
    /// the one before.
    #[must_use]
    pub fn is_of(&self, lattice: &Lattice) -> bool {
        let free = |&site: &Site| lattice.check_free(site).is_ok();
        self.vertices.first().is_some_and(free)
            && self.vertices.windows(2).all(|step| {
                lattice
                    .neighbours(step[0])
                    .any(|neighbour| neighbour.site == step[1])
            })
    }
}

impl Lattice {
    /// A shortest path: by formula without blocked sites, else by search. Among
    /// equally short paths it is always the same one.
    ///
    /// ```
    /// use heddle_lattice::{Lattice, path::PathMethod};
    ///
    /// let lattice = Lattice::cubic(2, 3)?.with_blocked([4])?;
    /// let path = lattice.shortest_path(3, 5)?;
    /// assert_eq!(path.steps(), 4);
    /// assert_eq!(path.method, PathMethod::AStar);
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn shortest_path(&self, start: Site, end: Site) -> Result<Path, Error> {
        PathFinder::for_one(self).shortest_path(start, end)
    }

    /// A finder that keeps its working memory between queries.
    #[must_use]
    pub fn path_finder(&self) -> PathFinder<'_> {
        PathFinder::new(self)
    }

    /// The cost of a path's steps.
    pub(crate) fn cost_of(&self, vertices: &[Site]) -> f64 {
        if self.weights().is_unit() {
            return vertices.len().saturating_sub(1) as f64;
        }
        vertices
            .windows(2)
            .map(|step| {
                let axis = self
                    .strided_axes()
                    .iter()
                    .position(|strided_axis| {
                        strided_axis.coordinate(step[0]) != strided_axis.coordinate(step[1])
                    })
                    .unwrap_or(0);
                self.weights().of(axis, step[0], step[1])
            })
            .sum()
    }
}
