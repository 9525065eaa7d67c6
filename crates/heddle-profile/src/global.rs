//! The profiler that `span!` and `#[profiled]` record to.
//!
//! It is off by default, so that marked code costs next to nothing in programs that
//! do not profile.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::profiler::Profiler;

/// The capacity of the global profiler unless another one is installed.
const CAPACITY_SPANS: usize = 65_536;

static GLOBAL: OnceLock<Profiler> = OnceLock::new();

/// Whether the global profiler is on. A disabled call site needs this one load.
static ON: AtomicBool = AtomicBool::new(false);

/// The global profiler. It keeps 65,536 spans and is off until
/// [`set_enabled`](Profiler::set_enabled), unless another was installed.
pub fn global() -> &'static Profiler {
    GLOBAL.get_or_init(|| {
        let profiler = Profiler::new(CAPACITY_SPANS);
        profiler.set_enabled(false);
        profiler.become_global();
        profiler
    })
}

/// Makes `profiler` the global one, so that marked code and everything else that
/// records to it share one timeline. Returns whether it is the global one: only the
/// first profiler, installed or made by [`global`], ever is.
pub fn install(profiler: &Profiler) -> bool {
    let mut ours = false;
    GLOBAL.get_or_init(|| {
        ours = true;
        profiler.become_global();
        profiler.clone()
    });
    ours
}

/// Whether the global profiler is on. One relaxed atomic load.
#[inline]
#[must_use]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The global profiler if it is on.
#[inline]
pub(crate) fn active() -> Option<&'static Profiler> {
    if is_on() { GLOBAL.get() } else { None }
}

pub(crate) fn set_on(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// Times a closure on the global profiler.
///
/// ```
/// assert_eq!(heddle_profile::time("add", || 2 + 2), 4);
/// ```
pub fn time<R>(name: &'static str, work: impl FnOnce() -> R) -> R {
    match active() {
        Some(profiler) => profiler.time(name, work),
        None => work(),
    }
}
