//! Selects the search method and keeps the working memory of searches.

use std::time::Instant;

use smallvec::SmallVec;

use super::astar::AStar;
use super::bidirectional::Bidirectional;
use super::dijkstra::WeightedAStar;
use super::staircase::Staircase;
use super::{MAX_STEPS, Path, PathMethod};
use crate::admission::admit;
use crate::error::Error;
use crate::lattice::{Lattice, Site, Stepper, Weights};

/// The largest number of sites for which a finder for many queries uses a slot per
/// site.
const DENSE_SITES: u64 = 1 << 22;

/// The same for a single query, where clearing the slots would be most of the work.
const DENSE_SITES_ONCE: u64 = 1 << 16;

/// The default limit of expanded sites: some 2 GiB of memory.
const MAX_EXPANDED: u64 = 1 << 26;

/// The search used where steps cost 1 and sites are blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchAlgorithm {
    /// The staircases first, then A*.
    #[default]
    Auto,
    /// A* alone: expands little more than the path where few sites are blocked.
    AStar,
    /// Breadth-first from both ends: better in a maze, and when one end is enclosed
    /// by blocked sites.
    BidirectionalBfs,
}

/// Finds shortest paths of one lattice. Once warm it allocates only the result.
#[derive(Clone, Debug)]
pub struct PathFinder<'a> {
    lattice: &'a Lattice,
    stepper: Stepper,
    search: SearchAlgorithm,
    dense_up_to: u64,
    max_expanded: u64,
    astar: Option<AStar>,
    bidirectional: Option<Bidirectional>,
    weighted: Option<WeightedAStar>,
}

/// The result of a search.
pub(super) enum SearchResult {
    /// A path, and the number of sites expanded.
    Path(Vec<Site>, u64),
    /// There is no path.
    Nothing,
    /// No path within the limit of expanded sites.
    TooMuch,
    /// No memory to expand more sites.
    Short(Error),
}

/// The bytes of an expanded site: its entry in a table that doubles, beside the old table, and the
/// sites seen around it.
const EXPANDED_BYTES: u64 = 128;

/// Checks whenever the number of expanded sites has doubled that there is memory for as many more.
#[inline]
pub(super) fn admit_more(expanded: u64) -> Result<(), Error> {
    if expanded.is_power_of_two() {
        admit("a search for a path", expanded, EXPANDED_BYTES)?;
    }
    Ok(())
}

/// The query of a search.
#[derive(Clone, Copy)]
pub(super) struct PathQuery<'q> {
    pub(super) lattice: &'q Lattice,
    pub(super) stepper: &'q Stepper,
    pub(super) start: Site,
    pub(super) end: Site,
    pub(super) max_expanded: u64,
}

impl PathQuery<'_> {
    /// The coordinates of the end.
    pub(super) fn target(&self) -> SmallVec<[u64; 8]> {
        let axes = self.lattice.strided_axes().iter();
        axes.map(|axis| axis.coordinate(self.end)).collect()
    }
}

impl<'a> PathFinder<'a> {
    /// A finder for many queries.
    #[must_use]
    pub fn new(lattice: &'a Lattice) -> Self {
        Self {
            lattice,
            stepper: Stepper::of(lattice),
            search: SearchAlgorithm::Auto,
            dense_up_to: DENSE_SITES,
            max_expanded: MAX_EXPANDED,
            astar: None,
            bidirectional: None,
            weighted: None,
        }
    }

    pub(super) fn for_one(lattice: &'a Lattice) -> Self {
        Self {
            dense_up_to: DENSE_SITES_ONCE,
            ..Self::new(lattice)
        }
    }

    /// Sets the search.
    #[must_use]
    pub fn with_search(mut self, search: SearchAlgorithm) -> Self {
        self.search = search;
        self
    }

    /// Sets the largest number of sites a search expands before it fails with an
    /// error.
    #[must_use]
    pub fn with_max_expanded(mut self, sites: u64) -> Self {
        self.max_expanded = sites;
        self
    }

    /// The lattice that is searched.
    #[must_use]
    pub fn lattice(&self) -> &'a Lattice {
        self.lattice
    }

    /// A shortest path. See [`Lattice::shortest_path`].
    pub fn shortest_path(&mut self, start: Site, end: Site) -> Result<Path, Error> {
        let started = Instant::now();
        self.lattice.check_free(start)?;
        self.lattice.check_free(end)?;
        let (found, method) = match self.staircase_path(start, end)? {
            Some(answer) => answer,
            None => self.by_search(start, end),
        };
        let (vertices, expanded) = match found {
            SearchResult::Path(vertices, expanded) => (vertices, expanded),
            SearchResult::Nothing => return Err(self.lattice.no_path(start, end)),
            SearchResult::TooMuch => {
                return Err(Error::SearchTooLarge {
                    most: self.max_expanded,
                });
            }
            SearchResult::Short(error) => return Err(error),
        };
        Ok(Path {
            cost: self.lattice.cost_of(&vertices),
            vertices,
            method,
            expanded,
            elapsed: started.elapsed(),
        })
    }

    /// The path of a formula, if it is shortest and no site on it is blocked.
    fn staircase_path(
        &self,
        start: Site,
        end: Site,
    ) -> Result<Option<(SearchResult, PathMethod)>, Error> {
        let by_steps = !matches!(self.lattice.weights(), Weights::Sites(_));
        let regular = self.lattice.is_regular();
        if !by_steps || self.search != SearchAlgorithm::Auto && !regular {
            return Ok(None);
        }
        let stairs = Staircase::new(self.lattice, self.stepper.clone(), start, end);
        // A path around blocked sites is at least as long.
        if stairs.steps() > MAX_STEPS {
            return Err(Error::PathTooLong {
                steps: stairs.steps(),
                most: MAX_STEPS,
            });
        }
        admit("a path", stairs.steps() + 1, 8)?;
        let walked = |stairs: Staircase| SearchResult::Path(stairs.collect(), 0);
        if regular {
            return Ok(Some((walked(stairs), PathMethod::ClosedForm)));
        }
        let free = [stairs.clone(), stairs.last_axis_first()]
            .into_iter()
            .find(|stairs| stairs.is_free(self.lattice));
        Ok(free.map(|stairs| (walked(stairs), PathMethod::FreeStaircase)))
    }

    fn by_search(&mut self, start: Site, end: Site) -> (SearchResult, PathMethod) {
        let (lattice, stepper) = (self.lattice, &self.stepper);
        let (sites, dense_up_to) = (lattice.sites(), self.dense_up_to);
        let question = PathQuery {
            lattice,
            stepper,
            start,
            end,
            max_expanded: self.max_expanded,
        };
        if !lattice.weights().is_unit() {
            let found = self
                .weighted
                .get_or_insert_with(|| WeightedAStar::new(lattice, dense_up_to))
                .find(question);
            return (found, PathMethod::WeightedAStar);
        }
        if self.search == SearchAlgorithm::BidirectionalBfs {
            let found = self
                .bidirectional
                .get_or_insert_with(|| Bidirectional::new(sites, dense_up_to))
                .find(question);
            return (found, PathMethod::BidirectionalBfs);
        }
        let found = self
            .astar
            .get_or_insert_with(|| AStar::new(sites, dense_up_to))
            .find(question);
        (found, PathMethod::AStar)
    }
}
