//! Every method of finding a shortest path agrees with a plain search.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::path::{EndReason, PathMethod, SearchAlgorithm, SimplePathsLimits};
use heddle_lattice::{Axis, Error, Lattice, PathCache, PathFinder, Weights};
use heddle_testing::oracle;
use heddle_testing::random::word_of;
use proptest::prelude::*;

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn every_search_finds_a_shortest_path(lattice in oracle::weighted(), choices in any::<(u64, u64, u64)>()) {
        let Some(start) = oracle::free_site(&lattice, choices.0) else { return Ok(()); };
        let costs = oracle::bellman_ford(&lattice, &[start]);
        for search in [SearchAlgorithm::Auto, SearchAlgorithm::AStar, SearchAlgorithm::BidirectionalBfs] {
            let mut finder = PathFinder::new(&lattice).with_search(search);
            // Twice with one finder: the second search must not depend on the first.
            for choice in [choices.1, choices.2] {
                let Some(end) = oracle::free_site(&lattice, choice) else { continue; };
                let expected = costs[end as usize];
                match finder.shortest_path(start, end) {
                    Ok(path) => {
                        prop_assert!(path.is_of(&lattice));
                        prop_assert_eq!(path.vertices.first(), Some(&start));
                        prop_assert_eq!(path.vertices.last(), Some(&end));
                        prop_assert!(oracle::close(path.cost, expected), "{} {}", path.cost, expected);
                    }
                    Err(Error::NoPath { .. }) => prop_assert!(expected.is_infinite()),
                    Err(error) => return Err(TestCaseError::fail(error.to_string())),
                }
            }
        }
        let Some(end) = oracle::free_site(&lattice, choices.1) else { return Ok(()); };
        if let Ok(once) = lattice.shortest_path(start, end) {
            let again = lattice.path_finder().shortest_path(start, end).unwrap();
            prop_assert_eq!(once.vertices, again.vertices);
        }
    }

    #[test]
    fn shortest_paths_are_counted_and_listed(lattice in oracle::with_weights(oracle::tiny()), choices in any::<(u64, u64)>()) {
        let Some(start) = oracle::free_site(&lattice, choices.0) else { return Ok(()); };
        let Some(end) = oracle::free_site(&lattice, choices.1) else { return Ok(()); };
        let Ok(shortest) = lattice.shortest_path(start, end) else {
            prop_assert!(lattice.count_shortest_paths(start, end).is_err());
            let limits = SimplePathsLimits::default().with(|it| { it.longest = None; it.budget = Some(20_000); });
            prop_assert_eq!(lattice.simple_paths(start, end, limits).unwrap().count(), 0);
            return Ok(());
        };
        let limits = SimplePathsLimits::default().with(|it| { it.longest = None; it.budget = Some(200_000); });
        let mut paths = lattice.simple_paths(start, end, limits).unwrap();
        let mut equally_short = 0;
        for vertices in paths.by_ref() {
            let mut sorted = vertices.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), vertices.len());
            let cost: f64 = vertices.windows(2).map(|pair| {
                let step = lattice.neighbours(pair[0]).find(|step| step.site == pair[1]).unwrap();
                lattice.weights().of(step.axis, pair[0], pair[1])
            }).sum();
            prop_assert!(cost >= shortest.cost * (1.0 - 1e-9));
            equally_short += u128::from(oracle::close(cost, shortest.cost));
        }
        if paths.ended() == Some(EndReason::Exhausted) {
            let count = lattice.count_shortest_paths(start, end).unwrap();
            prop_assert_eq!(count.paths.exact, Some(equally_short));
            prop_assert!(oracle::close(count.cost, shortest.cost));
        }
    }

    #[test]
    fn the_formula_counts_what_levels_count(axes in oracle::axes(), choices in any::<(u64, u64)>()) {
        let regular = Lattice::new(axes.clone()).unwrap();
        let (start, end) = (choices.0 % regular.sites(), choices.1 % regular.sites());
        // A further site behind a wall makes the lattice irregular and changes no path.
        let walled = Lattice::new(axes.into_iter().chain([Axis::open(3)])).unwrap();
        let wall = (0..walled.sites()).filter(|site| site % 3 == 1);
        let walled = walled.with_blocked(wall).unwrap();
        let formula = regular.count_shortest_paths(start, end).unwrap();
        let levels = walled.count_shortest_paths(3 * start, 3 * end).unwrap();
        prop_assert!(formula.closed_form && !levels.closed_form);
        prop_assert_eq!(formula.paths.exact, levels.paths.exact);
        prop_assert!(oracle::close(formula.cost, levels.cost));
    }

    #[test]
    fn a_cut_off_drops_only_longer_paths(lattice in oracle::tiny(), choices in any::<(u64, u64)>()) {
        let Some(start) = oracle::free_site(&lattice, choices.0) else { return Ok(()); };
        let Some(end) = oracle::free_site(&lattice, choices.1) else { return Ok(()); };
        let all: Vec<_> = lattice.simple_paths(start, end, SimplePathsLimits::default()).unwrap().collect();
        for longest in 0..6 {
            let limits = SimplePathsLimits::default().with(|it| { it.longest = Some(longest); it.budget = None; });
            let some: Vec<_> = lattice.simple_paths(start, end, limits).unwrap().collect();
            let expected: Vec<_> = all.iter().filter(|path| path.len() as u64 <= longest + 1).cloned().collect();
            prop_assert_eq!(some, expected);
        }
    }
}

#[test]
fn a_path_of_2_to_the_40_sites_is_a_formula() {
    let lattice = Lattice::cubic(4, 1 << 10).unwrap();
    let path = lattice.shortest_path(0, lattice.sites() - 1).unwrap();
    assert_eq!(path.steps(), 4 * 1023);
    assert_eq!(path.method, PathMethod::ClosedForm);
    assert!(path.is_of(&lattice));
    // Around one blocked site, without a slot per site.
    let blocked = lattice
        .with_blocked([1, 1 << 10, 1 << 20, (1 << 40) - 2])
        .unwrap();
    let path = blocked.shortest_path(0, blocked.sites() - 1).unwrap();
    assert_eq!(path.steps(), 4 * 1023);
    assert!(path.is_of(&blocked));
}

#[test]
fn a_staircase_is_iterated_lazily() {
    let line = Lattice::new([Axis::open(1 << 40)]).unwrap();
    let end = line.sites() - 1;
    assert!(matches!(
        line.shortest_path(0, end),
        Err(Error::PathTooLong { steps, .. }) if steps == end
    ));
    let mut walk = line.staircase(0, end).unwrap();
    assert_eq!(walk.len() as u64, 1 << 40);
    assert_eq!(walk.by_ref().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(walk.steps(), end - 3);
}

#[test]
fn start_equal_to_end_is_a_path_of_no_step() {
    for lattice in [
        Lattice::cubic(2, 3).unwrap(),
        Lattice::cubic(2, 3).unwrap().with_blocked([0]).unwrap(),
        Lattice::cubic(2, 3)
            .unwrap()
            .with_weights(Weights::Sites(
                (0..9).map(|site| f64::from(site) + 1.0).collect(),
            ))
            .unwrap(),
    ] {
        let path = lattice.shortest_path(4, 4).unwrap();
        assert_eq!(path.vertices, [4]);
        assert_eq!((path.steps(), path.cost), (0, 0.0));
        assert_eq!(
            lattice.count_shortest_paths(4, 4).unwrap().paths.exact,
            Some(1)
        );
        let trivial: Vec<_> = lattice
            .simple_paths(4, 4, SimplePathsLimits::default())
            .unwrap()
            .collect();
        assert_eq!(trivial, [[4]]);
    }
}

#[test]
fn blocked_ends_and_missing_sites_are_named() {
    let lattice = Lattice::cubic(2, 3).unwrap().with_blocked([4]).unwrap();
    for (start, end) in [(4, 0), (0, 4), (4, 4)] {
        let error = lattice.shortest_path(start, end).unwrap_err();
        assert!(matches!(error, Error::Blocked { site: 4, .. }));
        assert!(error.to_string().contains("(1, 1)"), "{error}");
        assert!(lattice.count_shortest_paths(start, end).is_err());
        assert!(
            lattice
                .simple_paths(start, end, SimplePathsLimits::default())
                .is_err()
        );
    }
    for (start, end) in [(9, 0), (0, 9), (u64::MAX, 0)] {
        assert!(matches!(
            lattice.shortest_path(start, end),
            Err(Error::NoSuchSite { sites: 9, .. })
        ));
    }
}

#[test]
fn no_path_names_both_ends() {
    let walled = Lattice::cubic(2, 3)
        .unwrap()
        .with_blocked([3, 4, 5])
        .unwrap();
    let error = walled.shortest_path(0, 8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no path leads from (0, 0) to (2, 2): blocked sites lie between them"
    );
}

#[test]
fn an_enclosed_end_is_detected_early() {
    // 2^40 sites: a search from the start alone would not end.
    let lattice = Lattice::cubic(4, 1 << 10).unwrap();
    let end = lattice.site(&[500, 500, 500, 500]).unwrap();
    let walls: Vec<_> = lattice.neighbours(end).map(|step| step.site).collect();
    let walled = lattice.with_blocked(walls).unwrap();
    let mut finder = walled.path_finder();
    for _ in 0..2 {
        assert!(matches!(
            finder.shortest_path(0, end),
            Err(Error::NoPath { .. })
        ));
        assert!(finder.shortest_path(end, 0).is_err());
        assert!(finder.shortest_path(0, 5).is_ok());
    }
}

#[test]
fn all_searches_solve_a_maze() {
    let maze = Lattice::cubic(2, 200).unwrap();
    let blocked = (0..maze.sites()).filter(|&site| word_of(site) % 100 < 39);
    let maze = maze.with_blocked(blocked).unwrap();
    let mut astar = maze.path_finder().with_search(SearchAlgorithm::AStar);
    let mut both_ends = maze
        .path_finder()
        .with_search(SearchAlgorithm::BidirectionalBfs);
    let (mut found, mut long, mut none) = (0, 0, 0);
    for pair in 0..40 {
        let start = oracle::free_site(&maze, word_of(2 * pair)).unwrap();
        let end = oracle::free_site(&maze, word_of(2 * pair + 1)).unwrap();
        let expected = oracle::breadth_first(&maze, &[start])[end as usize];
        for finder in [&mut astar, &mut both_ends] {
            match (finder.shortest_path(start, end), expected) {
                (Ok(path), Some(steps)) => {
                    assert_eq!(path.steps(), steps);
                    assert!(path.is_of(&maze));
                    found += 1;
                    long += u64::from(path.expanded > 4096);
                }
                (Err(Error::NoPath { .. }), None) => none += 1,
                (other, expected) => panic!("{other:?} for {expected:?}"),
            }
        }
    }
    assert!(found > 0 && none > 0 && long > 0, "{found} {none} {long}");
}

#[test]
fn the_expansion_limit_stops_a_search() {
    let lattice = Lattice::cubic(2, 30).unwrap();
    let wall = (0..29).map(|row| row * 30 + 15);
    let walled = lattice.with_blocked(wall).unwrap();
    for weights in [Weights::Unit, Weights::Axes([1.0, 2.0].into())] {
        let walled = walled.clone().with_weights(weights).unwrap();
        for search in [SearchAlgorithm::Auto, SearchAlgorithm::BidirectionalBfs] {
            let finder = PathFinder::new(&walled).with_search(search);
            let given_up = finder.clone().with_max_expanded(100).shortest_path(0, 29);
            assert!(matches!(given_up, Err(Error::SearchTooLarge { most: 100 })));
            assert!(finder.with_max_expanded(900).shortest_path(0, 29).is_ok());
        }
    }
}

#[test]
fn long_detours_are_refused_early() {
    let line = Lattice::new([Axis::open(1 << 40)])
        .unwrap()
        .with_blocked([5])
        .unwrap();
    assert!(matches!(
        line.shortest_path(6, (1 << 40) - 1),
        Err(Error::PathTooLong { .. })
    ));
}

#[test]
fn equal_costs_expand_few_sites() {
    let lattice = Lattice::cubic(4, 10)
        .unwrap()
        .with_blocked([1, 10, 1000, 8999])
        .unwrap();
    let weighted = lattice
        .with_weights(Weights::Axes([0.1, 0.3, 0.7, 1.1].into()))
        .unwrap();
    let path = weighted.shortest_path(0, 9999).unwrap();
    assert!(oracle::close(path.cost, 9.0 * 2.2), "{}", path.cost);
    assert!(path.expanded < 100, "{} sites", path.expanded);
}

#[test]
fn the_listing_budget_is_reported() {
    let lattice = Lattice::cubic(3, 4).unwrap();
    let limits = SimplePathsLimits::default().with(|it| {
        it.longest = None;
        it.budget = Some(500);
    });
    let mut paths = lattice.simple_paths(0, 63, limits).unwrap();
    let found = paths.by_ref().count();
    assert_eq!(paths.ended(), Some(EndReason::BudgetSpent));
    assert_eq!(paths.tried(), 500);
    let again = lattice.simple_paths(0, 63, limits).unwrap().count();
    assert_eq!(found, again);
}

#[test]
fn a_cache_returns_and_evicts_paths() {
    let lattice = Lattice::cubic(2, 5).unwrap().with_blocked([6]).unwrap();
    let mut cache = PathCache::new(&lattice, 2);
    let first = cache.shortest_path(0, 24).unwrap();
    cache.shortest_path(1, 24).unwrap();
    assert_eq!(cache.shortest_path(0, 24).unwrap().vertices, first.vertices);
    assert_eq!((cache.hits(), cache.misses(), cache.len()), (1, 2, 2));
    // (1, 24) is the oldest now.
    cache.shortest_path(2, 24).unwrap();
    cache.shortest_path(0, 24).unwrap();
    assert_eq!((cache.hits(), cache.misses(), cache.len()), (2, 3, 2));
    cache.shortest_path(1, 24).unwrap();
    assert_eq!((cache.hits(), cache.misses(), cache.len()), (2, 4, 2));
    assert!(cache.shortest_path(6, 24).is_err());
    let mut none = PathCache::new(&lattice, 0);
    none.shortest_path(0, 24).unwrap();
    none.shortest_path(0, 24).unwrap();
    assert_eq!((none.hits(), none.len()), (0, 0));
}
