//! Making objects and patches (section 6.8).

use super::ValueResult;
use super::arithmetic::location;
use super::colours::{background, color, colours};
use super::objects::{self, Connectivity};
use super::oversized_grids;
use super::query::grid_window;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::lanes::{self, colour_bits};
use crate::value::{GridRef, ListedKind, Mask, Patch, Space, Value, Window, full_bits};

pub(super) fn o_g(space: &mut Space, grid: Value, r: Value) -> ValueResult {
    match r.int()? {
        r @ 0..=7 => objects::objects(
            space,
            Prim::OG,
            &[grid, Value::Int(r)],
            Connectivity {
                univalued: r & 4 != 0,
                diagonal: r & 2 != 0,
                without_background: r & 1 != 0,
            },
        ),
        _ => Err(Fault::Range(ValueKind::ModeBeyond07)),
    }
}

/// Returns all cells of a grid as one object.
fn whole(space: &mut Space, grid: GridRef, window: Window) -> ValueResult {
    let rows = space.new_window(window)?;
    let word = full_bits(grid.width);
    space.rows[rows..].fill(word);
    let mask = window.mask_at(rows);
    let cells = &space.cells[grid.at..grid.at + grid.area()];
    if cells.iter().all(|cell| *cell == cells[0]) {
        return Ok(Value::Object(mask, cells[0]));
    }
    // The object shares the grid's cells as its colours.
    Ok(Value::Painted {
        rows: mask.rows,
        cells: grid.at as u32,
        i: mask.i,
        j: mask.j,
        height: mask.height,
        width: mask.width,
    })
}

pub(super) fn asobject(space: &mut Space, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Asobject, &[value]);
    };
    match grid_window(grid) {
        Some(window) => whole(space, grid, window),
        None => oversized_grids::whole(space, grid),
    }
}

pub(super) fn partition(space: &mut Space, prim: Prim, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(prim, &[value]);
    };
    let Some(window) = grid_window(grid) else {
        let but = (prim == Prim::Fgpartition).then(|| background(space, grid));
        return oversized_grids::partition(space, grid, but);
    };
    let Some(mut colours) = colours(space, value) else {
        return space.evaluate_irregular(prim, &[value]);
    };
    if prim == Prim::Fgpartition {
        colours.remove(background(space, grid));
    }
    let base = space.stack.len();
    for colour in colours.iter() {
        let at = space.new_window(window)?;
        for i in 0..grid.height {
            space.rows[at + i] = colour_bits(&space.cells, grid.row(i).start, grid.width, colour);
        }
        let object = space.finish_object(at, window, colour);
        space.stack.push(object);
    }
    // Objects by ascending colour are already in canonical order.
    space.sorted_set(base)
}

pub(super) fn colorfilter(space: &mut Space, objects: Value, value: Value) -> ValueResult {
    let base = space.push_elements(objects)?;
    let mut kept = base;
    for index in base..space.stack.len() {
        let object = space.stack[index];
        let own = color(space, object)?;
        if space.equal(own, value) {
            space.stack[kept] = object;
            kept += 1;
        }
    }
    space.stack.truncate(kept);
    space.set_from(base)
}

pub(super) fn toindices(space: &mut Space, patch: Value) -> ValueResult {
    match patch.patch()? {
        Patch::Empty => Ok(Value::EMPTY_SET),
        Patch::Compact(mask) => Ok(Value::Mask(mask)),
        Patch::Irregular => match space.list(patch)? {
            Some(ListedKind::Indices) => Ok(patch),
            Some(ListedKind::Object) if matches!(patch, Value::Layers { .. }) => Ok(space
                .layers_mask(patch)?
                .map_or(Value::EMPTY_SET, Value::Mask)),
            Some(ListedKind::Object) => {
                let base = listed_locations(space);
                space.set_from(base)
            }
            None => space.evaluate_irregular(Prim::Toindices, &[patch]),
        },
    }
}

/// Pushes the locations of the patch listed last.
fn listed_locations(space: &mut Space) -> usize {
    let base = space.stack.len();
    let locations = space
        .patch_cells
        .iter()
        .map(|patch_cell| Value::Pair(patch_cell.i, patch_cell.j));
    space.stack.extend(locations);
    base
}

pub(super) fn recolor(space: &mut Space, colour: Value, patch: Value) -> ValueResult {
    match (patch.patch()?, colour.small()) {
        (Patch::Compact(mask), Some(colour)) => Ok(Value::Object(mask, colour)),
        (Patch::Empty, _) => Ok(Value::EMPTY_SET),
        (Patch::Irregular, Some(colour)) if space.list(patch)?.is_some() => {
            let base = space.stack.len();
            let colour = i32::from(colour);
            let cells = space.patch_cells.iter().map(|patch_cell| Value::Cell {
                colour,
                i: patch_cell.i,
                j: patch_cell.j,
            });
            space.stack.extend(cells);
            space.set_from(base)
        }
        _ => space.evaluate_irregular(Prim::Recolor, &[colour, patch]),
    }
}

pub(super) fn shift(space: &mut Space, patch: Value, offset: Value) -> ValueResult {
    match patch.patch()? {
        Patch::Empty => Ok(patch),
        Patch::Compact(mask) => {
            let (di, dj) = location(space, offset)?;
            let moved = patch.moved(
                mask.top().saturating_add(di),
                mask.left().saturating_add(dj),
            );
            match moved {
                Some(moved) if fits(moved) => Ok(moved),
                _ => space.evaluate_irregular(Prim::Shift, &[patch, offset]),
            }
        }
        Patch::Irregular => {
            let (di, dj) = location(space, offset)?;
            if let Value::Layers { at, len } = patch
                && let Some(e) = space.extremes(patch)?
                && Window::fit(
                    e.top.saturating_add(di),
                    e.left.saturating_add(dj),
                    e.bottom.saturating_add(di),
                    e.right.saturating_add(dj),
                )
                .is_some()
            {
                let base = space.stack.len();
                for index in at as usize..at as usize + usize::from(len) {
                    let layer = space.values[index];
                    if let Some(mask) = layer.mask()
                        && let Some(moved) = layer.moved(mask.top() + di, mask.left() + dj)
                    {
                        space.stack.push(moved);
                    }
                }
                return space.layers_from(base);
            }
            let listed = space.list(patch)?;
            let add = |at: i32, by: i64| {
                i64::from(at)
                    .checked_add(by)
                    .and_then(|sum| i32::try_from(sum).ok())
            };
            let near = |patch_cell: &crate::value::PatchCell| {
                add(patch_cell.i, di).is_some() && add(patch_cell.j, dj).is_some()
            };
            if listed.is_none() || !space.patch_cells.iter().all(near) {
                return space.evaluate_irregular(Prim::Shift, &[patch, offset]);
            }
            let base = space.stack.len();
            for patch_cell in &space.patch_cells {
                let (Some(i), Some(j)) = (add(patch_cell.i, di), add(patch_cell.j, dj)) else {
                    continue;
                };
                space.stack.push(match listed {
                    Some(ListedKind::Object) => Value::Cell {
                        colour: patch_cell.colour,
                        i,
                        j,
                    },
                    _ => Value::Pair(i, j),
                });
            }
            space.set_from(base)
        }
    }
}

/// Whether the far corner of a moved patch is still within a mask's range.
fn fits(patch: Value) -> bool {
    patch.mask().is_some_and(|mask| {
        Window::fit(mask.top(), mask.left(), mask.bottom(), mask.right()).is_some()
    })
}

pub(super) fn normalize(space: &mut Space, patch: Value) -> ValueResult {
    match patch.patch()? {
        Patch::Empty => Ok(patch),
        Patch::Compact(_) => match patch.moved(0, 0) {
            Some(moved) => Ok(moved),
            None => Ok(patch),
        },
        Patch::Irregular => match space.extremes(patch)? {
            Some(e) => {
                let offset = space.pair(-e.top, -e.left)?;
                shift(space, patch, offset)
            }
            None => space.evaluate_irregular(Prim::Normalize, &[patch]),
        },
    }
}

/// Returns the mask of a compact patch, the grid, and the intersection of their boxes, if there is
/// one.
pub(super) fn inside(patch: Value, value: Value) -> Option<(Mask, GridRef, Window)> {
    let (mask, grid) = (patch.mask()?, value.as_grid()?);
    let own = Window::of(mask);
    let window = Window {
        top: own.top.max(0),
        left: own.left.max(0),
        bottom: own.bottom.min(grid.height as i64 - 1),
        right: own.right.min(grid.width as i64 - 1),
    };
    (window.top <= window.bottom && window.left <= window.right).then_some((mask, grid, window))
}

pub(super) fn toobject(space: &mut Space, patch: Value, value: Value) -> ValueResult {
    let mask = match patch {
        Value::Layers { .. } => space.layers_mask(patch)?,
        _ => patch.mask(),
    };
    let (Some(mask), Some(grid)) = (mask, value.as_grid()) else {
        if patch.is_empty_container() && value.as_grid().is_some() {
            return Ok(Value::EMPTY_SET);
        }
        return space.evaluate_irregular(Prim::Toobject, &[patch, value]);
    };
    let own = Window::of(mask);
    let (top, bottom) = (own.top.max(0), own.bottom.min(grid.height as i64 - 1));
    let (left, right) = (own.left.max(0), own.right.min(grid.width as i64 - 1));
    if top > bottom || left > right {
        return Ok(Value::EMPTY_SET);
    }
    let window = Window {
        top,
        left,
        bottom,
        right,
    };
    let width = window.width();
    let columns = full_bits(width);
    let rows = space.new_window(window)?;
    let cells = space.new_cells(window.height() * width)?;
    for row in 0..window.height() {
        let i = top + row as i64;
        let word = space.word_at(mask, i, left) & columns;
        space.rows[rows + row] = word;
        let from = grid.at + i as usize * grid.width + left as usize;
        lanes::copy_under(word, &mut space.cells, from, cells + row * width);
    }
    Ok(space.finish_cells(rows, cells, window))
}

pub(super) fn backdrop(space: &mut Space, patch: Value) -> ValueResult {
    if patch.is_empty_container() {
        return Ok(Value::EMPTY_SET);
    }
    if let Some(e) = space.extremes(patch)?
        && let Some(window) = Window::fit(e.top, e.left, e.bottom, e.right)
    {
        return space.rectangle(window);
    }
    space.evaluate_irregular(Prim::Backdrop, &[patch])
}

pub(super) fn delta(space: &mut Space, patch: Value) -> ValueResult {
    match patch.patch()? {
        Patch::Empty => Ok(Value::EMPTY_SET),
        Patch::Compact(mask) => {
            let window = Window::of(mask);
            let columns = full_bits(window.width());
            let at = space.copied_rows(mask)?;
            space.rows[at..]
                .iter_mut()
                .for_each(|word| *word = !*word & columns);
            Ok(space.finish_mask(at, window))
        }
        Patch::Irregular => space.evaluate_irregular(Prim::Delta, &[patch]),
    }
}
