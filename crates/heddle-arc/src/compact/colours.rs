//! Colours of grids and objects (section 6.7).

use super::ValueResult;
use super::construct::inside;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::{Colours, GridRef, Space, Value, count_narrow, full_bits, lanes};

/// The number of cells of each colour, at index `colour + 128`.
type ColourCounts = [u32; 256];

fn count_into(counts: &mut ColourCounts, colour: i8, times: u32) {
    counts[(i16::from(colour) + 128) as usize] += times;
}

/// Counts the colours of a grid or compact object, or returns `None` for anything else.
fn counts(space: &Space, element: Value) -> Option<ColourCounts> {
    let mut counts = [0; 256];
    match element {
        Value::Object(mask, colour) => {
            count_into(&mut counts, colour, space.count(mask) as u32);
        }
        Value::Painted { cells, .. } => {
            let mask = element.mask()?;
            let width = usize::from(mask.width);
            for (row, word) in space.words(mask).iter().enumerate() {
                let mut bits = *word;
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    count_into(
                        &mut counts,
                        space.cells[cells as usize + row * width + bit],
                        1,
                    );
                }
            }
        }
        Value::Layers { .. } => {
            for (mask, colour) in space.layers(element) {
                count_into(&mut counts, colour, space.count(mask) as u32);
            }
        }
        _ => {
            let grid = element.as_grid()?;
            for cell in &space.cells[grid.at..grid.at + grid.area()] {
                count_into(&mut counts, *cell, 1);
            }
        }
    }
    Some(counts)
}

/// Returns the most frequent colour, on ties the smallest.
fn most(counts: &ColourCounts) -> i8 {
    let mut best = 0;
    for index in 1..256 {
        if counts[index] > counts[best] {
            best = index;
        }
    }
    (best as i16 - 128) as i8
}

/// Returns the most frequent colour of a grid.
pub(super) fn background(space: &Space, grid: GridRef) -> i8 {
    // Nearly every grid has only colours 0 to 9, and one of them on at least half of its cells.
    let (mut best, mut held, mut left) = (0, 0, grid.area());
    for colour in 0..10 {
        let count = lanes::count_in(&space.cells, grid.at, grid.area(), colour);
        if count > held {
            (best, held) = (colour, count);
        }
        left -= count;
        if held > left || (left == 0 && held > 0) {
            // No other colour can be as frequent.
            return best;
        }
    }
    counts(space, grid.into()).as_ref().map_or(0, most)
}

pub(super) fn mostcolor(space: &mut Space, element: Value) -> ValueResult {
    if let Some(grid) = element.as_grid() {
        return Ok(Value::Int(i64::from(background(space, grid))));
    }
    match counts(space, element) {
        Some(counts) => Ok(Value::Int(i64::from(most(&counts)))),
        None => space.evaluate_irregular(Prim::Mostcolor, &[element]),
    }
}

pub(super) fn leastcolor(space: &mut Space, element: Value) -> ValueResult {
    let Some(counts) = counts(space, element) else {
        return space.evaluate_irregular(Prim::Leastcolor, &[element]);
    };
    let present = (0..256).filter(|index| counts[*index] > 0);
    // `min_by_key` returns the first minimum, so ties go to the smallest colour.
    match present.min_by_key(|index| counts[*index]) {
        Some(index) => Ok(Value::Int(index as i64 - 128)),
        None => Err(Fault::Empty(ValueKind::Element)),
    }
}

/// Returns the colours of a grid or compact object.
pub(super) fn colours(space: &Space, element: Value) -> Option<Colours> {
    let mut found = Colours::default();
    match element {
        Value::Object(_, colour) => found.add(colour),
        Value::Layers { .. } => space
            .layers(element)
            .for_each(|(_, colour)| found.add(colour)),
        Value::Set { len: 0, .. } | Value::Tuple { len: 0, .. } => {}
        Value::Painted { cells, .. } => {
            return Some(space.box_colours(element.mask()?, cells as usize));
        }
        _ => {
            let grid = element.as_grid()?;
            for cell in &space.cells[grid.at..grid.at + grid.area()] {
                found.add(*cell);
            }
        }
    }
    Some(found)
}

pub(super) fn palette(space: &mut Space, element: Value) -> ValueResult {
    let Some(colours) = colours(space, element) else {
        return space.evaluate_irregular(Prim::Palette, &[element]);
    };
    let base = space.stack.len();
    space
        .stack
        .extend(colours.iter().map(|colour| Value::Int(i64::from(colour))));
    space.sorted_set(base)
}

/// Returns the colours of a grid in ascending order.
pub(super) fn colours_ascending(space: &mut Space, element: Value) -> ValueResult {
    match (element, colours(space, element)) {
        (Value::Grid { .. }, Some(colours)) => {
            let base = space.stack.len();
            space
                .stack
                .extend(colours.iter().map(|colour| Value::Int(i64::from(colour))));
            space.tuple_from(base)
        }
        _ => space.evaluate_irregular(Prim::PG, &[element]),
    }
}

pub(super) fn numcolors(space: &mut Space, element: Value) -> ValueResult {
    match colours(space, element) {
        Some(colours) => Ok(Value::Int(colours.len() as i64)),
        None => space.evaluate_irregular(Prim::Numcolors, &[element]),
    }
}

pub(super) fn colorcount(space: &mut Space, element: Value, value: Value) -> ValueResult {
    if let (Some(grid), Some(colour)) = (element.as_grid(), value.small()) {
        let count = lanes::count_in(&space.cells, grid.at, grid.area(), colour);
        return Ok(Value::Int(count as i64));
    }
    if let (Value::Painted { cells, .. }, Some(mask), Some(colour)) =
        (element, element.mask(), value.small())
    {
        let area = usize::from(mask.height) * usize::from(mask.width);
        let mut count = lanes::count_in(&space.cells, cells as usize, area, colour);
        if colour == 0 {
            // The box has zeros where the object has no cell.
            count -= area - space.count(mask);
        }
        return Ok(Value::Int(count as i64));
    }
    if let (Value::Object(mask, own), Some(colour)) = (element, value.small()) {
        let count = if own == colour { space.count(mask) } else { 0 };
        return Ok(Value::Int(count as i64));
    }
    match (counts(space, element), value.small()) {
        (Some(counts), Some(colour)) => Ok(Value::Int(i64::from(
            counts[(i16::from(colour) + 128) as usize],
        ))),
        (Some(_), None) => Ok(Value::Int(0)),
        (None, _) => space.evaluate_irregular(Prim::Colorcount, &[element, value]),
    }
}

/// Returns how many cells of a grid under a patch have a colour. The boxes of both overlap.
pub(super) fn count_under(
    space: &mut Space,
    patch: Value,
    value: Value,
    colour: Value,
) -> ValueResult {
    let Some((mask, grid, window)) = inside(patch, value) else {
        return colorcount(space, Value::EMPTY_SET, colour);
    };
    let columns = full_bits(window.width());
    let (mut all, mut count) = (0, 0);
    for i in window.top..=window.bottom {
        let word = space.word_at(mask, i, window.left) & columns;
        all |= word;
        if let Some(colour) = colour.small() {
            let at = grid.at + i as usize * grid.width + window.left as usize;
            count += lanes::count_of_colour(word, &space.cells, at, colour);
        }
    }
    if all == 0 {
        // The patch has no cell inside the grid.
        return colorcount(space, Value::EMPTY_SET, colour);
    }
    Ok(Value::Int(i64::from(count)))
}

/// Writes the cells of a grid that have a colour to `plane`, one word for each row. Returns `false`
/// if the grid is wider than 64 columns or the colour is not a small number.
pub(super) fn plane_of(space: &Space, value: Value, colour: Value, plane: &mut Vec<u64>) -> bool {
    let (Some(grid), Some(colour)) = (value.as_grid(), colour.small()) else {
        return false;
    };
    let rows = 0..grid.height;
    plane.clear();
    plane.extend(rows.map(|i| {
        lanes::colour_bits(&space.cells, grid.row(i).start, grid.width.min(64), colour) as u64
    }));
    grid.width <= 64
}

/// The same as [`count_under`], with the plane of the colour already known.
pub(super) fn count_on_plane(
    space: &mut Space,
    patch: Value,
    value: Value,
    colour: Value,
    plane: &[u64],
) -> ValueResult {
    let Some((mask, _, window)) = inside(patch, value) else {
        return colorcount(space, Value::EMPTY_SET, colour);
    };
    if mask.width > 64 {
        return count_under(space, patch, value, colour);
    }
    let columns = full_bits(window.width()) as u64;
    let own = &space.words(mask)[(window.top - mask.top()) as usize..];
    let plane = &plane[window.top as usize..=window.bottom as usize];
    let skipped = window.left - mask.left();
    let mut all = 0;
    let both = own.iter().zip(plane).map(|(word, plane)| {
        let word = *word as u64 >> skipped & columns;
        all |= word;
        word & plane >> window.left
    });
    let count = count_narrow(both, window.width() as u32);
    if all == 0 {
        return colorcount(space, Value::EMPTY_SET, colour);
    }
    Ok(Value::Int(i64::from(count)))
}

pub(super) fn color(space: &mut Space, object: Value) -> ValueResult {
    if let Value::Object(_, colour) = object {
        return Ok(Value::Int(i64::from(colour)));
    }
    let first = space
        .nth(object, 0)?
        .ok_or(Fault::Empty(ValueKind::Object))?;
    if !first.is_tuple() {
        return Err(first.not(ValueKind::Cell));
    }
    space.nth(first, 0)?.ok_or(Fault::Empty(ValueKind::Cell))
}
