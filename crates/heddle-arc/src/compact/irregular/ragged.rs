//! Ragged rows, and boxes too wide for a mask, evaluated without copies.
//!
//! A program that runs on another task's grids sometimes makes ragged grids or grids with `None`.
//! The few primitives that meet such rows in practice iterate over them here, in the order and at
//! the cost of plain copies, but without making any: a worker thread whose memory has grown to its
//! plan allocates nothing. The other primitives are in `irregular`, and so are the tests.

use crate::compact::ValueResult;
use crate::compact::oversized_boxes;
use crate::compact::oversized_grids::push_objects;
use crate::fault::{Fault, ValueKind};
use crate::plain::{Plain, slice_bounds};
use crate::prim::Prim;
use crate::value::{Mask, Space, Value};
use std::ops::Range;

/// Returns the result of a call that no compact form handles, if it is one of these.
pub(crate) fn evaluated(space: &mut Space, prim: Prim, args: &[Value]) -> Option<ValueResult> {
    match (prim, args) {
        (Prim::Fill, &[rows, colour, Value::Mask(mask)])
            if is_atom(colour) && has_rows(space, rows) =>
        {
            Some(charged(space, args).and_then(|held| fill(space, rows, colour, mask, held)))
        }
        (Prim::Switch, &[rows, a, b]) if is_atom(a) && is_atom(b) && has_rows(space, rows) => {
            Some(charged(space, args).and_then(|held| switch(space, rows, a, b, held)))
        }
        (Prim::Vsplit, &[rows, Value::Int(n @ 1..)]) if has_rows(space, rows) => {
            Some(charged(space, args).and_then(|held| pieces(space, rows, n, held)))
        }
        (Prim::Fgpartition, &[rows]) if has_numbers(space, rows) => {
            Some(charged(space, args).and_then(|held| fgpartition(space, rows, held)))
        }
        (Prim::Asobject, &[rows]) if has_numbers(space, rows) => {
            Some(charged(space, args).and_then(|held| asobject(space, rows, held)))
        }
        (Prim::Asindices, &[rows]) if has_rows(space, rows) => {
            Some(charged(space, args).and_then(|held| indices(space, rows, held)))
        }
        _ => oversized_boxes::evaluated(space, prim, args),
    }
}

/// Charges the cost of copying the arguments and of the call. Returns the bytes held before, to
/// release the copies' bytes later.
pub(crate) fn charged(space: &mut Space, args: &[Value]) -> Result<u64, Fault> {
    let held = space.meter.bytes();
    for arg in args {
        space.charge_export(*arg)?;
    }
    space.meter.work(1)?;
    Ok(held)
}

fn is_atom(value: Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_))
}

/// Whether a value is a grid, or a tuple of at least one row, each a tuple of atoms.
fn has_rows(space: &Space, value: Value) -> bool {
    let Value::Tuple { at, len, .. } = value else {
        return value.as_grid().is_some();
    };
    let rows = &space.values[at as usize..(at + len) as usize];
    !rows.is_empty()
        && rows.iter().all(|row| match *row {
            Value::Row { .. } | Value::Pair(..) => true,
            Value::Tuple { at, len, .. } => {
                let cells = &space.values[at as usize..(at + len) as usize];
                cells.iter().all(|cell| is_atom(*cell))
            }
            _ => false,
        })
}

/// Whether a value is a tuple of at least one row, each a tuple of numbers only.
fn has_numbers(space: &Space, value: Value) -> bool {
    let Value::Tuple { at, len, .. } = value else {
        return false;
    };
    let rows = &space.values[at as usize..(at + len) as usize];
    let is_row = |row: &Value| matches!(row, Value::Row { .. } | Value::Pair(..));
    !rows.is_empty() && rows.iter().all(is_row)
}

fn row(space: &Space, rows: Value, i: usize) -> Result<Value, Fault> {
    let row = space.nth(rows, i)?;
    row.ok_or(Fault::Missing(ValueKind::ElementAtThatPlace))
}

/// Pushes `colour(column, cell)` for at most `most` cells of a row. Returns the index of the first.
fn push_row(
    space: &mut Space,
    row: Value,
    most: usize,
    colour: impl Fn(&Space, usize, Value) -> Value,
) -> Result<usize, Fault> {
    let base = space.stack.len();
    let mut stack = std::mem::take(&mut space.stack);
    let walked = space.elements(row).map(|cells| {
        let cells = cells.take(most).enumerate();
        stack.extend(cells.map(|(j, cell)| colour(space, j, cell)));
    });
    space.stack = stack;
    walked.map(|()| base)
}

/// Returns a tuple of rows, with `colour(location, cell)` for each of their cells.
fn recoloured(
    space: &mut Space,
    rows: Value,
    places: Range<usize>,
    width: usize,
    colour: impl Fn(&Space, (usize, usize), Value) -> Value,
) -> ValueResult {
    let base = space.stack.len();
    for i in places {
        let old = row(space, rows, i)?;
        let start = push_row(space, old, width, |space, j, cell| {
            colour(space, (i, j), cell)
        })?;
        let new = space.tuple_from(start)?;
        space.stack.push(new);
    }
    space.tuple_from(base)
}

/// Returns the number of rows and columns. The width is that of the first row.
fn dimensions(space: &Space, rows: Value) -> Result<(usize, usize), Fault> {
    Ok((space.len(rows)?, space.len(row(space, rows, 0)?)?))
}

fn fill(space: &mut Space, rows: Value, colour: Value, mask: Mask, held: u64) -> ValueResult {
    let (height, width) = dimensions(space, rows)?;
    for i in mask.top().max(0)..(mask.bottom() + 1).min(height as i64) {
        let length = space.len(row(space, rows, i as usize)?)? as i64;
        if (length..width as i64).any(|j| space.holds(mask, i, j)) {
            return Err(Fault::Missing(ValueKind::CellInRaggedGrid));
        }
    }
    space.meter.release_to(held);
    recoloured(space, rows, 0..height, usize::MAX, |space, (i, j), cell| {
        let inside = j < width && space.holds(mask, i as i64, j as i64);
        if inside { colour } else { cell }
    })
}

fn switch(space: &mut Space, rows: Value, a: Value, b: Value, held: u64) -> ValueResult {
    space.meter.release_to(held);
    let height = space.len(rows)?;
    recoloured(space, rows, 0..height, usize::MAX, |space, _, cell| {
        if space.equal(cell, a) {
            b
        } else if space.equal(cell, b) {
            a
        } else {
            cell
        }
    })
}

/// Charges for `count` plain values.
pub(crate) fn charge_plain(space: &mut Space, count: u64) -> Result<(), Fault> {
    let bytes = count.saturating_mul(size_of::<Plain>() as u64);
    space.meter.take(bytes)
}

fn pieces(space: &mut Space, rows: Value, n: i64, held: u64) -> ValueResult {
    let (height, width) = dimensions(space, rows)?;
    let (length, wanted) = (height as i64, n.unsigned_abs());
    charge_plain(space, wanted.saturating_mul(1 + height as u64))?;
    let (part, skip) = (length / n, i64::from(length % n != 0));
    space.meter.release_to(held);
    let base = space.stack.len();
    for k in 0..n {
        let start = k * (part + skip);
        let places = slice_bounds(height, start, start + part);
        let piece = recoloured(space, rows, places, width, |_, _, cell| cell)?;
        space.stack.push(piece);
    }
    space.tuple_from(base)
}

/// Pushes the cells of rows of numbers in canonical order. Returns the index of the first.
fn push_cells(space: &mut Space, rows: Value) -> Result<usize, Fault> {
    let height = space.len(rows)?;
    let base = space.stack.len();
    for i in 0..height {
        let cells = row(space, rows, i)?;
        push_row(space, cells, usize::MAX, |_, j, cell| Value::Cell {
            // A row has numbers of 8 bits, a pair two of 32.
            colour: cell.int().unwrap_or_default() as i32,
            i: i as i32,
            j: j as i32,
        })?;
    }
    space.stack[base..].sort_unstable_by_key(|cell| match *cell {
        Value::Cell { colour, i, j } => (colour, i, j),
        _ => (0, 0, 0),
    });
    Ok(base)
}

/// Charges for cells of an object: a cell and its location, each a tuple of two.
fn charge_cells_used(space: &mut Space, count: usize) -> Result<(), Fault> {
    space.meter.work(4 * count as u64)
}

/// Returns all cells as one object.
fn asobject(space: &mut Space, rows: Value, held: u64) -> ValueResult {
    let base = push_cells(space, rows)?;
    space.meter.release_to(held);
    let count = space.stack.len() - base;
    if let Err(fault) = charge_cells_used(space, count) {
        space.stack.truncate(base);
        return Err(fault);
    }
    space.set_from(base)
}

/// Returns one object for each colour except the most common, on ties the smallest.
fn fgpartition(space: &mut Space, rows: Value, held: u64) -> ValueResult {
    let base = push_cells(space, rows)?;
    let colour = |cell: &Value| match *cell {
        Value::Cell { colour, .. } => colour,
        _ => 0,
    };
    let stack = std::mem::take(&mut space.stack);
    let groups = || stack[base..].chunk_by(|a, b| colour(a) == colour(b));
    let most = groups().map(<[Value]>::len).max().unwrap_or(0);
    let background = groups().find(|group| group.len() == most);
    let background = background.map(|group| colour(&group[0]));
    let end = stack.len();
    space.stack = stack;
    space.meter.release_to(held);
    let pushed = push_objects(space, base..end, background, charge_cells_used);
    let objects = pushed.and_then(|()| space.set_from(end));
    space.stack.truncate(base);
    objects
}

/// Returns every location of a grid as wide as its first row.
fn indices(space: &mut Space, rows: Value, held: u64) -> ValueResult {
    let (height, width) = dimensions(space, rows)?;
    let count = (height * width) as u64;
    charge_plain(space, 3 * count)?;
    space.meter.release_to(held);
    space.meter.work(2 * count)?;
    let base = space.stack.len();
    for i in 0..height as i32 {
        let row = (0..width as i32).map(|j| Value::Pair(i, j));
        space.stack.extend(row);
    }
    space.set_from(base)
}
