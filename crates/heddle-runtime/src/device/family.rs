//! Families of devices, and the capabilities of a family.

use std::fmt;
use std::sync::OnceLock;

use crate::error::Error;

/// The capabilities of a device, the only distinction that the rest of the runtime makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether it has its own memory, which operands are moved to. A device without it works on
    /// host memory, with host code.
    pub has_own_memory: bool,
    /// Whether it runs the kernels that operations bring along, whatever the operation. False for a
    /// device with kernels of another form, which its operations select by family.
    pub has_kernels: bool,
    /// Whether it stands in for hardware. Such a device is only used if it is named.
    pub is_emulated: bool,
}

/// A family of devices: the part of a device's name before the colon.
///
/// `cpu`, `cuda` and `simt` are built in; a crate with devices of another family
/// [registers](Self::register) it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceFamily(u8);

struct Entry {
    name: &'static str,
    capabilities: Capabilities,
}

static BUILT_IN: [Entry; 3] = [
    Entry {
        name: "cpu",
        capabilities: Capabilities {
            has_own_memory: false,
            has_kernels: false,
            is_emulated: false,
        },
    },
    Entry {
        name: "cuda",
        capabilities: Capabilities {
            has_own_memory: true,
            has_kernels: true,
            is_emulated: false,
        },
    },
    Entry {
        name: "simt",
        capabilities: Capabilities {
            has_own_memory: true,
            has_kernels: true,
            is_emulated: true,
        },
    },
];

/// Filled from the front and never emptied, so that reading takes no lock.
static REGISTERED: [OnceLock<Entry>; 32] = [const { OnceLock::new() }; 32];

impl DeviceFamily {
    /// The host's CPU.
    pub const CPU: Self = Self(0);
    /// NVIDIA GPUs.
    pub const CUDA: Self = Self(1);
    /// Emulated GPUs, for tests.
    pub const SIMT: Self = Self(2);

    /// Registers the family of this name until the process ends. Registering it again with the same
    /// capabilities returns the same family.
    ///
    /// Fails on a name that is not lower-case letters and digits beginning with a letter, on one
    /// that is registered with other capabilities, and after 32 families.
    pub fn register(name: &'static str, capabilities: Capabilities) -> Result<Self, Error> {
        let refuse = |parameter, expected, found: &str| Error::BadParameter {
            operation: "registering a family of devices",
            parameter,
            expected,
            found: found.to_owned(),
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if !is_name || name == "auto" {
            let expected = "lower-case letters and digits, beginning with a letter; not `auto`";
            return Err(refuse("name", expected, name));
        }
        let mut built_in = BUILT_IN.iter().zip(0..);
        if let Some((_, code)) = built_in.find(|(entry, _)| entry.name == name) {
            return Self(code).with(capabilities, &refuse);
        }
        for (cell, code) in REGISTERED.iter().zip(BUILT_IN.len() as u8..) {
            let entry = cell.get_or_init(|| Entry { name, capabilities });
            if entry.name == name {
                return Self(code).with(capabilities, &refuse);
            }
        }
        Err(refuse("number", "at most 32 families", name))
    }

    /// Returns the family, if it has these capabilities.
    fn with(
        self,
        capabilities: Capabilities,
        refuse: &dyn Fn(&'static str, &'static str, &str) -> Error,
    ) -> Result<Self, Error> {
        if self.capabilities() == capabilities {
            return Ok(self);
        }
        let expected = "those it was registered with before";
        Err(refuse(
            "capabilities",
            expected,
            &format!("{capabilities:?}"),
        ))
    }

    /// Returns every family, those built in first.
    pub fn all() -> impl Iterator<Item = Self> {
        let registered = REGISTERED.iter().take_while(|cell| cell.get().is_some());
        (0..(BUILT_IN.len() + registered.count()) as u8).map(Self)
    }

    /// Returns the family of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|family| family.name() == name)
    }

    /// The name as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The capabilities of its devices.
    #[inline]
    #[must_use]
    pub fn capabilities(self) -> Capabilities {
        self.entry().capabilities
    }

    #[inline]
    fn entry(self) -> &'static Entry {
        let code = usize::from(self.0);
        if let Some(entry) = BUILT_IN.get(code) {
            return entry;
        }
        #[allow(
            clippy::expect_used,
            reason = "a family is made after its cell is filled"
        )]
        let entry = REGISTERED[code - BUILT_IN.len()].get().expect("filled");
        entry
    }

    /// The number that stands for it in this process.
    pub(crate) const fn code(self) -> u8 {
        self.0
    }

    /// Returns the family with this number.
    pub(crate) const fn of_code(code: u8) -> Self {
        Self(code)
    }
}

impl fmt::Debug for DeviceFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_families_are_found_and_cannot_be_changed() {
        for family in [DeviceFamily::CPU, DeviceFamily::CUDA, DeviceFamily::SIMT] {
            assert_eq!(DeviceFamily::find(family.name()), Some(family));
            let again = DeviceFamily::register(family.name(), family.capabilities());
            assert_eq!(again.unwrap(), family);
            let mut other = family.capabilities();
            other.is_emulated = !other.is_emulated;
            assert!(DeviceFamily::register(family.name(), other).is_err());
        }
    }

    #[test]
    fn a_registered_family_is_found() {
        let capabilities = Capabilities {
            has_own_memory: true,
            ..Capabilities::default()
        };
        let family = DeviceFamily::register("tpu", capabilities).unwrap();
        assert_eq!(family.capabilities(), capabilities);
        assert_eq!(DeviceFamily::find("tpu"), Some(family));
        assert_eq!(DeviceFamily::register("tpu", capabilities).unwrap(), family);
        let other = DeviceFamily::register("tpu", Capabilities::default());
        assert!(
            other
                .unwrap_err()
                .to_string()
                .contains("registered with before")
        );
        assert!(family > DeviceFamily::SIMT);
    }

    #[test]
    fn invalid_names_are_refused() {
        for name in ["", "auto", "NPU", "a:b", "1st", "two words"] {
            let refused = DeviceFamily::register(name, Capabilities::default());
            assert!(refused.is_err(), "{name}");
        }
    }
}
