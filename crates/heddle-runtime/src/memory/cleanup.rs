//! Clean-up: frees idle memory first, then memory that registered callbacks can drop.
//!
//! Callbacks run in order of priority, lowest number first, with no lock held: a callback may
//! allocate, free, or register others. A clean-up that a callback causes on its own thread does
//! nothing, which prevents endless recursion.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde::Serialize;

use crate::units::{Bytes, Nanos};

/// The number of reports kept.
const KEPT: usize = 100;
/// The name of the step that releases idle memory.
const TRIM: &str = "idle memory";

/// Why a clean-up ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CleanupCause {
    /// The caller requested it.
    Manual,
    /// The utilisation passed its threshold.
    Automatic,
    /// A request or a reservation did not fit.
    Shortage,
}

/// What one step freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CleanupStep {
    /// The step's name.
    pub name: &'static str,
    /// The bytes it reports as freed.
    pub freed: Bytes,
    /// Whether it panicked, so that the bytes it freed are unknown.
    pub panicked: bool,
}

/// The result of one clean-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CleanupReport {
    /// The time, by the clock of the stack.
    pub at: Nanos,
    /// The cause.
    pub cause: CleanupCause,
    /// The bytes wanted.
    pub wanted: Bytes,
    /// The steps taken, in order. Steps that were not needed are not listed.
    pub steps: Vec<CleanupStep>,
}

/// The number of clean-ups, and the bytes they freed in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CleanupTotals {
    /// Clean-ups that ran.
    pub runs: u64,
    /// Clean-ups caused by the utilisation.
    pub automatic: u64,
    /// Clean-ups caused by a shortage.
    pub shortages: u64,
    /// Bytes freed by all of them.
    pub freed: Bytes,
    /// Callbacks that panicked.
    pub panics: u64,
}

/// Identifies a registered callback, to remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanupId(u64);

/// The goal of a clean-up.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CleanupGoal {
    /// The cause.
    pub cause: CleanupCause,
    /// The time, by the clock of the stack.
    pub at: Nanos,
    /// The bytes wanted.
    pub wanted: Bytes,
}

/// The callbacks of one device and the reports of its clean-ups.
#[derive(Default)]
pub struct Cleanup {
    callbacks: RwLock<Vec<RegisteredCallback>>,
    next_id: AtomicU64,
    history: Mutex<CleanupHistory>,
}

type Callback = Arc<dyn Fn(Bytes) -> Bytes + Send + Sync>;

#[derive(Clone)]
struct RegisteredCallback {
    id: CleanupId,
    priority: i32,
    name: &'static str,
    callback: Callback,
}

#[derive(Debug, Default)]
struct CleanupHistory {
    totals: CleanupTotals,
    reports: VecDeque<CleanupReport>,
}

thread_local! {
    /// The clean-ups that this thread is in, by the address of each.
    static RUNNING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

impl Cleanup {
    /// The priority of dropping device copies of arrays that the host has as well. A callback
    /// with a lower number runs before that, one with a higher number after.
    pub const CACHED_COPIES: i32 = 0;

    /// Calls `callback` in every clean-up with the bytes still wanted; it returns how many it
    /// freed.
    pub fn add(
        &self,
        priority: i32,
        name: &'static str,
        callback: impl Fn(Bytes) -> Bytes + Send + Sync + 'static,
    ) -> CleanupId {
        let id = CleanupId(self.next_id.fetch_add(1, Ordering::Relaxed));
        let mut callbacks = self
            .callbacks
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // After the callbacks of the same priority: they run in order of registration.
        let place = callbacks.partition_point(|other| other.priority <= priority);
        callbacks.insert(
            place,
            RegisteredCallback {
                id,
                priority,
                name,
                callback: Arc::new(callback),
            },
        );
        id
    }

    /// Removes a callback. A running clean-up may still call it.
    pub fn remove(&self, id: CleanupId) {
        self.callbacks
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|registered| registered.id != id);
    }

    /// Runs `trim` and then the callbacks until `enough` returns true after a step. Returns
    /// `None` if this thread is already in a clean-up.
    pub fn run(
        &self,
        goal: CleanupGoal,
        trim: impl FnOnce() -> Bytes,
        mut enough: impl FnMut() -> bool,
    ) -> Option<CleanupReport> {
        let _here = CleanupGuard::begin(self)?;
        let callbacks = self
            .callbacks
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut report = CleanupReport {
            at: goal.at,
            cause: goal.cause,
            wanted: goal.wanted,
            steps: vec![CleanupStep {
                name: TRIM,
                freed: trim(),
                panicked: false,
            }],
        };
        let mut done = enough();
        for registered in callbacks {
            if done {
                break;
            }
            let left = goal.wanted.saturating_sub(report.freed()).max(Bytes(1));
            let freed = catch_unwind(AssertUnwindSafe(|| (registered.callback)(left)));
            report.steps.push(CleanupStep {
                name: registered.name,
                freed: freed.as_ref().copied().unwrap_or_default(),
                panicked: freed.is_err(),
            });
            done = enough();
        }
        self.history
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(report.clone());
        Some(report)
    }

    /// The totals of all clean-ups so far.
    pub fn totals(&self) -> CleanupTotals {
        let history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.totals
    }

    /// The last hundred clean-ups, oldest first.
    pub fn reports(&self) -> Vec<CleanupReport> {
        let history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.reports.iter().cloned().collect()
    }
}

impl CleanupReport {
    /// Bytes freed by all steps.
    #[must_use]
    pub fn freed(&self) -> Bytes {
        self.steps.iter().map(|step| step.freed).sum()
    }
}

impl CleanupHistory {
    fn add(&mut self, report: CleanupReport) {
        let totals = &mut self.totals;
        totals.runs += 1;
        totals.automatic += u64::from(report.cause == CleanupCause::Automatic);
        totals.shortages += u64::from(report.cause == CleanupCause::Shortage);
        totals.freed = totals.freed + report.freed();
        totals.panics += report.steps.iter().filter(|step| step.panicked).count() as u64;
        if self.reports.len() == KEPT {
            self.reports.pop_front();
        }
        self.reports.push_back(report);
    }
}

/// Marks this thread as being in a clean-up, until dropped.
struct CleanupGuard(usize);

impl CleanupGuard {
    fn begin(cleanup: &Cleanup) -> Option<Self> {
        let address = std::ptr::from_ref(cleanup).addr();
        RUNNING.with_borrow_mut(|running| {
            (!running.contains(&address)).then(|| {
                running.push(address);
                Self(address)
            })
        })
    }
}

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(|running| running.retain(|&address| address != self.0));
    }
}

impl fmt::Debug for Cleanup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let callbacks = self
            .callbacks
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let names: Vec<_> = callbacks.iter().map(|registered| registered.name).collect();
        f.debug_struct("Cleanup")
            .field("callbacks", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: CleanupGoal = CleanupGoal {
        cause: CleanupCause::Manual,
        at: Nanos(0),
        wanted: Bytes(100),
    };

    fn names(report: &CleanupReport) -> Vec<(&'static str, u64)> {
        let steps = report.steps.iter();
        steps.map(|step| (step.name, step.freed.0)).collect()
    }

    #[test]
    fn callbacks_run_by_priority_with_what_is_still_wanted() {
        let cleanup = Cleanup::default();
        cleanup.add(10, "late", |wanted| wanted);
        cleanup.add(Cleanup::CACHED_COPIES, "copies", |_| Bytes(30));
        let early = cleanup.add(-5, "early", |_| Bytes(7));
        let report = cleanup.run(GOAL, || Bytes(20), || false).unwrap();
        assert_eq!(
            names(&report),
            [(TRIM, 20), ("early", 7), ("copies", 30), ("late", 43)]
        );
        cleanup.remove(early);
        let mut calls = 0;
        let enough = || {
            calls += 1;
            calls == 2
        };
        let report = cleanup.run(GOAL, || Bytes(0), enough).unwrap();
        assert_eq!(names(&report), [(TRIM, 0), ("copies", 30)]);
        let totals = cleanup.totals();
        assert_eq!((totals.runs, totals.freed), (2, Bytes(130)));
    }

    #[test]
    fn a_panic_is_noted_and_the_rest_runs() {
        let cleanup = Cleanup::default();
        cleanup.add(0, "breaks", |_| panic!("on purpose"));
        cleanup.add(1, "works", |_| Bytes(5));
        for _ in 0..2 {
            let report = cleanup.run(GOAL, || Bytes(0), || false).unwrap();
            assert!(report.steps[1].panicked);
            assert_eq!(report.freed(), Bytes(5));
        }
        assert_eq!(cleanup.totals().panics, 2);
    }

    #[test]
    fn a_clean_up_within_a_clean_up_does_nothing() {
        let cleanup = Arc::new(Cleanup::default());
        let inner = Arc::clone(&cleanup);
        cleanup.add(0, "again", move |_| {
            assert_eq!(inner.run(GOAL, || Bytes(1), || false), None);
            inner.add(1, "added inside", |_| Bytes(2));
            Bytes(3)
        });
        let report = cleanup.run(GOAL, || Bytes(0), || false).unwrap();
        assert_eq!(names(&report), [(TRIM, 0), ("again", 3)]);
    }
}
