//! Writing patches into grids (section 6.6).

use super::patch::{Location, cells, dimensions, grid, locations, some_rows};
use super::query::mostcolor;
use super::{Outcome, Plain};
use crate::fault::{Fault, Noun};

/// Writes colours one after another, skipping what lies outside; `onto` says
/// which cells may be written over.
fn write(value: &Plain, strokes: Vec<(Plain, Location)>, onto: impl Fn(&Plain) -> bool) -> Outcome {
    let mut rows = some_rows(value)?;
    let (height, width) = dimensions(&rows);
    for (colour, (i, j)) in strokes {
        if i < 0 || j < 0 || i >= height || j >= width {
            continue;
        }
        let cell = rows[i as usize]
            .get_mut(j as usize)
            .ok_or(Fault::Missing(Noun::CellInRaggedGrid))?;
        if onto(cell) {
            *cell = colour;
        }
    }
    Ok(grid(rows))
}

fn strokes(colour: &Plain, patch: &Plain) -> Result<Vec<(Plain, Location)>, Fault> {
    let places = locations(patch)?;
    Ok(places.into_iter().map(|at| (colour.clone(), at)).collect())
}

pub(super) fn fill(value: &Plain, colour: &Plain, patch: &Plain) -> Outcome {
    write(value, strokes(colour, patch)?, |_| true)
}

pub(super) fn paint(value: &Plain, object: &Plain) -> Outcome {
    write(value, cells(object)?, |_| true)
}

pub(super) fn underfill(value: &Plain, colour: &Plain, patch: &Plain) -> Outcome {
    let background = mostcolor(value, true)?;
    write(value, strokes(colour, patch)?, |cell| *cell == background)
}

pub(super) fn underpaint(value: &Plain, object: &Plain) -> Outcome {
    let background = mostcolor(value, true)?;
    write(value, cells(object)?, |cell| *cell == background)
}

pub(super) fn cover(value: &Plain, patch: &Plain) -> Outcome {
    fill(value, &mostcolor(value, true)?, patch)
}

pub(super) fn displace(value: &Plain, object: &Plain, offset: &Plain) -> Outcome {
    let covered = cover(value, object)?;
    paint(&covered, &super::construct::shift(object, offset)?)
}
