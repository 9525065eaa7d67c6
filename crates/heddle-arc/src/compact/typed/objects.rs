//! Objects as tuples of cells.

use super::{Eval, Value, ValueResult};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::Space;
use std::collections::BTreeMap;

/// Pushes the cells of an object: its first location row by row, then layer by layer what touches
/// the layer before, each row by row. The locations are taken from `left`.
fn push_layers(
    space: &mut Space,
    left: &mut BTreeMap<(i32, i32), Value>,
    diagonal: bool,
) -> Result<(), Fault> {
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
    /// The objects of a grid as a tuple of tuples of cells.
    pub(super) fn objects_as_tuples(&mut self, args: &[Value; 4]) -> ValueResult {
        let objects = self.typed(Prim::Objects, args)?;
        let space = &mut *self.space;
        let base = space.push_elements(objects)?;
        let mut all: Vec<BTreeMap<(i32, i32), Value>> = Vec::new();
        for index in base..space.stack.len() {
            let mut cells = BTreeMap::new();
            for cell in space.elements(space.stack[index])? {
                if let Value::Cell { i, j, .. } = cell {
                    cells.insert((i, j), cell);
                }
            }
            space.meter.work(cells.len() as u64)?;
            all.push(cells);
        }
        space.stack.truncate(base);
        all.sort_by_key(|cells| cells.keys().next().copied());
        for mut cells in all {
            let from = space.stack.len();
            push_layers(space, &mut cells, args[2].truth())?;
            let object = space.tuple_from(from)?;
            space.stack.push(object);
        }
        space.tuple_from(base)
    }
}
