//! Writing patches into grids (section 6.6).

use super::ValueResult;
use super::arithmetic::location;
use super::colours::background;
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{GridRef, ListedKind, Mask, Space, Value, full_bits, lanes};

/// Returns a copy of a grid to write to.
fn copied(space: &mut Space, grid: GridRef) -> Result<GridRef, Fault> {
    let at = space.reserve_cells(grid.area())?;
    space
        .cells
        .extend_from_within(grid.at..grid.at + grid.area());
    Ok(GridRef { at, ..grid })
}

/// Calls `visit` with every row of a grid that a mask overlaps: the word of the overlap, the index
/// of its first cell in the grid, and the index of that cell in the mask's box.
fn covered(
    space: &mut Space,
    grid: GridRef,
    mask: Mask,
    mut visit: impl FnMut(u128, &mut [i8], usize, usize),
) {
    let words = mask.rows as usize;
    let left = mask.left().max(0);
    let right = (mask.right() + 1).min(grid.width as i64);
    if left >= right {
        return;
    }
    let skipped = (left - mask.left()) as usize;
    let columns = full_bits((right - left) as usize);
    for i in mask.top().max(0)..=mask.bottom().min(grid.height as i64 - 1) {
        let row = (i - mask.top()) as usize;
        let word = space.rows[words + row] >> skipped & columns;
        let place = grid.at + i as usize * grid.width + left as usize;
        let own = row * usize::from(mask.width) + skipped;
        visit(word, &mut space.cells, place, own);
    }
}

/// Fills the locations of a mask, only on cells of colour `under` if it is given.
fn fill_mask(space: &mut Space, grid: GridRef, mask: Mask, colour: i8, under: Option<i8>) {
    covered(space, grid, mask, |word, cells, place, _| {
        let word = under.map_or(word, |under| lanes::of_colour(word, cells, place, under));
        lanes::fill_under(word, cells, place, colour);
    });
}

/// Fills the locations of layers one after another, with one colour or with their own. Charges as
/// if every cell was listed.
fn fill_layers(
    space: &mut Space,
    grid: GridRef,
    layers: Value,
    one: Option<i8>,
    under: Option<i8>,
) -> Result<Option<Value>, Fault> {
    let Value::Layers { at, len } = layers else {
        return Ok(None);
    };
    let cells = space.len(layers)?;
    space.meter.work(cells as u64)?;
    let new = copied(space, grid)?;
    for place in at as usize..at as usize + usize::from(len) {
        if let Value::Object(mask, colour) = space.values[place] {
            fill_mask(space, new, mask, one.unwrap_or(colour), under);
        }
    }
    Ok(Some(new.into()))
}

/// Returns a grid with the locations of a patch filled with a colour, only on cells of colour
/// `under` if it is given. Returns `None` where only the plain primitive applies.
fn filled(
    space: &mut Space,
    grid: GridRef,
    colour: i8,
    patch: Value,
    under: Option<i8>,
) -> Result<Option<Value>, Fault> {
    if patch.is_empty_container() {
        return Ok(Some(grid.into()));
    }
    if let Some(mask) = patch.mask() {
        let new = copied(space, grid)?;
        fill_mask(space, new, mask, colour, under);
        return Ok(Some(new.into()));
    }
    if let Value::Layers { .. } = patch {
        return fill_layers(space, grid, patch, Some(colour), under);
    }
    if !(patch.is_tuple() || patch.is_set()) || space.list(patch)?.is_none() {
        return Ok(None);
    }
    let new = copied(space, grid)?;
    for patch_cell in &space.patch_cells {
        if let Some(place) = place(new, patch_cell.i, patch_cell.j)
            && under.is_none_or(|under| space.cells[place] == under)
        {
            space.cells[place] = colour;
        }
    }
    Ok(Some(new.into()))
}

/// Returns the index of a location's cell, if it is inside the grid.
fn place(grid: GridRef, i: i32, j: i32) -> Option<usize> {
    let (i, j) = (usize::try_from(i).ok()?, usize::try_from(j).ok()?);
    (i < grid.height && j < grid.width).then(|| grid.at + i * grid.width + j)
}

/// Returns a grid with an object painted on it, only on cells that have colour `under` at that
/// moment if it is given. Returns `None` where only the plain primitive applies.
fn painted(
    space: &mut Space,
    grid: GridRef,
    object: Value,
    under: Option<i8>,
) -> Result<Option<Value>, Fault> {
    match object {
        Value::Object(_, colour) => filled(space, grid, colour, object, under),
        Value::Painted { cells, .. } => {
            let Some(mask) = object.mask() else {
                return Ok(None);
            };
            let new = copied(space, grid)?;
            covered(space, new, mask, |word, all, place, own| {
                let word = under.map_or(word, |under| lanes::of_colour(word, all, place, under));
                lanes::copy_under(word, all, cells as usize + own, place);
            });
            Ok(Some(new.into()))
        }
        Value::Layers { .. } => fill_layers(space, grid, object, None, under),
        _ if object.is_empty_container() => Ok(Some(grid.into())),
        Value::Tuple { at, len, .. } => {
            // A merged tuple has many cells, so it is read in place and not listed.
            space.meter.work(u64::from(len))?;
            let new = copied(space, grid)?;
            for element in &space.values[at as usize..(at + len) as usize] {
                let Value::Cell { colour, i, j } = *element else {
                    return Ok(None);
                };
                let Ok(colour) = i8::try_from(colour) else {
                    return Ok(None);
                };
                if let Some(place) = place(new, i, j)
                    && under.is_none_or(|under| space.cells[place] == under)
                {
                    space.cells[place] = colour;
                }
            }
            Ok(Some(new.into()))
        }
        _ => {
            if !(object.is_tuple() || object.is_set())
                || space.list(object)? != Some(ListedKind::Object)
                || space
                    .patch_cells
                    .iter()
                    .any(|patch_cell| i8::try_from(patch_cell.colour).is_err())
            {
                return Ok(None);
            }
            let new = copied(space, grid)?;
            for patch_cell in &space.patch_cells {
                if let Some(place) = place(new, patch_cell.i, patch_cell.j)
                    && under.is_none_or(|under| space.cells[place] == under)
                {
                    space.cells[place] = patch_cell.colour as i8;
                }
            }
            Ok(Some(new.into()))
        }
    }
}

pub(super) fn fill(
    space: &mut Space,
    prim: Prim,
    value: Value,
    colour: Value,
    patch: Value,
) -> ValueResult {
    if let (Some(grid), Some(small)) = (value.as_grid(), colour.small()) {
        let under = (prim == Prim::Underfill).then(|| background(space, grid));
        if let Some(result) = filled(space, grid, small, patch, under)? {
            return Ok(result);
        }
    }
    space.evaluate_irregular(prim, &[value, colour, patch])
}

pub(super) fn paint(space: &mut Space, prim: Prim, value: Value, object: Value) -> ValueResult {
    if let Some(grid) = value.as_grid() {
        let under = (prim == Prim::Underpaint).then(|| background(space, grid));
        if let Some(result) = painted(space, grid, object, under)? {
            return Ok(result);
        }
    }
    space.evaluate_irregular(prim, &[value, object])
}

pub(super) fn cover(space: &mut Space, value: Value, patch: Value) -> ValueResult {
    if let Some(grid) = value.as_grid() {
        let colour = background(space, grid);
        if let Some(result) = filled(space, grid, colour, patch, None)? {
            return Ok(result);
        }
    }
    space.evaluate_irregular(Prim::Cover, &[value, patch])
}

pub(super) fn displace(
    space: &mut Space,
    value: Value,
    object: Value,
    offset: Value,
) -> ValueResult {
    if let Some(grid) = value.as_grid()
        && matches!(object, Value::Object(..) | Value::Painted { .. })
        && let Some(mask) = object.mask()
    {
        let (di, dj) = location(space, offset)?;
        let moved = object.moved(
            mask.top().saturating_add(di),
            mask.left().saturating_add(dj),
        );
        if let Some(moved) = moved {
            let colour = background(space, grid);
            if let Some(Value::Grid { at, .. }) = filled(space, grid, colour, object, None)? {
                let covered = GridRef {
                    at: at as usize,
                    ..grid
                };
                if let Some(result) = painted(space, covered, moved, None)? {
                    return Ok(result);
                }
            }
        }
    }
    space.evaluate_irregular(Prim::Move, &[value, object, offset])
}
