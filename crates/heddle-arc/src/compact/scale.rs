//! Scaling, recolouring and making grids (section 6.4).

use super::ValueResult;
use super::arithmetic::location;
use super::geometry::{rearranged, symmetry};
use super::zero_width::zero_width_grid;
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value, Window, full_bits};

/// Repeats cells `down` times vertically and `across` times horizontally.
fn scaled(
    space: &mut Space,
    grid: GridRef,
    down: usize,
    across: usize,
) -> Result<Option<Value>, Fault> {
    let (Some(height), Some(width)) = (
        grid.height.checked_mul(down),
        grid.width.checked_mul(across),
    ) else {
        return Ok(None);
    };
    let Some(new) = space.new_grid(height, width)? else {
        return Ok(None);
    };
    let (old, cells) = space.cells.split_at_mut(new.at);
    for (i, rows) in cells.chunks_exact_mut(down * width).enumerate() {
        let (first, others) = rows.split_at_mut(width);
        let source = &old[grid.row(i)];
        if across == 1 {
            first.copy_from_slice(source);
        } else {
            for (block, cell) in first.chunks_exact_mut(across).zip(source) {
                block.fill(*cell);
            }
        }
        for row in others.chunks_exact_mut(width) {
            row.copy_from_slice(first);
        }
    }
    Ok(Some(new.into()))
}

pub(super) fn upscale(space: &mut Space, prim: Prim, value: Value, factor: Value) -> ValueResult {
    let n = usize::try_from(factor.int()?).unwrap_or(0);
    if n > 0 {
        if let Some(grid) = value.as_grid() {
            let (down, across) = match prim {
                Prim::Hupscale => (1, n),
                Prim::Vupscale => (n, 1),
                _ => (n, n),
            };
            if let Some(scaled) = scaled(space, grid, down, across)? {
                return Ok(scaled);
            }
        } else if prim == Prim::Upscale
            && matches!(value, Value::Object(..) | Value::Painted { .. })
        {
            if let Some(scaled) = scaled_object(space, value, n)? {
                return Ok(scaled);
            }
            if let Some(scaled) = scaled_cells(space, value, n)? {
                return Ok(scaled);
            }
        }
    }
    space.evaluate_irregular(prim, &[value, factor])
}

fn scaled_object(space: &mut Space, object: Value, n: usize) -> Result<Option<Value>, Fault> {
    let Some(mask) = object.mask() else {
        return Ok(None);
    };
    let (height, width) = (usize::from(mask.height), usize::from(mask.width));
    let side = |cells: usize| i64::try_from(cells.saturating_mul(n)).unwrap_or(i64::MAX);
    let Some(window) = Window::fit(
        mask.top(),
        mask.left(),
        mask.top().saturating_add(side(height) - 1),
        mask.left().saturating_add(side(width) - 1),
    ) else {
        return Ok(None);
    };
    let at = space.new_window(window)?;
    for row in 0..height {
        let mut bits = space.rows[mask.rows as usize + row];
        let mut oversized_grids = 0;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            oversized_grids |= full_bits(n) << (bit * n);
        }
        space.rows[at + row * n..at + (row + 1) * n].fill(oversized_grids);
    }
    Ok(Some(match object {
        Value::Painted { cells, .. } => {
            let grid = GridRef {
                at: cells as usize,
                height,
                width,
            };
            let Some(Value::Grid { at: cells, .. }) = scaled(space, grid, n, n)? else {
                return Ok(None);
            };
            space.finish_cells(at, cells as usize, window)
        }
        Value::Object(_, colour) => space.finish_object(at, window, colour),
        _ => return Ok(None),
    }))
}

/// Returns a scaled object that fits no mask, or `None` if it is far too large.
fn scaled_cells(space: &mut Space, object: Value, n: usize) -> Result<Option<Value>, Fault> {
    let (Some(mask), Ok(n)) = (object.mask(), i32::try_from(n)) else {
        return Ok(None);
    };
    let reach = |from: i16, length: u8| {
        let scaled = i32::from(length).checked_mul(n)?;
        i32::from(from).checked_add(scaled)
    };
    if reach(mask.i, mask.height).is_none() || reach(mask.j, mask.width).is_none() {
        return Ok(None);
    }
    let count = (space.count(mask) as u64)
        .saturating_mul(n as u64)
        .saturating_mul(n as u64);
    space
        .meter
        .take(count.saturating_mul(size_of::<Value>() as u64))?;
    let cells = space.push_elements(object)?;
    let base = space.stack.len();
    for index in cells..base {
        if let Value::Cell { colour, i, j } = space.stack[index] {
            let top = i32::from(mask.i) + (i - i32::from(mask.i)) * n;
            let left = i32::from(mask.j) + (j - i32::from(mask.j)) * n;
            for i in top..top + n {
                let row = (left..left + n).map(|j| Value::Cell { colour, i, j });
                space.stack.extend(row);
            }
        }
    }
    let scaled = space.set_from(base);
    space.stack.truncate(cells);
    scaled.map(Some)
}

pub(super) fn downscale(space: &mut Space, value: Value, factor: Value) -> ValueResult {
    let n = factor.int()?.unsigned_abs() as usize;
    if let (Some(grid), 1..) = (value.as_grid(), n) {
        let (height, width) = (grid.height.div_ceil(n), grid.width.div_ceil(n));
        let kept = rearranged(space, height, width, |i, j| {
            grid.at + i * n * grid.width + j * n
        })?;
        if let Some(kept) = kept {
            return Ok(kept);
        }
    }
    space.evaluate_irregular(Prim::Downscale, &[value, factor])
}

pub(super) fn replace(space: &mut Space, value: Value, from: Value, to: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Replace, &[value, from, to]);
    };
    match (from.small(), to.small()) {
        (Some(from), Some(to)) => {
            recoloured(space, grid, |cell| if cell == from { to } else { cell })
        }
        // No cell can have this colour, so nothing is replaced.
        (None, _) => Ok(value),
        _ => space.evaluate_irregular(Prim::Replace, &[value, from, to]),
    }
}

pub(super) fn switch(space: &mut Space, value: Value, a: Value, b: Value) -> ValueResult {
    match (value.as_grid(), a.small(), b.small()) {
        (Some(grid), Some(a), Some(b)) => recoloured(space, grid, |cell| {
            if cell == a {
                b
            } else if cell == b {
                a
            } else {
                cell
            }
        }),
        _ => space.evaluate_irregular(Prim::Switch, &[value, a, b]),
    }
}

fn recoloured(space: &mut Space, grid: GridRef, colour: impl Fn(i8) -> i8) -> ValueResult {
    let at = space.new_cells(grid.area())?;
    let (old, new) = space.cells.split_at_mut(at);
    for (to, from) in new.iter_mut().zip(&old[grid.at..]) {
        *to = colour(*from);
    }
    Ok(GridRef { at, ..grid }.into())
}

pub(super) fn canvas(space: &mut Space, value: Value, dims: Value) -> ValueResult {
    let (height, width) = location(space, dims)?;
    if let (Some(colour), Ok(height), Ok(width)) = (
        value.small(),
        usize::try_from(height),
        usize::try_from(width),
    ) && let Some(grid) = space.new_grid(height, width)?
    {
        // New cells are zeros.
        if colour != 0 {
            space.cells[grid.at..].fill(colour);
        }
        return Ok(grid.into());
    }
    if height <= 0 {
        return Ok(Value::EMPTY_TUPLE);
    }
    if width <= 0 {
        return zero_width_grid(space, height as u64);
    }
    space.evaluate_irregular(Prim::Canvas, &[value, dims])
}

pub(super) fn mir_rot(space: &mut Space, value: Value, k: Value) -> ValueResult {
    let prim = match k.int()? {
        0 => Prim::Hmirror,
        1 => Prim::Dmirror,
        2 => Prim::Vmirror,
        3 => Prim::Cmirror,
        4 => Prim::Rot90,
        5 => Prim::Rot180,
        6 => Prim::Rot270,
        7 if value.as_grid().is_some() => return Ok(value),
        _ => return space.evaluate_irregular(Prim::MirRotT, &[value, k]),
    };
    symmetry(space, prim, value)
}
