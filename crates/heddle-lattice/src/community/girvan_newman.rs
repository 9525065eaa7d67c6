//! The method of Girvan and Newman: remove the edge with the most shortest paths
//! until the graph falls apart.

use heddle_runtime::Runtime;

use super::{COMMUNITIES, Communities, modularity, renumber, task_amount};
use crate::cpu_task;
use crate::error::Error;
use crate::graph::Graph;
use crate::lattice::Lattice;

/// Edges this close, relative to their size, carry the same; then the first is
/// removed, so that rounding does not decide.
const RELATIVE_TOLERANCE: f64 = 1e-9;

/// The settings of [`edge_betweenness`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GirvanNewman {
    /// Stop at this many groups; `None` for the grouping of highest modularity,
    /// which requires removing all edges.
    pub communities: Option<usize>,
    /// The largest number of edge visits, repeats included: each removed edge costs
    /// vertices times edges of its part.
    pub max_visits: u64,
}

impl Default for GirvanNewman {
    fn default() -> Self {
        Self {
            communities: None,
            max_visits: 20_000_000_000,
        }
    }
}

/// The groups that are left when the edges between them are removed.
pub fn edge_betweenness(
    runtime: &Runtime,
    lattice: &Lattice,
    settings: &GirvanNewman,
) -> Result<Communities, Error> {
    let graph = Graph::build(runtime, lattice)?;
    let work = graph.targets().len() as u64 * graph.vertices() as u64;
    cpu_task::run(runtime, &COMMUNITIES, task_amount(&graph, work), |_| {
        let labels = EdgeRemoval::new(&graph).run(settings)?;
        Ok(Communities::new(&graph, labels))
    })?
}

/// A graph whose edges are removed.
struct EdgeRemoval<'a> {
    graph: &'a Graph,
    /// The edge of each entry of the graph's rows.
    edges: Vec<u32>,
    is_cut: Vec<bool>,
    edge_shares: Vec<f64>,
    /// The part of each vertex, identified by its first vertex.
    parts: Vec<u32>,
    visits: u64,
}

impl<'a> EdgeRemoval<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut edges = vec![0; graph.targets().len()];
        let mut count = 0;
        for vertex in 0..graph.vertices() {
            let first = graph.offsets()[vertex] as usize;
            for (at, &to) in graph.neighbours(vertex).iter().enumerate() {
                if (to as usize) > vertex {
                    edges[first + at] = count;
                    // The same edge from its other end.
                    let there = graph.offsets()[to as usize] as usize;
                    let back = graph.neighbours(to as usize).iter();
                    if let Some(back) = back.into_iter().position(|&to| to as usize == vertex) {
                        edges[there + back] = count;
                    }
                    count += 1;
                }
            }
        }
        Self {
            graph,
            edges,
            is_cut: vec![false; count as usize],
            edge_shares: vec![0.0; count as usize],
            parts: vec![u32::MAX; graph.vertices()],
            visits: 0,
        }
    }

    fn run(&mut self, settings: &GirvanNewman) -> Result<Vec<u32>, Error> {
        let all: Vec<u32> = (0..self.graph.vertices() as u32).collect();
        let mut count = self.label_components(&all);
        self.measure(&all, settings)?;
        let (mut best, mut highest) = (self.parts.clone(), f64::NEG_INFINITY);
        loop {
            let mut labels = self.parts.clone();
            let groups = renumber(&mut labels);
            let found = modularity(self.graph, &labels, groups);
            if found > highest || settings.communities.is_some() {
                (best, highest) = (labels, found);
            }
            if settings.communities.is_some_and(|wanted| count >= wanted) {
                return Ok(best);
            }
            // Until a part falls apart.
            let before = count;
            while count == before {
                let Some(part) = self.cut() else {
                    return Ok(best);
                };
                let members: Vec<u32> = (0..self.parts.len() as u32)
                    .filter(|&vertex| self.parts[vertex as usize] == part)
                    .collect();
                count = before - 1 + self.label_components(&members);
                self.measure(&members, settings)?;
            }
        }
    }

    /// Relabels the parts of these vertices and returns their number.
    fn label_components(&mut self, members: &[u32]) -> usize {
        for &vertex in members {
            self.parts[vertex as usize] = u32::MAX;
        }
        let mut count = 0;
        let mut waiting = Vec::new();
        for &first in members {
            if self.parts[first as usize] != u32::MAX {
                continue;
            }
            count += 1;
            self.parts[first as usize] = first;
            waiting.push(first);
            while let Some(vertex) = waiting.pop() {
                for (to, edge) in entries(self.graph, &self.edges, vertex) {
                    if !self.is_cut[edge as usize] && self.parts[to as usize] == u32::MAX {
                        self.parts[to as usize] = first;
                        waiting.push(to);
                    }
                }
            }
        }
        count
    }

    /// Computes how many shortest paths between these vertices use each of their
    /// edges.
    fn measure(&mut self, members: &[u32], settings: &GirvanNewman) -> Result<(), Error> {
        let mut entries_here = 0;
        for &vertex in members {
            for (_, edge) in entries(self.graph, &self.edges, vertex) {
                self.edge_shares[edge as usize] = 0.0;
                entries_here += 1;
            }
        }
        self.visits += entries_here * members.len() as u64;
        if self.visits > settings.max_visits {
            return Err(Error::OverLimit {
                asked: "edge betweenness",
                needed: self.visits,
                unit: "visits of steps or more",
                limit: settings.max_visits,
                argument: "most_visits",
            });
        }
        let mut search = BetweennessSearch::new(self.graph.vertices());
        for &source in members {
            search.run(self, source);
        }
        Ok(())
    }

    /// Removes the edge with the most paths and returns its part.
    fn cut(&mut self) -> Option<u32> {
        let mut best: Option<(u32, u32, f64)> = None;
        for vertex in 0..self.graph.vertices() as u32 {
            for (to, edge) in entries(self.graph, &self.edges, vertex) {
                let edge_shares = self.edge_shares[edge as usize];
                let more =
                    best.is_none_or(|(_, _, most)| edge_shares > most * (1.0 + RELATIVE_TOLERANCE));
                if to > vertex && !self.is_cut[edge as usize] && more {
                    best = Some((vertex, edge, edge_shares));
                }
            }
        }
        let (vertex, edge, _) = best?;
        self.is_cut[edge as usize] = true;
        Some(self.parts[vertex as usize])
    }
}

/// The neighbours of a vertex with their edges.
fn entries<'a>(
    graph: &'a Graph,
    edges: &'a [u32],
    vertex: u32,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let first = graph.offsets()[vertex as usize] as usize;
    let around = graph.neighbours(vertex as usize);
    around.iter().copied().zip(edges[first..].iter().copied())
}

/// A search over the edges that are left.
struct BetweennessSearch {
    levels: Vec<u32>,
    paths: Vec<f64>,
    shares: Vec<f64>,
    order: Vec<u32>,
}

impl BetweennessSearch {
    fn new(vertices: usize) -> Self {
        Self {
            levels: vec![u32::MAX; vertices],
            paths: vec![0.0; vertices],
            shares: vec![0.0; vertices],
            order: Vec::with_capacity(vertices),
        }
    }

    fn run(&mut self, cutting: &mut EdgeRemoval<'_>, source: u32) {
        let EdgeRemoval {
            graph,
            edges,
            is_cut,
            edge_shares,
            ..
        } = cutting;
        self.order.clear();
        self.order.push(source);
        self.levels[source as usize] = 0;
        self.paths[source as usize] = 1.0;
        let mut head = 0;
        while head < self.order.len() {
            let at = self.order[head];
            head += 1;
            let next = self.levels[at as usize] + 1;
            for (to, edge) in entries(graph, edges, at) {
                if is_cut[edge as usize] {
                    continue;
                }
                let to = to as usize;
                if self.levels[to] == u32::MAX {
                    self.levels[to] = next;
                    self.paths[to] = 0.0;
                    self.order.push(to as u32);
                }
                if self.levels[to] == next {
                    self.paths[to] += self.paths[at as usize];
                }
            }
        }
        for &at in &self.order {
            self.shares[at as usize] = 0.0;
        }
        for &at in self.order.iter().rev() {
            let share = (1.0 + self.shares[at as usize]) / self.paths[at as usize];
            for (from, edge) in entries(graph, edges, at) {
                if !is_cut[edge as usize]
                    && self.levels[from as usize] + 1 == self.levels[at as usize]
                {
                    let over = self.paths[from as usize] * share;
                    edge_shares[edge as usize] += over;
                    self.shares[from as usize] += over;
                }
            }
        }
        for &at in &self.order {
            self.levels[at as usize] = u32::MAX;
        }
    }
}
