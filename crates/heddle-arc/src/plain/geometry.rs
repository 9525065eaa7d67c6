//! Turning, cutting and scaling grids (section 6.4).

use super::patch::{self, Extremes, Patch, dimensions, extremes, grid, rows, some_rows};
use super::{Outcome, Plain, room, set_of};
use crate::fault::{Fault, Noun};
use crate::meter::Meter;

type Rows = Vec<Vec<Plain>>;

/// Columns become rows; every row is cut to the shortest.
pub(super) fn transpose(rows: &Rows) -> Rows {
    let width = rows.iter().map(Vec::len).min().unwrap_or(0);
    (0..width)
        .map(|j| rows.iter().map(|row| row[j].clone()).collect())
        .collect()
}

fn upside_down(mut rows: Rows) -> Rows {
    rows.reverse();
    rows
}

fn left_right(mut rows: Rows) -> Rows {
    for row in &mut rows {
        row.reverse();
    }
    rows
}

pub(super) fn rot90(value: &Plain) -> Outcome {
    Ok(grid(transpose(&upside_down(rows(value)?))))
}

pub(super) fn rot180(value: &Plain) -> Outcome {
    Ok(grid(left_right(upside_down(rows(value)?))))
}

pub(super) fn rot270(value: &Plain) -> Outcome {
    Ok(grid(upside_down(transpose(&rows(value)?))))
}

pub(super) fn hmirror(piece: &Plain) -> Outcome {
    if let Plain::Tuple(items) = piece {
        return Ok(Plain::Tuple(items.iter().rev().cloned().collect()));
    }
    let Extremes { top, bottom, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| Ok((reflect(top, bottom, i)?, j)))
}

pub(super) fn vmirror(piece: &Plain) -> Outcome {
    if matches!(piece, Plain::Tuple(_)) {
        return Ok(grid(left_right(rows(piece)?)));
    }
    let Extremes { left, right, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| Ok((i, reflect(left, right, j)?)))
}

pub(super) fn dmirror(piece: &Plain) -> Outcome {
    if matches!(piece, Plain::Tuple(_)) {
        return Ok(grid(transpose(&rows(piece)?)));
    }
    let Extremes { top, left, .. } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| {
        Ok((along(top, left, j)?, along(left, top, i)?))
    })
}

pub(super) fn cmirror(piece: &Plain) -> Outcome {
    if matches!(piece, Plain::Tuple(_)) {
        return Ok(grid(transpose(&left_right(upside_down(rows(piece)?)))));
    }
    let Extremes {
        top,
        bottom,
        left,
        right,
    } = extremes(piece)?;
    patch::relocate(piece, |(i, j)| {
        Ok((along(top, j, right)?, along(left, i, bottom)?))
    })
}

/// `low + high - at`, checked.
fn reflect(low: i64, high: i64, at: i64) -> Result<i64, Fault> {
    along(low, at, high)
}

/// `start + (to - from)`, checked.
fn along(start: i64, from: i64, to: i64) -> Result<i64, Fault> {
    to.checked_sub(from)
        .and_then(|offset| start.checked_add(offset))
        .ok_or(Fault::Overflow)
}

/// The slice rule of section 3.
pub(crate) fn slice_bounds(length: usize, from: i64, to: i64) -> std::ops::Range<usize> {
    let length = length as i64;
    let clamp = |bound: i64| {
        let bound = if bound < 0 {
            bound.saturating_add(length)
        } else {
            bound
        };
        bound.clamp(0, length) as usize
    };
    let (from, to) = (clamp(from), clamp(to));
    from..to.max(from)
}

fn cut(rows: &Rows, (i, j): (i64, i64), (height, width): (i64, i64)) -> Result<Rows, Fault> {
    let end = |start: i64, length: i64| start.checked_add(length).ok_or(Fault::Overflow);
    let (bottom, right) = (end(i, height)?, end(j, width)?);
    Ok(rows[slice_bounds(rows.len(), i, bottom)]
        .iter()
        .map(|row| row[slice_bounds(row.len(), j, right)].to_vec())
        .collect())
}

pub(super) fn crop(value: &Plain, start: &Plain, dims: &Plain) -> Outcome {
    Ok(grid(cut(&rows(value)?, start.as_pair()?, dims.as_pair()?)?))
}

pub(super) fn subgrid(patch: &Plain, value: &Plain) -> Outcome {
    let Extremes { top, left, .. } = extremes(patch)?;
    let shape = super::query::shape_of(patch)?;
    Ok(grid(cut(&rows(value)?, (top, left), shape)?))
}

pub(super) fn trim(value: &Plain) -> Outcome {
    let rows = rows(value)?;
    Ok(grid(
        rows[slice_bounds(rows.len(), 1, -1)]
            .iter()
            .map(|row| row[slice_bounds(row.len(), 1, -1)].to_vec())
            .collect(),
    ))
}

/// The first (or last) half of the rows.
fn half(rows: Rows, first: bool) -> Rows {
    let half = rows.len() / 2;
    let skip = if first { 0 } else { rows.len() - half };
    rows.into_iter().skip(skip).take(half).collect()
}

pub(super) fn tophalf(value: &Plain, first: bool) -> Outcome {
    Ok(grid(half(rows(value)?, first)))
}

pub(super) fn lefthalf(value: &Plain, first: bool) -> Outcome {
    let columns = transpose(&rows(value)?);
    Ok(grid(transpose(&half(columns, first))))
}

fn stretch<T: Clone>(items: &[T], factor: usize) -> Vec<T> {
    items
        .iter()
        .flat_map(|item| std::iter::repeat_n(item, factor).cloned())
        .collect()
}

/// Charges for `rows` scaled to `vertical` x `horizontal` times their cells.
fn scaled_room(
    meter: &mut Meter,
    rows: &Rows,
    vertical: i64,
    horizontal: i64,
) -> Result<(), Fault> {
    let cells: i64 = rows.iter().map(|row| row.len() as i64).sum();
    room(meter, vertical.saturating_mul(rows.len() as i64))?;
    room(
        meter,
        cells.saturating_mul(vertical).saturating_mul(horizontal),
    )
}

pub(super) fn hupscale(value: &Plain, factor: &Plain, meter: &mut Meter) -> Outcome {
    let (rows, factor) = (rows(value)?, factor.int()?.max(0));
    scaled_room(meter, &rows, 1, factor)?;
    Ok(grid(
        rows.iter()
            .map(|row| stretch(row, factor as usize))
            .collect(),
    ))
}

pub(super) fn vupscale(value: &Plain, factor: &Plain, meter: &mut Meter) -> Outcome {
    let (rows, factor) = (rows(value)?, factor.int()?.max(0));
    scaled_room(meter, &rows, factor, 1)?;
    Ok(grid(stretch(&rows, factor as usize)))
}

pub(super) fn upscale(element: &Plain, factor: &Plain, meter: &mut Meter) -> Outcome {
    let size = factor.int()?.max(0);
    if matches!(element, Plain::Tuple(_)) {
        let rows = rows(element)?;
        scaled_room(meter, &rows, size, size)?;
        let wide: Rows = rows.iter().map(|row| stretch(row, size as usize)).collect();
        return Ok(grid(stretch(&wide, size as usize)));
    }
    let cells = match patch::patch(element)? {
        Patch::Empty => return Ok(element.clone()),
        Patch::Indices(_) => return Err(element.not(Noun::Object)),
        Patch::Object(cells) => cells,
    };
    let Extremes { top, left, .. } = extremes(element)?;
    let block = size.saturating_mul(size);
    room(meter, block.saturating_mul(4 * cells.len() as i64))?;
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

pub(super) fn downscale(value: &Plain, factor: &Plain) -> Outcome {
    let (rows, factor) = (some_rows(value)?, factor.int()?.unsigned_abs() as usize);
    if factor == 0 {
        return Err(Fault::DivideByZero);
    }
    let width = rows[0].len();
    let mut kept = Vec::new();
    for row in rows.iter().step_by(factor) {
        let mut cells = Vec::new();
        for j in (0..width).step_by(factor) {
            cells.push(row.get(j).cloned().ok_or(Fault::Missing(Noun::Cell))?);
        }
        kept.push(cells);
    }
    Ok(grid(kept))
}

fn recoloured(value: &Plain, colour: impl Fn(&Plain) -> Plain) -> Outcome {
    let rows = rows(value)?;
    Ok(grid(
        rows.iter()
            .map(|row| row.iter().map(&colour).collect())
            .collect(),
    ))
}

pub(super) fn replace(value: &Plain, from: &Plain, to: &Plain) -> Outcome {
    recoloured(value, |cell| if cell == from { to } else { cell }.clone())
}

pub(super) fn switch(value: &Plain, a: &Plain, b: &Plain) -> Outcome {
    recoloured(value, |cell| {
        if cell == a {
            b.clone()
        } else if cell == b {
            a.clone()
        } else {
            cell.clone()
        }
    })
}

pub(super) fn canvas(value: &Plain, dims: &Plain, meter: &mut Meter) -> Outcome {
    let (height, width) = dims.as_pair()?;
    let (height, width) = (height.max(0), width.max(0));
    room(meter, height)?;
    room(meter, height.saturating_mul(width))?;
    let row = vec![value.clone(); if height > 0 { width as usize } else { 0 }];
    Ok(grid(vec![row; height as usize]))
}

pub(super) fn mir_rot(value: &Plain, k: &Plain) -> Outcome {
    match k.int()? {
        0 => hmirror(value),
        1 => dmirror(value),
        2 => vmirror(value),
        3 => cmirror(value),
        4 => rot90(value),
        5 => rot180(value),
        6 => rot270(value),
        7 => rows(value).map(|_| value.clone()),
        _ => Err(Fault::Range(Noun::SymmetryBeyond07)),
    }
}

/// Pieces for `hsplit` and `vsplit`.
pub(super) fn pieces(value: &Plain, n: &Plain, side_by_side: bool, meter: &mut Meter) -> Outcome {
    let (rows, n) = (some_rows(value)?, n.int()?);
    let (height, width) = dimensions(&rows);
    if n == 0 {
        return Err(Fault::DivideByZero);
    }
    if n < 0 {
        return Ok(Plain::Tuple(Vec::new()));
    }
    room(meter, n.saturating_mul(1 + height))?;
    let length = if side_by_side { width } else { height };
    let (part, skip) = (length / n, i64::from(length % n != 0));
    let mut pieces = Vec::new();
    for k in 0..n {
        let start = k * (part + skip);
        let piece = if side_by_side {
            cut(&rows, (0, start), (height, part))?
        } else {
            cut(&rows, (start, 0), (part, width))?
        };
        pieces.push(grid(piece));
    }
    Ok(Plain::Tuple(pieces))
}
