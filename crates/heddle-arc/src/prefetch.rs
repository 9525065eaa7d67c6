//! Loading data into the CPU's caches before it is used.
//!
//! A program that runs on a few examples does not find its plan in the cache and would wait for
//! each cache line as its steps reach it. Lines that are read beforehand, one right after another,
//! are loaded concurrently.

use std::hint::black_box;

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// Reads from every cache line of a slice; `part` selects the number to read of an item.
#[inline]
pub(crate) fn fetch<T>(items: &[T], part: impl Fn(&T) -> u32) {
    let apart = (LINE_BYTES / size_of::<T>()).max(1);
    let some = items.iter().step_by(apart);
    black_box(some.fold(0, |seen, item| seen ^ part(item)));
}
