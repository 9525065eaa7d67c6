//! Segments, rays and frames (section 6.9).

use super::patch::{Location, PlainExtremes, extremes, indices, is_empty, some_rows};
use super::rows::{is_uniform, transpose};
use super::{Plain, PlainResult, charge_elements, set_of};
use crate::fault::Fault;
use crate::meter::Meter;

pub(super) fn around(location: &Plain, sides: bool, diagonals: bool) -> PlainResult {
    let (i, j) = location.as_pair()?;
    let step = |at: i64, by: i64| at.checked_add(by).ok_or(Fault::Overflow);
    let mut found = Vec::new();
    for di in -1..=1 {
        for dj in -1..=1 {
            let wanted = match i64::abs(di) + i64::abs(dj) {
                1 => sides,
                2 => diagonals,
                _ => false,
            };
            if wanted {
                found.push((step(i, di)?, step(j, dj)?));
            }
        }
    }
    Ok(indices(found))
}

fn segment((ai, aj): Location, (bi, bj): Location, meter: &mut Meter) -> PlainResult {
    let (di, dj) = (ai.abs_diff(bi), aj.abs_diff(bj));
    if di != 0 && dj != 0 && di != dj {
        return Ok(set_of([]));
    }
    let length = di.max(dj);
    charge_elements(
        meter,
        i64::try_from(length).unwrap_or(i64::MAX).saturating_mul(3),
    )?;
    let towards = |from: i64, to: i64| i64::from(to > from) - i64::from(to < from);
    let (si, sj) = (towards(ai, bi), towards(aj, bj));
    Ok(indices(
        (0..=length as i64).map(|k| (ai + k * si, aj + k * sj)),
    ))
}

pub(super) fn connect(a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    segment(a.as_pair()?, b.as_pair()?, meter)
}

pub(super) fn shoot(start: &Plain, direction: &Plain, meter: &mut Meter) -> PlainResult {
    let ((i, j), (di, dj)) = (start.as_pair()?, direction.as_pair()?);
    let end = |at: i64, by: i64| {
        by.checked_mul(42)
            .and_then(|far| at.checked_add(far))
            .ok_or(Fault::Overflow)
    };
    segment((i, j), (end(i, di)?, end(j, dj)?), meter)
}

pub(super) fn vfrontier(location: &Plain) -> PlainResult {
    let (_, j) = location.as_pair()?;
    Ok(indices((0..30).map(|i| (i, j))))
}

pub(super) fn hfrontier(location: &Plain) -> PlainResult {
    let (i, _) = location.as_pair()?;
    Ok(indices((0..30).map(|j| (i, j))))
}

pub(super) fn corners(patch: &Plain) -> PlainResult {
    if is_empty(patch)? {
        return Ok(set_of([Plain::Tuple(Vec::new())]));
    }
    let e = extremes(patch)?;
    Ok(indices([
        (e.top, e.left),
        (e.top, e.right),
        (e.bottom, e.left),
        (e.bottom, e.right),
    ]))
}

fn outline(e: PlainExtremes, meter: &mut Meter) -> PlainResult {
    let around = (e.bottom.saturating_sub(e.top))
        .saturating_add(e.right.saturating_sub(e.left))
        .saturating_add(2);
    charge_elements(meter, around.saturating_mul(6))?;
    let sides = (e.top..=e.bottom).flat_map(|i| [(i, e.left), (i, e.right)]);
    let ends = (e.left..=e.right).flat_map(|j| [(e.top, j), (e.bottom, j)]);
    Ok(indices(sides.chain(ends)))
}

pub(super) fn frame(patch: &Plain, meter: &mut Meter) -> PlainResult {
    if is_empty(patch)? {
        return Ok(patch.clone());
    }
    outline(extremes(patch)?, meter)
}

/// Returns the outline of the bounding box grown by one on every side (shrunk if negative). The
/// sides of a box that shrinks past itself swap.
pub(super) fn grown_frame(patch: &Plain, by: i64, meter: &mut Meter) -> PlainResult {
    let e = extremes(patch)?;
    let step = |at: i64, by: i64| at.checked_add(by).ok_or(Fault::Overflow);
    let (top, bottom) = (step(e.top, -by)?, step(e.bottom, by)?);
    let (left, right) = (step(e.left, -by)?, step(e.right, by)?);
    let grown = PlainExtremes {
        top: top.min(bottom),
        bottom: top.max(bottom),
        left: left.min(right),
        right: left.max(right),
    };
    outline(grown, meter)
}

pub(super) fn frontiers(grid: &Plain) -> PlainResult {
    let rows = some_rows(grid)?;
    let mut found = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        if is_uniform(row) {
            let cells = row.iter().enumerate();
            found.push(set_of(cells.map(|(j, colour)| {
                Plain::cell(colour.clone(), i as i64, j as i64)
            })));
        }
    }
    for (j, column) in transpose(&rows).iter().enumerate() {
        if is_uniform(column) {
            let cells = column.iter().enumerate();
            found.push(set_of(cells.map(|(i, colour)| {
                Plain::cell(colour.clone(), i as i64, j as i64)
            })));
        }
    }
    Ok(set_of(found))
}
