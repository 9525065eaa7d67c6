//! The profiler that `span!` and `#[profiled]` record to.
//!
//! The one thing to know: it is off until somebody turns it on, so that code
//! which is marked costs next to nothing in programs that do not look.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::profiler::Profiler;

/// What the global profiler keeps unless another is installed.
const CAPACITY_SPANS: usize = 65_536;

static GLOBAL: OnceLock<Profiler> = OnceLock::new();

/// Whether the global profiler is on, where a disabled call site finds it with
/// one load.
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

/// Makes `profiler` the global one, so that marked code and whatever else
/// records to it share one timeline. Says whether it is: only the first
/// profiler, installed or made by [`global`], ever becomes the global one.
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
