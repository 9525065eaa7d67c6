//! Who allocates: an operation and the place in the source that asked for it.
//!
//! The road says so once per operation, and whatever is allocated meanwhile on
//! that thread is booked there. Nothing is hashed or copied to say it.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// An operation's name and where it was called.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The kind of operation.
    pub kind: &'static str,
    /// The line that asked for it.
    pub place: &'static Location<'static>,
}

/// Restores the site that was current before when dropped.
#[derive(Debug)]
#[must_use = "the site is left when this is dropped"]
pub struct SiteGuard {
    before: Option<Site>,
    /// It belongs to the thread that entered.
    _here: PhantomData<Rc<()>>,
}

thread_local! {
    static CURRENT: Cell<Option<Site>> = const { Cell::new(None) };
}

impl Site {
    /// What is allocated by nobody in particular.
    pub const UNKNOWN: &'static str = "unknown";

    /// The caller's line, on behalf of `kind`.
    #[must_use]
    #[track_caller]
    pub fn here(kind: &'static str) -> Self {
        Self {
            kind,
            place: Location::caller(),
        }
    }

    /// Books this thread's allocations here until the guard is dropped.
    pub fn enter(self) -> SiteGuard {
        SiteGuard {
            before: CURRENT.replace(Some(self)),
            _here: PhantomData,
        }
    }

    /// The site this thread entered last, or the caller's line.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        // Not `unwrap_or_else`: a closure would be the caller.
        match CURRENT.get() {
            Some(site) => site,
            None => Self::here(Self::UNKNOWN),
        }
    }

    /// Whether both are the same constants. Two that are not may still say the
    /// same: one line may be compiled twice.
    #[inline]
    pub(super) fn is_identical(self, other: Self) -> bool {
        std::ptr::eq(self.place, other.place) && std::ptr::eq(self.kind, other.kind)
    }

    /// What distinguishes it, compared by content.
    pub(super) fn key(self) -> (&'static str, &'static str, u32, u32) {
        let Self { kind, place } = self;
        (kind, place.file(), place.line(), place.column())
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place } = self;
        write!(f, "{kind} at {}:{}", place.file(), place.line())
    }
}

impl serde::Serialize for Site {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Drop for SiteGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_nest_and_fall_back_to_the_caller() {
        assert_eq!(Site::current().kind, Site::UNKNOWN);
        assert_eq!(Site::current().place.line(), line!());
        let outer = Site::here("outer").enter();
        {
            let _inner = Site::here("inner").enter();
            assert_eq!(Site::current().kind, "inner");
        }
        assert_eq!(Site::current().kind, "outer");
        assert!(Site::current().to_string().starts_with("outer at "));
        drop(outer);
        assert_eq!(Site::current().kind, Site::UNKNOWN);
    }
}
