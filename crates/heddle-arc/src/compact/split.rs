//! Splitting and concatenating grids (section 6.5).

use super::ValueResult;
use super::geometry::{crop_grid, cut};
use super::zero_width::zero_width_rows;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value};

pub(super) fn hconcat(space: &mut Space, a: Value, b: Value) -> ValueResult {
    let (Some(left), Some(right)) = (a.as_grid(), b.as_grid()) else {
        // A grid without columns only limits the number of rows.
        let (grid, other) = if a.as_grid().is_some() {
            (a, b)
        } else {
            (b, a)
        };
        if let (Some(grid), Some(rows)) = (grid.as_grid(), zero_width_rows(space, other)) {
            return cut(space, grid, 0..rows.min(grid.height), 0..grid.width);
        }
        return space.evaluate_irregular(Prim::Hconcat, &[a, b]);
    };
    let (height, width) = (left.height.min(right.height), left.width + right.width);
    let Some(grid) = space.new_grid(height, width)? else {
        return space.evaluate_irregular(Prim::Hconcat, &[a, b]);
    };
    let (old, new) = space.cells.split_at_mut(grid.at);
    for (i, row) in new.chunks_exact_mut(width).enumerate() {
        row[..left.width].copy_from_slice(&old[left.row(i)]);
        row[left.width..].copy_from_slice(&old[right.row(i)]);
    }
    Ok(grid.into())
}

pub(super) fn vconcat(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if !a.is_tuple() || !b.is_tuple() {
        return Err(if a.is_tuple() { b } else { a }.not(ValueKind::Grid));
    }
    if let (Some(top), Some(bottom)) = (a.as_grid(), b.as_grid())
        && top.width == bottom.width
        && let Some(grid) = space.new_grid(top.height + bottom.height, top.width)?
    {
        let (old, new) = space.cells.split_at_mut(grid.at);
        let (upper, lower) = new.split_at_mut(top.area());
        upper.copy_from_slice(&old[top.at..top.at + top.area()]);
        lower.copy_from_slice(&old[bottom.at..bottom.at + bottom.area()]);
        return Ok(grid.into());
    }
    let base = space.push_elements(a)?;
    space.push_elements(b)?;
    space.tuple_from(base)
}

pub(super) fn pieces(space: &mut Space, prim: Prim, value: Value, n: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(prim, &[value, n]);
    };
    let n = n.int()?;
    if n == 0 {
        return Err(Fault::DivideByZero);
    }
    let GridRef { height, width, .. } = grid;
    let (height, width) = (height as i64, width as i64);
    let length = if prim == Prim::Hsplit { width } else { height };
    let (part, skip) = (length / n, i64::from(length % n != 0));
    // With more pieces than cells all are empty: charged before they are made.
    space
        .meter
        .take((n.max(0) as u64).saturating_mul(size_of::<Value>() as u64))?;
    let base = space.stack.len();
    for k in 0..n {
        let start = k * (part + skip);
        let piece = if prim == Prim::Hsplit {
            crop_grid(space, grid, (0, start), (height, part))
        } else {
            crop_grid(space, grid, (start, 0), (part, width))
        }?;
        space.stack.push(piece);
    }
    space.tuple_from(base)
}

pub(super) fn cellwise(space: &mut Space, a: Value, b: Value, fallback: Value) -> ValueResult {
    if let (Some(left), Some(right), Some(fallback)) = (a.as_grid(), b.as_grid(), fallback.small())
    {
        if right.height < left.height || right.width < left.width {
            return Err(Fault::Missing(ValueKind::CellToCompareWith));
        }
        let at = space.new_cells(left.area())?;
        let (old, new) = space.cells.split_at_mut(at);
        for (i, row) in new.chunks_exact_mut(left.width).enumerate() {
            let location_pairs = old[left.row(i)].iter().zip(&old[right.row(i)]);
            for (to, (x, y)) in row.iter_mut().zip(location_pairs) {
                *to = if x == y { *x } else { fallback };
            }
        }
        return Ok(GridRef { at, ..left }.into());
    }
    space.evaluate_irregular(Prim::Cellwise, &[a, b, fallback])
}
