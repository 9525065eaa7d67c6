//! The neighbours of a site, computed by arithmetic.

use super::{Lattice, Site};

/// A site one step away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its number.
    pub site: Site,
    /// The axis of the step.
    pub axis: usize,
}

/// The free neighbours of a site, in axis order, backwards before forwards.
#[derive(Clone, Debug)]
pub struct Neighbours<'a> {
    lattice: &'a Lattice,
    site: Site,
    /// The next step: twice the axis, plus one if forwards.
    next: usize,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(lattice: &'a Lattice, site: Site) -> Self {
        let is_free = site < lattice.sites && !lattice.blocked.contains(site);
        Self {
            lattice,
            site,
            next: if is_free { 0 } else { usize::MAX },
        }
    }
}

impl Iterator for Neighbours<'_> {
    type Item = Neighbour;

    #[inline]
    fn next(&mut self) -> Option<Neighbour> {
        loop {
            let axis = self.next / 2;
            let strided_axis = self.lattice.strided_axes.get(axis)?;
            let forwards = self.next % 2 == 1;
            self.next += 1;
            let at = strided_axis.coordinate(self.site);
            let last = strided_axis.axis.size() - 1;
            let span = last * strided_axis.stride;
            let stepped = match forwards {
                false if at > 0 => self.site - strided_axis.stride,
                false if strided_axis.axis.wraps() => self.site + span,
                true if at < last => self.site + strided_axis.stride,
                true if strided_axis.axis.wraps() => self.site - span,
                _ => continue,
            };
            if !self.lattice.blocked.contains(stepped) {
                return Some(Neighbour {
                    site: stepped,
                    axis,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    fn around(lattice: &Lattice, site: Site) -> Vec<Site> {
        lattice.neighbours(site).map(|step| step.site).collect()
    }

    #[test]
    fn open_axes_stop_and_periodic_axes_wrap() {
        let lattice = Lattice::new([Axis::open(3), Axis::periodic(3)]).unwrap();
        assert_eq!(around(&lattice, 0), [3, 2, 1]);
        assert_eq!(around(&lattice, 4), [1, 7, 3, 5]);
        let pair = Lattice::new([Axis::periodic(2)]).unwrap();
        assert_eq!(around(&pair, 0), [1]);
    }

    #[test]
    fn blocked_sites_are_no_neighbours_and_have_none() {
        let lattice = Lattice::cubic(2, 3).unwrap().with_blocked([1]).unwrap();
        assert_eq!(around(&lattice, 0), [3]);
        assert!(around(&lattice, 1).is_empty());
    }
}
