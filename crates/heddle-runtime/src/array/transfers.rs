//! Process-wide counts of bytes moved or copied for arrays.
//!
//! The transfers of an operation are also in its [`Timing`](crate::device::Timing); these counts
//! include transfers caused by reading an array.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::device::TransferTotals;
use crate::units::Bytes;

/// Transfers and copies since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TransferCounts {
    /// Transfers from host to device.
    pub uploads: u64,
    /// Bytes from host to device.
    pub uploaded: Bytes,
    /// Transfers from device to host.
    pub downloads: u64,
    /// Bytes from device to host.
    pub downloaded: Bytes,
    /// Copies made because a shared array was written to.
    pub copies: u64,
    /// Bytes of those copies.
    pub copied: Bytes,
}

static UPLOADS: AtomicU64 = AtomicU64::new(0);
static UPLOADED: AtomicU64 = AtomicU64::new(0);
static DOWNLOADS: AtomicU64 = AtomicU64::new(0);
static DOWNLOADED: AtomicU64 = AtomicU64::new(0);
static COPIES: AtomicU64 = AtomicU64::new(0);
static COPIED: AtomicU64 = AtomicU64::new(0);

/// Returns the current counts.
#[must_use]
pub fn transfer_counts() -> TransferCounts {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    TransferCounts {
        uploads: read(&UPLOADS),
        uploaded: Bytes(read(&UPLOADED)),
        downloads: read(&DOWNLOADS),
        downloaded: Bytes(read(&DOWNLOADED)),
        copies: read(&COPIES),
        copied: Bytes(read(&COPIED)),
    }
}

pub(crate) fn count(moved: &TransferTotals) {
    if moved.up.0 > 0 {
        UPLOADS.fetch_add(1, Ordering::Relaxed);
        UPLOADED.fetch_add(moved.up.0, Ordering::Relaxed);
    }
    if moved.down.0 > 0 {
        DOWNLOADS.fetch_add(1, Ordering::Relaxed);
        DOWNLOADED.fetch_add(moved.down.0, Ordering::Relaxed);
    }
}

pub(super) fn count_copy(bytes: Bytes) {
    COPIES.fetch_add(1, Ordering::Relaxed);
    COPIED.fetch_add(bytes.0, Ordering::Relaxed);
}
