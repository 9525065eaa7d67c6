//! Writing patches into grids (section 6.6).

use super::patch::{Location, cells, grid, locations, some_rows};
use super::query::mostcolor;
use super::{Plain, PlainResult, rows};
use crate::fault::Fault;

/// Writes strokes into a grid one after another. `onto` says which cells may be overwritten.
fn write(
    value: &Plain,
    patch_cells: Vec<(Plain, Location)>,
    onto: impl Fn(&Plain) -> bool,
) -> PlainResult {
    let mut rows = some_rows(value)?;
    rows::write(&mut rows, patch_cells, onto)?;
    Ok(grid(rows))
}

fn patch_cells(colour: &Plain, patch: &Plain) -> Result<Vec<(Plain, Location)>, Fault> {
    let places = locations(patch)?;
    Ok(places.into_iter().map(|at| (colour.clone(), at)).collect())
}

pub(super) fn fill(value: &Plain, colour: &Plain, patch: &Plain) -> PlainResult {
    write(value, patch_cells(colour, patch)?, |_| true)
}

pub(super) fn paint(value: &Plain, object: &Plain) -> PlainResult {
    write(value, cells(object)?, |_| true)
}

pub(super) fn underfill(value: &Plain, colour: &Plain, patch: &Plain) -> PlainResult {
    let background = mostcolor(value, true)?;
    write(value, patch_cells(colour, patch)?, |cell| {
        *cell == background
    })
}

pub(super) fn underpaint(value: &Plain, object: &Plain) -> PlainResult {
    let background = mostcolor(value, true)?;
    write(value, cells(object)?, |cell| *cell == background)
}

pub(super) fn cover(value: &Plain, patch: &Plain) -> PlainResult {
    fill(value, &mostcolor(value, true)?, patch)
}

pub(super) fn displace(value: &Plain, object: &Plain, offset: &Plain) -> PlainResult {
    let covered = cover(value, object)?;
    paint(&covered, &super::construct::shift(object, offset)?)
}
