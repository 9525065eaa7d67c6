//! Memory that is still held when everything should have been freed.

use std::fmt;

use serde::Serialize;

use super::statistics::SiteUsage;
use crate::device::DeviceId;
use crate::units::{Bytes, Nanos};

/// The memory still held and where it was allocated. Displayed, it is one line per site.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LiveAllocations {
    /// The device.
    pub device: DeviceId,
    /// The time of this reading, by the clock of the stack.
    pub at: Nanos,
    /// The holders, largest first.
    pub holders: Vec<SiteUsage>,
}

impl LiveAllocations {
    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    /// The bytes held in all.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.holders.iter().map(|holder| holder.bytes).sum()
    }
}

impl fmt::Display for LiveAllocations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(f, "nothing is held on {}", self.device);
        }
        let blocks = self.holders.iter().map(|holder| holder.blocks).sum();
        let (bytes, blocks) = (self.bytes(), CountedNoun(blocks, "block"));
        write!(f, "{bytes} in {blocks} still held on {}", self.device)?;
        for holder in &self.holders {
            let SiteUsage { site, bytes, .. } = holder;
            let blocks = CountedNoun(holder.blocks, "block");
            let age = self.at.saturating_sub(holder.oldest);
            write!(f, "\n  {bytes} in {blocks} by {site}, the oldest {age} old")?;
        }
        Ok(())
    }
}

/// A count with its noun.
pub(super) struct CountedNoun(pub(super) u64, pub(super) &'static str);

impl fmt::Display for CountedNoun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {noun}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AllocationSite;

    #[test]
    fn names_what_is_left_and_since_when() {
        let mut live_allocations = LiveAllocations {
            device: DeviceId::simt(0),
            at: Nanos(3_000_000_000),
            holders: Vec::new(),
        };
        assert_eq!(live_allocations.to_string(), "nothing is held on simt:0");
        let site = AllocationSite::of_caller("xor");
        live_allocations.holders.push(SiteUsage {
            site,
            bytes: Bytes(2048),
            blocks: 1,
            oldest: Nanos(1_000_000_000),
        });
        let expected = format!(
            "2 KiB in 1 block still held on simt:0\n  2 KiB in 1 block by {site}, the oldest 2 s old"
        );
        assert_eq!(live_allocations.to_string(), expected);
    }
}
