//! Breadth-first search from both ends at once, a whole level at a time.
//!
//! The side with the smaller frontier advances next. Both sides are complete up to
//! their frontiers, so the first step that crosses from one to the other lies on a
//! shortest path.

use super::finder::{PathQuery, SearchResult, admit_more};
use super::site_table::SiteTable;
use crate::lattice::{Direction, Lattice, Site, Stepper, back};

/// Added to a heading for sites reached from the end.
const FROM_END: u8 = 0x80;
/// The heading stored at start and end, which no step led to.
const ORIGIN: u8 = 0x7F;

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct Bidirectional {
    came_from: SiteTable<u8>,
    frontiers: [Vec<Site>; 2],
    next: Vec<Site>,
}

impl Bidirectional {
    pub(super) fn new(sites: u64, dense_up_to: u64) -> Self {
        Self {
            came_from: SiteTable::new(sites, dense_up_to),
            frontiers: Default::default(),
            next: Vec::new(),
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
        if start == end {
            return SearchResult::Path(vec![start], 0);
        }
        self.came_from.forget();
        for (frontier, origin) in self.frontiers.iter_mut().zip([start, end]) {
            frontier.clear();
            frontier.push(origin);
        }
        self.came_from.set(start, ORIGIN);
        self.came_from.set(end, ORIGIN | FROM_END);
        let (mut expanded, mut admitted) = (0, 1_u64);
        while self.frontiers.iter().all(|frontier| !frontier.is_empty()) {
            let side = usize::from(self.frontiers[1].len() < self.frontiers[0].len());
            if let Some((site, direction)) = self.grow(lattice, stepper, side, &mut expanded) {
                let (first, second) = if side == 0 {
                    (site, stepper.step(site, direction))
                } else {
                    (stepper.step(site, direction), site)
                };
                return SearchResult::Path(self.join(stepper, first, second), expanded);
            }
            if expanded > max_expanded {
                return SearchResult::TooMuch;
            }
            // A level at a time passes over the powers of two.
            while admitted <= expanded {
                admitted *= 2;
                if let Err(error) = admit_more(admitted) {
                    return SearchResult::Short(error);
                }
            }
        }
        SearchResult::Nothing
    }

    /// Advances one side by a level. Returns the step that met the other side, if
    /// one did: the site it left and its heading.
    fn grow(
        &mut self,
        lattice: &Lattice,
        stepper: &Stepper,
        side: usize,
        expanded: &mut u64,
    ) -> Option<(Site, Direction)> {
        let flag = if side == 0 { 0 } else { FROM_END };
        let mut met = None;
        self.next.clear();
        let (came_from, next) = (&mut self.came_from, &mut self.next);
        for &site in &self.frontiers[side] {
            *expanded += 1;
            stepper.around(site, |stepped, direction, _, _| {
                if met.is_some() || lattice.blocked().contains(stepped) {
                    return;
                }
                match came_from.get(stepped) {
                    Some(mark) if mark & FROM_END != flag => met = Some((site, direction)),
                    Some(_) => {}
                    None => {
                        came_from.set(stepped, direction | flag);
                        next.push(stepped);
                    }
                }
            });
            if met.is_some() {
                return met;
            }
        }
        std::mem::swap(&mut self.frontiers[side], &mut self.next);
        None
    }

    /// The path from start to `first`, then from `second` to end.
    fn join(&self, stepper: &Stepper, first: Site, second: Site) -> Vec<Site> {
        let mut vertices = self.trace_back(stepper, first);
        vertices.reverse();
        vertices.extend(self.trace_back(stepper, second));
        vertices
    }

    /// The sites from `site` back to the origin of its side.
    fn trace_back(&self, stepper: &Stepper, mut site: Site) -> Vec<Site> {
        let mut trace_back = vec![site];
        while let Some(mark) = self.came_from.get(site).map(|mark| mark & !FROM_END) {
            if mark == ORIGIN {
                break;
            }
            site = stepper.step(site, back(mark));
            trace_back.push(site);
        }
        trace_back
    }
}
