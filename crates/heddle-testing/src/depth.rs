//! How much a test tries: enough to cover every kernel, operation, element type and
//! size class once, or everything it can.
//!
//! `HEDDLE_TEST_DEPTH=thorough` (`./test --thorough`) asks for everything. This is
//! the only place that reads it.

use proptest::test_runner::Config;

/// How much a test tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    Quick,
    Thorough,
}

/// What this run was asked for.
pub fn depth() -> Depth {
    match std::env::var("HEDDLE_TEST_DEPTH").as_deref() {
        Err(_) | Ok("" | "quick") => Depth::Quick,
        Ok("thorough") => Depth::Thorough,
        Ok(other) => panic!("HEDDLE_TEST_DEPTH={other}: it is `quick` or `thorough`"),
    }
}

/// The one or the other, by [`depth`].
pub fn pick<T>(quick: T, thorough: T) -> T {
    match depth() {
        Depth::Quick => quick,
        Depth::Thorough => thorough,
    }
}

/// A property's configuration: so many cases when thorough, a fraction of them
/// when quick.
pub fn cases(thorough: u32) -> Config {
    Config {
        cases: pick(thorough.div_ceil(4), thorough),
        // A failing case is kept as a test of its own, not in a file beside it.
        failure_persistence: None,
        ..Config::default()
    }
}
