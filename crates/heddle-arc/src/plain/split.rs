//! Splitting and concatenating grids (section 6.5).

use super::patch::{grid, rows, some_rows};
use super::rows;
use super::{Plain, PlainResult, charge_elements};
use crate::meter::Meter;

pub(super) use super::geometry::pieces;

pub(super) fn hconcat(a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    rows::side_by_side(rows(a)?, rows(b)?, meter).map(grid)
}

pub(super) fn vconcat(a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    let (top, bottom) = (a.tuple()?, b.tuple()?);
    charge_elements(meter, (top.len() + bottom.len()) as i64)?;
    Ok(Plain::Tuple(top.iter().chain(bottom).cloned().collect()))
}

pub(super) fn cellwise(a: &Plain, b: &Plain, fallback: &Plain) -> PlainResult {
    rows::cellwise(&some_rows(a)?, &rows(b)?, fallback).map(grid)
}
