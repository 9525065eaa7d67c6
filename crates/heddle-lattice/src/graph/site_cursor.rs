//! Iterates sites in order with their coordinates: a division per axis and site
//! would cost more than the rest of a pass.

use smallvec::SmallVec;

use crate::lattice::{Lattice, Site, StridedAxis};

/// A site and its coordinates.
pub(crate) struct SiteCursor<'a> {
    strided_axes: &'a [StridedAxis],
    at: SmallVec<[u64; 8]>,
    site: Site,
}

impl<'a> SiteCursor<'a> {
    pub(crate) fn at(lattice: &'a Lattice, site: Site) -> Self {
        let strided_axes = lattice.strided_axes();
        Self {
            strided_axes,
            at: strided_axes
                .iter()
                .map(|strided_axis| strided_axis.coordinate(site))
                .collect(),
            site,
        }
    }

    /// Advances to the next site.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.site += 1;
        for (at, strided_axis) in self.at.iter_mut().zip(self.strided_axes).rev() {
            *at += 1;
            if *at < strided_axis.axis.size() {
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
    pub(crate) fn for_each_neighbour(&self, mut each: impl FnMut(Site, usize)) {
        for (axis, (&at, strided_axis)) in self.at.iter().zip(self.strided_axes).enumerate() {
            let last = strided_axis.axis.size() - 1;
            let wraps = strided_axis.axis.wraps();
            if at > 0 {
                each(self.site - strided_axis.stride, axis);
            } else if wraps {
                each(self.site + last * strided_axis.stride, axis);
            }
            if at < last {
                each(self.site + strided_axis.stride, axis);
            } else if wraps {
                each(self.site - last * strided_axis.stride, axis);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn cursor_neighbours_equal_lattice_neighbours() {
        let axes = [Axis::open(3), Axis::periodic(4), Axis::periodic(2)];
        let lattice = Lattice::new(axes).unwrap();
        let mut site_cursor = SiteCursor::at(&lattice, 0);
        for site in 0..lattice.sites() {
            let mut met = Vec::new();
            site_cursor.for_each_neighbour(|site, axis| met.push((site, axis)));
            let named: Vec<_> = lattice
                .neighbours(site)
                .map(|step| (step.site, step.axis))
                .collect();
            assert_eq!(met, named);
            assert_eq!(
                site_cursor.coordinates(),
                lattice.coordinates(site).unwrap().as_slice()
            );
            site_cursor.advance();
        }
    }
}
