//! Device names: `cpu`, `cuda:0`, `simt:3`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The family a device belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    /// The host's processor.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// An emulated GPU, for tests. Never chosen unless named.
    Simt,
}

impl DeviceKind {
    /// The name users write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Simt => "simt",
        }
    }

    /// Whether this family has a memory of its own.
    #[must_use]
    pub const fn is_gpu(self) -> bool {
        !matches!(self, Self::Cpu)
    }
}

/// One device of this machine. Orders CPU first, then by family and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeviceId {
    kind: DeviceKind,
    index: u16,
}

impl DeviceId {
    /// The processor. There is one.
    pub const CPU: Self = Self {
        kind: DeviceKind::Cpu,
        index: 0,
    };

    pub(crate) const fn new(kind: DeviceKind, index: u16) -> Self {
        Self { kind, index }
    }

    /// The NVIDIA GPU with this index.
    #[must_use]
    pub const fn cuda(index: u16) -> Self {
        Self {
            kind: DeviceKind::Cuda,
            index,
        }
    }

    /// The emulated GPU with this index.
    #[must_use]
    pub const fn simt(index: u16) -> Self {
        Self {
            kind: DeviceKind::Simt,
            index,
        }
    }

    /// Its family.
    #[must_use]
    pub const fn kind(self) -> DeviceKind {
        self.kind
    }

    /// Its number within the family.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.index
    }

    /// The same name in the profiler's words.
    #[must_use]
    pub const fn tag(self) -> heddle_profile::DeviceTag {
        heddle_profile::DeviceTag {
            kind: self.kind.name(),
            index: match self.kind {
                DeviceKind::Cpu => None,
                DeviceKind::Cuda | DeviceKind::Simt => Some(self.index),
            },
        }
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            DeviceKind::Cpu => f.pad("cpu"),
            DeviceKind::Cuda | DeviceKind::Simt => {
                f.pad(&format!("{}:{}", self.kind.name(), self.index))
            }
        }
    }
}

impl FromStr for DeviceId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadDeviceName {
            found: text.to_owned(),
        };
        let (family, index) = match text.split_once(':') {
            Some((family, index)) => (family, index.parse::<u16>().map_err(|_| bad())?),
            None => (text, 0),
        };
        match (family, index) {
            ("cpu", 0) => Ok(Self::CPU),
            ("cuda", index) => Ok(Self::cuda(index)),
            ("simt", index) => Ok(Self::simt(index)),
            _ => Err(bad()),
        }
    }
}

impl TryFrom<String> for DeviceId {
    type Error = Error;
    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<DeviceId> for String {
    fn from(id: DeviceId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for id in [DeviceId::CPU, DeviceId::cuda(0), DeviceId::simt(12)] {
            assert_eq!(id.to_string().parse::<DeviceId>().unwrap(), id);
        }
        assert_eq!("cuda".parse::<DeviceId>().unwrap(), DeviceId::cuda(0));
    }

    #[test]
    fn nonsense_is_refused_with_a_hint() {
        for text in [
            "",
            "gpu",
            "cpu:1",
            "cuda:",
            "cuda:-1",
            "cuda:99999",
            "cuda:0:0",
        ] {
            let error = text.parse::<DeviceId>().unwrap_err();
            assert!(error.hint().is_some(), "{text}: {error}");
        }
    }
}
