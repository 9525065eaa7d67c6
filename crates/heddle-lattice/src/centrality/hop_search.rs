//! Shortest paths from one vertex where every step costs 1: counts them forwards
//! and distributes shares backwards.
//!
//! The inner loops have no branch that depends on a distance and always run the
//! same number of iterations: on a lattice half of all neighbours are one step
//! further and half one nearer, and their number changes from site to site in an
//! order that a CPU cannot predict.

use super::betweenness::Brandes;
use crate::graph::Graph;

const UNSEEN: u32 = u32::MAX;
/// The level of the padding vertex that stands for a missing neighbour: neither
/// unseen nor ever one step further.
const NOWHERE: u32 = 0;

/// The numbers of neighbours the loops are unrolled for: those of one to six
/// dimensions, and some up to the largest possible.
const WIDTHS: [usize; 10] = [2, 4, 6, 8, 10, 12, 16, 32, 64, 128];

/// The same number of neighbours for every vertex, padded with a vertex that does
/// not exist.
pub(super) struct PaddedNeighbours {
    vertices: usize,
    width: usize,
    targets: Vec<u32>,
}

impl PaddedNeighbours {
    /// The number of neighbours that every vertex gets.
    pub(super) fn width_of(graph: &Graph) -> usize {
        let degrees = (0..graph.vertices()).map(|vertex| graph.neighbours(vertex).len());
        let most = degrees.max().unwrap_or(0);
        WIDTHS
            .into_iter()
            .find(|&width| width >= most)
            .unwrap_or(most)
    }

    pub(super) fn of(graph: &Graph) -> Self {
        let vertices = graph.vertices();
        let width = Self::width_of(graph);
        let mut targets = Vec::with_capacity(vertices * width);
        for vertex in 0..vertices {
            let for_each_neighbour = graph.neighbours(vertex);
            targets.extend_from_slice(for_each_neighbour);
            targets.extend(std::iter::repeat_n(
                vertices as u32,
                width - for_each_neighbour.len(),
            ));
        }
        Self {
            vertices,
            width,
            targets,
        }
    }
}

/// The state of a vertex in one search.
#[derive(Clone, Copy)]
struct VertexState {
    /// Forwards, the number of shortest paths to this vertex; once processed
    /// backwards, the amount each of them carries.
    paths: f64,
    level: u32,
}

/// A search that keeps its memory for the next search.
pub(super) struct HopSearch<'a> {
    slots: &'a PaddedNeighbours,
    seen: Vec<VertexState>,
    order: Vec<u32>,
}

/// The factors for a condition that does not hold and for one that does. In a
/// static, so that the compiler does not turn the multiplication into a branch.
static KEPT: [f64; 2] = [0.0, 1.0];

/// `value` if the levels are equal, else 0.
#[inline]
fn only_if_equal(level: u32, other: u32, value: f64) -> f64 {
    KEPT[usize::from(level == other)] * value
}

impl<'a> HopSearch<'a> {
    /// The bytes of a vertex: its state, and its place in the order.
    pub(super) const BYTES_EACH: u64 = size_of::<VertexState>() as u64 + 4;

    pub(super) fn new(slots: &'a PaddedNeighbours) -> Self {
        let mut hop_search = Self {
            slots,
            seen: vec![UNKNOWN; slots.vertices + 1],
            // The next entry is written before it is known whether it is used.
            order: vec![0; slots.vertices + 1],
        };
        hop_search.seen[slots.vertices].level = NOWHERE;
        hop_search
    }

    /// Computes the vertices in order of distance, with their levels and numbers of
    /// paths; returns their number.
    #[inline]
    fn forwards<const N: usize>(&mut self, source: u32) -> usize {
        let rows = self.slots.targets.as_chunks::<N>().0;
        let (seen, order) = (&mut self.seen[..], &mut self.order[..]);
        seen[source as usize] = VertexState {
            paths: 1.0,
            level: 0,
        };
        order[0] = source;
        let (mut head, mut tail) = (0, 1);
        while head < tail {
            let at = order[head];
            head += 1;
            let VertexState { paths, level } = seen[at as usize];
            let further = level + 1;
            for to in rows[at as usize] {
                let next = &mut seen[to as usize];
                let is_new = next.level == UNSEEN;
                order[tail] = to;
                tail += usize::from(is_new);
                // A neighbour seen before is at most one step further.
                let level = next.level.min(further);
                *next = VertexState {
                    paths: next.paths + only_if_equal(level, further, paths),
                    level,
                };
            }
        }
        tail
    }
}

const UNKNOWN: VertexState = VertexState {
    paths: 0.0,
    level: UNSEEN,
};

impl Brandes for HopSearch<'_> {
    fn add(&mut self, source: u32, weight: f64, sums: &mut [f64]) {
        match self.slots.width {
            2 => self.add_in::<2>(source, weight, sums),
            4 => self.add_in::<4>(source, weight, sums),
            6 => self.add_in::<6>(source, weight, sums),
            8 => self.add_in::<8>(source, weight, sums),
            10 => self.add_in::<10>(source, weight, sums),
            12 => self.add_in::<12>(source, weight, sums),
            16 => self.add_in::<16>(source, weight, sums),
            32 => self.add_in::<32>(source, weight, sums),
            64 => self.add_in::<64>(source, weight, sums),
            _ => self.add_in::<128>(source, weight, sums),
        }
    }
}

impl HopSearch<'_> {
    fn add_in<const N: usize>(&mut self, source: u32, weight: f64, sums: &mut [f64]) {
        let rows = self.slots.targets.as_chunks::<N>().0;
        let count = self.forwards::<N>(source);
        let (seen, order) = (&mut self.seen[..], &self.order[..count]);
        // From the furthest on: a processed vertex carries (1 + its share) divided
        // by its number of paths, for the vertices one step nearer.
        for &at in order[1..].iter().rev() {
            let VertexState { paths, level } = seen[at as usize];
            let mut carried = 0.0;
            for to in rows[at as usize] {
                let next = seen[to as usize];
                carried += only_if_equal(next.level, level + 1, next.paths);
            }
            sums[at as usize] += weight * carried * paths;
            seen[at as usize].paths = carried + 1.0 / paths;
        }
        for &at in order {
            seen[at as usize] = UNKNOWN;
        }
    }
}
