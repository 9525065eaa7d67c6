//! Values as the engine stores them: handles of sixteen bytes, with their parts in a [`Space`].
//!
//! A [`Value`] is small and `Copy`. Parts that do not fit in sixteen bytes are in three vectors of
//! a [`Space`]. They only grow while an evaluation runs, and are truncated but never freed between
//! evaluations:
//!
//! | vector | element | holds |
//! |---|---|---|
//! | `cells` | `i8` | grids, rows, the colours of many-coloured objects |
//! | `rows` | `u128` | masks: one word for each row of a set of locations |
//! | `values` | `Value` | general tuples and sets, parts of callables |
//!
//! Invariant: **every value has exactly one form.** A tuple of equally long rows of small numbers
//! is always a `Grid`, whichever primitive built it. Two numbers are always a `Pair`. A set of
//! locations that fits the window of a mask is always a `Mask`. So two values are equal only if
//! their forms are the same and their contents compare as bytes, and each primitive sees by the tag
//! whether its fast path applies. Everything else (a ragged grid, colour 400, locations 200 columns
//! apart) is a general `Tuple` or `Set`.
//!
//! A mask's origin is the corner of its bounding box, so shifting a patch
//! changes two numbers in the handle and touches no memory.

mod build;
mod cells16;
mod conversion;
mod iteration;
pub(crate) mod lanes;
mod layers;
mod mask;
mod order;
mod patch;
mod space;

pub(crate) use build::deeper;
pub(crate) use iteration::Colours;
pub(crate) use layers::LayerBuilder;
pub(crate) use mask::{Window, full_bits, moved_bits};
pub(crate) use patch::{Extremes, ListedKind, Patch, PatchCell};
pub use space::Space;
pub(crate) use space::{Bits, GridRef, count_narrow};

use crate::fault::{Fault, ValueKind};
use crate::plain::Special;
use crate::prim::Prim;

/// The maximum number of columns of a mask: two rays of 43 and the grid between them.
pub(crate) const MASK_COLUMNS: i64 = 128;
/// The maximum number of rows of a mask.
pub(crate) const MASK_ROWS: i64 = 255;

/// A set of locations: `height` words from index `rows` on. Bit `b` of word `r` is the
/// location `(i + r, j + b)`. The bounding box is tight on all four sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// The index of its first word.
    pub(crate) rows: u32,
    /// Top row.
    pub(crate) i: i16,
    /// Left column.
    pub(crate) j: i16,
    /// Rows of the bounding box, at least 1.
    pub(crate) height: u8,
    /// Columns of the bounding box, at least 1.
    pub(crate) width: u8,
}

impl Mask {
    pub(crate) fn top(self) -> i64 {
        i64::from(self.i)
    }

    pub(crate) fn left(self) -> i64 {
        i64::from(self.j)
    }

    pub(crate) fn bottom(self) -> i64 {
        self.top() + i64::from(self.height) - 1
    }

    pub(crate) fn right(self) -> i64 {
        self.left() + i64::from(self.width) - 1
    }
}

/// A value of the language. Its indices refer to the [`Space`] it was made in.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// The value that `index` returns outside its grid.
    None,
    /// A truth value; equal to 0 or 1.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A number that is not finite.
    Special(Special),
    /// Two numbers of 32 bits.
    Pair(i32, i32),
    /// A number and a pair: `(colour, (i, j))`.
    Cell {
        /// Its colour.
        colour: i32,
        /// Its row.
        i: i32,
        /// Its column.
        j: i32,
    },
    /// One or at least three numbers of 8 bits.
    Row {
        /// The index of its first number in `cells`.
        at: u32,
        /// The number of elements.
        len: u32,
    },
    /// Rows of equally many 8-bit numbers, at least 1 x 1.
    Grid {
        /// The index of its first cell.
        at: u32,
        /// The number of rows.
        height: u16,
        /// The number of columns.
        width: u16,
    },
    /// Any other tuple.
    Tuple {
        /// The index of its first element in `values`.
        at: u32,
        /// The number of elements.
        len: u32,
        /// The nesting depth.
        depth: u8,
    },
    /// A set that is none of the next four forms, in canonical order.
    Set {
        /// The index of its first element in `values`.
        at: u32,
        /// The number of elements.
        len: u32,
        /// The nesting depth.
        depth: u8,
    },
    /// Locations.
    Mask(Mask),
    /// Cells of one colour.
    Object(Mask, i8),
    /// Cells of at least two colours, each location once. Its colours fill the bounding box and are
    /// zero where it has no cell.
    Painted {
        /// The index of its mask's first word.
        rows: u32,
        /// The index of its first colour.
        cells: u32,
        /// Top row.
        i: i16,
        /// Left column.
        j: i16,
        /// Rows of the bounding box.
        height: u8,
        /// Columns of the bounding box.
        width: u8,
    },
    /// Cells some of which share a location: one `Object` for each colour, in
    /// ascending order.
    Layers {
        /// The index of its first object in `values`.
        at: u32,
        /// The number of objects, at least two.
        len: u16,
    },
    /// A primitive as a value.
    Prim(Prim),
    /// A callable built by a primitive of values.
    Built {
        /// The builder.
        prim: Prim,
        /// The index of its first part.
        at: u32,
        /// The nesting depth.
        depth: u8,
    },
    /// A function body of the plan and its captured values.
    Body {
        /// Its number in the plan.
        id: u32,
        /// The index of its fingerprint, which the captured values follow.
        at: u32,
        /// The number of captured values.
        captures: u16,
        /// The nesting depth.
        depth: u8,
    },
}

impl Value {
    /// The tuple without elements.
    pub(crate) const EMPTY_TUPLE: Value = Value::Tuple {
        at: 0,
        len: 0,
        depth: 0,
    };
    /// The set without elements.
    pub(crate) const EMPTY_SET: Value = Value::Set {
        at: 0,
        len: 0,
        depth: 0,
    };

    /// The nesting depth of a cell.
    pub(crate) const CELL_DEPTH: u8 = 2;
    /// The nesting depth of an object.
    pub(crate) const OBJECT_DEPTH: u8 = 3;

    /// Returns its kind, for messages.
    #[must_use]
    pub fn kind(self) -> ValueKind {
        match self {
            // No reading with special numbers reports a fault of them.
            Value::None | Value::Special(_) => ValueKind::None,
            Value::Bool(_) => ValueKind::Bool,
            Value::Int(_) => ValueKind::Int,
            Value::Pair(..)
            | Value::Cell { .. }
            | Value::Row { .. }
            | Value::Grid { .. }
            | Value::Tuple { .. } => ValueKind::Tuple,
            Value::Set { .. }
            | Value::Mask(_)
            | Value::Object(..)
            | Value::Painted { .. }
            | Value::Layers { .. } => ValueKind::Set,
            Value::Prim(_) | Value::Built { .. } | Value::Body { .. } => ValueKind::Function,
        }
    }

    /// Whether the language treats it as true.
    #[inline]
    #[must_use]
    pub fn truth(self) -> bool {
        // Nearly all conditions return a `Bool`, so it is tested first.
        if let Value::Bool(value) = self {
            return value;
        }
        match self {
            Value::None | Value::Int(0) => false,
            Value::Tuple { len, .. } | Value::Set { len, .. } => len > 0,
            _ => true,
        }
    }

    /// Returns its number, if it is one.
    pub fn int(self) -> Result<i64, Fault> {
        match self {
            Value::Int(value) => Ok(value),
            Value::Bool(value) => Ok(i64::from(value)),
            _ => Err(self.not(ValueKind::Int)),
        }
    }

    pub(crate) fn small(self) -> Option<i8> {
        self.int().ok().and_then(|n| i8::try_from(n).ok())
    }

    pub(crate) fn not(self, expected: ValueKind) -> Fault {
        Fault::Kind {
            expected,
            found: self.kind(),
        }
    }

    pub(crate) fn is_tuple(self) -> bool {
        matches!(
            self,
            Value::Pair(..)
                | Value::Cell { .. }
                | Value::Row { .. }
                | Value::Grid { .. }
                | Value::Tuple { .. }
        )
    }

    pub(crate) fn is_set(self) -> bool {
        matches!(
            self,
            Value::Set { .. }
                | Value::Mask(_)
                | Value::Object(..)
                | Value::Painted { .. }
                | Value::Layers { .. }
        )
    }

    pub(crate) fn is_function(self) -> bool {
        matches!(
            self,
            Value::Prim(_) | Value::Built { .. } | Value::Body { .. }
        )
    }

    pub(crate) fn is_empty_container(self) -> bool {
        matches!(
            self,
            Value::Tuple { len: 0, .. } | Value::Set { len: 0, .. }
        )
    }

    /// Whether it has no parts in a space, so that it stays valid when the space is truncated.
    pub(crate) fn is_free(self) -> bool {
        matches!(
            self,
            Value::None
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Special(_)
                | Value::Pair(..)
                | Value::Cell { .. }
                | Value::Prim(_)
                | Value::Tuple { len: 0, .. }
                | Value::Set { len: 0, .. }
        )
    }

    /// Returns the locations of a compact patch.
    pub(crate) fn mask(self) -> Option<Mask> {
        match self {
            Value::Mask(mask) | Value::Object(mask, _) => Some(mask),
            Value::Painted {
                rows,
                i,
                j,
                height,
                width,
                ..
            } => Some(Mask {
                rows,
                i,
                j,
                height,
                width,
            }),
            _ => None,
        }
    }

    /// Returns the same compact patch with another corner, if that is within a mask's range.
    pub(crate) fn moved(self, top: i64, left: i64) -> Option<Value> {
        let (i, j) = (i16::try_from(top).ok()?, i16::try_from(left).ok()?);
        let place = |mask: Mask| Mask { i, j, ..mask };
        match self {
            Value::Mask(mask) => Some(Value::Mask(place(mask))),
            Value::Object(mask, colour) => Some(Value::Object(place(mask), colour)),
            Value::Painted {
                rows,
                cells,
                height,
                width,
                ..
            } => Some(Value::Painted {
                rows,
                cells,
                i,
                j,
                height,
                width,
            }),
            _ => None,
        }
    }

    /// Returns the nesting depth: 0 for numbers, 1 for a row, 2 for a grid.
    pub(crate) fn depth(self) -> u8 {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Special(_) | Value::Prim(_) => 0,
            Value::Pair(..) | Value::Row { .. } => 1,
            Value::Cell { .. } => Value::CELL_DEPTH,
            Value::Grid { .. } | Value::Mask(_) => 2,
            Value::Object(..) | Value::Painted { .. } | Value::Layers { .. } => Value::OBJECT_DEPTH,
            Value::Tuple { depth, .. }
            | Value::Set { depth, .. }
            | Value::Built { depth, .. }
            | Value::Body { depth, .. } => depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_16_bytes() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Result<Value, Fault>>(), 16);
    }
}
