//! Iterates sites in order with their coordinates: a division per axis and site
//! would cost more than the rest of a pass.

use smallvec::SmallVec;

use crate::lattice::{Lattice, Rail, Site};

/// A site and its coordinates.
pub(crate) struct Odometer<'a> {
    rails: &'a [Rail],
    at: SmallVec<[u64; 8]>,
    site: Site,
}

impl<'a> Odometer<'a> {
    pub(crate) fn at(lattice: &'a Lattice, site: Site) -> Self {
        let rails = lattice.rails();
        Self {
            rails,
            at: rails.iter().map(|rail| rail.coordinate(site)).collect(),
            site,
        }
    }

    /// Advances to the next site.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.site += 1;
        for (at, rail) in self.at.iter_mut().zip(self.rails).rev() {
            *at += 1;
            if *at < rail.axis.size() {
                return;
            }
            *at = 0;
        }
    }

    /// One coordinate per axis.
    #[inline]
    pub(crate) fn coordinates(&self) -> &[u64] {
        &self.at
    }

    /// Calls `each` with every site one step away, blocked or free, and its axis,
    /// in the order of [`Lattice::neighbours`].
    #[inline]
    pub(crate) fn around(&self, mut each: impl FnMut(Site, usize)) {
        for (axis, (&at, rail)) in self.at.iter().zip(self.rails).enumerate() {
            let last = rail.axis.size() - 1;
            let wraps = rail.axis.wraps();
            if at > 0 {
                each(self.site - rail.stride, axis);
            } else if wraps {
                each(self.site + last * rail.stride, axis);
            }
            if at < last {
                each(self.site + rail.stride, axis);
            } else if wraps {
                each(self.site - last * rail.stride, axis);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn it_meets_the_neighbours_the_lattice_names() {
        let axes = [Axis::open(3), Axis::periodic(4), Axis::periodic(2)];
        let lattice = Lattice::new(axes).unwrap();
        let mut odometer = Odometer::at(&lattice, 0);
        for site in 0..lattice.sites() {
            let mut met = Vec::new();
            odometer.around(|site, axis| met.push((site, axis)));
            let named: Vec<_> = lattice
                .neighbours(site)
                .map(|step| (step.site, step.axis))
                .collect();
            assert_eq!(met, named);
            assert_eq!(
                odometer.coordinates(),
                lattice.coordinates(site).unwrap().as_slice()
            );
            odometer.advance();
        }
    }
}
