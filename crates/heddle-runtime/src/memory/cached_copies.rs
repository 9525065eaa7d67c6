//! Arrays' copies on a device. When memory is short, copies of arrays that the host has as well
//! are dropped first, because only time is lost. Copies that the host does not have come last,
//! because they must be transferred to the host first.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::device::DeviceId;
use crate::error::Error;
use crate::units::Bytes;

/// Dead entries are removed from the list when it has this many entries, and then each time it
/// has doubled.
const PRUNE_FROM: usize = 64;

/// A copy that the device can drop or move to the host.
pub(crate) trait Cached: Send + Sync {
    /// The time of its last use, as a number that only grows.
    fn last_use(&self) -> u64;

    /// Drops the copy on `device` unless it is in use, and returns the bytes freed.
    fn evict_from(&self, device: DeviceId) -> Bytes;

    /// Moves the only copy, which is on `device`, to the host unless it is in use, and returns
    /// the bytes freed.
    fn spill_from(&self, device: DeviceId) -> Result<Bytes, Error>;
}

/// The copies on one device.
pub(super) struct CachedCopies {
    device: DeviceId,
    list: Mutex<List>,
    evicted: AtomicU64,
    /// Copies moved to the host, and their bytes.
    spills: AtomicU64,
    spilled: AtomicU64,
}

#[derive(Default)]
struct List {
    cached_copies: Vec<Weak<dyn Cached>>,
    prune_at: usize,
}

impl CachedCopies {
    pub(super) fn new(device: DeviceId) -> Self {
        Self {
            device,
            list: Mutex::default(),
            evicted: AtomicU64::new(0),
            spills: AtomicU64::new(0),
            spilled: AtomicU64::new(0),
        }
    }

    pub(super) fn add(&self, copy: Weak<dyn Cached>) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.cached_copies.len() >= list.prune_at {
            list.cached_copies.retain(|copy| copy.strong_count() > 0);
            list.prune_at = (2 * list.cached_copies.len()).max(PRUNE_FROM);
        }
        list.cached_copies.push(copy);
    }

    /// The number of copies dropped so far.
    pub(super) fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }

    /// The number of copies dropped or moved.
    pub(super) fn copies_removed(&self) -> u64 {
        self.evicted() + self.spills.load(Ordering::Relaxed)
    }

    /// The bytes moved to the host to free device memory.
    pub(super) fn spilled(&self) -> Bytes {
        Bytes(self.spilled.load(Ordering::Relaxed))
    }

    /// All copies, the least recently used first.
    fn by_age(&self) -> Vec<Arc<dyn Cached>> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cached_copies: Vec<_> = list
            .cached_copies
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        drop(list);
        cached_copies.sort_by_cached_key(|copy| copy.last_use());
        cached_copies
    }

    /// Moves only copies to the host, the least recently used first, until `wanted` bytes are
    /// freed. Stops if the device fails.
    pub(super) fn spill(&self, wanted: Bytes) -> Bytes {
        let mut freed = Bytes(0);
        for copy in self.by_age() {
            if freed >= wanted {
                break;
            }
            let Ok(bytes) = copy.spill_from(self.device) else {
                break;
            };
            self.spills
                .fetch_add(u64::from(bytes > Bytes(0)), Ordering::Relaxed);
            self.spilled.fetch_add(bytes.0, Ordering::Relaxed);
            freed = freed + bytes;
        }
        freed
    }

    /// Drops copies, the least recently used first, until `wanted` bytes are freed. Freeing
    /// memory may run any callback, so no lock is held.
    pub(super) fn evict(&self, wanted: Bytes) -> Bytes {
        let mut freed = Bytes(0);
        for copy in self.by_age() {
            if freed >= wanted {
                break;
            }
            let bytes = copy.evict_from(self.device);
            self.evicted
                .fetch_add(u64::from(bytes > Bytes(0)), Ordering::Relaxed);
            freed = freed + bytes;
        }
        freed
    }
}

impl fmt::Debug for CachedCopies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        write!(
            f,
            "CachedCopies({} on {})",
            list.cached_copies.len(),
            self.device
        )
    }
}
