//! The smallest, the largest and impossible lattices: a typed error or the right result.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::path::SimplePathsLimits;
use heddle_lattice::{Axis, Error, Lattice, Picture};

#[test]
fn no_dimensions_and_empty_axes_are_refused() {
    assert!(matches!(Lattice::cubic(0, 5), Err(Error::NoDimensions)));
    assert!(matches!(Lattice::new([]), Err(Error::NoDimensions)));
    assert!(matches!(
        Lattice::new([Axis::open(3), Axis::periodic(0)]),
        Err(Error::EmptyAxis { axis: 1 })
    ));
}

#[test]
fn more_than_2_to_the_40_sites_are_refused() {
    assert!(Lattice::cubic(1, 1 << 40).is_ok());
    for (dimensions, size) in [(1, (1 << 40) + 1), (41, 2), (2, 1 << 21), (64, u64::MAX)] {
        let error = Lattice::cubic(dimensions, size).unwrap_err();
        assert!(matches!(error, Error::TooManySites { .. }));
    }
}

#[test]
fn a_single_site_is_supported() {
    for axis in [Axis::open(1), Axis::periodic(1)] {
        for dimensions in [1, 3, 64] {
            let point = Lattice::new(vec![axis; dimensions]).unwrap();
            assert_eq!(point.shortest_path(0, 0).unwrap().vertices, [0]);
            assert_eq!(point.distances(&[0]).unwrap().get(0), Some(0.0));
            assert_eq!(
                point.count_shortest_paths(0, 0).unwrap().paths.exact,
                Some(1)
            );
            let paths = point
                .simple_paths(0, 0, SimplePathsLimits::default())
                .unwrap();
            assert_eq!(paths.count(), 1);
            let mut borrowed = [u64::MAX; 2];
            let found = point.catalytic_path(0, 0, &mut borrowed).unwrap();
            assert_eq!(found.path.vertices, [0]);
            assert_eq!(borrowed, [u64::MAX; 2]);
            assert!(Picture::new(&point).svg().is_ok());
        }
    }
}

#[test]
fn a_fully_blocked_lattice_has_no_start() {
    let lattice = Lattice::cubic(2, 2).unwrap().with_blocked(0..4).unwrap();
    for site in 0..4 {
        assert!(matches!(
            lattice.shortest_path(site, site),
            Err(Error::Blocked { .. })
        ));
        assert!(matches!(
            lattice.distances(&[site]),
            Err(Error::Blocked { .. })
        ));
        assert!(matches!(
            lattice.catalytic_path(site, site, &mut [0; 8]),
            Err(Error::Blocked { .. })
        ));
    }
    assert!(Picture::new(&lattice).svg().is_ok());
}

#[test]
fn out_of_range_sites_are_named() {
    let lattice = Lattice::cubic(2, 3).unwrap();
    for site in [9, u64::MAX] {
        let refused = [
            lattice.shortest_path(0, site).err(),
            lattice.distances(&[site]).err(),
            lattice.steps_from(site).err(),
            lattice.staircase(site, 0).err(),
            lattice.count_shortest_paths(site, 0).err(),
            lattice
                .simple_paths(0, site, SimplePathsLimits::default())
                .err(),
            lattice.catalytic_path(0, site, &mut [0; 18]).err(),
            lattice.coordinates(site).err(),
            Picture::new(&lattice).path(&[site]).svg().err(),
            Lattice::cubic(2, 3).unwrap().with_blocked([site]).err(),
        ];
        for error in refused {
            assert!(
                matches!(error, Some(Error::NoSuchSite { sites: 9, .. })),
                "{error:?}"
            );
        }
    }
}
