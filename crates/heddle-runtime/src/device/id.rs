//! Device names: `cpu`, `cuda:0`, `simt:3`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::DeviceFamily;
use crate::error::Error;

/// One device of this machine. Orders CPU first, then by family and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeviceId {
    family: DeviceFamily,
    index: u16,
}

impl DeviceId {
    /// The CPU. There is one.
    pub const CPU: Self = Self {
        family: DeviceFamily::CPU,
        index: 0,
    };

    /// Returns the id of the device of this family with this index. There is one CPU: its index is
    /// always 0.
    #[must_use]
    pub fn new(family: DeviceFamily, index: u16) -> Self {
        if family == DeviceFamily::CPU {
            return Self::CPU;
        }
        Self { family, index }
    }

    /// Returns the id of the NVIDIA GPU with this index.
    #[must_use]
    pub const fn cuda(index: u16) -> Self {
        Self {
            family: DeviceFamily::CUDA,
            index,
        }
    }

    /// Returns the id of the emulated GPU with this index.
    #[must_use]
    pub const fn simt(index: u16) -> Self {
        Self {
            family: DeviceFamily::SIMT,
            index,
        }
    }

    /// Its family.
    #[must_use]
    pub const fn family(self) -> DeviceFamily {
        self.family
    }

    /// Whether it works on host memory, with host code.
    #[inline]
    #[must_use]
    pub fn is_host(self) -> bool {
        !self.has_own_memory()
    }

    /// Whether operands have to be moved to it.
    #[inline]
    #[must_use]
    pub fn has_own_memory(self) -> bool {
        self.family.capabilities().has_own_memory
    }

    /// Whether it runs the kernels that operations bring along.
    #[inline]
    #[must_use]
    pub fn has_kernels(self) -> bool {
        self.family.capabilities().has_kernels
    }

    /// Whether it stands in for hardware, and is only used if it is named.
    #[inline]
    #[must_use]
    pub fn is_emulated(self) -> bool {
        self.family.capabilities().is_emulated
    }

    /// Its number within the family.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.index
    }

    /// Returns the same name as a type of the profiler.
    #[must_use]
    pub fn tag(self) -> heddle_profile::DeviceTag {
        heddle_profile::DeviceTag {
            kind: self.family.name(),
            index: (self != Self::CPU).then_some(self.index),
        }
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::CPU {
            return f.pad("cpu");
        }
        f.pad(&format!("{}:{}", self.family.name(), self.index))
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
        match DeviceFamily::find(family) {
            Some(DeviceFamily::CPU) if index > 0 => Err(bad()),
            Some(family) => Ok(Self::new(family, index)),
            None => Err(bad()),
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
    fn names_are_parsed_back() {
        for id in [DeviceId::CPU, DeviceId::cuda(0), DeviceId::simt(12)] {
            assert_eq!(id.to_string().parse::<DeviceId>().unwrap(), id);
        }
        assert_eq!("cuda".parse::<DeviceId>().unwrap(), DeviceId::cuda(0));
    }

    #[test]
    fn an_invalid_name_is_refused_with_a_hint() {
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
