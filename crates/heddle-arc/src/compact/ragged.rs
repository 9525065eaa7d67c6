//! Rows that are no grid, and boxes too wide for a mask.
//!
//! What programs make of foreign tasks is now and then ragged, or painted with
//! `None`. The few primitives that meet such rows in practice walk them here, in
//! the order and at the price of plain copies, but without making any.

use super::Outcome;
use super::boxes;
use super::wide::push_objects;
use crate::fault::{Fault, Noun};
use crate::plain::{Plain, slice_bounds};
use crate::prim::Prim;
use crate::value::{Mask, Space, Value};
use std::ops::Range;

/// The answer to a call that has no other compact one, if it is one of these.
pub(crate) fn answer(space: &mut Space, prim: Prim, args: &[Value]) -> Option<Outcome> {
    match (prim, args) {
        (Prim::Fill, &[rows, colour, Value::Mask(mask)])
            if is_atom(colour) && has_rows(space, rows) =>
        {
            Some(paid(space, args).and_then(|held| fill(space, rows, colour, mask, held)))
        }
        (Prim::Switch, &[rows, a, b]) if is_atom(a) && is_atom(b) && has_rows(space, rows) => {
            Some(paid(space, args).and_then(|held| switch(space, rows, a, b, held)))
        }
        (Prim::Vsplit, &[rows, Value::Int(n @ 1..)]) if has_rows(space, rows) => {
            Some(paid(space, args).and_then(|held| pieces(space, rows, n, held)))
        }
        (Prim::Fgpartition, &[rows]) if has_numbers(space, rows) => {
            Some(paid(space, args).and_then(|held| fgpartition(space, rows, held)))
        }
        (Prim::Asobject, &[rows]) if has_numbers(space, rows) => {
            Some(paid(space, args).and_then(|held| asobject(space, rows, held)))
        }
        (Prim::Asindices, &[rows]) if has_rows(space, rows) => {
            Some(paid(space, args).and_then(|held| indices(space, rows, held)))
        }
        _ => boxes::answer(space, prim, args),
    }
}

/// Pays what copies of the arguments and the call would cost; the bytes to go
/// back to when they were dropped.
pub(super) fn paid(space: &mut Space, args: &[Value]) -> Result<u64, Fault> {
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

/// Whether a value is a tuple of at least one row, each a tuple without parts
/// that have parts.
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

/// The same with numbers only, and at least one.
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
    row.ok_or(Fault::Missing(Noun::ElementAtThatPlace))
}

/// Pushes what `colour` makes of the cells of a row, at most so many, by their
/// columns; where the first lies.
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

/// The tuple of rows, with what `colour` makes of their cells.
fn recoloured(
    space: &mut Space,
    rows: Value,
    places: Range<usize>,
    width: usize,
    colour: impl Fn(&Space, (usize, usize), Value) -> Value,
) -> Outcome {
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

/// Rows and columns; the width is that of the first row.
fn dimensions(space: &Space, rows: Value) -> Result<(usize, usize), Fault> {
    Ok((space.len(rows)?, space.len(row(space, rows, 0)?)?))
}

fn fill(space: &mut Space, rows: Value, colour: Value, mask: Mask, held: u64) -> Outcome {
    let (height, width) = dimensions(space, rows)?;
    for i in mask.top().max(0)..(mask.bottom() + 1).min(height as i64) {
        let length = space.len(row(space, rows, i as usize)?)? as i64;
        if (length..width as i64).any(|j| space.holds(mask, i, j)) {
            return Err(Fault::Missing(Noun::CellInRaggedGrid));
        }
    }
    space.meter.give_back_to(held);
    recoloured(space, rows, 0..height, usize::MAX, |space, (i, j), cell| {
        let inside = j < width && space.holds(mask, i as i64, j as i64);
        if inside { colour } else { cell }
    })
}

fn switch(space: &mut Space, rows: Value, a: Value, b: Value, held: u64) -> Outcome {
    space.meter.give_back_to(held);
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

/// Pays for so many plain values.
pub(super) fn room(space: &mut Space, count: u64) -> Result<(), Fault> {
    let bytes = count.saturating_mul(size_of::<Plain>() as u64);
    space.meter.take(bytes)
}

fn pieces(space: &mut Space, rows: Value, n: i64, held: u64) -> Outcome {
    let (height, width) = dimensions(space, rows)?;
    let (length, wanted) = (height as i64, n.unsigned_abs());
    room(space, wanted.saturating_mul(1 + height as u64))?;
    let (part, skip) = (length / n, i64::from(length % n != 0));
    space.meter.give_back_to(held);
    let base = space.stack.len();
    for k in 0..n {
        let start = k * (part + skip);
        let places = slice_bounds(height, start, start + part);
        let piece = recoloured(space, rows, places, width, |_, _, cell| cell)?;
        space.stack.push(piece);
    }
    space.tuple_from(base)
}

/// Pushes the cells of rows of numbers in canonical order; where the first lies.
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

/// Pays for cells as an object: a location and a cell of it, each a tuple of two.
fn pay_for_cells(space: &mut Space, count: usize) -> Result<(), Fault> {
    space.meter.work(4 * count as u64)
}

/// All cells as one object.
fn asobject(space: &mut Space, rows: Value, held: u64) -> Outcome {
    let base = push_cells(space, rows)?;
    space.meter.give_back_to(held);
    let count = space.stack.len() - base;
    if let Err(fault) = pay_for_cells(space, count) {
        space.stack.truncate(base);
        return Err(fault);
    }
    space.set_from(base)
}

/// One object for each colour but the most common, the smallest of several.
fn fgpartition(space: &mut Space, rows: Value, held: u64) -> Outcome {
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
    space.meter.give_back_to(held);
    let pushed = push_objects(space, base..end, background, pay_for_cells);
    let objects = pushed.and_then(|()| space.set_from(end));
    space.stack.truncate(base);
    objects
}

/// Every location of a grid as wide as its first row.
fn indices(space: &mut Space, rows: Value, held: u64) -> Outcome {
    let (height, width) = dimensions(space, rows)?;
    let count = (height * width) as u64;
    room(space, 3 * count)?;
    space.meter.give_back_to(held);
    space.meter.work(2 * count)?;
    let base = space.stack.len();
    for i in 0..height as i32 {
        let row = (0..width as i32).map(|j| Value::Pair(i, j));
        space.stack.extend(row);
    }
    space.set_from(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Budget;

    fn numbers(row: &[i64]) -> Plain {
        Plain::Tuple(row.iter().map(|n| Plain::Int(*n)).collect())
    }

    fn ragged() -> Plain {
        Plain::Tuple(vec![
            numbers(&[1, 2, 3, 1]),
            numbers(&[1, 3]),
            numbers(&[2, 2, 2, 3, 3, 3]),
            Plain::Tuple(vec![]),
        ])
    }

    fn odd() -> Plain {
        let mixed = [Plain::None, Plain::Int(400), Plain::Bool(true)];
        Plain::Tuple(vec![Plain::Tuple(mixed.to_vec()), numbers(&[1, 0, 1])])
    }

    fn square(top: i64, left: i64, side: i64) -> Plain {
        let rows = top..top + side;
        let places = rows.flat_map(|i| (left..left + side).map(move |j| (i, j)));
        crate::plain::set_of(places.map(|(i, j)| Plain::pair(i, j)))
    }

    fn corners(places: &[(i64, i64)]) -> Plain {
        Plain::Tuple(places.iter().map(|(i, j)| Plain::pair(*i, *j)).collect())
    }

    fn calls() -> Vec<(Prim, Vec<Plain>)> {
        let rows = [
            ragged(),
            odd(),
            Plain::Tuple(vec![numbers(&[1, 2]), numbers(&[3])]),
        ];
        let mut calls = Vec::new();
        for rows in rows {
            for colour in [
                Plain::None,
                Plain::Int(5),
                Plain::Int(1000),
                Plain::Bool(true),
            ] {
                for patch in [square(0, 0, 1), square(-1, 1, 3), square(2, 4, 9)] {
                    calls.push((Prim::Fill, vec![rows.clone(), colour.clone(), patch]));
                }
                let one = Plain::Int(1);
                calls.push((Prim::Switch, vec![rows.clone(), one, colour.clone()]));
                calls.push((Prim::Switch, vec![rows.clone(), colour, Plain::Int(3)]));
            }
            for n in [1, 2, 3, 7] {
                calls.push((Prim::Vsplit, vec![rows.clone(), Plain::Int(n)]));
            }
            calls.push((Prim::Asindices, vec![rows.clone()]));
            calls.push((Prim::Asobject, vec![rows.clone()]));
            calls.push((Prim::Fgpartition, vec![rows]));
        }
        for places in [
            &[(0, -70), (3, 70)][..],
            &[(0, 0), (0, 300)],
            &[(-400, 2), (7, 2), (0, 1)],
            &[(5, 5), (5, 140), (300, 5)],
        ] {
            let cells = places
                .iter()
                .map(|(i, j)| Plain::cell(Plain::Int(4), *i, *j));
            let cells = Plain::Tuple(cells.collect());
            for prim in [Prim::Box, Prim::Inbox, Prim::Outbox, Prim::Backdrop] {
                calls.push((prim, vec![corners(places)]));
                calls.push((prim, vec![cells.clone()]));
            }
            // Of two colours, and two of them at one place.
            let [(i, j), ..] = *places else { continue };
            let cells = places
                .iter()
                .map(|(i, j)| Plain::cell(Plain::Int(i % 2), *i, *j))
                .chain([Plain::cell(Plain::Int(9), i, j)]);
            let locations = places.iter().map(|(i, j)| Plain::pair(*i, *j));
            calls.push((Prim::Delta, vec![crate::plain::set_of(locations)]));
            calls.push((Prim::Delta, vec![crate::plain::set_of(cells)]));
        }
        calls
    }

    /// The answer, or the fault, and what the meter says then.
    type Told = (Result<Plain, Fault>, Option<[u64; 3]>);

    fn told(
        budget: Budget,
        (prim, args): &(Prim, Vec<Plain>),
        call: impl Fn(&mut Space, Prim, &[Value]) -> Option<Outcome>,
    ) -> Option<Told> {
        let mut space = Space::new(Budget::default());
        let args: Result<Vec<Value>, Fault> = args.iter().map(|arg| space.import(arg)).collect();
        let mut space = Space {
            meter: crate::meter::Meter::new(budget),
            ..space
        };
        let answer = call(&mut space, *prim, &args.ok()?)?;
        let meter = &space.meter;
        // What a call that went wrong had cost by then, nobody asks.
        let spent = answer
            .is_ok()
            .then(|| [meter.steps(), meter.bytes(), meter.peak_bytes()]);
        Some((answer.and_then(|value| space.export(value)), spent))
    }

    #[test]
    fn answers_faults_and_charges_are_those_of_plain_copies() {
        let default = Budget::default();
        let steps = (0..400).step_by(7).map(|steps| Budget { steps, ..default });
        let bytes = (0..20_000)
            .step_by(331)
            .map(|bytes| Budget { bytes, ..default });
        let budgets: Vec<Budget> = [default].into_iter().chain(steps).chain(bytes).collect();
        let mut answered = 0;
        for of in calls() {
            for budget in &budgets {
                let copies = |space: &mut Space, prim: Prim, args: &[Value]| {
                    Some(space.by_copies(prim, args))
                };
                if let Some(ours) = told(*budget, &of, answer) {
                    answered += 1;
                    assert_eq!(Some(ours), told(*budget, &of, copies), "{of:?} {budget:?}");
                }
            }
        }
        // All but `Asobject` and `Fgpartition` of rows with empty ones or odd cells.
        assert_eq!(answered, (calls().len() - 4) * budgets.len());
    }
}
