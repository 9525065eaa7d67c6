//! The path without blocked sites: one axis after the other, in the shorter
//! direction.

use smallvec::SmallVec;

use crate::error::Error;
use crate::lattice::{Direction, Lattice, Site, Stepper};

/// A path from start to end, one axis after the other, as an iterator over its
/// vertices. It takes a few hundred bytes whatever the path's length.
#[derive(Clone, Debug)]
pub struct Staircase {
    stepper: Stepper,
    legs: SmallVec<[(Direction, u64); 8]>,
    leg: usize,
    next: Option<Site>,
    left: u64,
}

impl Lattice {
    /// The path from `start` to `end` that takes the axes in order, each in its
    /// shorter direction. It is shortest when every step costs 1 or the cost of its
    /// axis. Blocked sites are ignored: see [`Staircase::is_free`].
    pub fn staircase(&self, start: Site, end: Site) -> Result<Staircase, Error> {
        self.check(start)?;
        self.check(end)?;
        Ok(Staircase::new(self, Stepper::of(self), start, end))
    }
}

impl Staircase {
    pub(super) fn new(lattice: &Lattice, stepper: Stepper, start: Site, end: Site) -> Self {
        let mut legs: SmallVec<[(Direction, u64); 8]> = SmallVec::new();
        let mut left = 0;
        for (axis, strided_axis) in lattice.strided_axes().iter().enumerate() {
            let (from, to) = (strided_axis.coordinate(start), strided_axis.coordinate(end));
            let steps = strided_axis.gap(from, to);
            if steps == 0 {
                continue;
            }
            // Forwards if the gap was counted that way; half-way round a periodic
            // axis both are equal, and forwards is taken.
            let ahead = if to > from {
                to - from
            } else {
                to + strided_axis.axis.size() - from
            };
            let forwards =
                to > from && to - from == steps || strided_axis.axis.wraps() && ahead == steps;
            legs.push((2 * axis as Direction + Direction::from(forwards), steps));
            left += steps;
        }
        Self {
            stepper,
            legs,
            leg: 0,
            next: Some(start),
            left,
        }
    }

    /// The same path with its axes in the opposite order.
    #[must_use]
    pub(super) fn last_axis_first(mut self) -> Self {
        self.legs.reverse();
        self
    }

    /// The number of steps left.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.left
    }

    /// Whether no remaining vertex is blocked.
    #[must_use]
    pub fn is_free(&self, lattice: &Lattice) -> bool {
        lattice.is_regular() || self.clone().all(|site| !lattice.blocked().contains(site))
    }
}

impl Iterator for Staircase {
    type Item = Site;

    fn next(&mut self) -> Option<Site> {
        let site = self.next?;
        self.next = self.legs.get_mut(self.leg).map(|(direction, steps)| {
            *steps -= 1;
            self.left -= 1;
            if *steps == 0 {
                self.leg += 1;
            }
            self.stepper.step(site, *direction)
        });
        Some(site)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let vertices = if self.next.is_some() {
            self.left + 1
        } else {
            0
        };
        (vertices as usize, Some(vertices as usize))
    }
}

impl ExactSizeIterator for Staircase {}
