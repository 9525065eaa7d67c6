//! Admission of what is allocated for each site, vertex or step: refused with an error before it
//! is allocated if the host has no memory for it.

use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;

use crate::error::Error;

/// The elements from which on a growing list is checked before it grows.
const CHECKED_FROM: usize = 1 << 17;

/// Checks that there is memory for `count` times `bytes_each` bytes, for what `what` names.
pub(crate) fn admit(what: &'static str, count: u64, bytes_each: u64) -> Result<(), Error> {
    Ok(admit_host(what, Bytes(count.saturating_mul(bytes_each)))?)
}

/// Collects items of unknown number. Each growth of a long list is checked.
pub(crate) fn collected<T>(
    what: &'static str,
    items: impl Iterator<Item = Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    for item in items {
        let item = item?;
        if list.len() == list.capacity() && list.len() >= CHECKED_FROM {
            // The list doubles, and the old one exists until it is copied.
            admit(what, 2 * list.len() as u64, size_of::<T>() as u64)?;
        }
        list.push(item);
    }
    Ok(list)
}
