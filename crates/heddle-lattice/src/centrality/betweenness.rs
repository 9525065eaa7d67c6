//! Betweenness: from every vertex, shortest paths are counted forwards and shares
//! are added up backwards.

use std::sync::Mutex;

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Kind, Runtime, WorkUnit};

use super::hop_search::{HopSearch, PaddedNeighbours};
use super::symmetry::SymmetryClasses;
use super::{ComputationMethod, CostSearch, Scores};
use crate::admission::admit;
use crate::cpu_task::{self, TaskAmount};
use crate::error::Error;
use crate::graph::{Graph, Numbering};
use crate::lattice::{Lattice, StridedAxis, Weights};
use crate::structure::ordered_steps;

/// The operation kind of betweenness.
pub static BETWEENNESS: Kind = Kind::new("lattice-betweenness", WorkUnit::Items);

/// The number of partial sums that sources are distributed to, independent of the
/// number of threads: the last digits of a sum depend on its order, which must not
/// depend on the machine.
const SUMS: usize = 32;

/// The share of shortest paths between other vertices that lead through each
/// vertex.
pub fn betweenness(runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
    let numbering = Numbering::of(lattice, "betweenness")?;
    if lattice.is_regular() && !matches!(lattice.weights(), Weights::Sites(_)) {
        let alike =
            |strided_axis: &StridedAxis| strided_axis.axis.wraps() || strided_axis.axis.size() <= 2;
        if lattice.strided_axes().iter().all(alike) {
            let value = is_vertex_transitive(lattice);
            admit("betweenness", lattice.sites(), 8)?;
            let values = vec![value; numbering.len()];
            return Ok(Scores::new(
                values,
                ComputationMethod::ClosedForm,
                numbering,
            ));
        }
        let values = by_symmetry(runtime, lattice)?;
        return Ok(Scores::new(values, ComputationMethod::Symmetry, numbering));
    }
    let graph = Graph::build(runtime, lattice)?;
    // The sources, and the values twice.
    admit("betweenness", graph.vertices() as u64, 16 + 2 * 8)?;
    let sources: Vec<(u32, f64)> = (0..graph.vertices() as u32).map(|at| (at, 1.0)).collect();
    let values = from(runtime, &graph, &sources)?;
    let values = values.into_iter().map(|value| value / 2.0).collect();
    Ok(Scores::new(values, ComputationMethod::Computed, numbering))
}

/// The value where all sites are equivalent: each ordered pair at `d` steps has
/// `d - 1` vertices between on every path, distributed evenly.
fn is_vertex_transitive(lattice: &Lattice) -> f64 {
    let sites = u128::from(lattice.sites());
    let between = ordered_steps(lattice) - sites * (sites - 1);
    between as f64 / sites as f64 / 2.0
}

fn by_symmetry(runtime: &Runtime, lattice: &Lattice) -> Result<Vec<f64>, Error> {
    let graph = Graph::build(runtime, lattice)?;
    // The class of each site, the classes, which are mostly few, the sources and the values.
    admit("betweenness", lattice.sites(), 4 + 2 * 16 + 16 + 2 * 8)?;
    let classes = SymmetryClasses::new(lattice);
    let sources: Vec<(u32, f64)> = classes
        .representatives
        .iter()
        .zip(&classes.sizes)
        .map(|(&site, &size)| (site as u32, size as f64))
        .collect();
    let added = from(runtime, &graph, &sources)?;
    let mut sums = vec![0.0; sources.len()];
    for (&class, added) in classes.of.iter().zip(added) {
        sums[class as usize] += added;
    }
    for (sum, &size) in sums.iter_mut().zip(&classes.sizes) {
        *sum /= 2.0 * size as f64;
    }
    Ok(classes
        .of
        .iter()
        .map(|&class| sums[class as usize])
        .collect())
}

/// The sum of what searches from these sources add to each vertex, each times its
/// weight.
fn from(runtime: &Runtime, graph: &Graph, sources: &[(u32, f64)]) -> Result<Vec<f64>, Error> {
    let vertices = graph.vertices() as u64;
    let search = if graph.costs().is_some() {
        CostSearch::BYTES_EACH + 2 * 8
    } else {
        HopSearch::BYTES_EACH
    };
    let sums = 8 * (SUMS.min(sources.len()) as u64 + 1);
    let rows = 4 * PaddedNeighbours::width_of(graph) as u64;
    let amount = TaskAmount {
        work: (sources.len() as u64).saturating_mul(graph.targets().len() as u64),
        bytes: vertices * (runtime.pool().threads() as u64 * search + sums + rows),
    };
    cpu_task::run(runtime, &BETWEENNESS, amount, |pool| {
        if graph.costs().is_some() {
            on(pool, graph, sources, || CostBrandes::new(graph))
        } else {
            let slots = PaddedNeighbours::of(graph);
            on(pool, graph, sources, || HopSearch::new(&slots))
        }
    })
}

/// One search and its contributions.
pub(super) trait Brandes: Send {
    /// Adds the contributions of the shortest paths from `source`, times `weight`,
    /// to `sums`.
    fn add(&mut self, source: u32, weight: f64, sums: &mut [f64]);
}

fn on<B: Brandes>(
    pool: &CpuPool,
    graph: &Graph,
    sources: &[(u32, f64)],
    make: impl Fn() -> B + Sync,
) -> Vec<f64> {
    let vertices = graph.vertices();
    let part = sources.len().div_ceil(SUMS).max(1);
    let parts: Vec<_> = sources
        .chunks(part)
        .map(|sources| (sources, Mutex::new(Vec::new())))
        .collect();
    let idle = Mutex::new(Vec::new());
    let cost = Bytes((sources.len() * graph.targets().len()) as u64 * 8);
    pool.each(cost, parts.iter(), |(sources, sums)| {
        let reused = idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut search = reused.unwrap_or_else(&make);
        let mut part_sums = vec![0.0; vertices];
        for &(source, weight) in *sources {
            search.add(source, weight, &mut part_sums);
        }
        if let (Ok(mut sums), Ok(mut idle)) = (sums.lock(), idle.lock()) {
            *sums = part_sums;
            idle.push(search);
        }
    });
    let mut all = vec![0.0; vertices];
    for (_, sums) in parts {
        let sums = sums.into_inner().unwrap_or_default();
        for (all, one) in all.iter_mut().zip(sums) {
            *all += one;
        }
    }
    all
}

/// The search where steps have costs.
struct CostBrandes<'a> {
    graph: &'a Graph,
    search: CostSearch,
    paths: Vec<f64>,
    shares: Vec<f64>,
}

impl<'a> CostBrandes<'a> {
    fn new(graph: &'a Graph) -> Self {
        let vertices = graph.vertices();
        Self {
            graph,
            search: CostSearch::new(vertices),
            paths: vec![0.0; vertices],
            shares: vec![0.0; vertices],
        }
    }
}

impl Brandes for CostBrandes<'_> {
    fn add(&mut self, source: u32, weight: f64, sums: &mut [f64]) {
        let graph = self.graph;
        self.search.run(graph, source as usize);
        let order = self.search.order();
        for &at in order {
            self.paths[at as usize] = 0.0;
            self.shares[at as usize] = 0.0;
        }
        self.paths[source as usize] = 1.0;
        for &at in order {
            for (to, cost) in graph.steps(at as usize) {
                if self.search.is_on_shortest_path(at, to, cost) {
                    self.paths[to as usize] += self.paths[at as usize];
                }
            }
        }
        for &at in order[1..].iter().rev() {
            let mut share = 0.0;
            for (to, cost) in graph.steps(at as usize) {
                if self.search.is_on_shortest_path(at, to, cost) {
                    share += (1.0 + self.shares[to as usize]) / self.paths[to as usize];
                }
            }
            share *= self.paths[at as usize];
            self.shares[at as usize] = share;
            sums[at as usize] += weight * share;
        }
    }
}
