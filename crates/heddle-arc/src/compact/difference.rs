//! What two sets share, and what one has that the other has not (section 6.2).

use super::Outcome;
use super::containers::{holds, keep};
use crate::fault::Noun;
use crate::value::{Mask, Space, Value, Window, full_bits, lanes, moved_bits};

pub(super) fn intersection(space: &mut Space, a: Value, b: Value) -> Outcome {
    if !a.is_set() || !b.is_set() {
        return Err(if a.is_set() { b } else { a }.not(Noun::Set));
    }
    match (a, b) {
        (Value::Mask(x), Value::Mask(y)) => {
            let window = overlap(x, y);
            match window {
                None => Ok(Value::EMPTY_SET),
                Some(window) => {
                    let at = space.new_window(window)?;
                    let columns = full_bits(window.width());
                    let (old, new) = space.rows.split_at_mut(at);
                    // Both boxes begin at or before the window.
                    let from = |mask: Mask| {
                        let first = mask.rows as usize + (window.top - mask.top()) as usize;
                        (&old[first..], window.left - mask.left())
                    };
                    let ((p, by_p), (q, by_q)) = (from(x), from(y));
                    for (word, (p, q)) in new.iter_mut().zip(p.iter().zip(q)) {
                        *word = p >> by_p & q >> by_q & columns;
                    }
                    Ok(space.sealed_mask(at, window))
                }
            }
        }
        (Value::Object(x, c), Value::Object(y, d)) => {
            if c != d {
                return Ok(Value::EMPTY_SET);
            }
            match intersection(space, Value::Mask(x), Value::Mask(y))? {
                Value::Mask(common) => Ok(Value::Object(common, c)),
                empty => Ok(empty),
            }
        }
        _ => {
            let base = space.spread(a)?;
            keep(space, base, |space, element| holds(space, b, element))?;
            space.set_from(base)
        }
    }
}

fn overlap(a: Mask, b: Mask) -> Option<Window> {
    let (a, b) = (Window::of(a), Window::of(b));
    let (top, bottom) = (a.top.max(b.top), a.bottom.min(b.bottom));
    let (left, right) = (a.left.max(b.left), a.right.min(b.right));
    if top > bottom || left > right {
        return None;
    }
    Window::fit(top, left, bottom, right)
}

pub(super) fn difference(space: &mut Space, a: Value, b: Value) -> Outcome {
    if let (Value::Mask(x), Value::Mask(y)) = (a, b) {
        return mask_without(space, x, y);
    }
    if !b.is_tuple() && !b.is_set() {
        return Err(b.not(Noun::Container));
    }
    if let (Value::Object(..) | Value::Painted { .. }, Some(mask)) = (a, a.mask())
        && b.is_set()
    {
        return cells_without(space, a, mask, b);
    }
    let base = space.spread(a)?;
    keep(space, base, |space, element| {
        holds(space, b, element).map(|held| !held)
    })?;
    space.like_from(a, base)
}

/// The locations of one mask that are not in the other.
fn mask_without(space: &mut Space, x: Mask, y: Mask) -> Outcome {
    let at = space.copied_rows(x)?;
    let by = y.left() - x.left();
    let top = x.top().max(y.top());
    let rows = (x.bottom().min(y.bottom()) + 1 - top).max(0) as usize;
    if rows > 0 {
        let (old, new) = space.rows.split_at_mut(at);
        let new = &mut new[(top - x.top()) as usize..][..rows];
        let old = &old[y.rows as usize + (top - y.top()) as usize..][..rows];
        for (word, other) in new.iter_mut().zip(old) {
            *word &= !moved_bits(*other, by);
        }
    }
    Ok(space.sealed_mask(at, Window::of(x)))
}

/// An object or layers as masks of one colour each.
fn one_colour_each(space: &Space, value: Value) -> impl Iterator<Item = (Mask, i8)> {
    let alone = match value {
        Value::Object(mask, colour) => Some((mask, colour)),
        _ => None,
    };
    alone.into_iter().chain(space.layers(value))
}

/// The cells of an object that are not in a set.
fn cells_without(space: &mut Space, a: Value, mask: Mask, b: Value) -> Outcome {
    let window = Window::of(mask);
    let (height, width) = (window.height(), window.width());
    space.meter.work((height * width) as u64 / 4 + 1)?;
    let at = space.new_window(window)?;
    if let (Value::Object(..) | Value::Painted { .. }, Value::Painted { .. }) = (a, b)
        && let Some(other) = b.mask()
    {
        without_painted(space, a, mask, b, other, at);
        return match a {
            Value::Painted { cells, .. } => kept_of_painted(space, cells as usize, at, window),
            Value::Object(_, colour) => Ok(space.sealed_object(at, window, colour)),
            _ => Err(a.not(Noun::Object)),
        };
    }
    if let (Value::Painted { cells, .. }, Value::Object(..) | Value::Layers { .. }) = (a, b) {
        painted_without(space, mask, cells as usize, b, at);
        return kept_of_painted(space, cells as usize, at, window);
    }
    for row in 0..height {
        let mut bits = space.rows[mask.rows as usize + row];
        if let Value::Object(_, own) = a
            && let Value::Object(..) | Value::Layers { .. } = b
        {
            let i = mask.top() + row as i64;
            space.rows[at + row] = one_colour_each(space, b)
                .filter(|(_, colour)| *colour == own)
                .fold(bits, |word, (other, _)| {
                    word & !space.word_at(other, i, mask.left())
                });
            continue;
        }
        let mut word = 0;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let colour = match a {
                Value::Painted { cells, .. } => space.cells[cells as usize + row * width + bit],
                Value::Object(_, colour) => colour,
                _ => 0,
            };
            let cell = Value::Cell {
                colour: i32::from(colour),
                i: i32::from(mask.i) + row as i32,
                j: i32::from(mask.j) + bit as i32,
            };
            word |= u128::from(!holds(space, b, cell)?) << bit;
        }
        space.rows[at + row] = word;
    }
    let own = match a {
        Value::Painted { cells, .. } => cells as usize,
        Value::Object(_, colour) => return Ok(space.sealed_object(at, window, colour)),
        _ => return Err(a.not(Noun::Object)),
    };
    kept_of_painted(space, own, at, window)
}

/// Writes the rows of an object without the cells it shares with one of many
/// colours.
fn without_painted(space: &mut Space, a: Value, mask: Mask, b: Value, other: Mask, at: usize) {
    let Value::Painted { cells: theirs, .. } = b else {
        return;
    };
    let first = mask.rows as usize;
    let height = usize::from(mask.height);
    space.rows.copy_within(first..first + height, at);
    let left = mask.left().max(other.left());
    let start = |cells: u32, mask: Mask, i: i64| {
        let row = (i - mask.top()) as usize * usize::from(mask.width);
        cells as usize + row + (left - mask.left()) as usize
    };
    for i in mask.top().max(other.top())..=mask.bottom().min(other.bottom()) {
        let common = space.word_at(mask, i, left) & space.word_at(other, i, left);
        if common == 0 {
            continue;
        }
        let theirs = start(theirs, other, i);
        let taken = match a {
            Value::Painted { cells, .. } => {
                lanes::alike(common, &space.cells, start(cells, mask, i), theirs)
            }
            Value::Object(_, colour) => lanes::of_colour(common, &space.cells, theirs, colour),
            _ => 0,
        };
        space.rows[at + (i - mask.top()) as usize] &= !(taken << (left - mask.left()));
    }
}

/// The cells of a many-coloured object in the rows kept of it.
fn kept_of_painted(space: &mut Space, own: usize, at: usize, window: Window) -> Outcome {
    let (height, width) = (window.height(), window.width());
    let cells = space.new_cells(height * width)?;
    for (row, word) in space.rows[at..].iter().enumerate() {
        let start = row * width;
        lanes::copy_under(*word, &mut space.cells, own + start, cells + start);
    }
    Ok(space.sealed_cells(at, cells, window))
}

/// Strikes out the cells of a narrow object that some layer has, each row cut into
/// its colours once. `false` if it has colours other than 0 to 15; what was struck
/// out by then is right.
fn by_planes(
    space: &mut Space,
    mask: Mask,
    cells: usize,
    layers: std::ops::Range<usize>,
    at: usize,
) -> bool {
    let width = usize::from(mask.width);
    for row in 0..usize::from(mask.height) {
        let own = &space.cells[cells + row * width..cells + (row + 1) * width];
        let Some(planes) = lanes::planes(own) else {
            return false;
        };
        let i = mask.top() + row as i64;
        let mut taken = 0;
        for layer in &space.values[layers.clone()] {
            if let Value::Object(other, colour) = *layer
                && let Some(plane) = planes.get(usize::from(colour.cast_unsigned()))
                && *plane != 0
            {
                taken |= space.word_at(other, i, mask.left()) as u64 & plane;
            }
        }
        space.rows[at + row] &= !u128::from(taken);
    }
    true
}

/// Writes the rows of a many-coloured object without the cells it shares with
/// an object or layers: where a layer overlaps it, its colours decide.
fn painted_without(space: &mut Space, mask: Mask, cells: usize, b: Value, at: usize) {
    let width = usize::from(mask.width);
    let first = mask.rows as usize;
    let height = usize::from(mask.height);
    space.rows.copy_within(first..first + height, at);
    let (layers, count) = match b {
        Value::Layers { at, len } => (at as usize, usize::from(len)),
        _ => (0, 1),
    };
    if count > 1 && width <= 64 && by_planes(space, mask, cells, layers..layers + count, at) {
        return;
    }
    for layer in 0..count {
        let layer = match b {
            Value::Layers { .. } => space.values[layers + layer],
            alone => alone,
        };
        let Value::Object(other, colour) = layer else {
            continue;
        };
        let top = mask.top().max(other.top());
        let bottom = mask.bottom().min(other.bottom());
        for i in top..=bottom {
            let row = (i - mask.top()) as usize;
            let common = space.word_at(other, i, mask.left()) & space.rows[first + row];
            if common == 0 {
                continue;
            }
            let start = cells + row * width;
            space.rows[at + row] &= !lanes::of_colour(common, &space.cells, start, colour);
        }
    }
}
