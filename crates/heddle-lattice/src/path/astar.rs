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

use super::finder::{PathQuery, SearchResult, admit_more};
use super::site_table::SiteTable;
use crate::lattice::{Direction, Lattice, Site, Stepper, axis_of, back};

/// The heading stored at the start, which no step led to.
const ORIGIN: Direction = Direction::MAX;

/// The number of sites expanded before the flood around the end begins.
const FLOOD_AFTER_EXPANDED: u64 = 1 << 12;

#[derive(Clone, Copy, Debug)]
struct OpenSite {
    site: Site,
    steps: u64,
    came_from: Direction,
}

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct AStar {
    came_from: SiteTable<Direction>,
    stacks: [Vec<OpenSite>; 3],
    flood_fill: Option<FloodFill>,
    sites: u64,
    dense_up_to: u64,
}

/// The sites around the end that are known so far.
#[derive(Clone, Debug)]
struct FloodFill {
    seen: SiteTable<()>,
    /// Sites that were seen and not yet expanded.
    frontier: Vec<Site>,
    /// It met the search: there is a path.
    met: bool,
}

impl AStar {
    pub(super) fn new(sites: u64, dense_up_to: u64) -> Self {
        Self {
            came_from: SiteTable::new(sites, dense_up_to),
            stacks: Default::default(),
            flood_fill: None,
            sites,
            dense_up_to,
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
        self.came_from.forget();
        self.stacks.iter_mut().for_each(Vec::clear);
        let strided_axes = lattice.strided_axes();
        let target = query.target();
        let mut estimate: u64 = strided_axes
            .iter()
            .map(|strided_axis| strided_axis.steps(start, end))
            .sum();
        let mut expanded = 0;
        self.stacks[(estimate % 3) as usize].push(OpenSite {
            site: start,
            steps: 0,
            came_from: ORIGIN,
        });
        let mut empty = 0;
        while empty < 3 {
            let Some(open) = self.stacks[(estimate % 3) as usize].pop() else {
                estimate += 1;
                empty += 1;
                continue;
            };
            empty = 0;
            if self.came_from.get(open.site).is_some() {
                continue;
            }
            self.came_from.set(open.site, open.came_from);
            expanded += 1;
            if open.site == end {
                return SearchResult::Path(self.trace_back(stepper, end, open.steps), expanded);
            }
            if expanded > max_expanded {
                return SearchResult::TooMuch;
            }
            if let Err(error) = admit_more(expanded) {
                return SearchResult::Short(error);
            }
            if expanded > FLOOD_AFTER_EXPANDED && self.is_walled_in(lattice, stepper, end, expanded)
            {
                return SearchResult::Nothing;
            }
            let ahead = estimate - open.steps;
            let (came_from, stacks) = (&self.came_from, &mut self.stacks);
            stepper.around(open.site, |site, direction, before, after| {
                if lattice.blocked().contains(site) || came_from.get(site).is_some() {
                    return;
                }
                let (strided_axis, to) = (
                    &strided_axes[axis_of(direction)],
                    target[axis_of(direction)],
                );
                let needed = ahead + strided_axis.gap(after, to) - strided_axis.gap(before, to);
                let steps = open.steps + 1;
                stacks[((steps + needed) % 3) as usize].push(OpenSite {
                    site,
                    steps,
                    came_from: direction,
                });
            });
        }
        SearchResult::Nothing
    }

    /// Floods one more site. Returns whether no site is left to flood.
    fn is_walled_in(
        &mut self,
        lattice: &Lattice,
        stepper: &Stepper,
        end: Site,
        expanded: u64,
    ) -> bool {
        let (sites, dense_up_to) = (self.sites, self.dense_up_to);
        let flood_fill = self.flood_fill.get_or_insert_with(|| FloodFill {
            seen: SiteTable::new(sites, dense_up_to),
            frontier: Vec::new(),
            met: false,
        });
        if expanded == FLOOD_AFTER_EXPANDED + 1 {
            flood_fill.seen.forget();
            flood_fill.frontier.clear();
            flood_fill.frontier.push(end);
            flood_fill.seen.set(end, ());
            flood_fill.met = false;
        }
        if flood_fill.met {
            return false;
        }
        let Some(site) = flood_fill.frontier.pop() else {
            return true;
        };
        if self.came_from.get(site).is_some() {
            flood_fill.met = true;
            return false;
        }
        stepper.around(site, |stepped, _, _, _| {
            if !lattice.blocked().contains(stepped) && flood_fill.seen.get(stepped).is_none() {
                flood_fill.seen.set(stepped, ());
                flood_fill.frontier.push(stepped);
            }
        });
        false
    }

    fn trace_back(&self, stepper: &Stepper, end: Site, steps: u64) -> Vec<Site> {
        let mut vertices = Vec::with_capacity(steps as usize + 1);
        let mut site = end;
        vertices.push(site);
        while let Some(direction) = self
            .came_from
            .get(site)
            .filter(|&direction| direction != ORIGIN)
        {
            site = stepper.step(site, back(direction));
            vertices.push(site);
        }
        vertices.reverse();
        vertices
    }
}
