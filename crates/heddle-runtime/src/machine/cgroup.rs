//! The memory that control groups allow this process, by the files of versions 1 and 2.
//!
//! A limit holds for everything below it, so a process is bound by its own group and by all above
//! it. A container sees its own group as the root, whatever path the process is said to have.

use std::fs;
use std::path::{Path, PathBuf};

use crate::units::Bytes;

/// The most that the groups allow, and what they still leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupMemory {
    pub(super) limit: Bytes,
    pub(super) headroom: Bytes,
}

/// The names of one version's files.
struct FileNames {
    limit: &'static str,
    used: &'static str,
    /// In `memory.stat`: pages of files that are dropped when memory is needed.
    reclaimable: &'static str,
}

const VERSION_1: FileNames = FileNames {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};
const VERSION_2: FileNames = FileNames {
    limit: "memory.max",
    used: "memory.current",
    reclaimable: "inactive_file",
};

/// Returns the tightest of this process's groups; `None` if none has a limit.
pub(super) fn read() -> Option<GroupMemory> {
    let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
    tightest(Path::new("/sys/fs/cgroup"), &membership)
}

/// `membership` has lines of `number:controllers:path`.
fn tightest(root: &Path, membership: &str) -> Option<GroupMemory> {
    let groups = membership.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (mount, names) = if controllers.is_empty() {
            (root.to_owned(), &VERSION_2)
        } else if controllers.split(',').any(|name| name == "memory") {
            (root.join("memory"), &VERSION_1)
        } else {
            return Vec::new();
        };
        with_parents(&mount, path)
            .iter()
            .filter_map(|group| memory_of(group, names))
            .collect()
    });
    groups.reduce(|one, other| GroupMemory {
        limit: one.limit.min(other.limit),
        headroom: one.headroom.min(other.headroom),
    })
}

/// The folder of the group at `path` and of all above it.
fn with_parents(mount: &Path, path: &str) -> Vec<PathBuf> {
    let below = Path::new(path.trim_start_matches('/'));
    below.ancestors().map(|path| mount.join(path)).collect()
}

/// The memory of one group, unless it has no limit: "max", or in version 1 more than the address
/// range.
fn memory_of(group: &Path, names: &FileNames) -> Option<GroupMemory> {
    let number = |name| -> Option<u64> {
        let text = fs::read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    let limit = number(names.limit).filter(|&limit| limit < 1 << 60)?;
    let used = number(names.used)?;
    let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let reclaimable = statistics
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == names.reclaimable)
        .and_then(|(_, bytes)| bytes.trim().parse().ok())
        .unwrap_or(0);
    Some(GroupMemory {
        limit: Bytes(limit),
        headroom: Bytes(limit.saturating_sub(used.saturating_sub(reclaimable))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, group: &str, files: &[(&str, &str)]) {
        fs::create_dir_all(root.join(group)).unwrap();
        for (name, text) in files {
            fs::write(root.join(group).join(name), text).unwrap();
        }
    }

    #[test]
    fn the_tightest_group_of_version_2_counts() {
        let root = tempfile::tempdir().unwrap();
        let service = [
            ("memory.max", "1000\n"),
            ("memory.current", "700\n"),
            ("memory.stat", "anon 400\ninactive_file 200\n"),
        ];
        write(root.path(), "system/service", &service);
        write(
            root.path(),
            "system",
            &[("memory.max", "max\n"), ("memory.current", "900\n")],
        );
        let found = tightest(root.path(), "0::/system/service/worker\n").unwrap();
        assert_eq!((found.limit, found.headroom), (Bytes(1000), Bytes(500)));
        write(root.path(), "system", &[("memory.max", "950\n")]);
        let found = tightest(root.path(), "0::/system/service\n").unwrap();
        assert_eq!((found.limit, found.headroom), (Bytes(950), Bytes(50)));
        assert_eq!(tightest(root.path(), "0::/\n"), None);
    }

    #[test]
    fn a_container_of_version_1_sees_its_group_as_the_root() {
        let root = tempfile::tempdir().unwrap();
        let group = [
            ("memory.limit_in_bytes", "4096"),
            ("memory.usage_in_bytes", "1096"),
            ("memory.stat", "inactive_file 1\ntotal_inactive_file 96\n"),
        ];
        write(root.path(), "memory", &group);
        let membership = "5:cpu:/x\n4:cpuset,memory:/docker/4711\n0::/\n";
        let found = tightest(root.path(), membership).unwrap();
        assert_eq!((found.limit, found.headroom), (Bytes(4096), Bytes(3096)));
        write(
            root.path(),
            "memory",
            &[("memory.limit_in_bytes", "9223372036854771712")],
        );
        assert_eq!(tightest(root.path(), membership), None);
    }
}
