//! The memory of this process and its limits on addresses, as Linux reports them.

use std::fs;

use crate::units::Bytes;

/// What the process holds, and what its limits still leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessMemory {
    /// The bytes in memory that no file backs.
    pub(crate) resident: Bytes,
    /// What the limit of all addresses leaves (`ulimit -v`), if there is one.
    pub(crate) addresses_left: Option<Bytes>,
    /// What the limit of data leaves (`ulimit -d`), if there is one.
    pub(crate) data_left: Option<Bytes>,
}

impl ProcessMemory {
    /// Reads it. What the system does not report is 0, or no limit.
    pub(crate) fn read() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::of(&read("/proc/self/status"), &read("/proc/self/limits"))
    }

    fn of(status: &str, limits: &str) -> Self {
        // Lines such as "VmSize:     123 kB", always in this unit.
        let used = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let number: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
            Some(number.saturating_mul(1024))
        };
        // The soft limit is the first value, in bytes or "unlimited".
        let left = |limit: &str, name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
            let most: u64 = line.split_whitespace().next()?.parse().ok()?;
            Some(Bytes(most.saturating_sub(used(name)?)))
        };
        Self {
            resident: Bytes(used("RssAnon").or_else(|| used("VmRSS")).unwrap_or(0)),
            addresses_left: left("Max address space", "VmSize"),
            data_left: left("Max data size", "VmData"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_leave_what_is_not_used() {
        let status = "Name:\theddle\nVmSize:\t    3000 kB\nRssAnon:\t  116 kB\nVmData:\t 360 kB\n";
        let limits = "Limit        Soft Limit   Hard Limit  Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         4096000              unlimited            bytes\n";
        let found = ProcessMemory::of(status, limits);
        assert_eq!(found.resident, Bytes(116 << 10));
        assert_eq!(found.addresses_left, Some(Bytes(1000 << 10)));
        assert_eq!(found.data_left, None);
        assert_eq!(ProcessMemory::of("", ""), ProcessMemory::default());
    }
}
