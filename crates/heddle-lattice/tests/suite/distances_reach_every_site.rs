//! Distances agree with a plain search, sequential or parallel.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::distance::{DistanceMethod, DistanceValues, ParallelThreshold, UNREACHABLE};
use heddle_lattice::{Error, Lattice};
use heddle_testing::oracle;
use heddle_testing::random::word_of;
use proptest::prelude::*;

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn one_and_several_sources(lattice in oracle::weighted(), choices in prop::collection::vec(any::<u64>(), 1..5)) {
        let sources: Vec<_> = choices.iter().filter_map(|&choice| oracle::free_site(&lattice, choice)).collect();
        prop_assume!(!sources.is_empty());
        let expected = oracle::bellman_ford(&lattice, &sources);
        // All levels in parallel, and none.
        for from_sites in [0, u64::MAX] {
            let distances = lattice.distances_by(&sources, ParallelThreshold { from_sites }).unwrap();
            for (site, (&expected, found)) in expected.iter().zip(distances.to_costs().unwrap()).enumerate() {
                prop_assert!(oracle::close(expected, found), "site {site}: {expected} {found}, {:?}", distances.method);
                prop_assert_eq!(distances.get(site as u64).is_some(), expected.is_finite());
            }
            let reached = expected.iter().filter(|cost| cost.is_finite()).count() as u64;
            prop_assert_eq!(distances.reached(), reached);
            let farthest = expected.iter().copied().filter(|cost| cost.is_finite()).fold(0.0, f64::max);
            prop_assert!(oracle::close(distances.farthest(), farthest));
        }
    }

    #[test]
    fn iterator_equals_table(axes in oracle::axes(), choice in any::<u64>()) {
        let lattice = Lattice::new(axes).unwrap();
        let source = choice % lattice.sites();
        let kept = lattice.distances(&[source]).unwrap();
        prop_assert_eq!(kept.method, DistanceMethod::ClosedForm);
        let streamed: Vec<u32> = lattice.steps_from(source).unwrap().map(|steps| steps as u32).collect();
        prop_assert_eq!(kept.values, DistanceValues::Steps(streamed));
    }
}

#[test]
fn parallel_equals_sequential() {
    let lattice = Lattice::cubic(3, 100).unwrap();
    let blocked = (0..lattice.sites()).filter(|&site| word_of(site).is_multiple_of(4));
    let lattice = lattice
        .with_blocked(blocked.filter(|&site| site != 0))
        .unwrap();
    let alone = lattice
        .distances_by(
            &[0],
            ParallelThreshold {
                from_sites: u64::MAX,
            },
        )
        .unwrap();
    let shared = lattice
        .distances_by(&[0], ParallelThreshold { from_sites: 1 })
        .unwrap();
    assert_eq!(alone.values, shared.values);
    assert!(alone.reached() > 700_000);
}

#[test]
fn invalid_sources_are_errors() {
    let lattice = Lattice::cubic(2, 3).unwrap().with_blocked([4]).unwrap();
    assert!(matches!(lattice.distances(&[]), Err(Error::NoSources)));
    assert!(matches!(
        lattice.distances(&[4]),
        Err(Error::Blocked { .. })
    ));
    assert!(matches!(
        lattice.distances(&[9]),
        Err(Error::NoSuchSite { .. })
    ));
    assert!(matches!(
        lattice.steps_from(0),
        Err(Error::NotRegular { .. })
    ));
    let huge = Lattice::cubic(4, 1 << 10).unwrap();
    assert!(matches!(
        huge.distances(&[0]),
        Err(Error::TooManyToStore { .. })
    ));
    assert_eq!(huge.steps_from(0).unwrap().nth(1_000_000), Some(976 + 576));
}

#[test]
fn a_blocked_site_is_unreachable() {
    let lattice = Lattice::cubic(2, 3).unwrap().with_blocked([4]).unwrap();
    let distances = lattice.distances(&[0]).unwrap();
    assert_eq!(distances.get(4), None);
    assert!(matches!(&distances.values, DistanceValues::Steps(steps) if steps[4] == UNREACHABLE));
    assert_eq!(distances.get(9), None);
}
