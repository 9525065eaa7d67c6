//! Searches from every vertex where steps have costs.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use heddle_runtime::Runtime;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;

use super::closeness::CLOSENESS;
use crate::cpu_task::{self, TaskAmount};
use crate::error::Error;
use crate::graph::Graph;

/// Lengths this close, relative to their size, are equal: sums of the same costs in
/// another order differ in their last digits. python-igraph uses the same value.
const SAME: f64 = 1e-10;

/// The number of sources in one unit of a thread's work.
const PART: usize = 16;

/// The reach of one source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DistanceSums {
    /// The number of vertices reached, without the source itself.
    pub(crate) reached: u64,
    /// The sum of their distances.
    pub(crate) total: f64,
    /// The largest of their distances.
    pub(crate) eccentricity: f64,
}

/// The figures of every vertex.
pub(crate) fn distance_sums(runtime: &Runtime, graph: &Graph) -> Result<Vec<DistanceSums>, Error> {
    let vertices = graph.vertices();
    let threads = runtime.pool().threads() as u64;
    let amount = TaskAmount {
        work: (vertices as u64).saturating_mul(vertices as u64),
        bytes: (24 + threads * CostSearch::BYTES_EACH) * vertices as u64,
    };
    cpu_task::run(runtime, &CLOSENESS, amount, |pool| {
        let mut all = vec![DistanceSums::default(); vertices];
        for_each_source(pool, graph, &mut all, |search, source, distance_sums| {
            search.run(graph, source);
            let order = search.order();
            *distance_sums = DistanceSums {
                reached: order.len() as u64 - 1,
                total: order.iter().map(|&at| search.distance(at)).sum(),
                eccentricity: order.last().map_or(0.0, |&at| search.distance(at)),
            };
        });
        all
    })
}

/// Calls `work` with every vertex and its slot, on all threads, each with its own
/// search.
fn for_each_source<T: Send>(
    pool: &CpuPool,
    graph: &Graph,
    slots: &mut [T],
    work: impl Fn(&mut CostSearch, usize, &mut T) + Sync,
) {
    let cost = Bytes(graph.bytes().saturating_mul(slots.len() as u64));
    let parts = slots.chunks_mut(PART).enumerate();
    pool.each(cost, parts, |(part, slots)| {
        let mut search = CostSearch::new(graph.vertices());
        for (at, slot) in slots.iter_mut().enumerate() {
            work(&mut search, part * PART + at, slot);
        }
    });
}

/// A vertex in the queue, ordered by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct HeapEntry {
    distance: f64,
    vertex: u32,
}

impl Eq for HeapEntry {}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap's largest entry is the nearest vertex; equal ones are ordered by
        // number.
        let nearest = other.distance.total_cmp(&self.distance);
        nearest.then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A search by cost that keeps its memory for the next search.
pub(crate) struct CostSearch {
    distances: Vec<f64>,
    settled: Vec<bool>,
    heap: BinaryHeap<HeapEntry>,
    order: Vec<u32>,
}

impl CostSearch {
    /// The bytes of a vertex: distance, mark, place in the order, and an entry of the heap.
    pub(crate) const BYTES_EACH: u64 = 8 + 1 + 4 + size_of::<HeapEntry>() as u64;

    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            distances: vec![f64::INFINITY; vertices],
            settled: vec![false; vertices],
            heap: BinaryHeap::new(),
            order: Vec::with_capacity(vertices),
        }
    }

    /// The vertices reached, the source first, by distance.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The distance of a vertex; infinite if it was not reached.
    pub(crate) fn distance(&self, vertex: u32) -> f64 {
        self.distances[vertex as usize]
    }

    /// Whether a shortest path to `to` can go through `from`, by a step of `cost`.
    pub(crate) fn is_on_shortest_path(&self, from: u32, to: u32, cost: f64) -> bool {
        let (by, best) = (self.distance(from) + cost, self.distance(to));
        (by - best).abs() <= SAME * best.max(by)
    }

    pub(crate) fn run(&mut self, graph: &Graph, source: usize) {
        for &vertex in &self.order {
            self.distances[vertex as usize] = f64::INFINITY;
            self.settled[vertex as usize] = false;
        }
        self.order.clear();
        self.distances[source] = 0.0;
        self.heap.push(HeapEntry {
            distance: 0.0,
            vertex: source as u32,
        });
        while let Some(HeapEntry { distance, vertex }) = self.heap.pop() {
            if std::mem::replace(&mut self.settled[vertex as usize], true) {
                continue;
            }
            self.order.push(vertex);
            for (to, cost) in graph.steps(vertex as usize) {
                let by = distance + cost;
                if by < self.distances[to as usize] {
                    self.distances[to as usize] = by;
                    self.heap.push(HeapEntry {
                        distance: by,
                        vertex: to,
                    });
                }
            }
        }
    }
}
