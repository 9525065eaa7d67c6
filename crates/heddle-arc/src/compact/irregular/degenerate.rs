//! Calls on empty patches, grids without cells and values that are no grids, evaluated on compact
//! values.
//!
//! In a search most programs reach an empty set or a factor of zero at some point. These cases need
//! no plain values. The GPU kernel has the same cases in `arc/degenerate.cuh`.

use crate::compact::ValueResult;
use crate::compact::zero_width::{
    everywhere, grid_argument, not_patch, not_rows, of_zero_width, other_grid_argument,
    patch_argument, zero_width_grid, zero_width_rows,
};
use crate::fault::{Fault, ValueKind};
use crate::plain::slice_bounds;
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value};

/// Returns the result of a call without a fast path, if it is one of these cases.
pub(crate) fn evaluated(space: &mut Space, prim: Prim, args: &[Value]) -> Option<ValueResult> {
    if let Some(evaluated) = of_empty(prim, args) {
        return Some(evaluated);
    }
    if let Some(index) = grid_argument(prim, args[0])
        && let Some(fault) = not_rows(space, args[index])
    {
        return Some(Err(fault));
    }
    if let Some(index) = other_grid_argument(prim)
        && args[0].is_tuple()
        && let Some(fault) = not_rows(space, args[index])
    {
        return Some(Err(fault));
    }
    if let Some(index) = patch_argument(prim, args)
        && let Some(fault) = not_patch(space, args[index])
    {
        return Some(Err(fault));
    }
    if let Some(rows) = zero_width_rows(space, args[0])
        && let Some(evaluated) = of_zero_width(space, prim, rows, args)
    {
        return Some(evaluated);
    }
    of_grid(space, prim, args)
}

/// Whether no cell of a grid has a colour.
fn absent(space: &Space, grid: GridRef, colour: Value) -> bool {
    let cells = &space.cells[grid.at..grid.at + grid.area()];
    colour.small().is_none_or(|colour| !cells.contains(&colour))
}

/// Whether the cells of a grid equal those of another that is at least as large.
fn alike(space: &Space, left: GridRef, right: GridRef) -> bool {
    (0..left.height).all(|i| {
        let other = &space.cells[right.row(i)];
        space.cells[left.row(i)] == other[..left.width]
    })
}

/// Evaluates a call whose first argument is a grid with cells, or a patch.
fn of_grid(space: &mut Space, prim: Prim, args: &[Value]) -> Option<ValueResult> {
    let value = args[0];
    let grid = value.as_grid();
    match (prim, grid) {
        (Prim::Vupscale, Some(_)) if args[1].int().is_ok_and(|factor| factor <= 0) => {
            Some(Ok(Value::EMPTY_TUPLE))
        }
        (Prim::Hupscale, Some(grid)) if args[1].int().is_ok_and(|factor| factor <= 0) => {
            Some(zero_width_grid(space, grid.height as u64))
        }
        (Prim::Upscale, _) if args[1].int().is_ok_and(|factor| factor <= 0) => match value {
            Value::Grid { .. } => Some(Ok(Value::EMPTY_TUPLE)),
            Value::Mask(_) => Some(Err(value.not(ValueKind::Object))),
            Value::Object(..) | Value::Painted { .. } | Value::Layers { .. } => {
                Some(Ok(Value::EMPTY_SET))
            }
            _ => None,
        },
        (Prim::Upscale, None) if matches!(value, Value::Mask(_)) => {
            Some(Err(value.not(ValueKind::Object)))
        }
        (Prim::Downscale, Some(_)) if args[1].int().is_ok_and(|factor| factor == 0) => {
            Some(Err(Fault::DivideByZero))
        }
        (Prim::MirRotT, _) => match args[1].int() {
            Ok(7) => not_rows(space, value).map(Err),
            Ok(_) => Some(Err(Fault::Range(ValueKind::SymmetryBeyond07))),
            Err(fault) => Some(Err(fault)),
        },
        // There is nothing to fill, whatever the colour is.
        (Prim::Fill | Prim::Underfill, Some(_)) if args[2].is_empty_container() => Some(Ok(value)),
        // There is nothing to replace, whatever the new colour is.
        (Prim::Replace, Some(grid)) if absent(space, grid, args[1]) => Some(Ok(value)),
        (Prim::Switch, Some(grid))
            if absent(space, grid, args[1]) && absent(space, grid, args[2]) =>
        {
            Some(Ok(value))
        }
        (Prim::Cellwise, Some(left)) => match args[1].as_grid() {
            Some(right) if right.height < left.height || right.width < left.width => {
                Some(Err(Fault::Missing(ValueKind::CellToCompareWith)))
            }
            // All cells are equal, so the third argument is not used.
            Some(right) if alike(space, left, right) => Some(Ok(value)),
            Some(_) => None,
            None => zero_width_rows(space, args[1])
                .map(|_| Err(Fault::Missing(ValueKind::CellToCompareWith))),
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
            // The argument has locations where cells are required.
            Value::Mask(_) => Some(Err(Value::Int(0).not(ValueKind::Pair))),
            _ => None,
        },
        (
            Prim::Mostcolor | Prim::Leastcolor | Prim::Palette | Prim::Numcolors | Prim::Colorcount,
            None,
        ) if !value.is_tuple() && !value.is_set() => Some(Err(value.not(ValueKind::Container))),
        (Prim::Corners, _) if value.is_empty_container() => {
            let base = space.stack.len();
            space.stack.push(Value::EMPTY_TUPLE);
            Some(space.set_from(base))
        }
        (Prim::Subgrid, _) => {
            let (mask, rows) = (value.mask()?, zero_width_rows(space, args[1]));
            match rows {
                Some(rows) => {
                    let bottom = mask.bottom() + 1;
                    let kept = slice_bounds(rows, mask.top(), bottom).len();
                    Some(zero_width_grid(space, kept as u64))
                }
                None => not_rows(space, args[1]).map(Err),
            }
        }
        (Prim::Toobject, _) if value.mask().is_some() => {
            zero_width_rows(space, args[1]).map(|_| Ok(Value::EMPTY_SET))
        }
        _ => None,
    }
}

/// Returns the result of a call with an empty container among its arguments, where it does not
/// depend on the other arguments.
fn of_empty(prim: Prim, args: &[Value]) -> Option<ValueResult> {
    let no_patch = |index: usize| matches!(args.get(index), Some(Value::Set { len: 0, .. }));
    let no_grid = |index: usize| matches!(args.get(index), Some(Value::Tuple { len: 0, .. }));
    let empty = |value_kind: ValueKind| Some(Err(Fault::Empty(value_kind)));
    match prim {
        Prim::Adjacent | Prim::Manhattan | Prim::Position | Prim::Gravitate
            if no_patch(0) || no_patch(1) =>
        {
            empty(ValueKind::Patch)
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
            empty(ValueKind::Patch)
        }
        Prim::Mostcolor | Prim::Leastcolor if no_patch(0) || no_grid(0) => {
            empty(ValueKind::Element)
        }
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
            empty(ValueKind::Grid)
        }
        Prim::Toobject if no_grid(1) => empty(ValueKind::Grid),
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
        // The object has no cell inside the grid, so nothing is moved.
        Prim::Move if no_patch(1) && args[0].as_grid().is_some() => Some(Ok(args[0])),
        _ => None,
    }
}
