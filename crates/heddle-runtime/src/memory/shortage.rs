//! The report of a request that did not fit: what was requested, what was found, and what would
//! help.

use std::fmt;

use serde::Serialize;

use super::host_memory::{HostBound, HostHeadroom};
use super::ledger::LedgerReading;
use super::live_allocations::CountedNoun;
use super::statistics::SiteUsage;
use crate::device::DeviceId;
use crate::error::Error;
use crate::units::Bytes;

/// A request that did not fit after every attempt to free memory.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Shortage {
    /// The device.
    pub device: DeviceId,
    /// The bytes requested, as they would have been granted.
    pub asked: Bytes,
    /// The bytes that can still be committed.
    pub free: Bytes,
    /// The bytes reserved by running operations and not drawn yet.
    pub reserved: Bytes,
    /// The bytes held for reuse.
    pub pooled: Bytes,
    /// The largest block among them.
    pub largest_free_block: Bytes,
    /// The bytes free as the driver reports them, if there is a driver.
    pub driver_free: Option<Bytes>,
    /// The part of the limit that the driver could not provide when it was last queried.
    pub taken_by_others: Bytes,
    /// The most bytes that may be committed.
    pub capacity: Bytes,
    /// On the host, the bytes held already: by arrays, or where `bound` is given by the process.
    pub held: Bytes,
    /// What bounds an allocation of host memory; `None` for the limit of a device or a runtime.
    pub bound: Option<HostBound>,
    /// The largest holders, largest first.
    pub holders: Vec<SiteUsage>,
}

/// Why an allocation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllocateError {
    /// There is not enough memory.
    #[error(transparent)]
    Short(Box<Shortage>),
    /// The device failed.
    #[error(transparent)]
    DriverError(Box<Error>),
}

impl From<AllocateError> for Error {
    fn from(error: AllocateError) -> Self {
        match error {
            AllocateError::Short(shortage) => Self::OutOfMemory {
                operation: "an allocation",
                shortage,
            },
            AllocateError::DriverError(error) => *error,
        }
    }
}

impl Shortage {
    /// The shortage of a device with a ledger only, and with arrays that hold `held` bytes.
    pub(crate) fn of_ledger(
        device: DeviceId,
        asked: Bytes,
        held: Bytes,
        found: &LedgerReading,
    ) -> Self {
        Self {
            device,
            asked,
            free: found.free().saturating_sub(held),
            reserved: found.reserved,
            pooled: Bytes(0),
            largest_free_block: Bytes(0),
            driver_free: None,
            taken_by_others: Bytes(0),
            capacity: found.capacity,
            held,
            bound: None,
            holders: Vec::new(),
        }
    }

    /// The shortage of host memory for an allocation.
    pub(super) fn of_host(asked: Bytes, headroom: HostHeadroom, limit: Bytes) -> Self {
        Self {
            device: DeviceId::CPU,
            asked,
            free: headroom.free,
            reserved: Bytes(0),
            pooled: Bytes(0),
            largest_free_block: Bytes(0),
            driver_free: None,
            taken_by_others: Bytes(0),
            capacity: limit,
            held: headroom.held,
            bound: Some(headroom.bound),
            holders: Vec::new(),
        }
    }

    /// The configuration key that sets the limit.
    fn limit_key(&self) -> &'static str {
        if self.device.has_own_memory() {
            "memory.device_limit"
        } else {
            "memory.host_limit"
        }
    }

    /// Returns what would help.
    #[must_use]
    pub fn advice(&self) -> String {
        let Self { asked, device, .. } = self;
        let largest = self.holders.first();
        if let Some(bound) = self.bound {
            bound.advice().to_owned()
        } else if *asked > self.capacity {
            format!(
                "split the operands, or raise `{}`: {device} may use no more than {} in all",
                self.limit_key(),
                self.capacity
            )
        } else if self.other_processes_hold_it() {
            "end the other processes on the device, or lower `memory.device_limit`".to_owned()
        } else if self.free >= *asked {
            "the free memory is in pieces: free what was allocated last, or split the operands"
                .to_owned()
        } else if self.free + self.reserved >= *asked {
            "wait for the running operations: what they reserved would be enough".to_owned()
        } else if self.free + self.held >= *asked {
            format!(
                "drop arrays, raise `{}`, or split the operands",
                self.limit_key()
            )
        } else if let Some(SiteUsage {
            site,
            bytes,
            blocks,
            ..
        }) = largest
        {
            let blocks = CountedNoun(*blocks, "block");
            format!("free what {site} holds, {bytes} in {blocks}, or split the operands")
        } else {
            format!("raise `{}`, or split the operands", self.limit_key())
        }
    }

    /// Returns what was found, in one line; [`advice`](Self::advice) returns what to do.
    #[must_use]
    pub fn found(&self) -> impl fmt::Display + '_ {
        ShortageText(self)
    }

    /// Whether the limit would have allowed it, but the driver has no more memory.
    fn other_processes_hold_it(&self) -> bool {
        let within_reach = self.driver_free.map(|free| free + self.pooled);
        self.free + self.taken_by_others >= self.asked
            && within_reach.is_some_and(|bytes| bytes < self.asked)
    }
}

struct ShortageText<'a>(&'a Shortage);

impl fmt::Display for ShortageText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(shortage) = self;
        let Shortage {
            free,
            held,
            capacity,
            reserved,
            pooled,
            largest_free_block: largest,
            ..
        } = shortage;
        if let Some(bound) = shortage.bound {
            write!(f, "{free} is {bound}; the process holds {held}")?;
            return match bound {
                HostBound::Limit => write!(f, " of {capacity}"),
                _ => Ok(()),
            };
        }
        write!(
            f,
            "{free} of {capacity} is free ({reserved} reserved by running operations"
        )?;
        if *held > Bytes(0) {
            write!(f, ", {held} held by arrays")?;
        }
        if *pooled > Bytes(0) {
            write!(f, ", {pooled} pooled in blocks of up to {largest}")?;
        }
        if let Some(free) = shortage.driver_free {
            write!(f, ", {free} left by the driver")?;
        }
        f.write_str(")")?;
        for (index, holder) in shortage.holders.iter().enumerate() {
            let start = if index == 0 { "; held:" } else { "," };
            let blocks = CountedNoun(holder.blocks, "block");
            let SiteUsage { site, bytes, .. } = holder;
            write!(f, "{start} {bytes} in {blocks} by {site}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, device, .. } = self;
        let (found, advice) = (self.found(), self.advice());
        write!(f, "{asked} do not fit on {device}, where {found}; {advice}")
    }
}

impl std::error::Error for Shortage {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AllocationSite;
    use crate::units::Nanos;

    fn shortage() -> Shortage {
        Shortage {
            device: DeviceId::simt(0),
            asked: Bytes(48 << 20),
            free: Bytes(16 << 20),
            reserved: Bytes(0),
            pooled: Bytes(4 << 20),
            largest_free_block: Bytes(2 << 20),
            driver_free: None,
            taken_by_others: Bytes(0),
            capacity: Bytes(64 << 20),
            held: Bytes(0),
            bound: None,
            holders: vec![SiteUsage {
                site: AllocationSite::of_caller("matmul"),
                bytes: Bytes(40 << 20),
                blocks: 2,
                oldest: Nanos(0),
            }],
        }
    }

    #[test]
    fn names_the_largest_holder() {
        let text = shortage().to_string();
        assert!(
            text.starts_with(
                "48 MiB do not fit on simt:0, where 16 MiB of 64 MiB is free (0 B reserved by running operations, 4 MiB pooled in blocks of up to 2 MiB); held: 40 MiB in 2 blocks by matmul at "
            ),
            "{text}"
        );
        assert!(text.ends_with("holds, 40 MiB in 2 blocks, or split the operands"));
    }

    #[test]
    fn gives_the_advice_that_applies() {
        let tells = |change: fn(&mut Shortage), word: &str| {
            let mut shortage = shortage();
            change(&mut shortage);
            let advice = shortage.advice();
            assert!(advice.contains(word), "{advice}");
        };
        tells(|it| it.asked = Bytes(65 << 20), "split");
        tells(|it| it.free = it.asked, "in pieces");
        tells(
            |it| {
                it.free = it.asked;
                it.driver_free = Some(Bytes(1));
            },
            "other processes",
        );
        tells(
            |it| {
                it.taken_by_others = it.asked;
                it.driver_free = Some(Bytes(1));
            },
            "other processes",
        );
        tells(|it| it.reserved = it.asked, "wait");
        tells(|it| it.held = it.asked, "drop arrays");
        tells(|it| it.bound = Some(HostBound::Addresses), "ulimit -v");
        tells(|it| it.holders.clear(), "device_limit");
    }
}
