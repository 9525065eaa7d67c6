//! Reading what will be needed.
//!
//! A program that is run on a few examples does not find its plan in the processor's
//! memory and would wait for it line by line, as its steps come to it. Lines that are
//! read beforehand, one right after another, are waited for together.

use std::hint::black_box;

/// Bytes memory is fetched in.
const LINE_BYTES: usize = 64;

/// Reads from every line of some items; `part` says what of an item.
#[inline]
pub(crate) fn fetch<T>(items: &[T], part: impl Fn(&T) -> u32) {
    let apart = (LINE_BYTES / size_of::<T>()).max(1);
    let some = items.iter().step_by(apart);
    black_box(some.fold(0, |seen, item| seen ^ part(item)));
}
