//! Patches and grids read out of plain values (section 3).

use super::{Plain, PlainResult, set_of};
use crate::fault::{Fault, ValueKind};
use std::collections::BTreeSet;

pub(crate) type Location = (i64, i64);

/// A patch, read by the rules of section 3.
pub(super) enum PlainPatch {
    /// A patch without elements, neither object nor indices.
    Empty,
    /// The colour and location of every element, in iteration order.
    Object(Vec<(Plain, Location)>),
    /// The locations in iteration order.
    Indices(Vec<Location>),
}

pub(super) fn patch(value: &Plain) -> Result<PlainPatch, Fault> {
    let items = value.items()?;
    let Some(first) = items.first() else {
        return Ok(PlainPatch::Empty);
    };
    let second = match first {
        Plain::Tuple(parts) if parts.len() >= 2 => &parts[1],
        other => return Err(other.not(ValueKind::CellOrLocation)),
    };
    if matches!(second, Plain::Tuple(_)) {
        let cells: Result<Vec<_>, Fault> = items.into_iter().map(cell).collect();
        cells.map(PlainPatch::Object)
    } else {
        let locations: Result<Vec<_>, Fault> = items.into_iter().map(Plain::as_pair).collect();
        locations.map(PlainPatch::Indices)
    }
}

pub(super) fn cell(value: &Plain) -> Result<(Plain, Location), Fault> {
    match value {
        Plain::Tuple(parts) if parts.len() == 2 => Ok((parts[0].clone(), parts[1].as_pair()?)),
        _ => Err(value.not(ValueKind::Cell)),
    }
}

/// Returns the cells of an object. Locations are an error.
pub(super) fn cells(value: &Plain) -> Result<Vec<(Plain, Location)>, Fault> {
    value.items()?.into_iter().map(cell).collect()
}

/// Returns `locs(P)` as a list: the locations of an object once each, in ascending order, or the
/// elements of indices as they are.
pub(super) fn locations(value: &Plain) -> Result<Vec<Location>, Fault> {
    Ok(match patch(value)? {
        PlainPatch::Empty => Vec::new(),
        PlainPatch::Indices(list) => list,
        PlainPatch::Object(cells) => {
            let distinct: BTreeSet<Location> = cells.into_iter().map(|(_, at)| at).collect();
            distinct.into_iter().collect()
        }
    })
}

/// The bounds of a patch.
#[derive(Clone, Copy)]
pub(super) struct PlainExtremes {
    pub top: i64,
    pub bottom: i64,
    pub left: i64,
    pub right: i64,
}

pub(super) fn extremes(value: &Plain) -> Result<PlainExtremes, Fault> {
    extremes_of(&locations(value)?).ok_or(Fault::Empty(ValueKind::Patch))
}

pub(super) fn extremes_of(locations: &[Location]) -> Option<PlainExtremes> {
    Some(PlainExtremes {
        top: locations.iter().map(|at| at.0).min()?,
        bottom: locations.iter().map(|at| at.0).max()?,
        left: locations.iter().map(|at| at.1).min()?,
        right: locations.iter().map(|at| at.1).max()?,
    })
}

pub(super) fn is_empty(value: &Plain) -> Result<bool, Fault> {
    Ok(value.items()?.is_empty())
}

/// Returns the set of a patch's elements with every location mapped by `place`. Colours are kept.
pub(super) fn relocate(
    value: &Plain,
    place: impl Fn(Location) -> Result<Location, Fault>,
) -> PlainResult {
    let mut moved = Vec::new();
    match patch(value)? {
        PlainPatch::Empty => {}
        PlainPatch::Indices(list) => {
            for at in list {
                let (i, j) = place(at)?;
                moved.push(Plain::pair(i, j));
            }
        }
        PlainPatch::Object(cells) => {
            for (colour, at) in cells {
                let (i, j) = place(at)?;
                moved.push(Plain::cell(colour, i, j));
            }
        }
    }
    Ok(set_of(moved))
}

/// Returns the set of these locations.
pub(super) fn indices(locations: impl IntoIterator<Item = Location>) -> Plain {
    set_of(locations.into_iter().map(|(i, j)| Plain::pair(i, j)))
}

/// Returns a grid as rows of cells. Rows may differ in length and hold any value; the width is that
/// of the first.
pub(super) fn rows(grid: &Plain) -> Result<Vec<Vec<Plain>>, Fault> {
    grid.tuple()?
        .iter()
        .map(|row| row.tuple().map(<[Plain]>::to_vec))
        .collect()
}

/// The same for primitives that need at least one row.
pub(super) fn some_rows(grid: &Plain) -> Result<Vec<Vec<Plain>>, Fault> {
    let rows = rows(grid)?;
    if rows.is_empty() {
        return Err(Fault::Empty(ValueKind::Grid));
    }
    Ok(rows)
}

pub(super) fn grid(rows: Vec<Vec<Plain>>) -> Plain {
    Plain::Tuple(rows.into_iter().map(Plain::Tuple).collect())
}
