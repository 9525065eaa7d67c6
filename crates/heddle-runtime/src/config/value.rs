//! One value of a setting, from a file or a variable, read as its key expects.
//!
//! TOML values have types, which are checked; a variable is always text. The layer knows which
//! key a value belongs to and where it was written.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;

use toml::de::DeValue;

use super::size::{SIZE_HINT, Size};
use crate::device::DeviceId;
use crate::units::Bytes;

/// A value as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// The text of an environment variable.
    Variable(&'a str),
    /// A value of the file.
    Toml(&'a DeValue<'a>),
}

/// Why a value does not suit its key.
#[derive(Debug)]
pub(super) struct Mismatch {
    /// What the key accepts.
    pub(super) expected: String,
    /// What was written.
    pub(super) found: String,
    /// What to write instead, where the expectation alone does not say it.
    pub(super) hint: Option<&'static str>,
    /// The position in the file, when the mistake is inside the value.
    pub(super) at: Option<usize>,
}

impl Mismatch {
    fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    fn inside(mut self, span: &Range<usize>) -> Self {
        self.at = Some(span.start);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

const DEVICE: &str = "a device such as \"cpu\" or \"cuda:0\"";

impl<'a> Value<'a> {
    /// Whether the value is this word, which stands for "not set".
    pub(super) fn is_word(self, word: &str) -> bool {
        self.text().is_some_and(|text| text.trim() == word)
    }

    pub(super) fn boolean(self) -> Result<bool, Mismatch> {
        match self {
            Self::Toml(DeValue::Boolean(boolean)) => Ok(*boolean),
            Self::Variable("true" | "1") => Ok(true),
            Self::Variable("false" | "0") => Ok(false),
            _ => Err(self.mismatch("true or false")),
        }
    }

    /// A whole number that is at least one.
    pub(super) fn count(self) -> Result<usize, Mismatch> {
        self.integer()
            .and_then(|count| usize::try_from(count).ok())
            .filter(|&count| count > 0)
            .ok_or_else(|| self.mismatch("a whole number above 0"))
    }

    /// A number from 0 to 1.
    pub(super) fn share(self) -> Result<f64, Mismatch> {
        let number = match self {
            Self::Variable(text) => text.trim().parse().ok(),
            Self::Toml(DeValue::Float(float)) => float.as_str().parse().ok(),
            Self::Toml(_) => self.integer().map(|integer| integer as f64),
        };
        number
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or_else(|| self.mismatch("a number from 0 to 1"))
    }

    pub(super) fn size(self) -> Result<Size, Mismatch> {
        const EXPECTED: &str = "a size such as \"1GiB\" or \"90%\"";
        if let Some(text) = self.text() {
            return Size::read(text).map_err(|why| Mismatch {
                expected: EXPECTED.to_owned(),
                found: format!("{}: {why}", self.found()),
                hint: Some(SIZE_HINT),
                at: None,
            });
        }
        self.integer()
            .and_then(|bytes| u64::try_from(bytes).ok())
            .map(|bytes| Size::Bytes(Bytes(bytes)))
            .ok_or_else(|| self.mismatch(EXPECTED).with_hint(SIZE_HINT))
    }

    /// A size in bytes above zero, not a share.
    pub(super) fn bytes(self) -> Result<Bytes, Mismatch> {
        match self.size() {
            Ok(Size::Bytes(bytes)) if bytes > Bytes(0) => Ok(bytes),
            Ok(_) => Err(self.mismatch("a number of bytes above 0 such as \"100MB\"")),
            Err(mismatch) => Err(mismatch),
        }
    }

    /// Names with values, as one text. Its reader interprets them.
    pub(super) fn pairs(self) -> Result<String, Mismatch> {
        const EXPECTED: &str = "pairs such as \"cells=64k,rows=8k\"";
        let text = self.text().ok_or_else(|| self.mismatch(EXPECTED))?;
        let is_pair = |entry: &str| {
            let pair = entry.split_once('=');
            pair.is_some_and(|(name, value)| !name.trim().is_empty() && !value.trim().is_empty())
        };
        if entries(text).all(is_pair) {
            Ok(text.to_owned())
        } else {
            Err(self.mismatch(EXPECTED))
        }
    }

    pub(super) fn address(self) -> Result<SocketAddr, Mismatch> {
        self.text()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| self.mismatch("an address and port such as \"127.0.0.1:9464\""))
    }

    /// One of these words.
    pub(super) fn one_of(self, words: &[&str]) -> Result<String, Mismatch> {
        let word = self.text().map(str::trim);
        let known = word.filter(|word| words.contains(word));
        known.map(ToOwned::to_owned).ok_or_else(|| {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            self.mismatch(&quoted.join(", "))
        })
    }

    pub(super) fn folder(self) -> Result<PathBuf, Mismatch> {
        self.path("the path of a folder")
    }

    pub(super) fn file(self) -> Result<PathBuf, Mismatch> {
        self.path("the path of a file")
    }

    fn path(self, expected: &str) -> Result<PathBuf, Mismatch> {
        match self.text() {
            None | Some("") => Err(self.mismatch(expected)),
            // Only shells expand it: taken literally, it would name a folder called ~.
            Some(text) if text.starts_with('~') => Err(self
                .mismatch(expected)
                .with_hint("write the path in full: only a shell expands ~")),
            Some(text) => Ok(PathBuf::from(text)),
        }
    }

    pub(super) fn device(self) -> Result<DeviceId, Mismatch> {
        self.text()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| {
                self.mismatch(DEVICE)
                    .with_hint("`heddle devices` lists them")
            })
    }

    /// An array of devices. In a variable, names separated by commas.
    pub(super) fn devices(self) -> Result<Vec<DeviceId>, Mismatch> {
        match self {
            Self::Variable(text) => entries(text)
                .map(|entry| Self::Variable(entry).device())
                .collect(),
            Self::Toml(DeValue::Array(array)) => array
                .iter()
                .map(|entry| {
                    let device = Value::Toml(entry.get_ref()).device();
                    device.map_err(|mismatch| mismatch.inside(&entry.span()))
                })
                .collect(),
            Self::Toml(_) => Err(self.mismatch("an array of devices such as [\"cuda:0\"]")),
        }
    }

    /// A table from names to devices. In a variable, `name=device` separated by commas.
    pub(super) fn devices_by_name(self) -> Result<BTreeMap<String, DeviceId>, Mismatch> {
        match self {
            Self::Variable(text) => entries(text)
                .map(|entry| {
                    let (name, device) = entry
                        .split_once('=')
                        .map(|(name, device)| (name.trim(), device))
                        .filter(|(name, _)| !name.is_empty())
                        .ok_or_else(|| {
                            Self::Variable(entry).mismatch("pairs such as xor=cpu,matmul=cuda:0")
                        })?;
                    Ok((name.to_owned(), Self::Variable(device).device()?))
                })
                .collect(),
            Self::Toml(DeValue::Table(table)) => table
                .iter()
                .map(|(name, device)| {
                    let device = Value::Toml(device.get_ref()).device();
                    let device = device.map_err(|mut mismatch| {
                        mismatch.found =
                            format!("{} for {}", mismatch.found, quoted(name.get_ref()));
                        mismatch.inside(&name.span())
                    })?;
                    Ok((name.get_ref().to_string(), device))
                })
                .collect(),
            Self::Toml(_) => Err(self.mismatch("a table such as { xor = \"cpu\" }")),
        }
    }

    /// Reports what the key accepts and what was found.
    pub(super) fn mismatch(self, expected: &str) -> Mismatch {
        Mismatch {
            expected: expected.to_owned(),
            found: self.found(),
            hint: None,
            at: None,
        }
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Variable(text) => Some(text),
            Self::Toml(value) => value.as_str(),
        }
    }

    fn integer(self) -> Option<i128> {
        match self {
            Self::Variable(text) => text.trim().parse().ok(),
            Self::Toml(value) => {
                let integer = value.as_integer()?;
                i128::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
        }
    }

    fn found(self) -> String {
        match self {
            Self::Variable("") => "nothing".to_owned(),
            Self::Variable(text) => quoted(text),
            Self::Toml(DeValue::String(text)) => format!("the string {}", quoted(text)),
            Self::Toml(DeValue::Integer(integer)) => format!("the integer {integer}"),
            Self::Toml(DeValue::Float(float)) => format!("the float {float}"),
            Self::Toml(DeValue::Boolean(boolean)) => format!("the boolean {boolean}"),
            Self::Toml(DeValue::Datetime(_)) => "a date".to_owned(),
            Self::Toml(DeValue::Array(array)) if array.is_empty() => "an empty array".to_owned(),
            Self::Toml(DeValue::Array(_)) => "an array".to_owned(),
            Self::Toml(DeValue::Table(_)) => "a table".to_owned(),
        }
    }
}

/// The entries of a comma-separated variable. Blank ones are left out, so an empty variable is
/// an empty list.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// The text in quotes on one line, shortened to stay readable in a message.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}
