//! Interned names, so that a record is a few words.
//!
//! The table is shared by all profilers of the process and never shrinks, so it is
//! bounded. After [`MOST`] distinct names every further one is recorded as
//! [`OVERFLOW`].

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, LazyLock, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest number of distinct names.
const MOST: usize = u16::MAX as usize;

/// The name recorded once the table is full.
const OVERFLOW: &str = "(too many names)";

/// A name, shared by all spans that have it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::from("")
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// A name's number in the table. Zero is the empty name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameId(pub(crate) u16);

impl NameId {
    pub(crate) const EMPTY: Self = Self(0);
    pub(crate) const SCOPE: Self = Self(2);
    pub(crate) const CPU: Self = Self(3);
}

/// The table of interned names, in both directions.
struct Table {
    names: Vec<Name>,
    ids: HashMap<Name, u16>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(|| {
    let mut table = Table {
        names: Vec::new(),
        ids: HashMap::new(),
    };
    // In the order of the constants of `NameId`; overflow is 1.
    for name in ["", OVERFLOW, "scope", "cpu"] {
        table.add(name);
    }
    RwLock::new(table)
});

impl Table {
    fn add(&mut self, text: &str) -> u16 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        if self.names.len() >= MOST {
            return 1;
        }
        let (name, id) = (Name::from(text), self.names.len() as u16);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }
}

/// The number of a name, added to the table if it is new.
pub(crate) fn intern(text: &str) -> NameId {
    // A panic while the lock is held at worst loses the last name, so a poisoned
    // lock is used.
    let known = TABLE
        .read()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .ids
        .get(text)
        .copied();
    NameId(known.unwrap_or_else(|| {
        TABLE
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .add(text)
    }))
}

/// All names in the table, by number.
pub(crate) fn names() -> Vec<Name> {
    TABLE
        .read()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .names
        .clone()
}

/// A name in the source code, with its number once it has one.
///
/// Made by [`span!`](crate::span!) and `#[profiled]`; not meant for other uses.
#[derive(Debug)]
pub struct CallSite {
    name: &'static str,
    /// Zero until the name is first recorded; always zero if it is empty.
    id: AtomicU16,
}

impl CallSite {
    /// A call site named `name`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            id: AtomicU16::new(0),
        }
    }

    #[inline]
    pub(crate) fn id(&self) -> NameId {
        match self.id.load(Ordering::Relaxed) {
            0 => self.first(),
            id => NameId(id),
        }
    }

    #[cold]
    fn first(&self) -> NameId {
        let id = intern(self.name);
        self.id.store(id.0, Ordering::Relaxed);
        id
    }
}

/// A thread's cache of the numbers of static names, by address. A static string
/// does not move, so its address identifies it.
#[derive(Debug)]
pub(crate) struct NameCache {
    slots: [(usize, usize, NameId); CACHE_SLOTS],
}

const CACHE_SLOTS: usize = 64;

impl NameCache {
    pub(crate) const fn new() -> Self {
        Self {
            // No string lies at address zero.
            slots: [(0, 0, NameId::EMPTY); CACHE_SLOTS],
        }
    }

    #[inline]
    pub(crate) fn id(&mut self, name: &'static str) -> NameId {
        if name.is_empty() {
            return NameId::EMPTY;
        }
        let (address, length) = (name.as_ptr() as usize, name.len());
        // Adjacent strings in the string section differ in their low bits and
        // lengths.
        let slot = &mut self.slots[(address ^ (address >> 6) ^ (length << 3)) % CACHE_SLOTS];
        if slot.0 == address && slot.1 == length {
            return slot.2;
        }
        let id = intern(name);
        *slot = (address, length, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_numbers_of_their_names() {
        assert_eq!(intern(""), NameId::EMPTY);
        assert_eq!(intern("scope"), NameId::SCOPE);
        assert_eq!(intern("cpu"), NameId::CPU);
        assert_eq!(intern(OVERFLOW), NameId(1));
    }

    #[test]
    fn a_name_keeps_its_number_and_its_text() {
        let text = "a \"name\"\n🧵";
        let id = intern(text);
        assert_eq!(intern(text), id);
        assert_eq!(names()[usize::from(id.0)], text);
        let site = CallSite::new("a \"name\"\n🧵");
        assert_eq!((site.id(), site.id()), (id, id));
    }

    #[test]
    fn a_cache_tells_prefixes_apart() {
        const LONG: &str = "shared secret";
        let mut cache = NameCache::new();
        for _ in 0..2 {
            assert_eq!(cache.id(LONG), intern(LONG));
            assert_eq!(cache.id(&LONG[..4]), intern("shar"));
        }
    }

    #[test]
    fn a_full_table_calls_the_rest_one_name() {
        let mut table = Table {
            names: vec![Name::default(); MOST],
            ids: HashMap::new(),
        };
        assert_eq!(table.add("one more"), 1);
        assert_eq!(table.names.len(), MOST);
    }
}
