//! Grids without columns, values that are no grid or patch, and which primitives take grids and
//! patches. The GPU kernel has the same in `arc/bare.cuh`.

use super::ValueResult;
use super::arithmetic::location;
use crate::fault::{Fault, ValueKind};
use crate::plain::slice_bounds;
use crate::prim::Prim;
use crate::value::{Space, Value, Window};

/// Returns the number of rows of a grid without columns, if the value is one.
pub(super) fn zero_width_rows(space: &Space, value: Value) -> Option<usize> {
    let Value::Tuple { at, len, .. } = value else {
        return None;
    };
    let rows = &space.values[at as usize..(at + len) as usize];
    let is_empty = |row: &Value| matches!(row, Value::Tuple { len: 0, .. });
    rows.iter().all(is_empty).then_some(rows.len())
}

/// Returns a grid of `rows` rows without columns.
pub(super) fn zero_width_grid(space: &mut Space, rows: u64) -> ValueResult {
    // Charged before they are made, because a factor can be any number.
    space
        .meter
        .take(rows.saturating_mul(size_of::<Value>() as u64))?;
    let base = space.stack.len();
    let rows = std::iter::repeat_n(Value::EMPTY_TUPLE, rows as usize);
    space.stack.extend(rows);
    space.tuple_from(base)
}

/// Returns the fault of a value without rows: it, or one of them, is not a tuple.
pub(super) fn not_rows(space: &Space, value: Value) -> Option<Fault> {
    match value {
        Value::Grid { .. } => None,
        Value::Tuple { at, len, .. } => {
            let rows = &space.values[at as usize..(at + len) as usize];
            let odd = rows.iter().find(|row| !row.is_tuple())?;
            Some(odd.not(ValueKind::Tuple))
        }
        // The first element of each is a number.
        Value::Pair(..) | Value::Cell { .. } | Value::Row { .. } => {
            Some(Value::Int(0).not(ValueKind::Tuple))
        }
        _ => Some(value.not(ValueKind::Tuple)),
    }
}

/// Returns the index of the argument whose rows a primitive reads first. `first` is the first
/// argument, a grid or, for some primitives, a patch.
pub(super) fn grid_argument(prim: Prim, first: Value) -> Option<usize> {
    match prim {
        Prim::Rot90
        | Prim::Rot180
        | Prim::Rot270
        | Prim::Crop
        | Prim::Trim
        | Prim::Tophalf
        | Prim::Bottomhalf
        | Prim::Lefthalf
        | Prim::Righthalf
        | Prim::Hupscale
        | Prim::Vupscale
        | Prim::Downscale
        | Prim::Replace
        | Prim::Switch
        | Prim::Hconcat
        | Prim::Hsplit
        | Prim::Vsplit
        | Prim::Cellwise
        | Prim::Index
        | Prim::Asindices
        | Prim::Ofcolor
        | Prim::Objects
        | Prim::OG
        | Prim::Partition
        | Prim::Asobject
        | Prim::Compress
        | Prim::Frontiers
        | Prim::PG
        | Prim::Occurrences => Some(0),
        Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Upscale
        | Prim::Mostcolor
        | Prim::Leastcolor
        | Prim::Palette
        | Prim::Numcolors
        | Prim::Colorcount
        | Prim::Fgpartition
        | Prim::Underfill
        | Prim::Underpaint
        | Prim::Cover
        | Prim::Move
            if first.is_tuple() =>
        {
            Some(0)
        }
        Prim::Toobject => Some(1),
        _ => None,
    }
}

/// Returns the index of the argument whose rows a primitive reads after those of the first.
pub(super) fn other_grid_argument(prim: Prim) -> Option<usize> {
    matches!(prim, Prim::Hconcat | Prim::Cellwise).then_some(1)
}

/// Returns the index of the argument whose locations a primitive reads before any other check.
pub(super) fn patch_argument(prim: Prim, args: &[Value]) -> Option<usize> {
    let is_set = args[0].is_set();
    let on_grid = args[0].as_grid().is_some();
    match prim {
        Prim::Toindices
        | Prim::Shift
        | Prim::Normalize
        | Prim::Backdrop
        | Prim::Delta
        | Prim::Corners
        | Prim::Box
        | Prim::Outbox
        | Prim::Inbox
        | Prim::Uppermost
        | Prim::Lowermost
        | Prim::Leftmost
        | Prim::Rightmost
        | Prim::Ulcorner
        | Prim::Urcorner
        | Prim::Llcorner
        | Prim::Lrcorner
        | Prim::Center
        | Prim::Centerofmass
        | Prim::Hmatching
        | Prim::Vmatching
        | Prim::Manhattan
        | Prim::Adjacent
        | Prim::Position
        | Prim::Gravitate
        | Prim::Bordering
        | Prim::Subgrid => Some(0),
        Prim::Height
        | Prim::Width
        | Prim::Shape
        | Prim::Portrait
        | Prim::Square
        | Prim::Vline
        | Prim::Hline
        | Prim::Hmirror
        | Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Upscale
            if is_set =>
        {
            Some(0)
        }
        Prim::Recolor => Some(1),
        Prim::Fill => Some(2),
        Prim::Underfill if on_grid => Some(2),
        Prim::Cover | Prim::Move if on_grid => Some(1),
        Prim::Toobject if args[1].as_grid().is_some() => Some(0),
        Prim::Occurrences if on_grid && args[1].is_set() => Some(1),
        _ => None,
    }
}

/// Returns the fault of a value without locations, if its first element decides.
pub(super) fn not_patch(space: &Space, value: Value) -> Option<Fault> {
    if !value.is_tuple() && !value.is_set() {
        return Some(value.not(ValueKind::Container));
    }
    if value.mask().is_some() || matches!(value, Value::Layers { .. }) {
        return None;
    }
    let first = space.nth(value, 0).ok()??;
    let length = if first.is_tuple() {
        space.len(first).ok()?
    } else {
        0
    };
    match length {
        0 | 1 => Some(first.not(ValueKind::CellOrLocation)),
        2 => None,
        // A cell or a location has two components. The type of the second decides the fault.
        _ => match space.nth(first, 1).ok()?? {
            second if second.is_tuple() => Some(first.not(ValueKind::Cell)),
            _ => Some(first.not(ValueKind::Pair)),
        },
    }
}

/// Evaluates a call whose first argument is a grid of `rows` rows without columns.
pub(super) fn of_zero_width(
    space: &mut Space,
    prim: Prim,
    rows: usize,
    args: &[Value],
) -> Option<ValueResult> {
    let value = args[0];
    let none_at_all = rows == 0;
    let number = |index: usize| args[index].int();
    match prim {
        Prim::Rot90
        | Prim::Rot270
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Lefthalf
        | Prim::Righthalf
        | Prim::PG => Some(Ok(Value::EMPTY_TUPLE)),
        Prim::Rot180
        | Prim::Vmirror
        | Prim::Hupscale
        | Prim::Replace
        | Prim::Switch
        | Prim::Compress => Some(Ok(value)),
        Prim::Crop => Some(cropped(space, rows, args[1], args[2])),
        Prim::Trim => Some(zero_width_grid(
            space,
            slice_bounds(rows, 1, -1).len() as u64,
        )),
        Prim::Tophalf | Prim::Bottomhalf => Some(zero_width_grid(space, rows as u64 / 2)),
        Prim::Vupscale | Prim::Upscale => Some(number(1).and_then(|factor| {
            let factor = u64::try_from(factor).unwrap_or(0);
            zero_width_grid(space, (rows as u64).saturating_mul(factor))
        })),
        Prim::Downscale => Some(number(1).and_then(|factor| match factor.unsigned_abs() {
            0 => Err(Fault::DivideByZero),
            factor => zero_width_grid(space, (rows as u64).div_ceil(factor)),
        })),
        Prim::Hconcat => {
            let others = zero_width_rows(space, args[1])?;
            Some(zero_width_grid(space, rows.min(others) as u64))
        }
        Prim::Hsplit | Prim::Vsplit if none_at_all => Some(Err(Fault::Empty(ValueKind::Grid))),
        Prim::Hsplit | Prim::Vsplit => Some(number(1).and_then(|n| split(space, prim, rows, n))),
        Prim::Cellwise if args[1].as_grid().is_some() => Some(Ok(value)),
        Prim::Cellwise => zero_width_rows(space, args[1]).map(|_| Ok(value)),
        Prim::Fill if args[2].mask().is_some() || args[2].is_empty_container() => Some(Ok(value)),
        Prim::Paint
            if matches!(args[1], Value::Object(..) | Value::Painted { .. })
                || args[1].is_empty_container() =>
        {
            Some(Ok(value))
        }
        Prim::Underfill | Prim::Underpaint | Prim::Cover | Prim::Move | Prim::Fgpartition => {
            Some(Err(Fault::Empty(ValueKind::Element)))
        }
        Prim::Mostcolor | Prim::Leastcolor => Some(Err(Fault::Empty(ValueKind::Element))),
        Prim::Palette | Prim::Asindices | Prim::Ofcolor | Prim::Asobject | Prim::Partition => {
            Some(Ok(Value::EMPTY_SET))
        }
        Prim::Frontiers => Some(Ok(Value::EMPTY_SET)),
        Prim::Numcolors | Prim::Colorcount => Some(Ok(Value::Int(0))),
        Prim::Index => Some(location(space, args[1]).map(|_| Value::None)),
        Prim::Occurrences if args[1].is_empty_container() => everywhere(space, rows, 0),
        Prim::Occurrences => args[1].mask().map(|_| Ok(Value::EMPTY_SET)),
        Prim::MirRotT => Some(number(1).and_then(|k| match k {
            7 => Ok(value),
            _ => Err(Fault::Range(ValueKind::SymmetryBeyond07)),
        })),
        _ => None,
    }
}

/// Cuts rows out of a grid without columns.
fn cropped(space: &mut Space, rows: usize, start: Value, dims: Value) -> ValueResult {
    let ((i, j), (height, width)) = (location(space, start)?, location(space, dims)?);
    let bottom = i.checked_add(height).ok_or(Fault::Overflow)?;
    j.checked_add(width).ok_or(Fault::Overflow)?;
    zero_width_grid(space, slice_bounds(rows, i, bottom).len() as u64)
}

/// Splits a grid without columns into `n` pieces.
fn split(space: &mut Space, prim: Prim, rows: usize, n: i64) -> ValueResult {
    if n == 0 {
        return Err(Fault::DivideByZero);
    }
    let pieces = u64::try_from(n).unwrap_or(0);
    space
        .meter
        .take(pieces.saturating_mul(size_of::<Value>() as u64))?;
    let length = rows as i64;
    let (part, skip) = (length / n, i64::from(length % n != 0));
    let base = space.stack.len();
    for k in 0..n {
        let kept = if prim == Prim::Hsplit {
            rows
        } else {
            let start = k * (part + skip);
            slice_bounds(rows, start, start + part).len()
        };
        let piece = zero_width_grid(space, kept as u64)?;
        space.stack.push(piece);
    }
    space.tuple_from(base)
}

/// Returns all locations at which the empty pattern occurs in a grid: one more row and column than
/// it has.
pub(super) fn everywhere(space: &mut Space, height: usize, width: usize) -> Option<ValueResult> {
    let window = Window::fit(0, 0, height as i64, width as i64)?;
    Some(space.rectangle(window))
}
