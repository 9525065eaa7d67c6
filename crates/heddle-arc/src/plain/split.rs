//! Splitting and joining grids (section 6.5).

use super::patch::{dimensions, grid, rows, some_rows};
use super::{Outcome, Plain, room};
use crate::fault::{Fault, Noun};
use crate::meter::Meter;

pub(super) use super::geometry::pieces;

pub(super) fn hconcat(a: &Plain, b: &Plain, meter: &mut Meter) -> Outcome {
    let (left, right) = (rows(a)?, rows(b)?);
    let (height, width) = dimensions(&left);
    room(meter, height.saturating_mul(width + dimensions(&right).1))?;
    Ok(grid(
        left.into_iter()
            .zip(right)
            .map(|(mut row, more)| {
                row.extend(more);
                row
            })
            .collect(),
    ))
}

pub(super) fn vconcat(a: &Plain, b: &Plain, meter: &mut Meter) -> Outcome {
    let (top, bottom) = (a.tuple()?, b.tuple()?);
    room(meter, (top.len() + bottom.len()) as i64)?;
    Ok(Plain::Tuple(top.iter().chain(bottom).cloned().collect()))
}

pub(super) fn cellwise(a: &Plain, b: &Plain, fallback: &Plain) -> Outcome {
    let (left, right) = (some_rows(a)?, rows(b)?);
    let (_, width) = dimensions(&left);
    let cell = |rows: &[Vec<Plain>], i: usize, j: usize| {
        rows.get(i)
            .and_then(|row| row.get(j))
            .cloned()
            .ok_or(Fault::Missing(Noun::CellToCompareWith))
    };
    let mut result = Vec::new();
    for i in 0..left.len() {
        let mut row = Vec::new();
        for j in 0..width as usize {
            let (x, y) = (cell(&left, i, j)?, cell(&right, i, j)?);
            row.push(if x == y { x } else { fallback.clone() });
        }
        result.push(row);
    }
    Ok(grid(result))
}
