//! What an allocation log holds: one JSON object per line, a header first.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

/// Raised when old logs can no longer be read.
pub const LOG_VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHeader {
    /// The version of the format, under a name that no other file has.
    pub heddle_allocation_log: u32,
    /// Whose memory it was.
    pub device: String,
    /// Its limit.
    pub capacity: Bytes,
}

/// One line after the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine<'a> {
    /// When, by the clock of the stack.
    pub at: Nanos,
    /// What.
    #[serde(flatten)]
    pub event: Event<'a>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// A block was asked for.
    Allocate {
        /// Bytes asked for.
        bytes: Bytes,
        /// The number of the stream it was for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<u8>,
        /// Where it lies; none if it was refused.
        address: Option<u64>,
        /// Who asked.
        site: Cow<'a, str>,
    },
    /// A block was freed.
    Free {
        /// Where it lay.
        address: u64,
        /// The streams with work queued on it.
        busy: u64,
    },
    /// Work of these streams was announced.
    Queued {
        /// Which.
        streams: u64,
    },
    /// Work of these streams had run.
    Settled {
        /// Which.
        streams: u64,
    },
    /// Everything unused was given back.
    Trim,
}
