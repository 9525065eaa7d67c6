//! Admission of host memory: every allocation whose size is chosen by input is checked here before
//! it is made.
//!
//! Host memory is the process's, so this has no runtime: arrays and lattices exist without one. A
//! request is granted if the process's limit, the machine, its control groups and its limits of
//! addresses all leave enough. Small requests are granted unseen, and a part of what was found
//! free is granted without looking again, because reading the system's files takes as long as
//! filling a megabyte.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::shortage::Shortage;
use crate::array::release_recycled;
use crate::error::Error;
use crate::machine::{Machine, ProcessMemory};
use crate::units::Bytes;

/// Smaller requests are granted unseen.
pub(crate) const CHECKED_FROM: Bytes = Bytes(1 << 20);

/// The part of the headroom found that is granted before it is read again, and the most of it.
const UNCHECKED_PART: u64 = 8;
const MAX_UNCHECKED: u64 = 256 << 20;

/// The part of the machine's free memory and of the addresses that is never granted, for stacks,
/// small allocations and other processes.
const KEPT_PART: u64 = 16;

/// The most bytes that the process may hold.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// What may still be granted without reading the system's files.
static UNCHECKED: AtomicU64 = AtomicU64::new(0);

/// What bounds the memory of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HostBound {
    /// The limit of [`set_host_limit`].
    Limit,
    /// The free memory of the machine.
    Machine,
    /// The limit of a control group: of a container or a service.
    ControlGroup,
    /// The limit of addresses, `ulimit -v`.
    Addresses,
    /// The limit of data, `ulimit -d`.
    Data,
    /// The allocator, which refused a request that seemed to fit.
    Allocator,
}

impl HostBound {
    /// What would help.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Limit => "choose a smaller size, or raise `memory.host_limit`",
            Self::Machine | Self::Allocator => {
                "choose a smaller size, or free memory on this machine"
            }
            Self::ControlGroup => {
                "choose a smaller size, or raise the memory limit of the container or service"
            }
            Self::Addresses => "choose a smaller size, or raise `ulimit -v`",
            Self::Data => "choose a smaller size, or raise `ulimit -d`",
        }
    }
}

impl fmt::Display for HostBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Limit => "left by `memory.host_limit`",
            Self::Machine => "left by the machine",
            Self::ControlGroup => "left by the control group",
            Self::Addresses => "left by the limit of addresses",
            Self::Data => "left by the limit of data",
            Self::Allocator => "free, but the allocator refused",
        })
    }
}

/// The memory that may be allocated now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostHeadroom {
    pub(super) free: Bytes,
    /// What the process holds.
    pub(super) held: Bytes,
    /// What leaves no more.
    pub(super) bound: HostBound,
}

/// Limits the bytes that this process may hold on the host, everything it allocated included. The
/// default is no limit: then what the machine has free bounds each request.
///
/// The command sets it to `memory.host_limit`. A runtime applies its own `memory.host_limit` to its
/// operations and to the arrays they leave, whatever is set here.
pub fn set_host_limit(limit: Bytes) {
    LIMIT.store(limit.0, Ordering::Relaxed);
    UNCHECKED.store(0, Ordering::Relaxed);
}

/// Checks that `bytes` of host memory can be allocated now, for something that `operation` names.
///
/// Fails with [`Error::OutOfMemory`] if not; nothing is reserved. Call it before allocating what
/// is sized by input, once with the sum where several allocations follow.
#[inline]
pub fn admit_host(operation: &'static str, bytes: Bytes) -> Result<(), Error> {
    if bytes < CHECKED_FROM {
        return Ok(());
    }
    check(operation, bytes)?;
    // The allocator may refuse what seemed to fit. The caller's own allocation could only abort.
    let mut probe: Vec<u8> = Vec::new();
    usize::try_from(bytes.0)
        .ok()
        .and_then(|bytes| probe.try_reserve_exact(bytes).ok())
        .ok_or_else(|| refused_by_allocator(operation, bytes))
}

/// The same for an allocation that itself reports its failure.
#[inline]
pub(crate) fn check(operation: &'static str, bytes: Bytes) -> Result<(), Error> {
    if bytes < CHECKED_FROM || take_unchecked(bytes) {
        return Ok(());
    }
    check_system(operation, bytes)
}

/// The error of an allocation that the allocator refused.
#[cold]
pub(crate) fn refused_by_allocator(operation: &'static str, bytes: Bytes) -> Error {
    let headroom = HostHeadroom {
        bound: HostBound::Allocator,
        ..headroom()
    };
    out_of_memory(operation, bytes, headroom)
}

fn take_unchecked(bytes: Bytes) -> bool {
    let taken = UNCHECKED.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(bytes.0)
    });
    taken.is_ok()
}

#[cold]
fn check_system(operation: &'static str, bytes: Bytes) -> Result<(), Error> {
    let mut found = headroom();
    if bytes > found.free {
        release_recycled();
        found = headroom();
    }
    let Some(left) = found.free.0.checked_sub(bytes.0) else {
        UNCHECKED.store(0, Ordering::Relaxed);
        return Err(out_of_memory(operation, bytes, found));
    };
    UNCHECKED.store(
        (left / UNCHECKED_PART).min(MAX_UNCHECKED),
        Ordering::Relaxed,
    );
    Ok(())
}

/// Reads what each bound leaves.
fn headroom() -> HostHeadroom {
    let process = ProcessMemory::read();
    let limit = LIMIT.load(Ordering::Relaxed);
    let bounds = [
        (
            (limit != u64::MAX).then(|| Bytes(limit).saturating_sub(process.resident)),
            HostBound::Limit,
        ),
        (
            Machine::unused_memory().map(without_kept),
            HostBound::Machine,
        ),
        (
            Machine::cgroup_headroom().map(without_kept),
            HostBound::ControlGroup,
        ),
        (
            process.addresses_left.map(without_kept),
            HostBound::Addresses,
        ),
        (process.data_left.map(without_kept), HostBound::Data),
    ];
    let tightest = bounds
        .into_iter()
        .filter_map(|(free, bound)| Some((free?, bound)))
        .min_by_key(|(free, _)| *free);
    let (free, bound) = tightest.unwrap_or((Bytes(u64::MAX), HostBound::Allocator));
    HostHeadroom {
        free,
        held: process.resident,
        bound,
    }
}

fn without_kept(free: Bytes) -> Bytes {
    Bytes(free.0 - free.0 / KEPT_PART)
}

#[cold]
fn out_of_memory(operation: &'static str, asked: Bytes, headroom: HostHeadroom) -> Error {
    Error::OutOfMemory {
        operation,
        shortage: Box::new(Shortage::of_host(
            asked,
            headroom,
            Bytes(LIMIT.load(Ordering::Relaxed)),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_requests_are_granted_and_impossible_ones_refused() {
        assert!(admit_host("a test", Bytes(CHECKED_FROM.0 - 1)).is_ok());
        assert!(admit_host("a test", CHECKED_FROM).is_ok());
        for bytes in [1 << 50, i64::MAX as u64, u64::MAX] {
            let Err(Error::OutOfMemory {
                operation,
                shortage,
            }) = admit_host("a test", Bytes(bytes))
            else {
                panic!("{bytes} bytes were granted");
            };
            assert_eq!((operation, shortage.asked), ("a test", Bytes(bytes)));
            assert!(shortage.free < shortage.asked);
            assert!(shortage.advice().contains("smaller size"));
        }
    }
}
