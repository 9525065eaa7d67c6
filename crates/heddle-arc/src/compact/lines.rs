//! Segments, rays and frames (section 6.9).

use super::ValueResult;
use super::arithmetic::location;
use super::oversized_grids;
use super::query::{grid_window, place};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Mask, Space, Value, Window, full_bits};

pub(super) fn around(space: &mut Space, prim: Prim, at: Value) -> ValueResult {
    let (i, j) = location(space, at)?;
    let (middle, outer) = match prim {
        Prim::Dneighbors => (0b101, 0b010),
        Prim::Ineighbors => (0b000, 0b101),
        _ => (0b101, 0b111),
    };
    let window = (i.checked_sub(1).zip(j.checked_sub(1)))
        .zip(i.checked_add(1).zip(j.checked_add(1)))
        .and_then(|((top, left), (bottom, right))| Window::fit(top, left, bottom, right));
    let Some(window) = window else {
        return space.evaluate_irregular(prim, &[at]);
    };
    let rows = space.new_window(window)?;
    space.rows[rows..].copy_from_slice(&[outer, middle, outer]);
    Ok(window.tight(rows))
}

/// Returns all neighbours of all locations: each row is dilated into itself and the adjacent rows.
/// Returns `None` where the result fits no mask, or for any other primitive.
pub(super) fn dilated(space: &mut Space, prim: Prim, mask: Mask) -> Result<Option<Value>, Fault> {
    let (beside, above) = match prim {
        Prim::Dneighbors => (true, [false, true, false]),
        Prim::Ineighbors => (false, [true, false, true]),
        Prim::Neighbors => (true, [true, true, true]),
        _ => return Ok(None),
    };
    let window = Window::fit(
        mask.top() - 1,
        mask.left() - 1,
        mask.bottom() + 1,
        mask.right() + 1,
    );
    let Some(window) = window else {
        return Ok(None);
    };
    // The cost of separate calls for each location.
    let count = space.count(mask) as u64;
    space.meter.work(count)?;
    let at = space.new_window(window)?;
    let first = mask.rows as usize;
    for row in 0..usize::from(mask.height) {
        let word = space.rows[first + row];
        let dilated_word = (0..3)
            .filter(|by| above[*by])
            .fold(0, |dilated_word, by| dilated_word | word << by);
        space.rows[at + row] |= dilated_word;
        space.rows[at + row + 2] |= dilated_word;
        if beside {
            space.rows[at + row + 1] |= word | word << 2;
        }
    }
    // The outermost locations have neighbours on all sides.
    Ok(Some(window.tight(at)))
}

/// Returns a straight segment, if its locations have 32 bits.
fn segment(
    space: &mut Space,
    (ai, aj): (i64, i64),
    (bi, bj): (i64, i64),
) -> Result<Option<Value>, Fault> {
    let (di, dj) = (ai.abs_diff(bi), aj.abs_diff(bj));
    if di != 0 && dj != 0 && di != dj {
        return Ok(Some(Value::EMPTY_SET));
    }
    let Some(window) = Window::fit(ai.min(bi), aj.min(bj), ai.max(bi), aj.max(bj)) else {
        return long_segment(space, (ai, aj), (bi, bj));
    };
    let at = space.new_window(window)?;
    let height = window.height();
    if di == 0 {
        space.rows[at] = full_bits(window.width());
    } else if dj == 0 {
        space.rows[at..].fill(1);
    } else {
        let falling = (ai < bi) == (aj < bj);
        for row in 0..height {
            let bit = if falling { row } else { height - 1 - row };
            space.rows[at + row] = 1 << bit;
        }
    }
    Ok(Some(window.tight(at)))
}

/// Returns a straight segment that fits no mask, location by location.
fn long_segment(
    space: &mut Space,
    (ai, aj): (i64, i64),
    (bi, bj): (i64, i64),
) -> Result<Option<Value>, Fault> {
    let small = |at: i64| i32::try_from(at).is_ok();
    if !(small(ai) && small(aj) && small(bi) && small(bj)) {
        return Ok(None);
    }
    let length = (bi - ai).abs().max((bj - aj).abs());
    let count = length as u64 + 1;
    space.meter.take(count * size_of::<Value>() as u64)?;
    let (si, sj) = ((bi - ai).signum(), (bj - aj).signum());
    let base = space.stack.len();
    let places = (0..=length).map(|k| place(ai + k * si, aj + k * sj));
    space.stack.extend(places);
    space.set_from(base).map(Some)
}

pub(super) fn connect(space: &mut Space, a: Value, b: Value) -> ValueResult {
    let (from, to) = (location(space, a)?, location(space, b)?);
    match segment(space, from, to)? {
        Some(mask) => Ok(mask),
        None => space.evaluate_irregular(Prim::Connect, &[a, b]),
    }
}

pub(super) fn shoot(space: &mut Space, start: Value, direction: Value) -> ValueResult {
    let ((i, j), (di, dj)) = (location(space, start)?, location(space, direction)?);
    let end = |at: i64, by: i64| by.checked_mul(42).and_then(|far| at.checked_add(far));
    let (Some(ei), Some(ej)) = (end(i, di), end(j, dj)) else {
        return Err(Fault::Overflow);
    };
    match segment(space, (i, j), (ei, ej))? {
        Some(mask) => Ok(mask),
        None => space.evaluate_irregular(Prim::Shoot, &[start, direction]),
    }
}

pub(super) fn frontier(space: &mut Space, prim: Prim, at: Value) -> ValueResult {
    let (i, j) = location(space, at)?;
    let window = if prim == Prim::Vfrontier {
        Window::fit(0, j, 29, j)
    } else {
        Window::fit(i, 0, i, 29)
    };
    match window {
        Some(window) => space.rectangle(window),
        None => space.evaluate_irregular(prim, &[at]),
    }
}

pub(super) fn corners(space: &mut Space, patch: Value) -> ValueResult {
    if !patch.is_empty_container()
        && let Some(e) = space.extremes(patch)?
        && let Some(window) = Window::fit(e.top, e.left, e.bottom, e.right)
    {
        let at = space.new_window(window)?;
        let word = 1 | 1 << (window.width() - 1);
        let last = at + window.height() - 1;
        space.rows[at] = word;
        space.rows[last] = word;
        return Ok(window.tight(at));
    }
    space.evaluate_irregular(Prim::Corners, &[patch])
}

fn outline(space: &mut Space, window: Window) -> ValueResult {
    let at = space.new_window(window)?;
    let last = at + window.height() - 1;
    let side = 1 | 1 << (window.width() - 1);
    space.rows[at..].fill(side);
    space.rows[at] = full_bits(window.width());
    space.rows[last] = full_bits(window.width());
    Ok(window.tight(at))
}

/// Returns the outline of the bounding box, grown by one (`outbox`) or shrunk by one (`inbox`). The
/// sides of a box that shrinks past itself swap.
pub(super) fn frame(space: &mut Space, prim: Prim, patch: Value) -> ValueResult {
    if prim == Prim::Box && patch.is_empty_container() {
        return Ok(patch);
    }
    let by = match prim {
        Prim::Outbox => 1,
        Prim::Inbox => -1,
        _ => 0,
    };
    if let Some(e) = space.extremes(patch)? {
        let (top, bottom) = (e.top - by, e.bottom + by);
        let (left, right) = (e.left - by, e.right + by);
        let window = Window::fit(
            top.min(bottom),
            left.min(right),
            top.max(bottom),
            left.max(right),
        );
        if let Some(window) = window {
            return outline(space, window);
        }
    }
    space.evaluate_irregular(prim, &[patch])
}

pub(super) fn frontiers(space: &mut Space, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Frontiers, &[value]);
    };
    let Some(window) = grid_window(grid) else {
        return oversized_grids::frontiers(space, grid);
    };
    let base = space.stack.len();
    for i in 0..grid.height {
        let row = &space.cells[grid.row(i)];
        let colour = row[0];
        if row.iter().all(|cell| *cell == colour) {
            let at = space.new_rows(1)?;
            space.rows[at] = full_bits(grid.width);
            let line = Window {
                top: i as i64,
                bottom: i as i64,
                ..window
            };
            space.stack.push(Value::Object(line.mask_at(at), colour));
        }
    }
    for j in 0..grid.width {
        let colour = space.cells[grid.at + j];
        let uniform = (1..grid.height).all(|i| space.cells[grid.at + i * grid.width + j] == colour);
        if uniform {
            let at = space.new_rows(grid.height)?;
            space.rows[at..].fill(1);
            let line = Window {
                left: j as i64,
                right: j as i64,
                ..window
            };
            space.stack.push(Value::Object(line.mask_at(at), colour));
        }
    }
    // In a grid of one cell the row and the column coincide.
    space.set_from(base)
}
