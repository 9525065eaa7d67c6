//! A catalytic search finds a path as short as a plain search, and restores the borrowed
//! memory bit for bit, however it ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_testing::oracle;
use heddle_testing::random::word_of;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heddle_lattice::{Axis, CatalyticSettings, Error, Lattice, Weights};
use proptest::prelude::*;

fn random_words(seed: u64, count: u64) -> Vec<u64> {
    (0..count)
        .map(|position| word_of(seed ^ word_of(position)))
        .collect()
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Every site is a point at which the search can be stopped.
const AT_EVERY_SITE: u64 = 1;

proptest! {
    #![proptest_config(heddle_testing::depth::cases(200))]

    #[test]
    fn catalytic_paths_on_random_lattices(
        lattice in oracle::lattice(),
        choices in any::<(u64, u64)>(),
        seed in any::<u64>(),
        stop in any::<(u64, u64)>(),
    ) {
        let Some(start) = oracle::free_site(&lattice, choices.0) else { return Ok(()); };
        let Some(end) = oracle::free_site(&lattice, choices.1) else { return Ok(()); };
        let expected = oracle::breadth_first(&lattice, &[start])[end as usize];
        // Without a path, the search would try every length.
        let longest = expected.unwrap_or(8);
        let settings = CatalyticSettings::default().with(|it| { it.seed = seed; it.longest = Some(longest); it.report_every_sites = AT_EVERY_SITE; });
        // Slightly more than needed.
        let mut borrowed = random_words(seed, 2 * lattice.sites() + 3);
        let hash_before = hash(&borrowed);
        let mut calls = 0_u64;
        let found = lattice.catalytic_path_by(start, end, &mut borrowed, settings, |_| {
            calls += 1;
            ControlFlow::Continue(())
        });
        prop_assert_eq!(hash(&borrowed), hash_before);
        match (found, expected) {
            (Ok(found), Some(steps)) => {
                prop_assert_eq!(found.path.steps(), steps);
                prop_assert!(found.path.is_of(&lattice));
                prop_assert_eq!((found.path.vertices[0], *found.path.vertices.last().unwrap()), (start, end));
                prop_assert_eq!(found.borrowed_bytes, 16 * lattice.sites());
            }
            (Err(Error::NoPath { .. } | Error::NoShortPath { .. }), None) => {}
            (found, expected) => {
                return Err(TestCaseError::fail(format!("{found:?} for {expected:?}")));
            }
        }
        if calls == 0 {
            return Ok(());
        }

        let (cancel_at, panic_at) = (stop.0 % calls, stop.1 % calls);
        let mut call = 0;
        let cancelled = lattice.catalytic_path_by(start, end, &mut borrowed, settings, |_| {
            call += 1;
            if call > cancel_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let was_cancelled = matches!(cancelled, Err(Error::Cancelled { .. }));
        prop_assert!(was_cancelled);
        prop_assert_eq!(hash(&borrowed), hash_before);

        let mut call = 0;
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            lattice.catalytic_path_by(start, end, &mut borrowed, settings, |_| {
                call += 1;
                assert!(call <= panic_at, "the callback gives up");
                ControlFlow::Continue(())
            })
        }));
        prop_assert!(unwound.is_err());
        prop_assert_eq!(hash(&borrowed), hash_before);
    }
}

#[test]
fn words_beyond_the_field_are_restored() {
    let lattice = Lattice::cubic(2, 4).unwrap().with_blocked([5, 6]).unwrap();
    for pattern in [[u64::MAX, 0], [u64::MAX - 58, u64::MAX - 59], [0, 0]] {
        let hash_before: Vec<u64> = pattern.into_iter().cycle().take(32).collect();
        let mut borrowed = hash_before.clone();
        let found = lattice.catalytic_path(0, 15, &mut borrowed).unwrap();
        assert_eq!(found.path.steps(), 6);
        assert_eq!(borrowed, hash_before);
    }
}

#[test]
fn paths_with_many_predecessors_are_found() {
    // Eighty diamonds in a row. Modulo 2^64 the number of walks would lose a bit at each.
    let lattice = Lattice::new([Axis::open(2), Axis::open(100)]).unwrap();
    let found = lattice
        .catalytic_path(0, 199, &mut random_words(0, 400))
        .unwrap();
    assert_eq!(found.path.steps(), 100);
}

#[test]
fn refusals_state_the_required_bytes() {
    let lattice = Lattice::cubic(2, 4).unwrap().with_blocked([5]).unwrap();
    let mut small = [7_u64; 31];
    let error = lattice.catalytic_path(0, 15, &mut small).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a catalytic search of 16 sites borrows 256 bytes, but 248 were given"
    );
    assert_eq!(small, [7; 31]);
    let mut enough = [7_u64; 32];
    assert!(matches!(
        lattice.catalytic_path(5, 15, &mut enough),
        Err(Error::Blocked { site: 5, .. })
    ));
    assert!(matches!(
        lattice.catalytic_path(0, 16, &mut enough),
        Err(Error::NoSuchSite { .. })
    ));
    assert_eq!(
        lattice
            .catalytic_path(3, 3, &mut enough)
            .unwrap()
            .path
            .vertices,
        [3]
    );
    let weighted = lattice
        .with_weights(Weights::Axes([1.0, 2.0].into()))
        .unwrap();
    assert!(matches!(
        weighted.catalytic_path(0, 15, &mut enough),
        Err(Error::Weighted { .. })
    ));
}

#[test]
fn an_enclosed_end_is_reported() {
    let walled = Lattice::cubic(2, 4)
        .unwrap()
        .with_blocked([11, 14])
        .unwrap();
    let hash_before = random_words(0, 32);
    let mut borrowed = hash_before.clone();
    let error = walled.catalytic_path(0, 15, &mut borrowed).unwrap_err();
    assert!(matches!(error, Error::NoPath { .. }), "{error}");
    assert_eq!(borrowed, hash_before);
}
