//! Repetition and occurrence (section 6.10).

use super::ValueResult;
use super::query::grid_window;
use super::zero_width::zero_width_grid;
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::lanes::colour_bits;
use crate::value::{GridRef, Mask, Space, Value, Window, full_bits};

/// Returns all locations at which an object matches a grid. There is one plane of bits for each of
/// its colours, and each of its cells removes the candidates it contradicts.
pub(super) fn occurrences(space: &mut Space, value: Value, object: Value) -> ValueResult {
    let grid = value.as_grid().filter(|grid| grid_window(*grid).is_some());
    let (Some(grid), Some(mask)) = (grid, object.mask()) else {
        return space.evaluate_irregular(Prim::Occurrences, &[value, object]);
    };
    if matches!(object, Value::Mask(_)) {
        return space.evaluate_irregular(Prim::Occurrences, &[value, object]);
    }
    let (height, width) = (usize::from(mask.height), usize::from(mask.width));
    if height > grid.height || width > grid.width {
        return Ok(Value::EMPTY_SET);
    }
    let window = Window {
        top: 0,
        left: 0,
        bottom: (grid.height - height) as i64,
        right: (grid.width - width) as i64,
    };
    let at = space.new_window(window)?;
    space.rows[at..].fill(full_bits(window.width()));
    match object {
        Value::Object(_, colour) => {
            remove_contradicted(space, grid, colour, mask, at, window, None)?;
        }
        Value::Painted { cells, .. } => {
            for colour in space.box_colours(mask, cells as usize).iter() {
                remove_contradicted(space, grid, colour, mask, at, window, Some(cells as usize))?;
            }
        }
        _ => {}
    }
    Ok(space.finish_mask(at, window))
}

/// Removes the candidates that contradict the cells of one colour. Equal rows of the object, as in
/// a rectangle, are matched once.
fn remove_contradicted(
    space: &mut Space,
    grid: GridRef,
    colour: i8,
    mask: Mask,
    at: usize,
    window: Window,
    own_colours: Option<usize>,
) -> Result<(), Fault> {
    let mut planes = std::mem::take(&mut space.planes);
    planes.clear();
    planes.resize(2 * grid.height, 0);
    let (plane, matched) = planes.split_at_mut(grid.height);
    for (i, line) in plane.iter_mut().enumerate() {
        *line = colour_bits(&space.cells, grid.row(i).start, grid.width, colour);
    }
    let width = usize::from(mask.width);
    let mut matched_word = 0;
    let mut work = 0;
    for row in 0..usize::from(mask.height) {
        let mut word = space.rows[mask.rows as usize + row];
        if let Some(own) = own_colours {
            let start = own + row * width;
            word &= colour_bits(&space.cells, start, width, colour);
        }
        if word == 0 {
            continue;
        }
        if word != matched_word {
            matched_word = word;
            let lines = plane.iter().zip(matched.iter_mut());
            if grid.width <= 64 {
                let word = word as u64;
                for (line, hits) in lines {
                    *hits = narrow_placements(*line as u64, word).into();
                }
            } else {
                for (line, hits) in lines {
                    *hits = placements(*line, word);
                }
            }
            work += grid.height as u64;
        }
        let candidates = &mut space.rows[at..at + window.height()];
        for (candidate, hits) in candidates.iter_mut().zip(&matched[row..]) {
            *candidate &= hits;
        }
    }
    space.planes = planes;
    space.meter.work(work)
}

/// Defines a function that returns the shifts at which every bit of the non-zero `word` meets a bit
/// of `line`. Words of one register take a quarter of the instructions.
macro_rules! placements {
    ($name:ident, $word:ty) => {
        fn $name(line: $word, word: $word) -> $word {
            let start = word.trailing_zeros();
            let run = (word >> start).trailing_ones();
            let mut hits = line >> start;
            // A run of n bits takes log n steps.
            let mut done = 1;
            while done < run {
                let step = done.min(run - done);
                hits &= hits >> step;
                done += step;
            }
            let beyond = <$word>::MAX.checked_shl(start + run).unwrap_or(0);
            let mut rest = word & beyond;
            while rest != 0 {
                hits &= line >> rest.trailing_zeros();
                rest &= rest - 1;
            }
            hits
        }
    };
}

placements!(placements, u128);
placements!(narrow_placements, u64);

pub(super) fn compress(space: &mut Space, value: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Compress, &[value]);
    };
    // The columns with more than one colour, as bits.
    let mut mixed = std::mem::take(&mut space.bitmap);
    mark_mixed_columns(&space.cells, grid, &mut mixed);
    let result = keep_mixed(space, grid, &mixed);
    space.bitmap = mixed;
    result
}

fn mark_mixed_columns(cells: &[i8], grid: GridRef, mixed: &mut Vec<u64>) {
    mixed.clear();
    mixed.resize(grid.width.div_ceil(64), 0);
    let first = &cells[grid.row(0)];
    for i in 1..grid.height {
        let row = &cells[grid.row(i)];
        for (word, (row, first)) in mixed.iter_mut().zip(row.chunks(64).zip(first.chunks(64))) {
            for (bit, (cell, first)) in row.iter().zip(first).enumerate() {
                *word |= u64::from(cell != first) << bit;
            }
        }
    }
}

/// Returns the rows with more than one colour, restricted to the columns in `mixed`.
fn keep_mixed(space: &mut Space, grid: GridRef, mixed: &[u64]) -> ValueResult {
    let is_mixed = |row: &[i8]| row.iter().any(|cell| *cell != row[0]);
    let rows = (0..grid.height).map(|i| &space.cells[grid.row(i)]);
    let kept_rows = rows.filter(|row| is_mixed(row)).count();
    let kept_columns: usize = mixed.iter().map(|word| word.count_ones() as usize).sum();
    if kept_rows == grid.height && kept_columns == grid.width {
        return Ok(grid.into());
    }
    if kept_rows == 0 {
        return Ok(Value::EMPTY_TUPLE);
    }
    if kept_columns == 0 {
        return zero_width_grid(space, kept_rows as u64);
    }
    let Some(new) = space.new_grid(kept_rows, kept_columns)? else {
        return space.evaluate_irregular(Prim::Compress, &[grid.into()]);
    };
    let (old, kept) = space.cells.split_at_mut(new.at);
    let rows = (0..grid.height).map(|i| &old[grid.row(i)]);
    for (row, kept) in rows
        .filter(|row| is_mixed(row))
        .zip(kept.chunks_exact_mut(kept_columns))
    {
        let mut kept = kept.iter_mut();
        for (word, row) in mixed.iter().zip(row.chunks(64)) {
            let mut bits = *word;
            while bits != 0 {
                if let Some(kept) = kept.next() {
                    *kept = row[bits.trailing_zeros() as usize];
                }
                bits &= bits - 1;
            }
        }
    }
    Ok(new.into())
}

pub(super) fn period(space: &mut Space, prim: Prim, object: Value) -> ValueResult {
    let mask = match object {
        Value::Object(mask, _) => mask,
        Value::Painted { .. } => match object.mask() {
            Some(mask) => mask,
            None => return space.evaluate_irregular(prim, &[object]),
        },
        _ => return space.evaluate_irregular(prim, &[object]),
    };
    let length = if prim == Prim::Vperiod {
        usize::from(mask.height)
    } else {
        usize::from(mask.width)
    };
    for period in 1..length {
        space.meter.work(u64::from(mask.height))?;
        let repeats = if prim == Prim::Vperiod {
            repeats(space, object, mask, period, 0)
        } else {
            repeats(space, object, mask, 0, period)
        };
        if repeats {
            return Ok(Value::Int(period as i64));
        }
    }
    Ok(Value::Int(length as i64))
}

/// Whether every cell equals the cell `down` rows and `across` columns before it, if there is one.
fn repeats(space: &Space, object: Value, mask: Mask, down: usize, across: usize) -> bool {
    let words = space.words(mask);
    let width = usize::from(mask.width);
    for row in down..words.len() {
        let moved = words[row] >> across;
        if moved & !words[row - down] != 0 {
            return false;
        }
        if let Value::Painted { cells, .. } = object {
            let mut bits = moved;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let here = cells as usize + row * width + bit + across;
                let before = cells as usize + (row - down) * width + bit;
                if space.cells[here] != space.cells[before] {
                    return false;
                }
            }
        }
    }
    true
}
