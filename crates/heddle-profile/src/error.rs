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
    /// The file could not be written; what was there before is untouched.
    #[error("cannot write the profile {path:?}")]
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
            Self::Write { .. } => "choose a folder that exists, is writable and has space",
            Self::Read { .. } => "check the path and its permissions",
            Self::Foreign { .. } => "give a file that a Heddle profiler wrote",
            Self::TooNew { .. } => "read it with the Heddle that wrote it, or a newer one",
            Self::Corrupt { .. } => "record the run again",
            Self::Serve { .. } => "choose another address, or end what listens there",
        }
    }
}
