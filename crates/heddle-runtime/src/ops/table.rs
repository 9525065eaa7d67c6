//! The table of operations: every kind of this crate, with its probes, its conformance cases
//! and the kinds of its merged work.
//!
//! [`kinds`], [`probes`](super::probes), the kinds of merged work and the conformance suite are
//! generated from it; there is no second list. The elementwise functions have their own table,
//! in `elementwise/table.rs`.

use crate::batch::{MergedKinds, merged_kinds};
use crate::conformance::cases;
use crate::conformance::{Case, Depth};
use crate::operation::{Kind, WorkUnit};

use super::elementwise::ELEMENTWISE;
use super::probes::{self, ArrayProbe};
use super::{
    BATCH_MATMUL, MATMUL, MAX, MEAN, MIN, MIN_MAX, RANDOM, SCALE, STD, SUM, TRANSPOSE, UNIT, XOR,
    XOR_IN_PLACE, Z_SCORE,
};

/// One kind of operation.
pub(crate) struct Entry {
    pub(crate) kind: &'static Kind,
    /// The kinds of its merged work, if it can be merged.
    pub(crate) merged: Option<&'static MergedKinds>,
    /// Adds a probe for each element type, and one of merged work.
    pub(crate) probes: fn(&mut Vec<ArrayProbe>),
    /// Adds the conformance cases, including those of merged work.
    pub(crate) cases: fn(&mut Vec<Case>, Depth),
}

/// Repeats a statement for each element type of `all`, `integers` or `floats`, named by the
/// identifier before the arrow.
macro_rules! each_type {
    (all, $T:ident => $statement:expr) => {
        $crate::ops::table::each_type!(integers, $T => $statement);
        $crate::ops::table::each_type!(floats, $T => $statement);
    };
    (integers, $T:ident => $statement:expr) => {
        $crate::ops::table::each_type!(@ [u8 i32 u32], $T => $statement);
    };
    (floats, $T:ident => $statement:expr) => {
        $crate::ops::table::each_type!(@ [f32 f64], $T => $statement);
    };
    (@ [$($type:ident)*], $T:ident => $statement:expr) => {
        $({
            type $T = $type;
            $statement;
        })*
    };
}
pub(super) use each_type;

/// A row: the kind, the name of its functions in `probes` and `cases`, the element types, and
/// for a kind that can be merged the name and unit of the merged kinds.
macro_rules! entries {
    ($($kind:ident $name:ident: $types:ident $(, merged $text:literal $unit:ident)?;)*) => {
        &[$(entries!(@ $kind $name $types $($text $unit)?),)*]
    };
    (@ $kind:ident $name:ident $types:ident) => {
        Entry {
            kind: &$kind,
            merged: None,
            probes: |list| { each_type!($types, T => probes::$name::<T>(list)); },
            cases: |list, depth| { each_type!($types, T => cases::$name::<T>(list, depth)); },
        }
    };
    (@ $kind:ident $name:ident $types:ident $text:literal $unit:ident) => {{
        static MERGED: MergedKinds = merged_kinds!($text, WorkUnit::$unit);
        Entry {
            kind: &$kind,
            merged: Some(&MERGED),
            probes: |list| {
                each_type!($types, T => probes::$name::<T>(list));
                probes::batched::$name(list);
            },
            cases: |list, depth| { each_type!($types, T => cases::$name::<T>(list, depth)); },
        }
    }};
}

static OTHERS: &[Entry] = entries! {
    XOR xor: integers, merged "xor" Bytes;
    XOR_IN_PLACE xor_in_place: integers;
    SCALE scale: floats;
    Z_SCORE z_score: floats;
    MIN_MAX min_max: floats;
    UNIT unit: floats;
    SUM sum: all;
    MEAN mean: all;
    STD std: all;
    MIN min: all;
    MAX max: all;
    MATMUL matmul: floats, merged "matmul" MultiplyAdds;
    BATCH_MATMUL batch_matmul: floats;
    TRANSPOSE transpose: all;
    RANDOM random: all;
};

/// The whole table.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    OTHERS.iter().chain(ELEMENTWISE)
}

/// Every kind of this crate.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    entries().map(|entry| entry.kind)
}
