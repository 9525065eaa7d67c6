//! The depth of a test run: enough to cover every kernel, operation, element type and size class
//! once, or every case.
//!
//! `HEDDLE_TEST_DEPTH=thorough` (`./test --thorough`) selects every case. Only this module reads
//! it.

use proptest::test_runner::Config;

/// The depth of a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestDepth {
    Quick,
    Thorough,
}

/// Returns the depth of this run.
pub fn depth() -> TestDepth {
    match std::env::var("HEDDLE_TEST_DEPTH").as_deref() {
        Err(_) | Ok("" | "quick") => TestDepth::Quick,
        Ok("thorough") => TestDepth::Thorough,
        Ok(other) => panic!("HEDDLE_TEST_DEPTH={other}: it is `quick` or `thorough`"),
    }
}

/// Returns one of two values, by [`depth`].
pub fn pick<T>(quick: T, thorough: T) -> T {
    match depth() {
        TestDepth::Quick => quick,
        TestDepth::Thorough => thorough,
    }
}

/// Returns the configuration of a property test: `thorough` cases in a thorough run, a fraction of
/// them in a quick one.
pub fn cases(thorough: u32) -> Config {
    Config {
        cases: pick(thorough.div_ceil(4), thorough),
        // A failing case is kept as a separate test, not in a file beside it.
        failure_persistence: None,
        ..Config::default()
    }
}
