//! Objects as tuples of cells.

use super::{Eval, Value, ValueResult};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Bits, Mask, Space};
use std::collections::BTreeMap;

/// Pushes the cells of an object: its first location row by row, then layer by layer what touches
/// the layer before, each row by row.
fn push_layers(space: &mut Space, object: Value, diagonal: bool) -> Result<(), Fault> {
    match (object, object.mask()) {
        (Value::Object(_, colour), Some(mask)) => {
            push_masked(space, mask, diagonal, |_, _, _| i32::from(colour))
        }
        (Value::Painted { cells, width, .. }, Some(mask)) => {
            let (cells, width) = (cells as usize, usize::from(width));
            let colour = |space: &Space, row, bit| space.cells[cells + row * width + bit];
            push_masked(space, mask, diagonal, |space, row, bit| {
                i32::from(colour(space, row, bit))
            })
        }
        _ => push_listed(space, object, diagonal),
    }
}

/// The same for an object with a mask; `colour` is that of a row and a column.
fn push_masked(
    space: &mut Space,
    mask: Mask,
    diagonal: bool,
    colour: impl Fn(&Space, usize, usize) -> i32,
) -> Result<(), Fault> {
    let height = usize::from(mask.height);
    // The rows still left, then those of the layer.
    let mut planes = std::mem::take(&mut space.planes);
    planes.clear();
    planes.extend_from_slice(space.words(mask));
    planes.resize(2 * height, 0);
    let (left, layer) = planes.split_at_mut(height);
    layer[0] = left[0] & left[0].wrapping_neg();
    let mut charged = Ok(());
    while charged.is_ok() && layer.iter().any(|row| *row != 0) {
        for (row, word) in layer.iter().enumerate() {
            left[row] &= !word;
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let cell = Value::Cell {
                    colour: colour(space, row, bit),
                    i: i32::from(mask.i) + row as i32,
                    j: i32::from(mask.j) + bit as i32,
                };
                space.stack.push(cell);
            }
        }
        let mut above: Bits = 0;
        for row in 0..height {
            let own = layer[row];
            let beside = own | own << 1 | own >> 1;
            let around = |word: Bits| {
                if diagonal {
                    word | word << 1 | word >> 1
                } else {
                    word
                }
            };
            let below = layer.get(row + 1).map_or(0, |word| around(*word));
            layer[row] = (beside | above | below) & left[row];
            above = around(own);
        }
        charged = space.meter.work(height as u64);
    }
    space.planes = planes;
    charged
}

/// The same for any other object.
fn push_listed(space: &mut Space, object: Value, diagonal: bool) -> Result<(), Fault> {
    let mut left = BTreeMap::new();
    for cell in space.elements(object)? {
        if let Value::Cell { i, j, .. } = cell {
            left.insert((i, j), cell);
        }
    }
    let mut layer: Vec<(i32, i32)> = left.keys().next().copied().into_iter().collect();
    while !layer.is_empty() {
        let taken = layer.iter().filter_map(|at| left.remove(at));
        space.stack.extend(taken);
        let mut next = Vec::new();
        for (i, j) in &layer {
            for (di, dj) in (-1..=1).flat_map(|di| (-1..=1).map(move |dj| (di, dj))) {
                let at = (i + di, j + dj);
                if (diagonal || di == 0 || dj == 0) && left.contains_key(&at) {
                    next.push(at);
                }
            }
        }
        space.meter.work(9 * layer.len() as u64)?;
        next.sort_unstable();
        next.dedup();
        layer = next;
    }
    Ok(())
}

impl Eval<'_> {
    /// The objects of a grid as a tuple of tuples of cells, by their first locations.
    pub(super) fn objects_as_tuples(&mut self, args: &[Value; 4]) -> ValueResult {
        let objects = self.typed(Prim::Objects, args)?;
        let space = &mut *self.space;
        let base = space.push_elements(objects)?;
        let end = space.stack.len();
        for index in base..end {
            let from = space.stack.len();
            push_layers(space, space.stack[index], args[2].truth())?;
            space.stack[index] = space.tuple_from(from)?;
        }
        let mut stack = std::mem::take(&mut space.stack);
        stack[base..].sort_by_key(|object| match space.nth(*object, 0) {
            Ok(Some(Value::Cell { i, j, .. })) => (i, j),
            _ => (0, 0),
        });
        space.stack = stack;
        space.tuple_from(base)
    }
}
