//! Intersections and differences of sets (section 6.2).

use super::ValueResult;
use super::containers::{holds, keep};
use crate::fault::{Fault, ValueKind};
use crate::value::{Mask, Space, Value, Window, count_narrow, lanes, moved_bits};

/// Returns two masks and the intersection of their boxes, if both are sets of locations, or cells
/// of one colour, and their boxes overlap.
pub(super) fn common(a: Value, b: Value) -> Option<(Mask, Mask, Window)> {
    let (x, y) = match (a, b) {
        (Value::Mask(x), Value::Mask(y)) => (x, y),
        (Value::Object(x, c), Value::Object(y, d)) if c == d => (x, y),
        _ => return None,
    };
    Some((x, y, overlap(x, y)?))
}

/// Returns the pairs of words of two masks, for each row of the intersection of their boxes.
fn common_words(
    rows: &[u128],
    (x, y, window): (Mask, Mask, Window),
) -> impl Iterator<Item = (u128, u128)> {
    // Both boxes begin at or before the window, and no bit lies outside its box.
    let from = |mask: Mask| {
        let first = mask.rows as usize + (window.top - mask.top()) as usize;
        &rows[first..first + window.height()]
    };
    from(x).iter().copied().zip(from(y).iter().copied())
}

pub(super) fn intersection(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if !a.is_set() || !b.is_set() {
        return Err(if a.is_set() { b } else { a }.not(ValueKind::Set));
    }
    match (a, b) {
        (Value::Mask(_), Value::Mask(_)) | (Value::Object(..), Value::Object(..)) => {
            let Some(both) = common(a, b) else {
                return Ok(Value::EMPTY_SET);
            };
            let (x, y, window) = both;
            let at = space.new_window(window)?;
            let (by_x, by_y) = (window.left - x.left(), window.left - y.left());
            let (old, new) = space.rows.split_at_mut(at);
            let words = new.iter_mut().zip(common_words(old, both));
            if x.width.max(y.width) <= 64 {
                for (to, (p, q)) in words {
                    *to = (p as u64 >> by_x & q as u64 >> by_y).into();
                }
            } else {
                for (to, (p, q)) in words {
                    *to = p >> by_x & q >> by_y;
                }
            }
            Ok(match a {
                Value::Object(_, colour) => space.finish_object(at, window, colour),
                _ => space.finish_mask(at, window),
            })
        }
        _ => {
            let base = space.push_elements(a)?;
            keep(space, base, |space, element| holds(space, b, element))?;
            space.set_from(base)
        }
    }
}

/// Returns the number of common elements of two sets accepted by [`common`].
pub(super) fn shared_size(space: &Space, a: Value, b: Value) -> i64 {
    let Some(both) = common(a, b) else {
        return 0;
    };
    let (x, y, window) = both;
    let (by_x, by_y) = (window.left - x.left(), window.left - y.left());
    let words = common_words(&space.rows, both);
    if x.width.max(y.width) <= 64 {
        let words = words.map(|(p, q)| p as u64 >> by_x & q as u64 >> by_y);
        return i64::from(count_narrow(words, window.width() as u32));
    }
    let words = words.map(|(p, q)| p >> by_x & q >> by_y);
    words.map(|word| i64::from(word.count_ones())).sum()
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

pub(super) fn difference(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if let (Value::Mask(x), Value::Mask(y)) = (a, b) {
        return masks_without(space, x, &[y]);
    }
    if !b.is_tuple() && !b.is_set() {
        return Err(b.not(ValueKind::Container));
    }
    if let (Value::Object(..) | Value::Painted { .. }, Some(mask)) = (a, a.mask())
        && b.is_set()
    {
        return cells_without(space, a, mask, &[b], DifferenceForm::Set);
    }
    let base = space.push_elements(a)?;
    keep(space, base, |space, element| {
        holds(space, b, element).map(|held| !held)
    })?;
    space.like_from(a, base)
}

/// The requested form of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferenceForm {
    Set,
    /// The empty set if the difference is empty, else `true`.
    NonEmpty,
}

/// Returns the elements of a set that are in neither of two others. All three are masks, or all are
/// objects.
pub(super) fn without_both(
    space: &mut Space,
    a: Value,
    others: [Value; 2],
    wanted: DifferenceForm,
) -> ValueResult {
    match (a, others, a.mask()) {
        (Value::Mask(x), [Value::Mask(y), Value::Mask(z)], _) => masks_without(space, x, &[y, z]),
        (_, _, Some(mask)) => cells_without(space, a, mask, &others, wanted),
        _ => Err(a.not(ValueKind::Set)),
    }
}

/// Returns the locations of a mask that are in none of the others.
fn masks_without(space: &mut Space, x: Mask, others: &[Mask]) -> ValueResult {
    let at = space.copied_rows(x)?;
    for y in others {
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
    }
    Ok(space.finish_mask(at, Window::of(x)))
}

/// Returns the cells of an object that are in none of some sets.
fn cells_without(
    space: &mut Space,
    a: Value,
    mask: Mask,
    others: &[Value],
    wanted: DifferenceForm,
) -> ValueResult {
    let window = Window::of(mask);
    let area = window.height() * window.width();
    space.meter.work(area as u64 / 4 + 1)?;
    let at = space.copied_rows(mask)?;
    for other in others {
        clear_cells(space, a, mask, *other, at)?;
    }
    if wanted == DifferenceForm::NonEmpty {
        if let Value::Painted { .. } = a {
            space.charge_cells(area)?;
        }
        let left = space.rows[at..].iter().any(|word| *word != 0);
        space.rows.truncate(at);
        return Ok(if left {
            Value::Bool(true)
        } else {
            Value::EMPTY_SET
        });
    }
    match a {
        Value::Painted { cells, .. } => kept_of_painted(space, cells as usize, at, window),
        Value::Object(_, colour) => Ok(space.finish_object(at, window, colour)),
        _ => Err(a.not(ValueKind::Object)),
    }
}

/// Clears the cells of a set in a copy of an object's rows.
fn clear_cells(space: &mut Space, a: Value, mask: Mask, b: Value, at: usize) -> Result<(), Fault> {
    match (a, b) {
        (_, Value::Painted { cells, .. }) => {
            if let Some(other) = b.mask() {
                clear_painted(space, a, mask, (other, cells), at);
            }
        }
        (Value::Painted { cells, .. }, Value::Object(..) | Value::Layers { .. }) => {
            clear_in_painted(space, mask, cells as usize, b, at);
        }
        (Value::Object(_, own), Value::Object(other, colour)) => {
            if own == colour {
                clear_mask(space, mask, other, at);
            }
        }
        (Value::Object(_, own), Value::Layers { at: first, len }) => {
            for layer in first as usize..first as usize + usize::from(len) {
                if let Value::Object(other, colour) = space.values[layer]
                    && colour == own
                {
                    clear_mask(space, mask, other, at);
                }
            }
        }
        // Locations and functions are not cells.
        (_, Value::Mask(_)) => {}
        _ => clear_listed(space, a, mask, b, at)?,
    }
    Ok(())
}

/// Clears the locations of a mask in a copy of another mask's rows.
fn clear_mask(space: &mut Space, mask: Mask, other: Mask, at: usize) {
    for i in mask.top().max(other.top())..=mask.bottom().min(other.bottom()) {
        let word = space.word_at(other, i, mask.left());
        space.rows[at + (i - mask.top()) as usize] &= !word;
    }
}

/// Clears the cells of a general set in a copy of an object's rows.
fn clear_listed(space: &mut Space, a: Value, mask: Mask, b: Value, at: usize) -> Result<(), Fault> {
    let width = usize::from(mask.width);
    for row in 0..usize::from(mask.height) {
        let mut bits = space.rows[mask.rows as usize + row];
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
            space.rows[at + row] &= !(u128::from(holds(space, b, cell)?) << bit);
        }
    }
    Ok(())
}

/// Clears the cells of a many-coloured object in a copy of another object's rows.
fn clear_painted(space: &mut Space, a: Value, mask: Mask, (other, theirs): (Mask, u32), at: usize) {
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

/// Returns the cells of a many-coloured object that are left in its rows.
fn kept_of_painted(space: &mut Space, own: usize, at: usize, window: Window) -> ValueResult {
    let (height, width) = (window.height(), window.width());
    let cells = space.new_cells(height * width)?;
    for (row, word) in space.rows[at..].iter().enumerate() {
        let start = row * width;
        lanes::copy_under(*word, &mut space.cells, own + start, cells + start);
    }
    Ok(space.finish_cells(at, cells, window))
}

/// Clears the cells of layers in a copy of a narrow object's rows, with each row split into its
/// colours once. Returns `false` if the object has colours other than 0 to 15; the rows cleared
/// before that are correct.
fn clear_by_planes(
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

/// Clears the cells of an object or layers in a copy of a many-coloured object's rows. Where a
/// layer overlaps the object, the object's colours decide.
fn clear_in_painted(space: &mut Space, mask: Mask, cells: usize, b: Value, at: usize) {
    let width = usize::from(mask.width);
    let first = mask.rows as usize;
    let (layers, count) = match b {
        Value::Layers { at, len } => (at as usize, usize::from(len)),
        _ => (0, 1),
    };
    if count > 1 && width <= 64 && clear_by_planes(space, mask, cells, layers..layers + count, at) {
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
