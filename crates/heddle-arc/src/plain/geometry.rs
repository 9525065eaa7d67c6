//! Rotating, cutting and scaling grids (section 6.4).

use super::patch::{self, PlainExtremes, PlainPatch, extremes, grid, rows, some_rows};
use super::rows::{self, arranged, cut, downscaled, recoloured, scaled};
use super::{Plain, PlainResult, charge_elements, set_of};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use crate::prim::Prim;

/// Returns a grid after a primitive that only moves or drops cells.
pub(super) fn rearranged(prim: Prim, value: &Plain) -> PlainResult {
    let kept = arranged(prim, rows(value)?);
    // The callers pass only such primitives.
    kept.map(grid).ok_or(Fault::Missing(ValueKind::Grid))
}

pub(super) fn hmirror(piece: &Plain) -> PlainResult {
    if let Plain::Tuple(items) = piece {
        return Ok(Plain::Tuple(items.iter().rev().cloned().collect()));
    }
    let PlainExtremes { top, bottom, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| Ok((reflect(top, bottom, i)?, j)))
}

pub(super) fn vmirror(piece: &Plain) -> PlainResult {
    if matches!(piece, Plain::Tuple(_)) {
        return rearranged(Prim::Vmirror, piece);
    }
    let PlainExtremes { left, right, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| Ok((i, reflect(left, right, j)?)))
}

pub(super) fn dmirror(piece: &Plain) -> PlainResult {
    if matches!(piece, Plain::Tuple(_)) {
        return rearranged(Prim::Dmirror, piece);
    }
    let PlainExtremes { top, left, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| {
        Ok((along(top, left, j)?, along(left, top, i)?))
    })
}

pub(super) fn cmirror(piece: &Plain) -> PlainResult {
    if matches!(piece, Plain::Tuple(_)) {
        return rearranged(Prim::Cmirror, piece);
    }
    let PlainExtremes {
        top,
        bottom,
        left,
        right,
    } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| {
        Ok((along(top, j, right)?, along(left, i, bottom)?))
    })
}

/// Returns `low + high - at`, checked.
fn reflect(low: i64, high: i64, at: i64) -> Result<i64, Fault> {
    along(low, at, high)
}

/// Returns `start + (to - from)`, checked.
fn along(start: i64, from: i64, to: i64) -> Result<i64, Fault> {
    to.checked_sub(from)
        .and_then(|offset| start.checked_add(offset))
        .ok_or(Fault::Overflow)
}

pub(super) fn crop(value: &Plain, start: &Plain, dims: &Plain) -> PlainResult {
    Ok(grid(cut(&rows(value)?, start.as_pair()?, dims.as_pair()?)?))
}

pub(super) fn subgrid(patch: &Plain, value: &Plain) -> PlainResult {
    let PlainExtremes { top, left, .. } = extremes(patch)?;
    let shape = super::query::shape_of(patch)?;
    Ok(grid(cut(&rows(value)?, (top, left), shape)?))
}

pub(super) fn hupscale(value: &Plain, factor: &Plain, meter: &mut Meter) -> PlainResult {
    let (rows, factor) = (rows(value)?, factor.int()?.max(0));
    scaled(&rows, (1, factor), meter).map(grid)
}

pub(super) fn vupscale(value: &Plain, factor: &Plain, meter: &mut Meter) -> PlainResult {
    let (rows, factor) = (rows(value)?, factor.int()?.max(0));
    scaled(&rows, (factor, 1), meter).map(grid)
}

pub(super) fn upscale(element: &Plain, factor: &Plain, meter: &mut Meter) -> PlainResult {
    let size = factor.int()?.max(0);
    if matches!(element, Plain::Tuple(_)) {
        return scaled(&rows(element)?, (size, size), meter).map(grid);
    }
    let cells = match patch::patch(element)? {
        PlainPatch::Empty => return Ok(element.clone()),
        PlainPatch::Indices(_) => return Err(element.not(ValueKind::Object)),
        PlainPatch::Object(cells) => cells,
    };
    let PlainExtremes { top, left, .. } = extremes(element)?;
    let block = size.saturating_mul(size);
    charge_elements(meter, block.saturating_mul(4 * cells.len() as i64))?;
    let place = |low: i64, at: i64, inner: i64| {
        at.checked_sub(low)
            .and_then(|offset| offset.checked_mul(size))
            .and_then(|offset| offset.checked_add(low))
            .and_then(|start| start.checked_add(inner))
            .ok_or(Fault::Overflow)
    };
    let mut scaled = Vec::new();
    for (colour, (i, j)) in cells {
        for di in 0..size {
            for dj in 0..size {
                scaled.push(Plain::cell(
                    colour.clone(),
                    place(top, i, di)?,
                    place(left, j, dj)?,
                ));
            }
        }
    }
    Ok(set_of(scaled))
}

pub(super) fn downscale(value: &Plain, factor: &Plain) -> PlainResult {
    let rows = some_rows(value)?;
    downscaled(&rows, factor.int()?).map(grid)
}

pub(super) fn replace(value: &Plain, from: &Plain, to: &Plain) -> PlainResult {
    let colour = |cell: &Plain| if cell == from { to } else { cell }.clone();
    Ok(grid(recoloured(&rows(value)?, colour)))
}

pub(super) fn switch(value: &Plain, a: &Plain, b: &Plain) -> PlainResult {
    let colour = |cell: &Plain| {
        if cell == a {
            b.clone()
        } else if cell == b {
            a.clone()
        } else {
            cell.clone()
        }
    };
    Ok(grid(recoloured(&rows(value)?, colour)))
}

pub(super) fn canvas(value: &Plain, dims: &Plain, meter: &mut Meter) -> PlainResult {
    let (height, width) = dims.as_pair()?;
    let (height, width) = (height.max(0), width.max(0));
    charge_elements(meter, height)?;
    charge_elements(meter, height.saturating_mul(width))?;
    let row = vec![value.clone(); if height > 0 { width as usize } else { 0 }];
    Ok(grid(vec![row; height as usize]))
}

pub(super) fn mir_rot(value: &Plain, k: &Plain) -> PlainResult {
    match k.int()? {
        0 => hmirror(value),
        1 => dmirror(value),
        2 => vmirror(value),
        3 => cmirror(value),
        4 => rearranged(Prim::Rot90, value),
        5 => rearranged(Prim::Rot180, value),
        6 => rearranged(Prim::Rot270, value),
        7 => rows(value).map(|_| value.clone()),
        _ => Err(Fault::Range(ValueKind::SymmetryBeyond07)),
    }
}

/// Returns the pieces of `hsplit` and `vsplit`.
pub(super) fn pieces(
    value: &Plain,
    n: &Plain,
    side_by_side: bool,
    meter: &mut Meter,
) -> PlainResult {
    let (rows, n) = (some_rows(value)?, n.int()?);
    let pieces = rows::pieces(&rows, n, side_by_side, meter)?;
    Ok(Plain::Tuple(pieces.into_iter().map(grid).collect()))
}
