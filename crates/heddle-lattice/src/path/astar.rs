//! A* where every step costs 1.
//!
//! The steps needed without blocked sites never overestimate and change by at most
//! one per step, so the estimate of a whole path grows by 0, 1 or 2 per step and
//! three stacks serve as the priority queue. Within one estimate the newest site is
//! expanded first: where few sites are blocked the search runs along an almost
//! straight path to the end.
//!
//! After many expansions the end may be enclosed by blocked sites. From then on the
//! sites around the end are flooded at the same pace: if the flood runs out of
//! sites, there is no path.

use smallvec::SmallVec;

use super::finder::{Found, Question};
use super::marks::Marks;
use crate::lattice::{Compass, Heading, Lattice, Site, axis_of, back};

/// The heading stored at the start, which no step led to.
const ORIGIN: Heading = Heading::MAX;

/// The number of sites expanded before the flood around the end begins.
const PATIENCE: u64 = 1 << 12;

#[derive(Clone, Copy, Debug)]
struct Open {
    site: Site,
    steps: u64,
    came: Heading,
}

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct AStar {
    came: Marks<Heading>,
    stacks: [Vec<Open>; 3],
    flood: Option<Flood>,
    sites: u64,
    dense_up_to: u64,
}

/// The sites around the end that are known so far.
#[derive(Clone, Debug)]
struct Flood {
    seen: Marks<()>,
    /// Sites that were seen and not yet expanded.
    rim: Vec<Site>,
    /// It met the search: there is a path.
    met: bool,
}

impl AStar {
    pub(super) fn new(sites: u64, dense_up_to: u64) -> Self {
        Self {
            came: Marks::new(sites, dense_up_to),
            stacks: Default::default(),
            flood: None,
            sites,
            dense_up_to,
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
        self.came.forget();
        self.stacks.iter_mut().for_each(Vec::clear);
        let rails = lattice.rails();
        let target: SmallVec<[u64; 8]> = rails.iter().map(|rail| rail.coordinate(end)).collect();
        let mut estimate: u64 = rails.iter().map(|rail| rail.steps(start, end)).sum();
        let mut expanded = 0;
        self.stacks[(estimate % 3) as usize].push(Open {
            site: start,
            steps: 0,
            came: ORIGIN,
        });
        let mut empty = 0;
        while empty < 3 {
            let Some(open) = self.stacks[(estimate % 3) as usize].pop() else {
                estimate += 1;
                empty += 1;
                continue;
            };
            empty = 0;
            if self.came.get(open.site).is_some() {
                continue;
            }
            self.came.set(open.site, open.came);
            expanded += 1;
            if open.site == end {
                return Found::Path(self.walk_back(compass, end, open.steps), expanded);
            }
            if expanded > most_expanded {
                return Found::TooMuch;
            }
            if expanded > PATIENCE && self.is_walled_in(lattice, compass, end, expanded) {
                return Found::Nothing;
            }
            let ahead = estimate - open.steps;
            let (came, stacks) = (&self.came, &mut self.stacks);
            compass.around(open.site, |site, heading, before, after| {
                if lattice.blocked().contains(site) || came.get(site).is_some() {
                    return;
                }
                let (rail, to) = (&rails[axis_of(heading)], target[axis_of(heading)]);
                let needed = ahead + rail.gap(after, to) - rail.gap(before, to);
                let steps = open.steps + 1;
                stacks[((steps + needed) % 3) as usize].push(Open {
                    site,
                    steps,
                    came: heading,
                });
            });
        }
        Found::Nothing
    }

    /// Floods one more site. Returns whether no site is left to flood.
    fn is_walled_in(
        &mut self,
        lattice: &Lattice,
        compass: &Compass,
        end: Site,
        expanded: u64,
    ) -> bool {
        let (sites, dense_up_to) = (self.sites, self.dense_up_to);
        let flood = self.flood.get_or_insert_with(|| Flood {
            seen: Marks::new(sites, dense_up_to),
            rim: Vec::new(),
            met: false,
        });
        if expanded == PATIENCE + 1 {
            flood.seen.forget();
            flood.rim.clear();
            flood.rim.push(end);
            flood.seen.set(end, ());
            flood.met = false;
        }
        if flood.met {
            return false;
        }
        let Some(site) = flood.rim.pop() else {
            return true;
        };
        if self.came.get(site).is_some() {
            flood.met = true;
            return false;
        }
        compass.around(site, |stepped, _, _, _| {
            if !lattice.blocked().contains(stepped) && flood.seen.get(stepped).is_none() {
                flood.seen.set(stepped, ());
                flood.rim.push(stepped);
            }
        });
        false
    }

    fn walk_back(&self, compass: &Compass, end: Site, steps: u64) -> Vec<Site> {
        let mut vertices = Vec::with_capacity(steps as usize + 1);
        let mut site = end;
        vertices.push(site);
        while let Some(heading) = self.came.get(site).filter(|&heading| heading != ORIGIN) {
            site = compass.step(site, back(heading));
            vertices.push(site);
        }
        vertices.reverse();
        vertices
    }
}
