//! Limits of what is read from files.
//!
//! Every limit is checked while a file is read or unpacked, not by the size that a file system
//! or an archive states. Together they keep the memory of any input below 1.5 GB: a file of programs
//! may take 20 times its bytes, and is the worst. Less than that is admitted where
//! `memory.host_limit` or the machine leaves less. `docs/arc.md` lists them.

use heddle_profile::{Admit, read_rest};
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file of programs. Chains of a million lines take 28 MB.
pub const MAX_PROGRAM_BYTES: u64 = 64 << 20;

/// The most errors of a file of programs; what follows the last one is not read.
pub const MAX_PROGRAM_ERRORS: usize = 10_000;

/// The most calls of all programs of a plan that is read as text.
pub const MAX_PLAN_CALLS: usize = 16 << 20;

/// The most bytes of a file of golden vectors. A cell of a grid takes 32 bytes in memory.
pub const MAX_VECTOR_BYTES: u64 = 16 << 20;

/// The most bytes that the tasks of one path take: the bytes of its files or members, unpacked,
/// and [`JSON_VALUE_BYTES`] for each value that is no cell of a grid. All of ARC takes less
/// than 20 MB.
pub const MAX_DATA_BYTES: u64 = 256 << 20;

/// What a JSON value is counted as: what it takes in memory, with its key.
pub const JSON_VALUE_BYTES: u64 = 80;

/// The most members of an archive.
pub const MAX_ARCHIVE_MEMBERS: usize = 50_000;

/// The most bytes that an archive unpacks to for each of its own, beyond a free megabyte. Packing
/// texts of tasks makes them about ten times smaller.
pub const MAX_ARCHIVE_RATIO: u64 = 200;

/// Reads a file, pipe or device to its end. `None` if it has more bytes than `limit`; then no
/// more than that are read.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let stated = file.metadata()?;
    if stated.is_file() && stated.len() > limit {
        return Ok(None);
    }
    read_all(file, limit)
}

/// Reads to the end; `None` if there are more bytes than `limit`. The memory of what is read passes
/// [`admit_host`]; its error is inside the one returned.
pub(crate) fn read_all(source: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let admit: Admit<'_> = &|bytes| Ok(admit_host("the bytes of a file", Bytes(bytes))?);
    match read_rest(Vec::new(), source, limit, admit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_an_end_is_refused_at_the_limit() {
        assert_eq!(read_all(io::repeat(7), 100).unwrap(), None);
        assert_eq!(
            read_all(io::repeat(7).take(3), 3).unwrap(),
            Some(vec![7; 3])
        );
        assert_eq!(read(Path::new("/dev/zero"), 100).unwrap(), None);
    }
}
