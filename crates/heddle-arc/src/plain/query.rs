//! Properties of grids and patches (section 6.7).

use super::patch::{
    Location, PlainExtremes, extremes, extremes_of, indices, is_empty, locations, rows, some_rows,
};
use super::rows::{at, common, dimensions, places_of};
use super::{Plain, PlainResult, charge_elements, set_of};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use std::collections::BTreeSet;

/// Returns the colours of all cells of a grid (any tuple) or object.
fn colours(element: &Plain) -> Result<Vec<Plain>, Fault> {
    if matches!(element, Plain::Tuple(_)) {
        return Ok(rows(element)?.into_iter().flatten().collect());
    }
    element
        .items()?
        .into_iter()
        .map(|cell| match cell {
            Plain::Tuple(parts) if parts.len() == 2 => Ok(parts[0].clone()),
            _ => Err(cell.not(ValueKind::Cell)),
        })
        .collect()
}

/// Returns the most (or least) frequent colour, on ties the smallest.
pub(super) fn mostcolor(element: &Plain, most: bool) -> PlainResult {
    common(colours(element)?, most)
}

pub(super) fn palette(element: &Plain) -> PlainResult {
    Ok(set_of(colours(element)?))
}

pub(super) fn numcolors(element: &Plain) -> PlainResult {
    let distinct: BTreeSet<Plain> = colours(element)?.into_iter().collect();
    Ok(Plain::Int(distinct.len() as i64))
}

pub(super) fn colorcount(element: &Plain, value: &Plain) -> PlainResult {
    let count = colours(element)?.iter().filter(|c| *c == value).count();
    Ok(Plain::Int(count as i64))
}

pub(super) fn color(object: &Plain) -> PlainResult {
    let items = object.items()?;
    let first = items.first().ok_or(Fault::Empty(ValueKind::Object))?;
    match first {
        Plain::Tuple(parts) if !parts.is_empty() => Ok(parts[0].clone()),
        _ => Err(first.not(ValueKind::Cell)),
    }
}

/// Returns the height and width of a grid (any tuple) or patch.
pub(super) fn shape_of(piece: &Plain) -> Result<Location, Fault> {
    Ok((height(piece)?, width(piece)?))
}

pub(super) fn height(piece: &Plain) -> Result<i64, Fault> {
    if let Plain::Tuple(rows) = piece {
        return Ok(rows.len() as i64);
    }
    match extremes_of(&locations(piece)?) {
        None => Ok(0),
        Some(e) => span(e.top, e.bottom),
    }
}

pub(super) fn width(piece: &Plain) -> Result<i64, Fault> {
    if let Plain::Tuple(rows) = piece {
        return match rows.first() {
            None => Ok(0),
            Some(row) => Ok(row.items()?.len() as i64),
        };
    }
    match extremes_of(&locations(piece)?) {
        None => Ok(0),
        Some(e) => span(e.left, e.right),
    }
}

fn span(low: i64, high: i64) -> Result<i64, Fault> {
    high.checked_sub(low)
        .and_then(|length| length.checked_add(1))
        .ok_or(Fault::Overflow)
}

pub(super) fn shape(piece: &Plain) -> PlainResult {
    let (height, width) = shape_of(piece)?;
    Ok(Plain::pair(height, width))
}

pub(super) fn portrait(piece: &Plain) -> PlainResult {
    let (height, width) = shape_of(piece)?;
    Ok(Plain::Bool(height > width))
}

pub(super) fn square(piece: &Plain) -> PlainResult {
    if let Plain::Tuple(rows) = piece {
        let first = rows.first().ok_or(Fault::Empty(ValueKind::Grid))?;
        return Ok(Plain::Bool(rows.len() == first.items()?.len()));
    }
    let (height, width) = shape_of(piece)?;
    let full = height.checked_mul(width) == Some(piece.items()?.len() as i64);
    Ok(Plain::Bool(height == width && full))
}

pub(super) fn vline(patch: &Plain) -> PlainResult {
    let (height, width) = shape_of(patch)?;
    Ok(Plain::Bool(
        height == patch.items()?.len() as i64 && width == 1,
    ))
}

pub(super) fn hline(patch: &Plain) -> PlainResult {
    let (height, width) = shape_of(patch)?;
    Ok(Plain::Bool(
        width == patch.items()?.len() as i64 && height == 1,
    ))
}

pub(super) fn extreme(patch: &Plain, side: fn(PlainExtremes) -> i64) -> PlainResult {
    extremes(patch).map(|e| Plain::Int(side(e)))
}

pub(super) fn corner(patch: &Plain, corner: fn(PlainExtremes) -> Location) -> PlainResult {
    if is_empty(patch)? {
        return Ok(Plain::Tuple(Vec::new()));
    }
    let (i, j) = corner(extremes(patch)?);
    Ok(Plain::pair(i, j))
}

fn center_of(patch: &Plain) -> Result<Location, Fault> {
    let PlainExtremes { top, left, .. } = extremes(patch)?;
    let (height, width) = shape_of(patch)?;
    Ok((top + height / 2, left + width / 2))
}

pub(super) fn center(patch: &Plain) -> PlainResult {
    let (i, j) = center_of(patch)?;
    Ok(Plain::pair(i, j))
}

pub(super) fn centerofmass(patch: &Plain) -> PlainResult {
    if is_empty(patch)? {
        return Ok(Plain::Tuple(Vec::new()));
    }
    let count = patch.items()?.len() as i64;
    let (mut rows, mut columns) = (0_i64, 0_i64);
    for (i, j) in locations(patch)? {
        rows = rows.checked_add(i).ok_or(Fault::Overflow)?;
        columns = columns.checked_add(j).ok_or(Fault::Overflow)?;
    }
    Ok(Plain::pair(
        rows.div_euclid(count),
        columns.div_euclid(count),
    ))
}

pub(super) fn matching(a: &Plain, b: &Plain, line: fn(&Location) -> i64) -> Result<bool, Fault> {
    let lines: BTreeSet<i64> = locations(a)?.iter().map(line).collect();
    Ok(locations(b)?.iter().any(|at| lines.contains(&line(at))))
}

fn distance(a: &[Location], b: &[Location], meter: &mut Meter) -> Result<i64, Fault> {
    meter.work((a.len() as u64).saturating_mul(b.len() as u64))?;
    let mut least = None;
    for (ai, aj) in a {
        for (bi, bj) in b {
            let step = ai.abs_diff(*bi).saturating_add(aj.abs_diff(*bj));
            least = Some(least.map_or(step, |held: u64| held.min(step)));
        }
    }
    let least = least.ok_or(Fault::Empty(ValueKind::Patch))?;
    i64::try_from(least).map_err(|_| Fault::Overflow)
}

pub(super) fn manhattan(a: &Plain, b: &Plain, meter: &mut Meter) -> Result<i64, Fault> {
    distance(&locations(a)?, &locations(b)?, meter)
}

pub(super) fn bordering(patch: &Plain, grid: &Plain) -> PlainResult {
    let e = extremes(patch)?;
    let (height, width) = shape_of(grid)?;
    Ok(Plain::Bool(
        e.top == 0 || e.left == 0 || e.bottom == height - 1 || e.right == width - 1,
    ))
}

pub(super) fn position(a: &Plain, b: &Plain) -> PlainResult {
    let center = |patch: &Plain| {
        let e = extremes(patch)?;
        let middle = |low, high| span(low, high).map(|length| low + length / 2);
        Ok((middle(e.top, e.bottom)?, middle(e.left, e.right)?))
    };
    let ((ai, aj), (bi, bj)): (Location, Location) = (center(a)?, center(b)?);
    let towards = |from: i64, to: i64| if from < to { 1 } else { -1 };
    Ok(if ai == bi {
        Plain::pair(0, towards(aj, bj))
    } else if aj == bj {
        Plain::pair(towards(ai, bi), 0)
    } else {
        Plain::pair(towards(ai, bi), towards(aj, bj))
    })
}

pub(super) fn gravitate(source: &Plain, destination: &Plain, meter: &mut Meter) -> PlainResult {
    let ((si, sj), (di, dj)) = (center_of(source)?, center_of(destination)?);
    let step = if matching(source, destination, |at| at.1)? {
        (if si < di { 1 } else { -1 }, 0)
    } else {
        (0, if sj < dj { 1 } else { -1 })
    };
    let (mut moving, target) = (locations(source)?, locations(destination)?);
    let mut count = 0;
    while distance(&moving, &target, meter)? != 1 && count < 42 {
        count += 1;
        for at in &mut moving {
            *at = (
                at.0.checked_add(step.0).ok_or(Fault::Overflow)?,
                at.1.checked_add(step.1).ok_or(Fault::Overflow)?,
            );
        }
    }
    Ok(Plain::pair(count * step.0, count * step.1))
}

pub(super) fn index(grid: &Plain, location: &Plain) -> PlainResult {
    let rows = some_rows(grid)?;
    Ok(at(&rows, location.as_pair()?)?.map_or(Plain::None, Plain::clone))
}

pub(super) fn asindices(grid: &Plain, meter: &mut Meter) -> PlainResult {
    let (height, width) = dimensions(&rows(grid)?);
    charge_elements(meter, height.saturating_mul(width).saturating_mul(3))?;
    Ok(indices(
        (0..height).flat_map(|i| (0..width).map(move |j| (i, j))),
    ))
}

pub(super) fn ofcolor(grid: &Plain, value: &Plain) -> PlainResult {
    Ok(indices(places_of(&rows(grid)?, value)))
}
