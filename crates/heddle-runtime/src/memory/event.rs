//! The format of an allocation log: one JSON object per line, a header first.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

/// The version of the log format. It is raised when old logs can no longer be read.
pub const LOG_VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHeader {
    /// The version of the format, under a name that no other format uses.
    pub heddle_allocation_log: u32,
    /// The device.
    pub device: String,
    /// The device's limit.
    pub capacity: Bytes,
}

/// One line after the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine<'a> {
    /// The time, by the clock of the stack.
    pub at: Nanos,
    /// The event.
    #[serde(flatten)]
    pub event: AllocationEvent<'a>,
}

/// An event of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AllocationEvent<'a> {
    /// A block was requested.
    Allocate {
        /// The bytes requested.
        bytes: Bytes,
        /// The number of the stream that requested it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<u8>,
        /// The block's address, or none if it was refused.
        address: Option<u64>,
        /// The site that requested it.
        site: Cow<'a, str>,
    },
    /// A block was freed.
    Free {
        /// The block's address.
        address: u64,
        /// The streams with work queued on it.
        busy: u64,
    },
    /// Work was announced on these streams.
    Queued {
        /// The streams.
        streams: u64,
    },
    /// Work on these streams has run.
    #[serde(alias = "settled")]
    Synchronized {
        /// The streams.
        streams: u64,
    },
    /// All unused memory was released.
    Trim,
}
