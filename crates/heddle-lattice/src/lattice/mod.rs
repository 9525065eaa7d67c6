//! The lattice: axes, sites, blocked sites and step costs.
//!
//! Sites are numbered in C order, the last axis fastest, like the elements of a
//! `NumPy` array of the same shape. Algorithms without a formula, such as paths
//! around blocked sites, are in the modules beside this one.

mod axis;
mod blocked;
mod neighbours;
mod random;
mod stepper;
mod weights;

use std::fmt;

use smallvec::SmallVec;

pub use axis::{Axis, Boundary};
pub use blocked::Blocked;
pub use neighbours::{Neighbour, Neighbours};
pub(crate) use stepper::{Direction, Stepper, axis_of, back};
pub use weights::{LEAST_WEIGHT, MOST_WEIGHT, Weights};

use crate::error::Error;

/// A site's number, from 0, the last axis fastest.
pub type Site = u64;

/// The largest number of sites. Larger indices could not be stepped, weighted and
/// summed in 64 bits without overflow checks.
pub const MAX_SITES: u64 = 1 << 40;

/// The largest number of axes: 2^40 sites have at most 40 axes longer than 1.
pub const MAX_DIMENSIONS: usize = 64;

/// The coordinates of a site, one per axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Coordinates(SmallVec<[u64; 8]>);

impl Coordinates {
    /// The coordinates as a slice, one per axis.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (position, coordinate) in self.0.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{coordinate}")?;
        }
        f.write_str(")")
    }
}

/// An axis and its stride in site numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StridedAxis {
    pub(crate) axis: Axis,
    pub(crate) stride: u64,
}

/// An N-dimensional lattice: a description of at most a few hundred bytes, plus its
/// blocked sites and weights if it has any.
#[derive(Clone, Debug)]
pub struct Lattice {
    strided_axes: SmallVec<[StridedAxis; 8]>,
    sites: u64,
    blocked: Blocked,
    weights: Weights,
}

impl Lattice {
    /// An open lattice of `dimensions` axes of `size` sites each.
    pub fn cubic(dimensions: usize, size: u64) -> Result<Self, Error> {
        Self::new(std::iter::repeat_n(Axis::open(size), dimensions))
    }

    /// A lattice of these axes, without blocked sites, with steps of cost 1.
    pub fn new(axes: impl IntoIterator<Item = Axis>) -> Result<Self, Error> {
        // One axis beyond the limit proves that there are too many; an endless
        // iterator must not be collected.
        let axes: SmallVec<[Axis; 8]> = axes.into_iter().take(MAX_DIMENSIONS + 1).collect();
        if axes.is_empty() {
            return Err(Error::NoDimensions);
        }
        if axes.len() > MAX_DIMENSIONS {
            return Err(Error::TooManyDimensions { found: axes.len() });
        }
        if let Some(axis) = axes.iter().position(|axis| axis.size() == 0) {
            return Err(Error::EmptyAxis { axis });
        }
        let mut strided_axes: SmallVec<[StridedAxis; 8]> = SmallVec::with_capacity(axes.len());
        let mut stride = 1_u64;
        for &axis in axes.iter().rev() {
            strided_axes.push(StridedAxis { axis, stride });
            stride = stride
                .checked_mul(axis.size())
                .filter(|&sites| sites <= MAX_SITES)
                .ok_or_else(|| Error::TooManySites {
                    sizes: axes.iter().map(Axis::size).collect(),
                })?;
        }
        strided_axes.reverse();
        Ok(Self {
            strided_axes,
            sites: stride,
            blocked: Blocked::none(),
            weights: Weights::Unit,
        })
    }

    /// The same lattice with exactly these sites blocked. Duplicates count once.
    pub fn with_blocked(mut self, sites: impl IntoIterator<Item = Site>) -> Result<Self, Error> {
        self.blocked = Blocked::new(self.sites, sites)?;
        Ok(self)
    }

    /// The same lattice with these step costs.
    pub fn with_weights(mut self, weights: Weights) -> Result<Self, Error> {
        weights.check(self.strided_axes.len(), self.sites)?;
        self.weights = weights;
        Ok(self)
    }

    /// The number of axes.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.strided_axes.len()
    }

    /// The axes, in order.
    #[must_use]
    pub fn axes(&self) -> impl ExactSizeIterator<Item = Axis> + Clone + '_ {
        self.strided_axes
            .iter()
            .map(|strided_axis| strided_axis.axis)
    }

    /// The number of sites, blocked ones included.
    #[must_use]
    pub fn sites(&self) -> u64 {
        self.sites
    }

    /// The number of free sites.
    #[must_use]
    pub fn free_sites(&self) -> u64 {
        self.sites - self.blocked.len()
    }

    /// The blocked sites.
    #[must_use]
    pub fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// The step costs.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Whether no site is blocked, so that structure has formulas.
    #[must_use]
    pub fn is_regular(&self) -> bool {
        self.blocked.is_empty()
    }

    /// The site at these coordinates.
    pub fn site(&self, coordinates: &[u64]) -> Result<Site, Error> {
        if coordinates.len() != self.strided_axes.len() {
            return Err(Error::WrongCoordinates {
                dimensions: self.strided_axes.len(),
                found: coordinates.len(),
            });
        }
        let mut site = 0;
        for (axis, (strided_axis, &coordinate)) in
            self.strided_axes.iter().zip(coordinates).enumerate()
        {
            if coordinate >= strided_axis.axis.size() {
                return Err(Error::OutsideAxis {
                    axis,
                    coordinate,
                    size: strided_axis.axis.size(),
                });
            }
            site += coordinate * strided_axis.stride;
        }
        Ok(site)
    }

    /// The coordinates of `site`.
    pub fn coordinates(&self, site: Site) -> Result<Coordinates, Error> {
        self.check(site)?;
        Ok(Coordinates(
            self.strided_axes
                .iter()
                .map(|strided_axis| strided_axis.coordinate(site))
                .collect(),
        ))
    }

    /// The free sites one step from `site`, each once, in axis order, backwards
    /// before forwards. Empty if `site` is blocked or does not exist.
    #[must_use]
    pub fn neighbours(&self, site: Site) -> Neighbours<'_> {
        Neighbours::new(self, site)
    }

    /// The number of steps between two sites, without regard to blocked sites.
    pub fn steps_between(&self, first: Site, second: Site) -> Result<u64, Error> {
        self.check(first)?;
        self.check(second)?;
        Ok(self
            .strided_axes
            .iter()
            .map(|strided_axis| strided_axis.steps(first, second))
            .sum())
    }

    /// Fails if the site does not exist.
    pub fn check(&self, site: Site) -> Result<(), Error> {
        if site < self.sites {
            return Ok(());
        }
        Err(Error::NoSuchSite {
            site,
            sites: self.sites,
        })
    }

    /// Fails if the site does not exist or is blocked.
    pub fn check_free(&self, site: Site) -> Result<(), Error> {
        if self.blocked.contains(site) {
            return Err(Error::Blocked {
                site,
                at: Box::new(self.coordinates(site)?),
            });
        }
        self.check(site)
    }

    /// The error for two sites without a path between them.
    pub(crate) fn no_path(&self, from: Site, to: Site) -> Error {
        match (self.coordinates(from), self.coordinates(to)) {
            (Ok(from), Ok(to)) => Error::NoPath {
                from: Box::new(from),
                to: Box::new(to),
            },
            (Err(error), _) | (_, Err(error)) => error,
        }
    }

    pub(crate) fn strided_axes(&self) -> &[StridedAxis] {
        &self.strided_axes
    }
}

impl StridedAxis {
    /// The number of steps between two coordinates of this axis, in the shorter
    /// direction.
    #[inline]
    pub(crate) fn gap(&self, first: u64, second: u64) -> u64 {
        let apart = first.abs_diff(second);
        match self.axis.boundary() {
            Boundary::Open => apart,
            Boundary::Periodic => apart.min(self.axis.size() - apart),
        }
    }

    /// The coordinate of `site` on this axis.
    pub(crate) fn coordinate(&self, site: Site) -> u64 {
        site / self.stride % self.axis.size()
    }

    /// The number of steps along this axis between two sites, in the shorter
    /// direction.
    pub(crate) fn steps(&self, first: Site, second: Site) -> u64 {
        self.gap(self.coordinate(first), self.coordinate(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_and_coordinates_are_inverse() {
        let lattice = Lattice::new([Axis::open(3), Axis::periodic(4), Axis::open(5)]).unwrap();
        for site in 0..lattice.sites() {
            let at = lattice.coordinates(site).unwrap();
            assert_eq!(lattice.site(at.as_slice()).unwrap(), site);
        }
        assert_eq!(lattice.site(&[1, 2, 3]).unwrap(), 20 + 10 + 3);
    }

    #[test]
    fn periodic_distance_is_the_shorter_one() {
        let lattice = Lattice::new([Axis::periodic(10), Axis::open(10)]).unwrap();
        let first = lattice.site(&[0, 0]).unwrap();
        let second = lattice.site(&[9, 9]).unwrap();
        assert_eq!(lattice.steps_between(first, second).unwrap(), 10);
    }

    #[test]
    fn impossible_lattices_are_refused() {
        assert!(matches!(Lattice::cubic(0, 3), Err(Error::NoDimensions)));
        assert!(matches!(
            Lattice::cubic(2, 0),
            Err(Error::EmptyAxis { axis: 0 })
        ));
        assert!(matches!(
            Lattice::cubic(41, 2),
            Err(Error::TooManySites { .. })
        ));
        assert!(matches!(
            Lattice::cubic(2, u64::MAX),
            Err(Error::TooManySites { .. })
        ));
        assert!(matches!(
            Lattice::cubic(usize::MAX, 1),
            Err(Error::TooManyDimensions { .. })
        ));
        assert_eq!(Lattice::cubic(40, 2).unwrap().sites(), MAX_SITES);
    }

    #[test]
    fn one_site_has_no_neighbours() {
        for axis in [Axis::open(1), Axis::periodic(1)] {
            let point = Lattice::new([axis, axis]).unwrap();
            assert_eq!(point.neighbours(0).count(), 0);
            assert_eq!(point.neighbours(1).count(), 0);
        }
    }
}
