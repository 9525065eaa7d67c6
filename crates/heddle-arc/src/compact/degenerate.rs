//! Empty patches, grids without cells and what is no grid at all, answered
//! without leaving the compact forms.
//!
//! In a search most programs meet an empty set or a factor of zero sooner or
//! later. What follows is the same for all of them and needs no plain values.
//! The kernel has the same answers in `arc/degenerate.cuh`.

use super::Outcome;
use super::arithmetic::location;
use crate::fault::{Fault, Noun};
use crate::plain::slice_bounds;
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value, Window};

/// The answer to a call that no fast path takes, if it is one of the usual ones.
pub(crate) fn answer(space: &mut Space, prim: Prim, args: &[Value]) -> Option<Outcome> {
    if let Some(answer) = of_empty(prim, args) {
        return Some(answer);
    }
    if let Some(place) = grid_place(prim, args[0])
        && let Some(fault) = not_rows(space, args[place])
    {
        return Some(Err(fault));
    }
    if let Some(place) = other_grid_place(prim)
        && args[0].is_tuple()
        && let Some(fault) = not_rows(space, args[place])
    {
        return Some(Err(fault));
    }
    if let Some(place) = patch_place(prim, args)
        && let Some(fault) = not_patch(space, args[place])
    {
        return Some(Err(fault));
    }
    if let Some(rows) = bare_rows(space, args[0])
        && let Some(answer) = of_bare(space, prim, rows, args)
    {
        return Some(answer);
    }
    of_grid(space, prim, args)
}

/// How many rows a grid without columns has, if it is one.
pub(super) fn bare_rows(space: &Space, value: Value) -> Option<usize> {
    let Value::Tuple { at, len, .. } = value else {
        return None;
    };
    let rows = &space.values[at as usize..(at + len) as usize];
    let is_empty = |row: &Value| matches!(row, Value::Tuple { len: 0, .. });
    rows.iter().all(is_empty).then_some(rows.len())
}

/// A grid of so many rows without columns.
pub(super) fn bare_grid(space: &mut Space, rows: u64) -> Outcome {
    // Charged before they are made: a factor can be anything.
    space
        .meter
        .take(rows.saturating_mul(size_of::<Value>() as u64))?;
    let base = space.stack.len();
    let rows = std::iter::repeat_n(Value::EMPTY_TUPLE, rows as usize);
    space.stack.extend(rows);
    space.tuple_from(base)
}

/// Why a value has no rows: it, or one of them, is no tuple.
fn not_rows(space: &Space, value: Value) -> Option<Fault> {
    match value {
        Value::Grid { .. } => None,
        Value::Tuple { at, len, .. } => {
            let rows = &space.values[at as usize..(at + len) as usize];
            let odd = rows.iter().find(|row| !row.is_tuple())?;
            Some(odd.not(Noun::Tuple))
        }
        // All begin with a number.
        Value::Pair(..) | Value::Cell { .. } | Value::Row { .. } => {
            Some(Value::Int(0).not(Noun::Tuple))
        }
        _ => Some(value.not(Noun::Tuple)),
    }
}

/// Which argument a primitive first of all takes the rows of; `first` is the
/// first argument, a grid or, for some, a patch.
fn grid_place(prim: Prim, first: Value) -> Option<usize> {
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

/// Which argument a primitive takes the rows of once it has those of the first.
fn other_grid_place(prim: Prim) -> Option<usize> {
    matches!(prim, Prim::Hconcat | Prim::Cellwise).then_some(1)
}

/// Which argument a primitive takes the locations of before anything else can
/// go wrong.
fn patch_place(prim: Prim, args: &[Value]) -> Option<usize> {
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

/// Why a value has no locations, where its first element tells.
fn not_patch(space: &Space, value: Value) -> Option<Fault> {
    if !value.is_tuple() && !value.is_set() {
        return Some(value.not(Noun::Container));
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
        0 | 1 => Some(first.not(Noun::CellOrLocation)),
        2 => None,
        // A cell or a location has two parts. What the second is says which it
        // was meant to be.
        _ => match space.nth(first, 1).ok()?? {
            second if second.is_tuple() => Some(first.not(Noun::Cell)),
            _ => Some(first.not(Noun::Pair)),
        },
    }
}

/// A grid of `rows` rows without columns as the first argument.
fn of_bare(space: &mut Space, prim: Prim, rows: usize, args: &[Value]) -> Option<Outcome> {
    let value = args[0];
    let none_at_all = rows == 0;
    let number = |place: usize| args[place].int();
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
        Prim::Trim => Some(bare_grid(space, slice_bounds(rows, 1, -1).len() as u64)),
        Prim::Tophalf | Prim::Bottomhalf => Some(bare_grid(space, rows as u64 / 2)),
        Prim::Vupscale | Prim::Upscale => Some(number(1).and_then(|factor| {
            let factor = u64::try_from(factor).unwrap_or(0);
            bare_grid(space, (rows as u64).saturating_mul(factor))
        })),
        Prim::Downscale => Some(number(1).and_then(|factor| match factor.unsigned_abs() {
            0 => Err(Fault::DivideByZero),
            factor => bare_grid(space, (rows as u64).div_ceil(factor)),
        })),
        Prim::Hconcat => {
            let others = bare_rows(space, args[1])?;
            Some(bare_grid(space, rows.min(others) as u64))
        }
        Prim::Hsplit | Prim::Vsplit if none_at_all => Some(Err(Fault::Empty(Noun::Grid))),
        Prim::Hsplit | Prim::Vsplit => Some(number(1).and_then(|n| split(space, prim, rows, n))),
        Prim::Cellwise if args[1].as_grid().is_some() => Some(Ok(value)),
        Prim::Cellwise => bare_rows(space, args[1]).map(|_| Ok(value)),
        Prim::Fill if args[2].mask().is_some() || args[2].is_empty_container() => Some(Ok(value)),
        Prim::Paint
            if matches!(args[1], Value::Object(..) | Value::Painted { .. })
                || args[1].is_empty_container() =>
        {
            Some(Ok(value))
        }
        Prim::Underfill | Prim::Underpaint | Prim::Cover | Prim::Move | Prim::Fgpartition => {
            Some(Err(Fault::Empty(Noun::Element)))
        }
        Prim::Mostcolor | Prim::Leastcolor => Some(Err(Fault::Empty(Noun::Element))),
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
            _ => Err(Fault::Range(Noun::SymmetryBeyond07)),
        })),
        _ => None,
    }
}

/// Rows cut out of a grid without columns.
fn cropped(space: &mut Space, rows: usize, start: Value, dims: Value) -> Outcome {
    let ((i, j), (height, width)) = (location(space, start)?, location(space, dims)?);
    let bottom = i.checked_add(height).ok_or(Fault::Overflow)?;
    j.checked_add(width).ok_or(Fault::Overflow)?;
    bare_grid(space, slice_bounds(rows, i, bottom).len() as u64)
}

/// A grid without columns in `n` pieces.
fn split(space: &mut Space, prim: Prim, rows: usize, n: i64) -> Outcome {
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
        let piece = bare_grid(space, kept as u64)?;
        space.stack.push(piece);
    }
    space.tuple_from(base)
}

/// All places where nothing occurs in a grid, which is one more down and across
/// than it has cells.
fn everywhere(space: &mut Space, height: usize, width: usize) -> Option<Outcome> {
    let window = Window::fit(0, 0, height as i64, width as i64)?;
    Some(space.rectangle(window))
}

/// Whether no cell of a grid has a colour.
fn absent(space: &Space, grid: GridRef, colour: Value) -> bool {
    let cells = &space.cells[grid.at..grid.at + grid.area()];
    colour.small().is_none_or(|colour| !cells.contains(&colour))
}

/// Whether the cells of a grid are those of another that is no smaller.
fn alike(space: &Space, left: GridRef, right: GridRef) -> bool {
    (0..left.height).all(|i| {
        let other = &space.cells[right.row(i)];
        space.cells[left.row(i)] == other[..left.width]
    })
}

/// A grid with cells, or a patch, as the first argument.
fn of_grid(space: &mut Space, prim: Prim, args: &[Value]) -> Option<Outcome> {
    let value = args[0];
    let grid = value.as_grid();
    match (prim, grid) {
        (Prim::Vupscale, Some(_)) if args[1].int().is_ok_and(|factor| factor <= 0) => {
            Some(Ok(Value::EMPTY_TUPLE))
        }
        (Prim::Hupscale, Some(grid)) if args[1].int().is_ok_and(|factor| factor <= 0) => {
            Some(bare_grid(space, grid.height as u64))
        }
        (Prim::Upscale, _) if args[1].int().is_ok_and(|factor| factor <= 0) => match value {
            Value::Grid { .. } => Some(Ok(Value::EMPTY_TUPLE)),
            Value::Mask(_) => Some(Err(value.not(Noun::Object))),
            Value::Object(..) | Value::Painted { .. } | Value::Layers { .. } => {
                Some(Ok(Value::EMPTY_SET))
            }
            _ => None,
        },
        (Prim::Upscale, None) if matches!(value, Value::Mask(_)) => {
            Some(Err(value.not(Noun::Object)))
        }
        (Prim::Downscale, Some(_)) if args[1].int().is_ok_and(|factor| factor == 0) => {
            Some(Err(Fault::DivideByZero))
        }
        (Prim::MirRotT, _) => match args[1].int() {
            Ok(7) => not_rows(space, value).map(Err),
            Ok(_) => Some(Err(Fault::Range(Noun::SymmetryBeyond07))),
            Err(fault) => Some(Err(fault)),
        },
        // Nothing to fill, whatever with.
        (Prim::Fill | Prim::Underfill, Some(_)) if args[2].is_empty_container() => Some(Ok(value)),
        // What no cell has is nowhere to be replaced, whatever by.
        (Prim::Replace, Some(grid)) if absent(space, grid, args[1]) => Some(Ok(value)),
        (Prim::Switch, Some(grid))
            if absent(space, grid, args[1]) && absent(space, grid, args[2]) =>
        {
            Some(Ok(value))
        }
        (Prim::Cellwise, Some(left)) => match args[1].as_grid() {
            Some(right) if right.height < left.height || right.width < left.width => {
                Some(Err(Fault::Missing(Noun::CellToCompareWith)))
            }
            // No cell needs the odd one.
            Some(right) if alike(space, left, right) => Some(Ok(value)),
            Some(_) => None,
            None => bare_rows(space, args[1]).map(|_| Err(Fault::Missing(Noun::CellToCompareWith))),
        },
        (Prim::Occurrences, Some(grid)) if args[1].is_empty_container() => {
            everywhere(space, grid.height, grid.width)
        }
        (Prim::Occurrences, Some(grid)) => match args[1] {
            Value::Mask(mask)
                if usize::from(mask.height) > grid.height
                    || usize::from(mask.width) > grid.width =>
            {
                Some(Ok(Value::EMPTY_SET))
            }
            // Locations where cells should be.
            Value::Mask(_) => Some(Err(Value::Int(0).not(Noun::Pair))),
            _ => None,
        },
        (
            Prim::Mostcolor | Prim::Leastcolor | Prim::Palette | Prim::Numcolors | Prim::Colorcount,
            None,
        ) if !value.is_tuple() && !value.is_set() => Some(Err(value.not(Noun::Container))),
        (Prim::Corners, _) if value.is_empty_container() => {
            let base = space.stack.len();
            space.stack.push(Value::EMPTY_TUPLE);
            Some(space.set_from(base))
        }
        (Prim::Subgrid, _) => {
            let (mask, rows) = (value.mask()?, bare_rows(space, args[1]));
            match rows {
                Some(rows) => {
                    let bottom = mask.bottom() + 1;
                    let kept = slice_bounds(rows, mask.top(), bottom).len();
                    Some(bare_grid(space, kept as u64))
                }
                None => not_rows(space, args[1]).map(Err),
            }
        }
        (Prim::Toobject, _) if value.mask().is_some() => {
            bare_rows(space, args[1]).map(|_| Ok(Value::EMPTY_SET))
        }
        _ => None,
    }
}

/// The answer to a call with an empty container among its arguments, where it
/// does not depend on the others.
fn of_empty(prim: Prim, args: &[Value]) -> Option<Outcome> {
    let no_patch = |place: usize| matches!(args.get(place), Some(Value::Set { len: 0, .. }));
    let no_grid = |place: usize| matches!(args.get(place), Some(Value::Tuple { len: 0, .. }));
    let empty = |noun: Noun| Some(Err(Fault::Empty(noun)));
    match prim {
        Prim::Adjacent | Prim::Manhattan | Prim::Position | Prim::Gravitate
            if no_patch(0) || no_patch(1) =>
        {
            empty(Noun::Patch)
        }
        Prim::Subgrid
        | Prim::Center
        | Prim::Bordering
        | Prim::Hmirror
        | Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Outbox
        | Prim::Inbox
            if no_patch(0) =>
        {
            empty(Noun::Patch)
        }
        Prim::Mostcolor | Prim::Leastcolor if no_patch(0) || no_grid(0) => empty(Noun::Element),
        Prim::Fill
        | Prim::Paint
        | Prim::Underfill
        | Prim::Underpaint
        | Prim::Cover
        | Prim::Move
        | Prim::Objects
        | Prim::OG
        | Prim::Frontiers
        | Prim::Occurrences
        | Prim::Index
        | Prim::Downscale
        | Prim::Cellwise
        | Prim::Fgpartition
            if no_grid(0) =>
        {
            empty(Noun::Grid)
        }
        Prim::Toobject if no_grid(1) => empty(Noun::Grid),
        Prim::Asobject | Prim::Asindices | Prim::Ofcolor | Prim::Partition if no_grid(0) => {
            Some(Ok(Value::EMPTY_SET))
        }
        Prim::Rot90
        | Prim::Rot180
        | Prim::Rot270
        | Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Trim
        | Prim::Tophalf
        | Prim::Bottomhalf
        | Prim::Lefthalf
        | Prim::Righthalf
        | Prim::Replace
        | Prim::Switch
        | Prim::Compress
            if no_grid(0) =>
        {
            Some(Ok(Value::EMPTY_TUPLE))
        }
        Prim::Width | Prim::Hperiod | Prim::Vperiod if no_patch(0) || no_grid(0) => {
            Some(Ok(Value::Int(0)))
        }
        Prim::Colorcount if no_patch(0) || no_grid(0) => Some(Ok(Value::Int(0))),
        Prim::Upscale if no_patch(0) => Some(Ok(args[0])),
        // The object is painted where it was covered: nowhere.
        Prim::Move if no_patch(1) && args[0].as_grid().is_some() => Some(Ok(args[0])),
        _ => None,
    }
}
