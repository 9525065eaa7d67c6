//! Distances from one or several sources to every site.
//!
//! Without blocked sites they are a formula from one source ([`Lattice::steps_from`]
//! computes them lazily) and two scans per axis from several. With blocked sites the lattice
//! is swept breadth first, or by cost where steps have costs.

mod breadth_first;
mod closed_form;
mod cost;

use std::time::{Duration, Instant};

use closed_form::Threads;
use heddle_runtime::cpu::CpuPool;

use crate::admission::admit;
use crate::error::Error;
use crate::lattice::{Lattice, Site, Weights};

/// The number of steps of a site that no source reaches.
pub const UNREACHABLE: u32 = u32::MAX;

/// The cost of a site that no source reaches.
pub const UNREACHABLE_COST: f64 = f64::INFINITY;

/// The largest number of sites whose distances are stored: 16 GiB of steps.
pub const MAX_DISTANCE_SITES: u64 = u32::MAX as u64;

/// The threshold for sharing work between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelThreshold {
    /// The least number of sites: of the lattice for a formula, of one level for a
    /// breadth-first sweep. The result does not depend on it.
    pub from_sites: u64,
}

impl Default for ParallelThreshold {
    fn default() -> Self {
        // Below this a level is swept in less time than threads take to wake.
        Self {
            from_sites: 1 << 16,
        }
    }
}

/// The method that gave the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DistanceMethod {
    /// A formula.
    ClosedForm,
    /// Scans along each axis, for several sources without blocked sites.
    AxisScans,
    /// Breadth-first search, level by level.
    BreadthFirst,
    /// By cost, with one queue per axis: steps of an axis all cost the same, so
    /// each queue is sorted.
    AxisQueues,
    /// By cost, with a heap.
    Dijkstra,
}

/// One number per site.
#[derive(Clone, Debug, PartialEq)]
pub enum DistanceValues {
    /// Steps, where every step costs 1; [`UNREACHABLE`] where there is no path.
    Steps(Vec<u32>),
    /// Costs; [`UNREACHABLE_COST`] where there is no path.
    Costs(Vec<f64>),
}

/// Distances from the nearest source to every site.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// One number per site. Blocked sites are unreachable.
    pub values: DistanceValues,
    /// The method that gave them.
    pub method: DistanceMethod,
    /// The elapsed time of the query.
    pub elapsed: Duration,
}

impl Distances {
    /// The distance of `site`; `None` if it cannot be reached or does not exist.
    #[must_use]
    pub fn get(&self, site: Site) -> Option<f64> {
        let site = usize::try_from(site).ok()?;
        match &self.values {
            DistanceValues::Steps(steps) => steps
                .get(site)
                .filter(|&&steps| steps != UNREACHABLE)
                .map(|&steps| f64::from(steps)),
            DistanceValues::Costs(costs) => {
                costs.get(site).copied().filter(|cost| cost.is_finite())
            }
        }
    }

    /// The number of sites reached, sources included.
    #[must_use]
    pub fn reached(&self) -> u64 {
        let reached = match &self.values {
            DistanceValues::Steps(steps) => {
                steps.iter().filter(|&&steps| steps != UNREACHABLE).count()
            }
            DistanceValues::Costs(costs) => costs.iter().filter(|cost| cost.is_finite()).count(),
        };
        reached as u64
    }

    /// The largest distance of a reached site.
    #[must_use]
    pub fn farthest(&self) -> f64 {
        match &self.values {
            DistanceValues::Steps(steps) => steps
                .iter()
                .filter(|&&steps| steps != UNREACHABLE)
                .max()
                .map_or(0.0, |&steps| f64::from(steps)),
            DistanceValues::Costs(costs) => costs
                .iter()
                .copied()
                .filter(|cost| cost.is_finite())
                .fold(0.0, f64::max),
        }
    }

    /// The distances as floats, unreachable ones as [`UNREACHABLE_COST`]. Fails if there is no
    /// memory for them.
    pub fn to_costs(&self) -> Result<Vec<f64>, Error> {
        let sites = match &self.values {
            DistanceValues::Costs(costs) => costs.len(),
            DistanceValues::Steps(steps) => steps.len(),
        };
        admit("a copy of the distances", sites as u64, 8)?;
        Ok(match &self.values {
            DistanceValues::Costs(costs) => costs.clone(),
            DistanceValues::Steps(steps) => steps
                .iter()
                .map(|&steps| {
                    if steps == UNREACHABLE {
                        UNREACHABLE_COST
                    } else {
                        f64::from(steps)
                    }
                })
                .collect(),
        })
    }
}

impl Lattice {
    /// The distance of every site from the nearest of `sources`.
    ///
    /// ```
    /// use heddle_lattice::{Lattice, distance::{DistanceValues, UNREACHABLE}};
    ///
    /// let line = Lattice::cubic(1, 6)?.with_blocked([4])?;
    /// let distances = line.distances(&[0, 3])?;
    /// let steps = vec![0, 1, 1, 0, UNREACHABLE, UNREACHABLE];
    /// assert_eq!(distances.values, DistanceValues::Steps(steps));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn distances(&self, sources: &[Site]) -> Result<Distances, Error> {
        self.distances_by(sources, ParallelThreshold::default())
    }

    /// The same on the threads of `pool` instead of [`CpuPool::shared`]; the pool of a
    /// runtime is [`Runtime::pool`](heddle_runtime::Runtime::pool).
    pub fn distances_on(&self, pool: &CpuPool, sources: &[Site]) -> Result<Distances, Error> {
        self.distances_of(sources, pool, ParallelThreshold::default())
    }

    /// The same with a threshold for threads.
    pub fn distances_by(
        &self,
        sources: &[Site],
        parallel: ParallelThreshold,
    ) -> Result<Distances, Error> {
        self.distances_of(sources, CpuPool::shared(), parallel)
    }

    fn distances_of(
        &self,
        sources: &[Site],
        pool: &CpuPool,
        parallel: ParallelThreshold,
    ) -> Result<Distances, Error> {
        let started = Instant::now();
        if sources.is_empty() {
            return Err(Error::NoSources);
        }
        for &source in sources {
            self.check_free(source)?;
        }
        if self.sites() > MAX_DISTANCE_SITES {
            return Err(Error::TooManyToStore {
                what: "`Lattice::distances`",
                sites: self.sites(),
                most: MAX_DISTANCE_SITES,
            });
        }
        admit(
            "a distance for each site",
            self.sites(),
            self.distance_bytes(sources.len()),
        )?;
        let (values, method) = self.sweep(sources, pool, parallel);
        Ok(Distances {
            values,
            method,
            elapsed: started.elapsed(),
        })
    }

    /// The bytes that a distance takes while all are computed: its value; for a formula as much in
    /// the tables of axes, which are long only where there is one axis; in a search a bit and the
    /// sites of a level, or an entry of a queue.
    fn distance_bytes(&self, sources: usize) -> u64 {
        let is_line = u64::from(self.axes().any(|axis| axis.size() == self.sites()));
        match (self.weights(), self.is_regular()) {
            (Weights::Unit, true) if sources == 1 => 4 + 4 * is_line,
            (Weights::Unit, true) => 4,
            (Weights::Unit, false) => 4 + 1 + 4,
            (Weights::Axes(_), true) => 8 + 8 * is_line,
            (Weights::Axes(_), false) | (Weights::Sites(_), _) => 8 + 16,
        }
    }

    fn sweep(
        &self,
        sources: &[Site],
        pool: &CpuPool,
        parallel: ParallelThreshold,
    ) -> (DistanceValues, DistanceMethod) {
        let threads = Threads { pool, parallel };
        match (self.weights(), self.is_regular(), sources) {
            (Weights::Unit, true, &[source]) => (
                DistanceValues::Steps(closed_form::steps(self, source, threads)),
                DistanceMethod::ClosedForm,
            ),
            (Weights::Axes(weights), true, &[source]) => (
                DistanceValues::Costs(closed_form::costs(self, source, weights, threads)),
                DistanceMethod::ClosedForm,
            ),
            (Weights::Unit, true, _) => (
                DistanceValues::Steps(closed_form::steps_from_many(self, sources, threads)),
                DistanceMethod::AxisScans,
            ),
            (Weights::Axes(weights), true, _) => (
                DistanceValues::Costs(closed_form::costs_from_many(
                    self, sources, weights, threads,
                )),
                DistanceMethod::AxisScans,
            ),
            (Weights::Unit, false, _) => (
                DistanceValues::Steps(breadth_first::sweep(self, sources, pool, parallel)),
                DistanceMethod::BreadthFirst,
            ),
            (Weights::Axes(weights), false, _) => (
                DistanceValues::Costs(cost::by_axis(self, sources, weights)),
                DistanceMethod::AxisQueues,
            ),
            (Weights::Sites(_), ..) => (
                DistanceValues::Costs(cost::by_heap(self, sources)),
                DistanceMethod::Dijkstra,
            ),
        }
    }
}
