//! Values as the language defines them, and every primitive on them. Sections are those of
//! docs/arc-language.md.
//!
//! A [`Plain`] value owns its parts: tuples are vectors and sets are ordered sets. The primitives
//! follow the text of the specification literally and define the meaning of the language. The
//! compact engine falls back to them for whatever its forms do not hold (a ragged grid, colour
//! 400), and the tests compare everything else with them. They favour clarity over speed.

mod arithmetic;
mod call;
mod construct;
mod containers;
mod geometry;
mod higher;
mod json;
mod lines;
mod paint;
mod patch;
mod patterns;
mod query;
pub(crate) mod rows;
mod split;

pub(crate) use arithmetic::number;
pub use call::{apply, call};
pub(crate) use higher::arity_when_bound;
pub(crate) use rows::slice_bounds;

use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use crate::prim::Prim;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

pub(crate) type PlainResult = Result<Plain, Fault>;

/// A number that only soft readings of the typed dialect make, in canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the number of that name")]
pub enum Special {
    NegInf,
    Nan,
    Inf,
}

impl Special {
    /// Its name in vectors.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Special::NegInf => "-inf",
            Special::Nan => "nan",
            Special::Inf => "inf",
        }
    }

    /// The number of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Special> {
        let all = [Special::NegInf, Special::Nan, Special::Inf];
        all.into_iter().find(|special| special.name() == name)
    }
}

/// A value that owns its parts.
///
/// Equality and order are those of the language: `Bool` and `Int` compare as
/// numbers at every depth, and `Ord` is the canonical order sets iterate in.
#[derive(Clone)]
pub enum Plain {
    /// The value that `index` returns outside its grid.
    None,
    /// A truth value; equal to 0 or 1.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A number that is not finite.
    Special(Special),
    /// A sequence of values. Grids and locations are tuples.
    Tuple(Vec<Plain>),
    /// Distinct values in canonical order. Patches are sets.
    Set(BTreeSet<Plain>),
    /// A primitive as a value.
    Prim(Prim),
    /// A callable that a primitive built of these parts.
    Built(Prim, Vec<Plain>),
}

impl Plain {
    /// Returns the number of values in it, itself included.
    #[must_use]
    pub fn parts(&self) -> usize {
        match self {
            Plain::Tuple(parts) | Plain::Built(_, parts) => {
                1 + parts.iter().map(Plain::parts).sum::<usize>()
            }
            Plain::Set(parts) => 1 + parts.iter().map(Plain::parts).sum::<usize>(),
            Plain::None | Plain::Bool(_) | Plain::Int(_) | Plain::Special(_) | Plain::Prim(_) => 1,
        }
    }

    /// Returns the location `(i, j)`.
    #[must_use]
    pub fn pair(i: i64, j: i64) -> Plain {
        Plain::Tuple(vec![Plain::Int(i), Plain::Int(j)])
    }

    /// Returns the cell `(colour, (i, j))`.
    #[must_use]
    pub fn cell(colour: Plain, i: i64, j: i64) -> Plain {
        Plain::Tuple(vec![colour, Plain::pair(i, j)])
    }

    /// Returns a grid of rows of colours.
    pub fn grid<Row>(rows: impl IntoIterator<Item = Row>) -> Plain
    where
        Row: IntoIterator<Item = i64>,
    {
        let row = |row: Row| Plain::Tuple(row.into_iter().map(Plain::Int).collect());
        Plain::Tuple(rows.into_iter().map(row).collect())
    }

    /// Returns its kind, for messages.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        match self {
            // No reading with special numbers reports a fault of them.
            Plain::None | Plain::Special(_) => ValueKind::None,
            Plain::Bool(_) => ValueKind::Bool,
            Plain::Int(_) => ValueKind::Int,
            Plain::Tuple(_) => ValueKind::Tuple,
            Plain::Set(_) => ValueKind::Set,
            Plain::Prim(_) | Plain::Built(..) => ValueKind::Function,
        }
    }

    /// Whether the language treats it as true.
    #[must_use]
    pub fn truth(&self) -> bool {
        match self {
            Plain::None => false,
            Plain::Bool(value) => *value,
            Plain::Int(value) => *value != 0,
            Plain::Tuple(items) => !items.is_empty(),
            Plain::Set(items) => !items.is_empty(),
            Plain::Special(_) | Plain::Prim(_) | Plain::Built(..) => true,
        }
    }

    /// Returns its number, if it is one.
    pub fn int(&self) -> Result<i64, Fault> {
        match self {
            Plain::Bool(value) => Ok(i64::from(*value)),
            Plain::Int(value) => Ok(*value),
            _ => Err(self.not(ValueKind::Int)),
        }
    }

    pub(crate) fn not(&self, expected: ValueKind) -> Fault {
        Fault::Kind {
            expected,
            found: self.kind(),
        }
    }

    pub(crate) fn as_pair(&self) -> Result<(i64, i64), Fault> {
        match self {
            Plain::Tuple(parts) if parts.len() == 2 => Ok((parts[0].int()?, parts[1].int()?)),
            _ => Err(self.not(ValueKind::Pair)),
        }
    }

    pub(crate) fn tuple(&self) -> Result<&[Plain], Fault> {
        match self {
            Plain::Tuple(items) => Ok(items),
            _ => Err(self.not(ValueKind::Tuple)),
        }
    }

    pub(crate) fn set(&self) -> Result<&BTreeSet<Plain>, Fault> {
        match self {
            Plain::Set(items) => Ok(items),
            _ => Err(self.not(ValueKind::Set)),
        }
    }

    /// Returns the elements in iteration order.
    pub fn items(&self) -> Result<Vec<&Plain>, Fault> {
        match self {
            Plain::Tuple(items) => Ok(items.iter().collect()),
            Plain::Set(items) => Ok(items.iter().collect()),
            _ => Err(self.not(ValueKind::Container)),
        }
    }

    /// Returns a container of the same kind with these elements.
    pub(crate) fn like(&self, items: impl IntoIterator<Item = Plain>) -> PlainResult {
        match self {
            Plain::Tuple(_) => Ok(Plain::Tuple(items.into_iter().collect())),
            Plain::Set(_) => Ok(set_of(items)),
            _ => Err(self.not(ValueKind::Container)),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Plain::None => 0,
            Plain::Bool(_) | Plain::Int(_) => 1,
            Plain::Special(_) => 2,
            Plain::Tuple(_) => 3,
            Plain::Set(_) => 4,
            Plain::Prim(_) => 5,
            Plain::Built(..) => 6,
        }
    }
}

/// Returns the set of these values. The first of equal values stays.
pub(crate) fn set_of(items: impl IntoIterator<Item = Plain>) -> Plain {
    let mut set = BTreeSet::new();
    for item in items {
        // `insert` keeps an equal element that is already in the set.
        set.insert(item);
    }
    Plain::Set(set)
}

/// Charges for a container of `count` elements before it is built.
pub(crate) fn charge_elements(meter: &mut Meter, count: i64) -> Result<(), Fault> {
    let count = u64::try_from(count).unwrap_or(0);
    meter.take(count.saturating_mul(size_of::<Plain>() as u64))
}

impl Ord for Plain {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Plain::Special(a), Plain::Special(b)) => a.cmp(b),
            (Plain::Tuple(a), Plain::Tuple(b)) => a.cmp(b),
            (Plain::Set(a), Plain::Set(b)) => a.cmp(b),
            (Plain::Prim(a), Plain::Prim(b)) => a.name().cmp(b.name()),
            (Plain::Built(a, x), Plain::Built(b, y)) => {
                a.name().cmp(b.name()).then_with(|| x.cmp(y))
            }
            _ => match (self.int(), other.int()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

impl PartialOrd for Plain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Plain {}

/// Prints a value in Python's notation, with sets in canonical order.
impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &mut dyn Iterator<Item = &Plain>| {
            for (at, item) in items.enumerate() {
                if at > 0 {
                    f.write_str(", ")?;
                }
                write!(f, "{item}")?;
            }
            Ok(())
        };
        match self {
            Plain::None => f.write_str("None"),
            Plain::Bool(true) => f.write_str("True"),
            Plain::Bool(false) => f.write_str("False"),
            Plain::Int(value) => write!(f, "{value}"),
            Plain::Special(special) => f.write_str(special.name()),
            Plain::Tuple(items) => {
                f.write_str("(")?;
                list(f, &mut items.iter())?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Plain::Set(items) => {
                f.write_str("{")?;
                list(f, &mut items.iter())?;
                f.write_str("}")
            }
            Plain::Prim(prim) => write!(f, "{prim}"),
            Plain::Built(prim, parts) => {
                write!(f, "{prim}(")?;
                list(f, &mut parts.iter())?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
