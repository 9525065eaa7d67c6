//! Unions of many sets.

use super::ValueResult;
use crate::fault::Fault;
use crate::value::{Colours, LayerBuilder, Mask, Space, Value, Window, lanes};

/// Pops the containers on the stack from `base` on and returns their union. Their elements are not
/// listed if all containers are masks, or all are objects without contradicting colours.
pub(super) fn union_from(space: &mut Space, base: usize) -> ValueResult {
    if let Some(set) = union_compact(space, base)? {
        space.stack.truncate(base);
        return Ok(set);
    }
    let end = space.stack.len();
    for index in base..end {
        let inner = space.stack[index];
        space.push_elements(inner)?;
    }
    let set = space.set_from(end);
    space.stack.truncate(base);
    set
}

fn union_compact(space: &mut Space, base: usize) -> Result<Option<Value>, Fault> {
    let mut window: Option<Window> = None;
    let (mut masks, mut objects, mut layers) = (0, 0, 0);
    for item in &space.stack[base..] {
        let mask = match *item {
            Value::Set { len: 0, .. } => continue,
            Value::Mask(mask) => {
                masks += 1;
                mask
            }
            other => match (other.mask(), space.layers_window(other)) {
                (Some(mask), _) => {
                    objects += 1;
                    mask
                }
                (None, Some(held)) => {
                    layers += 1;
                    window = match window {
                        None => Some(held),
                        Some(joined) => joined.joined(held),
                    };
                    if window.is_none() {
                        return Ok(None);
                    }
                    continue;
                }
                (None, None) => return Ok(None),
            },
        };
        let held = Window::of(mask);
        window = match window {
            None => Some(held),
            Some(joined) => match joined.joined(held) {
                Some(joined) => Some(joined),
                None => return Ok(None),
            },
        };
    }
    let Some(window) = window else {
        return Ok(None);
    };
    match (masks, objects, layers) {
        (_, 0, 0) => union_masks(space, base, window).map(Some),
        (0, _, 0) => union_objects(space, base, window).map(Some),
        (0, ..) => union_layers(space, base, window).map(Some),
        _ => Ok(None),
    }
}

fn union_masks(space: &mut Space, base: usize, window: Window) -> ValueResult {
    if let [only] = space.stack[base..] {
        return Ok(only);
    }
    let at = space.new_window(window)?;
    for index in base..space.stack.len() {
        let Value::Mask(mask) = space.stack[index] else {
            continue;
        };
        space.meter.work(1)?;
        let top = at + (mask.top() - window.top) as usize;
        let shift = mask.left() - window.left;
        let (old, new) = space.rows.split_at_mut(at);
        let words = &old[mask.rows as usize..][..usize::from(mask.height)];
        let both = new[top - at..].iter_mut().zip(words);
        if window.width() <= 64 {
            for (to, word) in both {
                *to |= u128::from((*word as u64) << shift);
            }
        } else {
            for (to, word) in both {
                *to |= word << shift;
            }
        }
    }
    // Some set reaches every side of the window.
    Ok(window.tight(at))
}

fn union_objects(space: &mut Space, base: usize, window: Window) -> ValueResult {
    if let [only] = space.stack[base..] {
        return Ok(only);
    }
    if let [a, b] = space.stack[base..]
        && contradict(space, a, b)
    {
        return union_layers(space, base, window);
    }
    let mark = space.mark();
    let at = space.new_window(window)?;
    let width = window.width();
    let cells = space.new_cells(window.height() * width)?;
    for index in base..space.stack.len() {
        let object = space.stack[index];
        let Some(mask) = object.mask() else {
            continue;
        };
        space.meter.work(u64::from(mask.height))?;
        let (top, left) = (
            (mask.top() - window.top) as usize,
            (mask.left() - window.left) as usize,
        );
        for row in 0..usize::from(mask.height) {
            let word = space.rows[mask.rows as usize + row];
            let held = space.rows[at + top + row];
            let (joined, common) = if width <= 64 {
                let (held, word) = (held as u64, word as u64);
                (
                    u128::from(held | word << left),
                    u128::from(held >> left & word),
                )
            } else {
                (held | word << left, held >> left & word)
            };
            space.rows[at + top + row] = joined;
            let to = cells + (top + row) * width + left;
            let agrees = match object {
                Value::Painted { cells, width, .. } => {
                    let from = cells as usize + row * usize::from(width);
                    let agrees =
                        common == 0 || lanes::alike(common, &space.cells, from, to) == common;
                    lanes::copy_under(word, &mut space.cells, from, to);
                    agrees
                }
                Value::Object(_, colour) => {
                    let agrees =
                        common == 0 || lanes::all_of_colour(common, &space.cells, to, colour);
                    lanes::fill_under(word, &mut space.cells, to, colour);
                    agrees
                }
                _ => true,
            };
            if !agrees {
                space.cut(mark);
                return union_layers(space, base, window);
            }
        }
    }
    Ok(space.finish_cells(at, cells, window))
}

/// Charges for the union of two sets as [`union_from`] does. Returns `false` and charges nothing if
/// they are not both masks or both objects, or fit no mask together.
pub(super) fn charge_union(space: &mut Space, a: Value, b: Value) -> Result<bool, Fault> {
    let (Some(x), Some(y)) = (a.mask(), b.mask()) else {
        return Ok(false);
    };
    let masks = [a, b].map(|value| matches!(value, Value::Mask(_)));
    let Some(window) = Window::of(x).joined(Window::of(y)) else {
        return Ok(false);
    };
    match masks {
        [true, true] => {
            space.charge_rows(window.height())?;
            space.meter.work(1)?;
            space.meter.work(1)?;
        }
        [false, false] if contradict(space, a, b) => {
            space.meter.work(1)?;
            space.meter.work(1)?;
            let mut colours = palette(space, a);
            colours.join(palette(space, b));
            let colours = colours.len();
            for _ in 0..colours {
                space.charge_rows(window.height())?;
            }
            space.charge_values(colours)?;
        }
        [false, false] => {
            space.charge_rows(window.height())?;
            space.charge_cells(window.height() * window.width())?;
            space.meter.work(u64::from(x.height))?;
            space.meter.work(u64::from(y.height))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns the colours of an object. An object of many colours is split on the way.
fn palette(space: &mut Space, object: Value) -> Colours {
    let mut colours = Colours::default();
    match object {
        Value::Object(_, colour) => colours.add(colour),
        Value::Painted { rows, cells, .. } => {
            if let Some(mask) = object.mask() {
                split_colours(space, mask, (rows, cells));
                colours = space.split_palette;
            }
        }
        other => space
            .layers(other)
            .for_each(|(_, colour)| colours.add(colour)),
    }
    colours
}

/// Whether two objects have different colours at some location.
fn contradict(space: &Space, a: Value, b: Value) -> bool {
    let (Some(x), Some(y)) = (a.mask(), b.mask()) else {
        return false;
    };
    let left = x.left().max(y.left());
    // The index of row `i`'s colour in column `left`.
    let start = |cells: u32, mask: Mask, i: i64| {
        let row = (i - mask.top()) as usize * usize::from(mask.width);
        cells as usize + row + (left - mask.left()) as usize
    };
    let agree = |i: i64| {
        let common = space.word_at(x, i, left) & space.word_at(y, i, left);
        if common == 0 {
            return true;
        }
        match (a, b) {
            (Value::Painted { cells: p, .. }, Value::Painted { cells: q, .. }) => {
                let (p, q) = (start(p, x, i), start(q, y, i));
                lanes::alike(common, &space.cells, p, q) == common
            }
            (Value::Painted { cells, .. }, Value::Object(_, colour)) => {
                lanes::all_of_colour(common, &space.cells, start(cells, x, i), colour)
            }
            (Value::Object(_, colour), Value::Painted { cells, .. }) => {
                lanes::all_of_colour(common, &space.cells, start(cells, y, i), colour)
            }
            (Value::Object(_, c), Value::Object(_, d)) => c == d,
            _ => true,
        }
    };
    let mut rows = x.top().max(y.top())..=x.bottom().min(y.bottom());
    !rows.all(agree)
}

/// Returns the union of objects and layers that have two colours at some location.
fn union_layers(space: &mut Space, base: usize, window: Window) -> ValueResult {
    let mut colours = Colours::default();
    for index in base..space.stack.len() {
        let item = space.stack[index];
        colours.join(palette(space, item));
    }
    let mut layering = space.begin_layers(window, colours);
    for index in base..space.stack.len() {
        space.meter.work(1)?;
        let item = space.stack[index];
        match item {
            Value::Object(mask, colour) => layer(space, &mut layering, window, mask, colour),
            Value::Painted { rows, cells, .. } => {
                let Some(mask) = item.mask() else { continue };
                let top = (mask.top() - window.top) as usize;
                let left = mask.left() - window.left;
                split_colours(space, mask, (rows, cells));
                for (colour, row, word) in &space.split {
                    layering.add(*colour, top + usize::from(*row), word << left);
                }
            }
            other => {
                for (mask, colour) in space.layers(other) {
                    layer(space, &mut layering, window, mask, colour);
                }
            }
        }
    }
    space.end_layers(layering)
}

/// Splits a many-coloured object into words of one colour and row each, unless it was the last to
/// be split.
fn split_colours(space: &mut Space, mask: Mask, places: (u32, u32)) {
    if space.split_of == Some(places) {
        return;
    }
    let mut split = std::mem::take(&mut space.split);
    split.clear();
    let width = usize::from(mask.width);
    for (row, word) in space.words(mask).iter().enumerate() {
        let first = split.len();
        let start = places.1 as usize + row * width;
        let own = &space.cells[start..start + width];
        let mut bits = *word;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let colour = own[bit];
            let known = split[first..]
                .iter_mut()
                .find(|(other, ..)| *other == colour);
            match known {
                Some((_, _, word)) => *word |= 1 << bit,
                None => split.push((colour, row as u8, 1 << bit)),
            }
        }
    }
    let mut palette = Colours::default();
    for (colour, ..) in &split {
        palette.add(*colour);
    }
    space.split_palette = palette;
    space.split = split;
    space.split_of = Some(places);
}

/// Adds the cells of one colour.
fn layer(space: &Space, layering: &mut LayerBuilder, window: Window, mask: Mask, colour: i8) {
    let top = (mask.top() - window.top) as usize;
    let left = mask.left() - window.left;
    for (row, word) in space.words(mask).iter().enumerate() {
        layering.add(colour, top + row, word << left);
    }
}
