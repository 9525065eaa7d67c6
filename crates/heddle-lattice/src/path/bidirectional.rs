//! Breadth-first search from both ends at once, a whole level at a time.
//!
//! The side with the smaller frontier advances next. Both sides are complete up to
//! their frontiers, so the first step that crosses from one to the other lies on a
//! shortest path.

use super::finder::{Found, Question};
use super::marks::Marks;
use crate::lattice::{Compass, Heading, Lattice, Site, back};

/// Added to a heading for sites reached from the end.
const FROM_END: u8 = 0x80;
/// The heading stored at start and end, which no step led to.
const ORIGIN: u8 = 0x7F;

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(super) struct Bidirectional {
    came: Marks<u8>,
    rims: [Vec<Site>; 2],
    next: Vec<Site>,
}

impl Bidirectional {
    pub(super) fn new(sites: u64, dense_up_to: u64) -> Self {
        Self {
            came: Marks::new(sites, dense_up_to),
            rims: Default::default(),
            next: Vec::new(),
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
        if start == end {
            return Found::Path(vec![start], 0);
        }
        self.came.forget();
        for (rim, origin) in self.rims.iter_mut().zip([start, end]) {
            rim.clear();
            rim.push(origin);
        }
        self.came.set(start, ORIGIN);
        self.came.set(end, ORIGIN | FROM_END);
        let mut expanded = 0;
        while self.rims.iter().all(|rim| !rim.is_empty()) {
            let side = usize::from(self.rims[1].len() < self.rims[0].len());
            if let Some((site, heading)) = self.grow(lattice, compass, side, &mut expanded) {
                let (first, second) = if side == 0 {
                    (site, compass.step(site, heading))
                } else {
                    (compass.step(site, heading), site)
                };
                return Found::Path(self.join(compass, first, second), expanded);
            }
            if expanded > most_expanded {
                return Found::TooMuch;
            }
        }
        Found::Nothing
    }

    /// Advances one side by a level. Returns the step that met the other side, if
    /// one did: the site it left and its heading.
    fn grow(
        &mut self,
        lattice: &Lattice,
        compass: &Compass,
        side: usize,
        expanded: &mut u64,
    ) -> Option<(Site, Heading)> {
        let flag = if side == 0 { 0 } else { FROM_END };
        let mut met = None;
        self.next.clear();
        let (came, next) = (&mut self.came, &mut self.next);
        for &site in &self.rims[side] {
            *expanded += 1;
            compass.around(site, |stepped, heading, _, _| {
                if met.is_some() || lattice.blocked().contains(stepped) {
                    return;
                }
                match came.get(stepped) {
                    Some(mark) if mark & FROM_END != flag => met = Some((site, heading)),
                    Some(_) => {}
                    None => {
                        came.set(stepped, heading | flag);
                        next.push(stepped);
                    }
                }
            });
            if met.is_some() {
                return met;
            }
        }
        std::mem::swap(&mut self.rims[side], &mut self.next);
        None
    }

    /// The path from start to `first`, then from `second` to end.
    fn join(&self, compass: &Compass, first: Site, second: Site) -> Vec<Site> {
        let mut vertices = self.trail(compass, first);
        vertices.reverse();
        vertices.extend(self.trail(compass, second));
        vertices
    }

    /// The sites from `site` back to the origin of its side.
    fn trail(&self, compass: &Compass, mut site: Site) -> Vec<Site> {
        let mut trail = vec![site];
        while let Some(mark) = self.came.get(site).map(|mark| mark & !FROM_END) {
            if mark == ORIGIN {
                break;
            }
            site = compass.step(site, back(mark));
            trail.push(site);
        }
        trail
    }
}
