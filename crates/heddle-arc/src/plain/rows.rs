//! Operations of primitives on the rows of a grid, generic over its cells.
//!
//! Rows may differ in length; the width of a grid is that of the first. Plain values use rows of
//! plain cells. The compact engine uses rows of atoms where a grid has no compact form
//! (`compact::irregular`), so that each primitive is defined once, here.

use super::charge_elements;
pub(crate) use super::patch::Location;
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use crate::prim::Prim;
use std::collections::BTreeMap;

pub(crate) type Rows<T> = Vec<Vec<T>>;

/// Transposes a grid. Every row is cut to the length of the shortest.
pub(super) fn transpose<T: Clone>(rows: &Rows<T>) -> Rows<T> {
    let width = rows.iter().map(Vec::len).min().unwrap_or(0);
    (0..width)
        .map(|j| rows.iter().map(|row| row[j].clone()).collect())
        .collect()
}

fn upside_down<T>(mut rows: Rows<T>) -> Rows<T> {
    rows.reverse();
    rows
}

fn left_right<T>(mut rows: Rows<T>) -> Rows<T> {
    for row in &mut rows {
        row.reverse();
    }
    rows
}

/// Returns the result of a primitive that takes only a grid and only moves or drops cells, or
/// `None` for any other primitive.
pub(crate) fn arranged<T: Clone + PartialEq>(prim: Prim, rows: Rows<T>) -> Option<Rows<T>> {
    Some(match prim {
        Prim::Rot90 => transpose(&upside_down(rows)),
        Prim::Rot180 => left_right(upside_down(rows)),
        Prim::Rot270 => upside_down(transpose(&rows)),
        Prim::Hmirror => upside_down(rows),
        Prim::Vmirror => left_right(rows),
        Prim::Dmirror => transpose(&rows),
        Prim::Cmirror => transpose(&left_right(upside_down(rows))),
        Prim::Trim => trimmed(&rows),
        Prim::Tophalf => half(rows, true),
        Prim::Bottomhalf => half(rows, false),
        Prim::Lefthalf => transpose(&half(transpose(&rows), true)),
        Prim::Righthalf => transpose(&half(transpose(&rows), false)),
        Prim::Compress => compressed(&rows),
        _ => return None,
    })
}

/// Returns the bounds of the slice rule of section 3.
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

/// Returns the part of a grid with that corner, height and width.
pub(crate) fn cut<T: Clone>(
    rows: &Rows<T>,
    (i, j): Location,
    (height, width): Location,
) -> Result<Rows<T>, Fault> {
    let end = |start: i64, length: i64| start.checked_add(length).ok_or(Fault::Overflow);
    let (bottom, right) = (end(i, height)?, end(j, width)?);
    Ok(rows[slice_bounds(rows.len(), i, bottom)]
        .iter()
        .map(|row| row[slice_bounds(row.len(), j, right)].to_vec())
        .collect())
}

fn trimmed<T: Clone>(rows: &Rows<T>) -> Rows<T> {
    rows[slice_bounds(rows.len(), 1, -1)]
        .iter()
        .map(|row| row[slice_bounds(row.len(), 1, -1)].to_vec())
        .collect()
}

/// Returns the first (or last) half of the rows.
fn half<T>(rows: Rows<T>, first: bool) -> Rows<T> {
    let half = rows.len() / 2;
    let skip = if first { 0 } else { rows.len() - half };
    rows.into_iter().skip(skip).take(half).collect()
}

fn stretch<T: Clone>(items: &[T], factor: usize) -> Vec<T> {
    items
        .iter()
        .flat_map(|item| std::iter::repeat_n(item, factor).cloned())
        .collect()
}

/// Repeats every cell `down` times vertically and `across` times horizontally. Charges before it
/// copies.
pub(crate) fn scaled<T: Clone>(
    rows: &Rows<T>,
    (down, across): Location,
    meter: &mut Meter,
) -> Result<Rows<T>, Fault> {
    let cells: i64 = rows.iter().map(|row| row.len() as i64).sum();
    charge_elements(meter, down.saturating_mul(rows.len() as i64))?;
    charge_elements(meter, cells.saturating_mul(down).saturating_mul(across))?;
    let wide: Rows<T> = rows
        .iter()
        .map(|row| stretch(row, across as usize))
        .collect();
    Ok(stretch(&wide, down as usize))
}

/// Returns every `factor`-th row and column of a grid that has rows.
pub(crate) fn downscaled<T: Clone>(rows: &Rows<T>, factor: i64) -> Result<Rows<T>, Fault> {
    let factor = factor.unsigned_abs() as usize;
    if factor == 0 {
        return Err(Fault::DivideByZero);
    }
    let width = rows[0].len();
    let mut kept = Vec::new();
    for row in rows.iter().step_by(factor) {
        let mut cells = Vec::new();
        for j in (0..width).step_by(factor) {
            cells.push(row.get(j).cloned().ok_or(Fault::Missing(ValueKind::Cell))?);
        }
        kept.push(cells);
    }
    Ok(kept)
}

/// Maps every cell of a grid.
pub(crate) fn recoloured<T>(rows: &Rows<T>, colour: impl Fn(&T) -> T) -> Rows<T> {
    rows.iter()
        .map(|row| row.iter().map(&colour).collect())
        .collect()
}

/// Concatenates the rows of two grids, up to the shorter height.
pub(crate) fn side_by_side<T>(
    left: Rows<T>,
    right: Rows<T>,
    meter: &mut Meter,
) -> Result<Rows<T>, Fault> {
    let (height, width) = dimensions(&left);
    charge_elements(meter, height.saturating_mul(width + dimensions(&right).1))?;
    Ok(left
        .into_iter()
        .zip(right)
        .map(|(mut row, more)| {
            row.extend(more);
            row
        })
        .collect())
}

/// Returns the cells that are equal in two grids, and `odd` elsewhere.
pub(crate) fn cellwise<T: Clone + PartialEq>(
    left: &Rows<T>,
    right: &Rows<T>,
    odd: &T,
) -> Result<Rows<T>, Fault> {
    let (_, width) = dimensions(left);
    let cell = |rows: &Rows<T>, i: usize, j: usize| {
        rows.get(i)
            .and_then(|row| row.get(j))
            .cloned()
            .ok_or(Fault::Missing(ValueKind::CellToCompareWith))
    };
    let mut result = Vec::new();
    for i in 0..left.len() {
        let mut row = Vec::new();
        for j in 0..width as usize {
            let (x, y) = (cell(left, i, j)?, cell(right, i, j)?);
            row.push(if x == y { x } else { odd.clone() });
        }
        result.push(row);
    }
    Ok(result)
}

/// Returns `n` pieces of equal size of a grid that has rows, side by side or stacked. One row or
/// column between them is skipped if the length is not a multiple of `n`.
pub(crate) fn pieces<T: Clone>(
    rows: &Rows<T>,
    n: i64,
    side_by_side: bool,
    meter: &mut Meter,
) -> Result<Vec<Rows<T>>, Fault> {
    let (height, width) = dimensions(rows);
    if n == 0 {
        return Err(Fault::DivideByZero);
    }
    if n < 0 {
        return Ok(Vec::new());
    }
    charge_elements(meter, n.saturating_mul(1 + height))?;
    let length = if side_by_side { width } else { height };
    let (part, skip) = (length / n, i64::from(length % n != 0));
    (0..n)
        .map(|k| {
            let start = k * (part + skip);
            if side_by_side {
                cut(rows, (0, start), (height, part))
            } else {
                cut(rows, (start, 0), (part, width))
            }
        })
        .collect()
}

/// Whether a line has cells and all are equal.
pub(super) fn is_uniform<T: PartialEq>(line: &[T]) -> bool {
    !line.is_empty() && line.iter().all(|cell| *cell == line[0])
}

/// Returns the grid without rows and columns of one colour.
fn compressed<T: Clone + PartialEq>(rows: &Rows<T>) -> Rows<T> {
    let columns = transpose(rows);
    let dropped: Vec<bool> = columns.iter().map(|column| is_uniform(column)).collect();
    let kept = rows.iter().filter(|row| !is_uniform(row)).map(|row| {
        row.iter()
            .enumerate()
            .filter(|(j, _)| dropped.get(*j) != Some(&true))
            .map(|(_, cell)| cell.clone())
            .collect()
    });
    kept.collect()
}

/// Writes colours one after another into a grid that has rows and skips locations outside. `onto`
/// says which cells may be overwritten.
pub(crate) fn write<T>(
    rows: &mut Rows<T>,
    patch_cells: impl IntoIterator<Item = (T, Location)>,
    onto: impl Fn(&T) -> bool,
) -> Result<(), Fault> {
    let (height, width) = dimensions(rows);
    for (colour, (i, j)) in patch_cells {
        if i < 0 || j < 0 || i >= height || j >= width {
            continue;
        }
        let cell = rows[i as usize]
            .get_mut(j as usize)
            .ok_or(Fault::Missing(ValueKind::CellInRaggedGrid))?;
        if onto(cell) {
            *cell = colour;
        }
    }
    Ok(())
}

/// Returns the most (or least) frequent of some colours, on ties the smallest.
pub(crate) fn common<T: Ord>(colours: impl IntoIterator<Item = T>, most: bool) -> Result<T, Fault> {
    let mut counts: BTreeMap<T, i64> = BTreeMap::new();
    for colour in colours {
        *counts.entry(colour).or_default() += if most { -1 } else { 1 };
    }
    let best = counts.values().min().copied();
    counts
        .into_iter()
        .find(|(_, count)| Some(*count) == best)
        .map(|(colour, _)| colour)
        .ok_or(Fault::Empty(ValueKind::Element))
}

/// Returns the locations of a grid that have a colour.
pub(crate) fn places_of<T: PartialEq>(rows: &Rows<T>, wanted: &T) -> Vec<Location> {
    let mut found = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            if cell == wanted {
                found.push((i as i64, j as i64));
            }
        }
    }
    found
}

/// Returns the locations at which a pattern of that shape, whose box begins at `corner`, occurs in
/// a grid that has rows.
pub(crate) fn occurrences<T: PartialEq>(
    rows: &Rows<T>,
    pattern: &[(T, Location)],
    (top, left): Location,
    (oh, ow): Location,
    meter: &mut Meter,
) -> Result<Vec<Location>, Fault> {
    let (height, width) = dimensions(rows);
    let mut found = Vec::new();
    for i in 0..=height - oh {
        for j in 0..=width - ow {
            meter.work(pattern.len() as u64)?;
            let mut agrees = true;
            for (colour, (ci, cj)) in pattern {
                if at(rows, (i + ci - top, j + cj - left))? != Some(colour) {
                    agrees = false;
                    break;
                }
            }
            if agrees {
                found.push((i, j));
            }
        }
    }
    Ok(found)
}

/// Returns the height and width, zero for a grid without rows.
pub(crate) fn dimensions<T>(rows: &Rows<T>) -> Location {
    (
        rows.len() as i64,
        rows.first().map_or(0, |row| row.len() as i64),
    )
}

/// Returns the cell at a location, or `None` outside. A missing cell of a ragged grid is an error.
pub(crate) fn at<T>(rows: &Rows<T>, (i, j): Location) -> Result<Option<&T>, Fault> {
    let (height, width) = dimensions(rows);
    if i < 0 || j < 0 || i >= height || j >= width {
        return Ok(None);
    }
    rows[i as usize]
        .get(j as usize)
        .map(Some)
        .ok_or(Fault::Missing(ValueKind::CellInRaggedGrid))
}
