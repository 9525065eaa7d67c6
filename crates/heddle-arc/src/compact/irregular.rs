//! Grids and patches without a compact form: ragged rows, unusual cells, boxes too wide for a mask.
//!
//! Random programs sometimes make grids that are ragged, contain `None` or are scaled up to a huge
//! size. Calls that `ragged` does not handle are evaluated here on lightweight copies with the
//! functions of `plain::rows`, in the order and at the cost of plain ones. Grids with a cell that
//! is not an atom are left to plain values.

pub(crate) mod degenerate;
pub(crate) mod ragged;

use self::ragged::charged;
use super::ValueResult;
use super::irregular_value::{Atom, IrregularPatch, IrregularValue, location, rows_of};
use crate::fault::Fault;
use crate::meter::Meter;
use crate::plain::charge_elements;
use crate::plain::rows::{self, Location, Rows};
use crate::prim::Prim;
use crate::value::{Extremes, Space, Value};

/// The result of a call on lightweight copies, or `None` if the copies do not suffice.
type IrregularResult = Option<Result<IrregularValue, Fault>>;

/// Returns the result of a call that no compact form handles, if lightweight copies suffice for it.
pub(crate) fn evaluated(space: &mut Space, prim: Prim, args: &[Value]) -> Option<ValueResult> {
    let before = space.meter.clone();
    let made = charged(space, args).ok().and_then(|held| {
        let made = match *args {
            [x] => of_one(space, prim, x),
            [x, y] => of_two(space, prim, [x, y]),
            [x, y, z] => of_three(space, prim, [x, y, z]),
            _ => None,
        };
        Some((made?, held))
    });
    let Some((made, held)) = made else {
        space.meter = before;
        return None;
    };
    Some(made.and_then(|made| {
        space.meter.release_to(held);
        made.build(space)
    }))
}

fn of_one(space: &mut Space, prim: Prim, x: Value) -> IrregularResult {
    if x.is_tuple() {
        return of_rows(prim, rows_of(space, x)?);
    }
    let patch = IrregularPatch::new(space, x)?;
    let Extremes {
        top,
        left,
        bottom,
        right,
    } = patch.extremes();
    let patch = match prim {
        Prim::Corners => {
            let (above, below) = (
                [(top, left), (top, right)],
                [(bottom, left), (bottom, right)],
            );
            IrregularPatch::Indices([above, below].concat())
        }
        Prim::Hmirror => patch.moved(|(i, j)| (top + bottom - i, j)),
        Prim::Vmirror => patch.moved(|(i, j)| (i, left + right - j)),
        Prim::Dmirror => patch.moved(|(i, j)| (top + j - left, left + i - top)),
        Prim::Cmirror => patch.moved(|(i, j)| (top + right - j, left + bottom - i)),
        Prim::Mostcolor | Prim::Leastcolor => {
            let common = rows::common(patch.colours()?, prim == Prim::Mostcolor);
            return Some(common.map(IrregularValue::Atom));
        }
        Prim::Numcolors => {
            let mut colours = patch.colours()?;
            colours.sort_unstable();
            colours.dedup();
            let count = Atom(Value::Int(colours.len() as i64));
            return Some(Ok(IrregularValue::Atom(count)));
        }
        _ => return None,
    };
    Some(Ok(IrregularValue::Patch(patch)))
}

/// Evaluates a primitive that takes only a grid.
fn of_rows(prim: Prim, rows: Rows<Atom>) -> IrregularResult {
    Some(match prim {
        Prim::Mostcolor | Prim::Leastcolor => {
            let colours = rows.into_iter().flatten();
            rows::common(colours, prim == Prim::Mostcolor).map(IrregularValue::Atom)
        }
        Prim::Asobject => Ok(IrregularValue::Patch(IrregularPatch::Object(
            cells(&rows).collect(),
        ))),
        Prim::Partition => Ok(partition(&rows, None)),
        Prim::Fgpartition => {
            let background = rows::common(rows.iter().flatten().copied(), true);
            background.map(|colour| partition(&rows, Some(colour)))
        }
        _ => Ok(IrregularValue::Grid(rows::arranged(prim, rows)?)),
    })
}

/// Returns the cells of a grid, row by row.
fn cells(rows: &Rows<Atom>) -> impl Iterator<Item = (Atom, Location)> {
    rows.iter().enumerate().flat_map(|(i, row)| {
        let cells = row.iter().enumerate();
        cells.map(move |(j, colour)| (*colour, (i as i64, j as i64)))
    })
}

/// Returns one object for each colour of a grid, except `but`.
fn partition(rows: &Rows<Atom>, but: Option<Atom>) -> IrregularValue {
    let cells = cells(rows).filter(|(colour, _)| Some(*colour) != but);
    let mut cells: Vec<_> = cells.collect();
    cells.sort();
    let objects = cells.chunk_by(|(a, _), (b, _)| a == b);
    IrregularValue::Patches(
        objects
            .map(|cells| IrregularPatch::Object(cells.to_vec()))
            .collect(),
    )
}

fn of_two(space: &mut Space, prim: Prim, [x, y]: [Value; 2]) -> IrregularResult {
    let kept = match prim {
        Prim::Hupscale | Prim::Vupscale | Prim::Upscale if x.is_tuple() => {
            let (rows, factor) = (rows_of(space, x)?, y.int().ok()?.max(0));
            let by = match prim {
                Prim::Hupscale => (1, factor),
                Prim::Vupscale => (factor, 1),
                _ => (factor, factor),
            };
            rows::scaled(&rows, by, &mut space.meter)
        }
        Prim::Upscale => {
            let patch = IrregularPatch::new(space, x)?;
            let Extremes { top, left, .. } = patch.extremes();
            let IrregularPatch::Object(cells) = patch else {
                return None;
            };
            let factor = y.int().ok()?.max(0);
            let scaled = upscaled(&cells, (top, left), factor, &mut space.meter);
            return Some(scaled.map(|cells| IrregularValue::Patch(IrregularPatch::Object(cells))));
        }
        Prim::Downscale => rows::downscaled(&rows_of(space, x)?, y.int().ok()?),
        Prim::Hconcat => {
            let (left, right) = (rows_of(space, x)?, rows_of(space, y)?);
            rows::side_by_side(left, right, &mut space.meter)
        }
        Prim::Hsplit | Prim::Vsplit => {
            let (rows, n) = (rows_of(space, x)?, y.int().ok()?);
            let pieces = rows::pieces(&rows, n, prim == Prim::Hsplit, &mut space.meter);
            return Some(pieces.map(IrregularValue::Grids));
        }
        Prim::Subgrid if x.is_set() => {
            let (e, rows) = (
                IrregularPatch::new(space, x)?.extremes(),
                rows_of(space, y)?,
            );
            let shape = (e.bottom - e.top + 1, e.right - e.left + 1);
            rows::cut(&rows, (e.top, e.left), shape)
        }
        Prim::Cover | Prim::Paint | Prim::Underpaint => {
            let (rows, patch) = (rows_of(space, x)?, IrregularPatch::new(space, y)?);
            painted(prim, rows, patch)?
        }
        _ => return patch_of_two(space, prim, [x, y]),
    };
    Some(kept.map(IrregularValue::Grid))
}

fn patch_of_two(space: &mut Space, prim: Prim, [x, y]: [Value; 2]) -> IrregularResult {
    let patch = match prim {
        Prim::Ofcolor => {
            let (rows, colour) = (rows_of(space, x)?, Atom::new(y)?);
            Ok(IrregularPatch::Indices(rows::places_of(&rows, &colour)))
        }
        Prim::Toobject => {
            let (patch, rows) = (IrregularPatch::new(space, x)?, rows_of(space, y)?);
            let colour = |place| match rows::at(&rows, place) {
                Ok(colour) => colour.map(|colour| Ok((*colour, place))),
                Err(fault) => Some(Err(fault)),
            };
            let cells = patch.locations().into_iter().filter_map(colour);
            cells
                .collect::<Result<_, Fault>>()
                .map(IrregularPatch::Object)
        }
        Prim::Recolor => {
            let (colour, patch) = (Atom::new(x)?, IrregularPatch::new(space, y)?);
            Ok(patch.coloured(colour))
        }
        // The empty pattern occurs everywhere, even one past the last row and column.
        Prim::Occurrences if y.is_empty_container() => {
            let (height, width) = rows::dimensions(&rows_of(space, x)?);
            let places = (0..=height).flat_map(|i| (0..=width).map(move |j| (i, j)));
            Ok(IrregularPatch::Indices(places.collect()))
        }
        Prim::Occurrences if y.is_set() => {
            let (rows, patch) = (rows_of(space, x)?, IrregularPatch::new(space, y)?);
            let (e, (height, width)) = (patch.extremes(), rows::dimensions(&rows));
            let shape = (e.bottom - e.top + 1, e.right - e.left + 1);
            match patch {
                _ if shape.0 > height || shape.1 > width => Ok(IrregularPatch::Indices(Vec::new())),
                IrregularPatch::Indices(_) => return None,
                IrregularPatch::Object(cells) => {
                    let corner = (e.top, e.left);
                    rows::occurrences(&rows, &cells, corner, shape, &mut space.meter)
                        .map(IrregularPatch::Indices)
                }
            }
        }
        _ => return None,
    };
    Some(patch.map(IrregularValue::Patch))
}

fn of_three(space: &mut Space, prim: Prim, args: [Value; 3]) -> IrregularResult {
    let [x, y, z] = args;
    let rows = rows_of(space, x)?;
    let kept = match prim {
        Prim::Crop => rows::cut(&rows, location(y)?, location(z)?),
        Prim::Replace => {
            let (from, to) = (Atom::new(y)?, Atom::new(z)?);
            let colour = |cell: &Atom| if *cell == from { to } else { *cell };
            Ok(rows::recoloured(&rows, colour))
        }
        Prim::Cellwise => rows::cellwise(&rows, &rows_of(space, y)?, &Atom::new(z)?),
        Prim::Fill | Prim::Underfill => {
            let patch = IrregularPatch::new(space, z)?.coloured(Atom::new(y)?);
            painted(prim, rows, patch)?
        }
        Prim::Move if y.is_set() => {
            let (patch, (di, dj)) = (IrregularPatch::new(space, y)?, location(z)?);
            let moved = patch.clone().moved(|(i, j)| (i + di, j + dj));
            let covered = painted(Prim::Cover, rows, patch)?;
            match covered {
                Ok(covered) => painted(Prim::Paint, covered, moved)?,
                fault => fault,
            }
        }
        _ => return None,
    };
    Some(kept.map(IrregularValue::Grid))
}

/// Writes a patch into a grid as the primitive does. A patch without colours can only be covered.
fn painted(
    prim: Prim,
    mut rows: Rows<Atom>,
    patch: IrregularPatch,
) -> Option<Result<Rows<Atom>, Fault>> {
    let background = match prim {
        Prim::Cover | Prim::Underfill | Prim::Underpaint => {
            match rows::common(rows.iter().flatten().copied(), true) {
                Ok(colour) => Some(colour),
                Err(fault) => return Some(Err(fault)),
            }
        }
        _ => None,
    };
    let (patch, onto) = match (prim, background) {
        (Prim::Cover, Some(colour)) => (patch.coloured(colour), None),
        (_, background) => (patch, background),
    };
    let IrregularPatch::Object(patch_cells) = patch else {
        return None;
    };
    let written = rows::write(&mut rows, patch_cells, |cell| {
        onto.is_none_or(|only| *cell == only)
    });
    Some(written.map(|()| rows))
}

/// Repeats every cell of a patch down and across, relative to the corner of its box.
fn upscaled(
    cells: &[(Atom, Location)],
    (top, left): Location,
    size: i64,
    meter: &mut Meter,
) -> Result<Vec<(Atom, Location)>, Fault> {
    let block = size.saturating_mul(size);
    charge_elements(meter, block.saturating_mul(4 * cells.len() as i64))?;
    // The cells were charged for, so the factor is small and no location overflows.
    let place = |low: i64, at: i64| (at - low) * size + low;
    let squares = cells.iter().flat_map(|(colour, (i, j))| {
        let (i, j) = (place(top, *i), place(left, *j));
        (i..i + size).flat_map(move |i| (j..j + size).map(move |j| (*colour, (i, j))))
    });
    Ok(squares.collect())
}

#[cfg(test)]
mod tests;
