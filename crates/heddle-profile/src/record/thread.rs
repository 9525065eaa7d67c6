//! Numbers and names of threads.
//!
//! Names are kept for the newest threads only, so a process that starts a million
//! threads keeps a few thousand names.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::name::Name;

/// The number of threads whose names are kept.
const MOST: usize = 4_096;

static NEXT: AtomicU32 = AtomicU32::new(0);
static NAMES: Mutex<BTreeMap<u32, Name>> = Mutex::new(BTreeMap::new());

/// A number that no thread of this process had before.
pub(super) fn number() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Stores the name of the calling thread, if it has one.
pub(super) fn register_name(number: u32) {
    if let Some(name) = std::thread::current().name() {
        let mut names = lock();
        names.insert(number, Name::from(name));
        while names.len() > MOST {
            names.pop_first();
        }
    }
}

/// The name of a thread, if it has one that is still kept.
pub(crate) fn name(number: u32) -> Option<Name> {
    lock().get(&number).cloned()
}

fn lock() -> MutexGuard<'static, BTreeMap<u32, Name>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_stored_with_its_name() {
        let named = std::thread::Builder::new().name("worker".to_owned());
        let run = || {
            let number = number();
            register_name(number);
            number
        };
        let number = named.spawn(run).unwrap().join().unwrap();
        assert_eq!(name(number).unwrap(), "worker");
        assert_eq!(name(u32::MAX), None);
    }
}
