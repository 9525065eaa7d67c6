//! A* where steps have costs.
//!
//! The estimate of the remaining cost is the steps left on each axis times the
//! least cost of such a step. A site is expanded again whenever a cheaper path to
//! it is found, so the result does not depend on how sums of costs are rounded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use super::finder::{Found, Question};
use super::marks::Marks;
use crate::lattice::{Compass, Heading, Lattice, Site, Weights, axis_of, back};

/// The heading stored at the start, which no step led to.
const ORIGIN: Heading = Heading::MAX;

/// The number of low bits ignored when comparing estimates, a part in 10^12. Sums
/// of the same costs in another order differ by less, and without this the search
/// would expand far too many sites where all paths are equally long.
const SAME_BITS: u32 = 12;

/// The smallest estimate first, then the newest entry.
type Open = (Reverse<u64>, u64, Site);

/// A key that orders estimates: positive floats are ordered as their bits are.
fn order(estimate: f64) -> Reverse<u64> {
    Reverse(estimate.max(0.0).to_bits() >> SAME_BITS)
}

/// The state of a site.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    cost: f64,
    /// A lower bound of the remaining cost.
    ahead: f64,
    came: Heading,
    /// Whether the site was expanded with this cost.
    expanded: bool,
}

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct WeightedAStar {
    known: Marks<Known>,
    heap: BinaryHeap<Open>,
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
            known: Marks::new(lattice.sites(), dense_up_to),
            heap: BinaryHeap::new(),
            least,
        }
    }

    pub(super) fn find(&mut self, question: Question<'_>) -> Found {
        let Question {
            lattice,
            compass,
            start,
            end,
            most_expanded,
        } = question;
        self.known.forget();
        self.heap.clear();
        let rails = lattice.rails();
        let target: SmallVec<[u64; 8]> = rails.iter().map(|rail| rail.coordinate(end)).collect();
        let ahead = rails
            .iter()
            .zip(&self.least)
            .map(|(rail, least)| rail.steps(start, end) as f64 * least)
            .sum();
        let origin = Known {
            cost: 0.0,
            ahead,
            came: ORIGIN,
            expanded: false,
        };
        self.known.set(start, origin);
        self.heap.push((order(ahead), 0, start));
        let (mut expanded, mut pushed) = (0, 0);
        while let Some((_, _, here)) = self.heap.pop() {
            let Some(at) = self.known.get(here).filter(|known| !known.expanded) else {
                continue;
            };
            if here == end {
                return Found::Path(self.walk_back(compass, end), expanded);
            }
            if expanded > most_expanded {
                return Found::TooMuch;
            }
            self.known.set(
                here,
                Known {
                    expanded: true,
                    ..at
                },
            );
            expanded += 1;
            let (known, heap, least) = (&mut self.known, &mut self.heap, &self.least);
            compass.around(here, |site, heading, before, after| {
                let axis = axis_of(heading);
                if lattice.blocked().contains(site) {
                    return;
                }
                let cost = at.cost + lattice.weights().of(axis, here, site);
                if known.get(site).is_some_and(|known| known.cost <= cost) {
                    return;
                }
                let (rail, to) = (&rails[axis], target[axis]);
                let change = rail.gap(after, to) as f64 - rail.gap(before, to) as f64;
                let ahead = at.ahead + change * least[axis];
                let found = Known {
                    cost,
                    ahead,
                    came: heading,
                    expanded: false,
                };
                known.set(site, found);
                pushed += 1;
                heap.push((order(cost + ahead), pushed, site));
            });
        }
        Found::Nothing
    }

    fn walk_back(&self, compass: &Compass, end: Site) -> Vec<Site> {
        let mut vertices = vec![end];
        let mut site = end;
        while let Some(known) = self.known.get(site).filter(|known| known.came != ORIGIN) {
            site = compass.step(site, back(known.came));
            vertices.push(site);
        }
        vertices.reverse();
        vertices
    }
}
