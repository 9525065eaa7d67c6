//! The site of an allocation: an operation and the source line that called it.
//!
//! The runtime sets the site once per operation, and allocations on that thread are attributed
//! to it. Setting it hashes and copies nothing.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// An operation's name and the place of its call.
#[derive(Clone, Copy, Debug)]
pub struct AllocationSite {
    /// The kind of operation.
    pub kind: &'static str,
    /// The line of the call.
    pub place: &'static Location<'static>,
}

/// Restores the previous site when dropped.
#[derive(Debug)]
#[must_use = "the site is left when this is dropped"]
pub struct AllocationSiteGuard {
    before: Option<AllocationSite>,
    /// It belongs to the thread that entered it.
    _here: PhantomData<Rc<()>>,
}

thread_local! {
    static CURRENT: Cell<Option<AllocationSite>> = const { Cell::new(None) };
}

impl AllocationSite {
    /// The kind of allocations outside any operation.
    pub const UNKNOWN: &'static str = "unknown";

    /// Returns the caller's line, for `kind`.
    #[must_use]
    #[track_caller]
    pub fn of_caller(kind: &'static str) -> Self {
        Self {
            kind,
            place: Location::caller(),
        }
    }

    /// Attributes this thread's allocations to this site until the guard is dropped.
    pub fn enter(self) -> AllocationSiteGuard {
        AllocationSiteGuard {
            before: CURRENT.replace(Some(self)),
            _here: PhantomData,
        }
    }

    /// Returns the site this thread entered last, or the caller's line.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        // Not `unwrap_or_else`: the caller's location would be that of the closure.
        match CURRENT.get() {
            Some(site) => site,
            None => Self::of_caller(Self::UNKNOWN),
        }
    }

    /// Whether both are the same constants. Sites with different constants may still be equal:
    /// one line may be compiled twice.
    #[inline]
    pub(super) fn is_identical(self, other: Self) -> bool {
        std::ptr::eq(self.place, other.place) && std::ptr::eq(self.kind, other.kind)
    }

    /// The fields that identify it, compared by content.
    pub(super) fn key(self) -> (&'static str, &'static str, u32, u32) {
        let Self { kind, place } = self;
        (kind, place.file(), place.line(), place.column())
    }
}

impl fmt::Display for AllocationSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place } = self;
        write!(f, "{kind} at {}:{}", place.file(), place.line())
    }
}

impl serde::Serialize for AllocationSite {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Drop for AllocationSiteGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_nest_and_fall_back_to_the_caller() {
        assert_eq!(AllocationSite::current().kind, AllocationSite::UNKNOWN);
        assert_eq!(AllocationSite::current().place.line(), line!());
        let outer = AllocationSite::of_caller("outer").enter();
        {
            let _inner = AllocationSite::of_caller("inner").enter();
            assert_eq!(AllocationSite::current().kind, "inner");
        }
        assert_eq!(AllocationSite::current().kind, "outer");
        assert!(
            AllocationSite::current()
                .to_string()
                .starts_with("outer at ")
        );
        drop(outer);
        assert_eq!(AllocationSite::current().kind, AllocationSite::UNKNOWN);
    }
}
