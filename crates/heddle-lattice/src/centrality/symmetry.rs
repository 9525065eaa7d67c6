//! Symmetry classes of the sites of a regular lattice.
//!
//! A regular lattice is unchanged when it is mirrored along an open axis, shifted
//! along a periodic one, or when equal axes are exchanged. Sites that map to each
//! other have the same betweenness, and one search from any of them is enough: with
//! `d(r, w)` what a search from `r` adds to `w`, all searches from the class of `r`
//! together add to each `v` the size of that class times the mean of `d(r, w)` over
//! the class of `v`.

use smallvec::SmallVec;

use crate::graph::SiteCursor;
use crate::lattice::{Lattice, Site, Weights};

/// The classes of a regular lattice's sites.
pub(super) struct SymmetryClasses {
    /// One site of each class.
    pub(super) representatives: Vec<Site>,
    /// The number of sites in each class.
    pub(super) sizes: Vec<u64>,
    /// The class of each site.
    pub(super) of: Vec<u32>,
}

impl SymmetryClasses {
    /// The classes of a lattice without blocked sites and without costs of single
    /// sites.
    pub(super) fn new(lattice: &Lattice) -> Self {
        let groups = like_axes(lattice);
        let mut classes = Self {
            representatives: Vec::new(),
            sizes: Vec::new(),
            of: Vec::with_capacity(lattice.sites() as usize),
        };
        let mut site_cursor = SiteCursor::at(lattice, 0);
        for site in 0..lattice.sites() {
            let alike = representative(lattice, &groups, site_cursor.coordinates());
            // A representative is the smallest of its class, so it comes first.
            let class = if alike == site {
                classes.representatives.push(site);
                classes.sizes.push(0);
                classes.sizes.len() as u32 - 1
            } else {
                classes.of[alike as usize]
            };
            classes.sizes[class as usize] += 1;
            classes.of.push(class);
            site_cursor.advance();
        }
        classes
    }
}

/// Groups of axes with equal size, boundary and cost, each ascending.
fn like_axes(lattice: &Lattice) -> Vec<SmallVec<[usize; 8]>> {
    let cost = |axis: usize| match lattice.weights() {
        Weights::Axes(costs) => costs[axis].to_bits(),
        Weights::Unit | Weights::Sites(_) => 0,
    };
    let key = |axis: usize| {
        let strided_axis = &lattice.strided_axes()[axis];
        (
            strided_axis.axis.size(),
            strided_axis.axis.wraps(),
            cost(axis),
        )
    };
    let mut groups: Vec<SmallVec<[usize; 8]>> = Vec::new();
    for axis in 0..lattice.dimensions() {
        match groups.iter_mut().find(|group| key(group[0]) == key(axis)) {
            Some(group) => group.push(axis),
            None => groups.push(SmallVec::from_slice(&[axis])),
        }
    }
    groups
}

/// The smallest site equivalent to the one at these coordinates.
fn representative(lattice: &Lattice, groups: &[SmallVec<[usize; 8]>], at: &[u64]) -> Site {
    let strided_axes = lattice.strided_axes();
    let mut site = 0;
    for group in groups {
        let mut folded: SmallVec<[u64; 8]> = group
            .iter()
            .map(|&axis| {
                let strided_axis = &strided_axes[axis];
                if strided_axis.axis.wraps() {
                    0
                } else {
                    at[axis].min(strided_axis.axis.size() - 1 - at[axis])
                }
            })
            .collect();
        // Earlier axes have larger strides, so the smallest coordinates go there.
        folded.sort_unstable();
        for (&axis, &coordinate) in group.iter().zip(&folded) {
            site += coordinate * strided_axes[axis].stride;
        }
    }
    site
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn classes_are_those_of_the_symmetries() {
        let cube = Lattice::cubic(4, 10).unwrap();
        let classes = SymmetryClasses::new(&cube);
        // Unordered fours out of five distances from the nearer end.
        assert_eq!(classes.representatives.len(), 70);
        assert_eq!(classes.sizes.iter().sum::<u64>(), 10_000);
        let torus = Lattice::new([Axis::periodic(5), Axis::periodic(7)]).unwrap();
        assert_eq!(SymmetryClasses::new(&torus).representatives, [0]);
        let mixed = Lattice::new([Axis::open(3), Axis::periodic(4), Axis::open(3)]).unwrap();
        assert_eq!(SymmetryClasses::new(&mixed).sizes, [16, 16, 4]);
    }
}
