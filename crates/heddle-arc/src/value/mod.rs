//! Values as the engine holds them: sixteen bytes each, parts in a [`Space`].
//!
//! A [`Value`] is a small copyable handle. What does not fit in sixteen bytes
//! lies in three vectors of a [`Space`] that only grow while an evaluation runs
//! and are cut back, never freed, between evaluations:
//!
//! | vector | element | holds |
//! |---|---|---|
//! | `cells` | `i8` | grids, rows, the colours of many-coloured objects |
//! | `rows` | `u128` | masks: one word for each row of a set of locations |
//! | `values` | `Value` | general tuples and sets, parts of callables |
//!
//! The one thing to know: **every value has exactly one form.** A tuple of
//! equally long rows of small numbers is always a `Grid`, whoever made it; two
//! numbers are always a `Pair`; a set of locations that fits the window of a
//! mask is always a `Mask`. So two values are equal only if their forms are the
//! same and their contents compare as bytes, and each primitive tells by the
//! tag whether its fast path applies. Everything odd (a ragged grid, colour
//! 400, locations 200 columns apart) is a general `Tuple` or `Set`.
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
use crate::prim::Prim;

/// The most columns a mask spans: two rays of 43 and the grid between them.
pub(crate) const MASK_COLUMNS: i64 = 128;
/// The most rows a mask spans.
pub(crate) const MASK_ROWS: i64 = 255;

/// A set of locations: `height` words from `rows` on; bit `b` of word `r` is
/// the location `(i + r, j + b)`. The box is tight on all four sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Where its words begin.
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

/// A value of the language. Meaningful together with the [`Space`] it was
/// made in.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// The one value `index` gives outside its grid.
    None,
    /// A truth value; equal to 0 or 1.
    Bool(bool),
    /// A number.
    Int(i64),
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
        /// Where they begin in `cells`.
        at: u32,
        /// How many.
        len: u32,
    },
    /// Rows of equally many 8-bit numbers, at least 1 x 1.
    Grid {
        /// Where the cells begin.
        at: u32,
        /// Rows.
        height: u16,
        /// Columns.
        width: u16,
    },
    /// Any other tuple.
    Tuple {
        /// Where its elements begin in `values`.
        at: u32,
        /// How many.
        len: u32,
        /// How deep it nests.
        depth: u8,
    },
    /// Any set that is none of the next four, in canonical order.
    Set {
        /// Where its elements begin in `values`.
        at: u32,
        /// How many.
        len: u32,
        /// How deep it nests.
        depth: u8,
    },
    /// Locations.
    Mask(Mask),
    /// Cells of one colour.
    Object(Mask, i8),
    /// Cells of at least two colours, each location once. Its colours fill the
    /// bounding box, zero where it has no cell.
    Painted {
        /// Where the words of its mask begin.
        rows: u32,
        /// Where its colours begin.
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
        /// Where the objects begin in `values`.
        at: u32,
        /// How many there are, at least two.
        len: u16,
    },
    /// A primitive as a value.
    Prim(Prim),
    /// A callable built by a primitive; its parts are values.
    Built {
        /// The builder.
        prim: Prim,
        /// Where its parts begin.
        at: u32,
        /// How deep it nests.
        depth: u8,
    },
    /// A function body of the plan and the values it closes over.
    Body {
        /// Its number in the plan.
        id: u32,
        /// Where its fingerprint lies; the captured values follow.
        at: u32,
        /// How many captured values there are.
        captures: u16,
        /// How deep it nests.
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

    /// How deep a cell nests.
    pub(crate) const CELL_DEPTH: u8 = 2;
    /// How deep an object nests.
    pub(crate) const OBJECT_DEPTH: u8 = 3;

    /// Its kind, for messages.
    #[must_use]
    pub fn kind(self) -> ValueKind {
        match self {
            Value::None => ValueKind::None,
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

    /// Whether the language takes it for true.
    #[inline]
    #[must_use]
    pub fn truth(self) -> bool {
        // What conditions answer with nearly always, so it is asked first.
        if let Value::Bool(value) = self {
            return value;
        }
        match self {
            Value::None | Value::Int(0) => false,
            Value::Tuple { len, .. } | Value::Set { len, .. } => len > 0,
            _ => true,
        }
    }

    /// The number it is, if it is one.
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

    /// Whether it has no parts in a space and survives its being cut back.
    pub(crate) fn is_free(self) -> bool {
        matches!(
            self,
            Value::None
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Pair(..)
                | Value::Cell { .. }
                | Value::Prim(_)
                | Value::Tuple { len: 0, .. }
                | Value::Set { len: 0, .. }
        )
    }

    /// The locations of a compact patch.
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

    /// The same compact patch elsewhere, if that is within a mask's range.
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

    /// How deep it nests: 0 for numbers, 1 for a row, 2 for a grid.
    pub(crate) fn depth(self) -> u8 {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Prim(_) => 0,
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
