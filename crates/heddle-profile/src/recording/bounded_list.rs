//! Lists of a file, read up to a number of elements.
//!
//! An element that takes two bytes in a file can take hundreds in memory, so the length of the
//! file does not bound the memory of what is read.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// The most spans that are read. Each takes some 400 bytes in memory, and the summaries as much
/// again.
const MAX_SPANS: usize = 1 << 21;

/// The most rows of any other list. No run writes more than some thousands.
const MAX_ROWS: usize = 1 << 19;

/// Reads a column of spans.
pub(super) fn spans<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    from.deserialize_seq(BoundedList::of(MAX_SPANS, "spans"))
}

/// Reads another list.
pub(super) fn rows<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    from.deserialize_seq(BoundedList::of(MAX_ROWS, "rows of a kind"))
}

struct BoundedList<T> {
    most: usize,
    what: &'static str,
    element: PhantomData<T>,
}

impl<T> BoundedList<T> {
    fn of(most: usize, what: &'static str) -> Self {
        Self {
            most,
            what,
            element: PhantomData,
        }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {} {}", self.most, self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(element) = list.next_element()? {
            if read.len() == self.most {
                return Err(A::Error::custom(format_args!(
                    "it has more than {} {}, the limit of a profile that is read",
                    self.most, self.what
                )));
            }
            read.push(element);
        }
        Ok(read)
    }
}
