//! A* where steps have costs.
//!
//! The estimate of the remaining cost is the steps left on each axis times the
//! least cost of such a step. A site is expanded again whenever a cheaper path to
//! it is found, so the result does not depend on how sums of costs are rounded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use super::finder::{PathQuery, SearchResult, admit_more};
use super::site_table::SiteTable;
use crate::lattice::{Direction, Lattice, Site, Stepper, Weights, axis_of, back};

/// The heading stored at the start, which no step led to.
const ORIGIN: Direction = Direction::MAX;

/// The number of low bits ignored when comparing estimates, a part in 10^12. Sums
/// of the same costs in another order differ by less, and without this the search
/// would expand far too many sites where all paths are equally long.
const SAME_BITS: u32 = 12;

/// The smallest estimate first, then the newest entry.
type OpenEntry = (Reverse<u64>, u64, Site);

/// A key that orders estimates: positive floats are ordered as their bits are.
fn order(estimate: f64) -> Reverse<u64> {
    Reverse(estimate.max(0.0).to_bits() >> SAME_BITS)
}

/// The state of a site.
#[derive(Clone, Copy, Debug, Default)]
struct SiteState {
    cost: f64,
    /// A lower bound of the remaining cost.
    estimate: f64,
    came_from: Direction,
    /// Whether the site was expanded with this cost.
    expanded: bool,
}

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct WeightedAStar {
    states: SiteTable<SiteState>,
    heap: BinaryHeap<OpenEntry>,
    /// The least cost of a step along each axis.
    least: SmallVec<[f64; 8]>,
}

impl WeightedAStar {
    pub(super) fn new(lattice: &Lattice, dense_up_to: u64) -> Self {
        let least = match lattice.weights() {
            Weights::Unit => SmallVec::from_elem(1.0, lattice.dimensions()),
            Weights::Axes(weights) => SmallVec::from_slice(weights),
            Weights::Sites(weights) => {
                let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
                SmallVec::from_elem(least, lattice.dimensions())
            }
        };
        Self {
            states: SiteTable::new(lattice.sites(), dense_up_to),
            heap: BinaryHeap::new(),
            least,
        }
    }

    pub(super) fn find(&mut self, query: PathQuery<'_>) -> SearchResult {
        let PathQuery {
            lattice,
            stepper,
            start,
            end,
            max_expanded,
        } = query;
        self.states.forget();
        self.heap.clear();
        let strided_axes = lattice.strided_axes();
        let target = query.target();
        let estimate = strided_axes
            .iter()
            .zip(&self.least)
            .map(|(strided_axis, least)| strided_axis.steps(start, end) as f64 * least)
            .sum();
        let origin = SiteState {
            cost: 0.0,
            estimate,
            came_from: ORIGIN,
            expanded: false,
        };
        self.states.set(start, origin);
        self.heap.push((order(estimate), 0, start));
        let (mut expanded, mut pushed) = (0, 0);
        while let Some((_, _, here)) = self.heap.pop() {
            let Some(at) = self.states.get(here).filter(|states| !states.expanded) else {
                continue;
            };
            if here == end {
                return SearchResult::Path(self.trace_back(stepper, end), expanded);
            }
            if expanded > max_expanded {
                return SearchResult::TooMuch;
            }
            if let Err(error) = admit_more(expanded) {
                return SearchResult::Short(error);
            }
            self.states.set(
                here,
                SiteState {
                    expanded: true,
                    ..at
                },
            );
            expanded += 1;
            let (states, heap, least) = (&mut self.states, &mut self.heap, &self.least);
            stepper.around(here, |site, direction, before, after| {
                let axis = axis_of(direction);
                if lattice.blocked().contains(site) {
                    return;
                }
                let cost = at.cost + lattice.weights().of(axis, here, site);
                if states.get(site).is_some_and(|states| states.cost <= cost) {
                    return;
                }
                let (strided_axis, to) = (&strided_axes[axis], target[axis]);
                let change =
                    strided_axis.gap(after, to) as f64 - strided_axis.gap(before, to) as f64;
                let estimate = at.estimate + change * least[axis];
                let found = SiteState {
                    cost,
                    estimate,
                    came_from: direction,
                    expanded: false,
                };
                states.set(site, found);
                pushed += 1;
                heap.push((order(cost + estimate), pushed, site));
            });
        }
        SearchResult::Nothing
    }

    fn trace_back(&self, stepper: &Stepper, end: Site) -> Vec<Site> {
        let mut vertices = vec![end];
        let mut site = end;
        while let Some(states) = self
            .states
            .get(site)
            .filter(|states| states.came_from != ORIGIN)
        {
            site = stepper.step(site, back(states.came_from));
            vertices.push(site);
        }
        vertices.reverse();
        vertices
    }
}
