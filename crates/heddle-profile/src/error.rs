//! Errors of reading, writing and serving recordings.
//!
//! Recording itself cannot fail. A message is one line that says what was asked and
//! what was found, the cause included, so there is no chain of sources to print;
//! [`ProfileError::hint`] says what to do about it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A recording that could not be written, read or served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The file could not be written; a regular file that was there before is untouched.
    #[error("cannot write {path:?}")]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// The system's error.
        #[source]
        cause: io::Error,
    },

    /// The file could not be opened or read.
    #[error("cannot read the profile {path:?}")]
    Read {
        /// The file asked for.
        path: PathBuf,
        /// The system's error.
        #[source]
        cause: io::Error,
    },

    /// The file is not a recording.
    #[error("{path:?} is not a Heddle profile: it contains {found}")]
    Foreign {
        /// The file asked for.
        path: PathBuf,
        /// What it contains instead.
        found: String,
    },

    /// The file was written by a newer Heddle.
    #[error("the profile {path:?} has format version {found}; this Heddle reads up to {newest}")]
    TooNew {
        /// The file asked for.
        path: PathBuf,
        /// Its format version.
        found: u64,
        /// The newest version this crate reads.
        newest: u64,
    },

    /// The file is a recording, or began as one, and cannot be parsed.
    #[error("the profile {path:?} is damaged")]
    Corrupt {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong, and at which position.
        #[source]
        cause: serde_json::Error,
    },

    /// The server of metrics could not be started.
    #[error("cannot serve metrics on {address}")]
    Serve {
        /// The address asked for.
        address: SocketAddr,
        /// The system's error.
        #[source]
        cause: io::Error,
    },
}

impl ProfileError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Write { cause, .. } | Self::Read { cause, .. } => file_hint(cause),
            Self::Foreign { .. } => "give a file that a Heddle profiler wrote",
            Self::TooNew { .. } => "read it with the Heddle that wrote it, or a newer one",
            Self::Corrupt { .. } => "record the run again",
            Self::Serve { .. } => "choose another address, or end what listens there",
        }
    }
}

/// What to do about a file that could not be read or written.
#[must_use]
pub fn file_hint(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "check the path: the file, or its folder, does not exist",
        io::ErrorKind::PermissionDenied => "choose a place that you may use, or ask for access",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free space on the disk, or write to another one"
        }
        io::ErrorKind::ReadOnlyFilesystem => "write to another place: this one is read-only",
        io::ErrorKind::IsADirectory => "name a file: this is a folder",
        io::ErrorKind::OutOfMemory => "give a smaller file, or more memory",
        io::ErrorKind::NotADirectory => "check the path: a part of it is a file, not a folder",
        _ => "check the path and its permissions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_answered_with_a_missing_folder() {
        let hint = |kind: io::ErrorKind| {
            ProfileError::Write {
                path: "run.json".into(),
                cause: kind.into(),
            }
            .hint()
        };
        assert!(hint(io::ErrorKind::StorageFull).contains("free space"));
        assert!(hint(io::ErrorKind::NotFound).contains("does not exist"));
        assert!(hint(io::ErrorKind::IsADirectory).contains("name a file"));
        assert!(hint(io::ErrorKind::ReadOnlyFilesystem).contains("read-only"));
    }
}
