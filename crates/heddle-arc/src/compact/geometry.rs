//! Rotating and cutting grids (section 6.4).

use super::ValueResult;
use super::arithmetic::location;
use crate::fault::Fault;
use crate::plain::slice_bounds;
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value, Window};
use std::ops::Range;

/// Returns a new grid whose cell `(i, j)` is the old cell at `from(i, j)`.
pub(super) fn rearranged(
    space: &mut Space,
    height: usize,
    width: usize,
    from: impl Fn(usize, usize) -> usize,
) -> Result<Option<Value>, Fault> {
    let Some(grid) = space.new_grid(height, width)? else {
        return Ok(None);
    };
    let (old, new) = space.cells.split_at_mut(grid.at);
    for (i, row) in new.chunks_exact_mut(width).enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = old[from(i, j)];
        }
    }
    Ok(Some(grid.into()))
}

/// Returns a ragged grid cut to its shortest row, as transposing cuts it, or `None` if the value is
/// anything else.
fn normalised_symmetry(space: &mut Space, value: Value) -> Result<Option<Value>, Fault> {
    let Value::Tuple { at, len, .. } = value else {
        return Ok(None);
    };
    let small = |n: i32| i8::try_from(n).is_ok();
    let (first, height) = (at as usize, len as usize);
    let mut width = usize::MAX;
    for row in &space.values[first..first + height] {
        width = width.min(match *row {
            Value::Row { len, .. } => len as usize,
            Value::Pair(i, j) if small(i) && small(j) => 2,
            Value::Tuple { len: 0, .. } => 0,
            _ => return Ok(None),
        });
    }
    if width == 0 {
        return Ok(Some(Value::EMPTY_TUPLE));
    }
    let Some(grid) = space.new_grid(height, width)? else {
        return Ok(None);
    };
    let (old, new) = space.cells.split_at_mut(grid.at);
    for (row, to) in space.values[first..]
        .iter()
        .zip(new.chunks_exact_mut(width))
    {
        match *row {
            Value::Row { at, .. } => to.copy_from_slice(&old[at as usize..at as usize + width]),
            Value::Pair(i, j) => {
                let both = [i as i8, j as i8];
                to.copy_from_slice(&both[..width]);
            }
            _ => {}
        }
    }
    Ok(Some(grid.into()))
}

/// Returns one of the eight symmetries of a grid.
pub(super) fn symmetry(space: &mut Space, prim: Prim, value: Value) -> ValueResult {
    let Some(g) = value.as_grid() else {
        if matches!(prim, Prim::Rot90 | Prim::Rot270 | Prim::Dmirror)
            && let Some(even) = normalised_symmetry(space, value)?
        {
            return match even {
                Value::Grid { .. } => symmetry(space, prim, even),
                _ => Ok(even),
            };
        }
        return symmetry_of_patch(space, prim, value);
    };
    let GridRef { at, height, width } = g;
    let (last_i, last_j) = (height - 1, width - 1);
    let turned = match prim {
        Prim::Rot90 => rearranged(space, width, height, |i, j| at + (last_i - j) * width + i),
        Prim::Rot180 | Prim::Hmirror | Prim::Vmirror => reversed(space, prim, g).map(Some),
        Prim::Rot270 => rearranged(space, width, height, |i, j| at + j * width + last_j - i),
        Prim::Dmirror => rearranged(space, width, height, |i, j| at + j * width + i),
        _ => rearranged(space, width, height, |i, j| {
            at + (last_i - j) * width + last_j - i
        }),
    }?;
    match turned {
        Some(grid) => Ok(grid),
        None => space.evaluate_irregular(prim, &[value]),
    }
}

/// Returns a symmetry that keeps rows as rows. The grid is copied whole and then reversed: cell by
/// cell, a mirror of 88 cells took three times as long.
fn reversed(space: &mut Space, prim: Prim, grid: GridRef) -> ValueResult {
    let GridRef { at, height, width } = grid;
    let new = space.reserve_cells(grid.area())?;
    space.cells.extend_from_within(at..at + grid.area());
    let cells = &mut space.cells[new..];
    match prim {
        Prim::Rot180 => cells.reverse(),
        Prim::Vmirror => cells.chunks_exact_mut(width).for_each(<[i8]>::reverse),
        _ => {
            let (upper, lower) = cells.split_at_mut(height / 2 * width);
            let lower = lower.chunks_exact_mut(width).rev();
            for (above, below) in upper.chunks_exact_mut(width).zip(lower) {
                above.swap_with_slice(below);
            }
        }
    }
    Ok(Space::grid_at(new, height, width))
}

/// Returns one of the four mirror images of a compact patch.
fn symmetry_of_patch(space: &mut Space, prim: Prim, value: Value) -> ValueResult {
    if prim == Prim::Hmirror && value.is_tuple() {
        let base = space.push_elements(value)?;
        space.stack[base..].reverse();
        return space.tuple_from(base);
    }
    if let Value::Layers { .. } = value
        && let Some(turned) = symmetry_of_layers(space, prim, value)?
    {
        return Ok(turned);
    }
    let Some(mask) = value.mask() else {
        return space.evaluate_irregular(prim, &[value]);
    };
    let (height, width) = (usize::from(mask.height), usize::from(mask.width));
    let turns = matches!(prim, Prim::Dmirror | Prim::Cmirror);
    if !matches!(
        prim,
        Prim::Hmirror | Prim::Vmirror | Prim::Dmirror | Prim::Cmirror
    ) || (turns && (height as i64 > crate::value::MASK_COLUMNS))
    {
        return space.evaluate_irregular(prim, &[value]);
    }
    let (new_height, new_width) = if turns {
        (width, height)
    } else {
        (height, width)
    };
    let place = |i: usize, j: usize| match prim {
        Prim::Hmirror => (height - 1 - i, j),
        Prim::Vmirror => (i, width - 1 - j),
        Prim::Dmirror => (j, i),
        _ => (width - 1 - j, height - 1 - i),
    };
    let Some(window) = Window::fit(
        mask.top(),
        mask.left(),
        mask.top() + new_height as i64 - 1,
        mask.left() + new_width as i64 - 1,
    ) else {
        return space.evaluate_irregular(prim, &[value]);
    };
    let at = space.new_window(window)?;
    let painted = match value {
        Value::Painted { cells, .. } => {
            Some((cells as usize, space.new_cells(new_height * new_width)?))
        }
        _ => None,
    };
    for row in 0..height {
        let mut bits = space.rows[mask.rows as usize + row];
        if painted.is_none() && !turns {
            let i = place(row, 0).0;
            space.rows[at + i] = if prim == Prim::Hmirror {
                bits
            } else {
                bits.reverse_bits() >> (128 - width)
            };
            continue;
        }
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (i, j) = place(row, bit);
            space.rows[at + i] |= 1 << j;
            if let Some((old, new)) = painted {
                space.cells[new + i * new_width + j] = space.cells[old + row * width + bit];
            }
        }
    }
    Ok(match (value, painted) {
        (Value::Object(_, colour), _) => space.finish_object(at, window, colour),
        (_, Some((_, cells))) => space.finish_cells(at, cells, window),
        _ => space.finish_mask(at, window),
    })
}

/// Returns one of the four mirror images of layers: each layer is mirrored in its own box, which
/// then moves to its place in the mirrored box of all layers. Returns `None` where only the plain
/// primitive applies.
fn symmetry_of_layers(space: &mut Space, prim: Prim, value: Value) -> Result<Option<Value>, Fault> {
    let (Some(all), Value::Layers { at, len }) = (space.layers_window(value), value) else {
        return Ok(None);
    };
    let mirrored = match prim {
        Prim::Hmirror | Prim::Vmirror => Some(all),
        Prim::Dmirror | Prim::Cmirror => Window::fit(
            all.top,
            all.left,
            all.top + all.width() as i64 - 1,
            all.left + all.height() as i64 - 1,
        ),
        _ => None,
    };
    if mirrored.is_none() {
        return Ok(None);
    }
    let base = space.stack.len();
    for place in at as usize..at as usize + usize::from(len) {
        let layer = space.values[place];
        let Some(own) = layer.mask().map(Window::of) else {
            return Ok(None);
        };
        let (top, left) = match prim {
            Prim::Hmirror => (all.top + all.bottom - own.bottom, own.left),
            Prim::Vmirror => (own.top, all.left + all.right - own.right),
            Prim::Dmirror => (all.top + own.left - all.left, all.left + own.top - all.top),
            _ => (
                all.top + all.right - own.right,
                all.left + all.bottom - own.bottom,
            ),
        };
        let Some(turned) = symmetry_of_patch(space, prim, layer)?.moved(top, left) else {
            return Ok(None);
        };
        space.stack.push(turned);
    }
    space.layers_from(base).map(Some)
}

/// Cuts rows and columns out of a grid. Degenerate results are tuples.
pub(super) fn cut(
    space: &mut Space,
    grid: GridRef,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ValueResult {
    let (height, width) = (rows.len(), columns.len());
    if height == 0 {
        return Ok(Value::EMPTY_TUPLE);
    }
    if width == 0 {
        let base = space.stack.len();
        space
            .stack
            .extend(std::iter::repeat_n(Value::EMPTY_TUPLE, height));
        return space.tuple_from(base);
    }
    if columns == (0..grid.width) {
        // Whole rows are contiguous, so the cells are shared.
        return Ok(Space::grid_at(grid.at + rows.start * width, height, width));
    }
    let at = space.new_cells(height * width)?;
    let (old, new) = space.cells.split_at_mut(at);
    for (to, i) in new.chunks_exact_mut(width).zip(rows) {
        let start = grid.at + i * grid.width;
        to.copy_from_slice(&old[start + columns.start..start + columns.end]);
    }
    Ok(Space::grid_at(at, height, width))
}

pub(super) fn crop(space: &mut Space, value: Value, start: Value, dims: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Crop, &[value, start, dims]);
    };
    let (start, dims) = (location(space, start)?, location(space, dims)?);
    crop_grid(space, grid, start, dims)
}

pub(super) fn crop_grid(
    space: &mut Space,
    grid: GridRef,
    (i, j): (i64, i64),
    (height, width): (i64, i64),
) -> ValueResult {
    let end = |start: i64, length: i64| start.checked_add(length).ok_or(Fault::Overflow);
    let rows = slice_bounds(grid.height, i, end(i, height)?);
    let columns = slice_bounds(grid.width, j, end(j, width)?);
    cut(space, grid, rows, columns)
}

pub(super) fn subgrid(space: &mut Space, patch: Value, value: Value) -> ValueResult {
    match (patch.mask(), value.as_grid()) {
        (Some(mask), Some(grid)) => crop_grid(
            space,
            grid,
            (mask.top(), mask.left()),
            (i64::from(mask.height), i64::from(mask.width)),
        ),
        (None, Some(grid)) if patch.is_set() && !patch.is_empty_container() => {
            match space.extremes(patch)? {
                Some(e) => crop_grid(
                    space,
                    grid,
                    (e.top, e.left),
                    (e.bottom - e.top + 1, e.right - e.left + 1),
                ),
                None => space.evaluate_irregular(Prim::Subgrid, &[patch, value]),
            }
        }
        _ => space.evaluate_irregular(Prim::Subgrid, &[patch, value]),
    }
}

pub(super) fn trim(space: &mut Space, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Trim, &[value]);
    };
    let rows = slice_bounds(grid.height, 1, -1);
    let columns = slice_bounds(grid.width, 1, -1);
    cut(space, grid, rows, columns)
}

pub(super) fn half(space: &mut Space, prim: Prim, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        if matches!(prim, Prim::Lefthalf | Prim::Righthalf)
            && let Some(even) = normalised_symmetry(space, value)?
        {
            return match even {
                Value::Grid { .. } => half(space, prim, even),
                _ => Ok(even),
            };
        }
        return space.evaluate_irregular(prim, &[value]);
    };
    let GridRef { height, width, .. } = grid;
    let (rows, columns) = (height / 2, width / 2);
    match prim {
        Prim::Tophalf => cut(space, grid, 0..rows, 0..width),
        Prim::Bottomhalf => cut(space, grid, height - rows..height, 0..width),
        _ if columns == 0 => Ok(Value::EMPTY_TUPLE),
        Prim::Lefthalf => cut(space, grid, 0..height, 0..columns),
        _ => cut(space, grid, 0..height, width - columns..width),
    }
}
