//! Grids too wide or too high for a mask, as lists of cells.
//!
//! A few calls of `upscale` make one of any grid, and random programs contain such calls. Parts of
//! such a grid may be small enough for a compact form; everything else is a general set.

use super::ValueResult;
use crate::fault::Fault;
use crate::value::{GridRef, Space, Value};

/// Returns the locations of some colours.
pub(super) fn indices(
    space: &mut Space,
    grid: GridRef,
    wanted: impl Fn(i8) -> bool,
) -> ValueResult {
    space
        .meter
        .take((grid.area() * size_of::<Value>()) as u64)?;
    let base = space.stack.len();
    for i in 0..grid.height {
        for j in 0..grid.width {
            if wanted(space.cells[grid.at + i * grid.width + j]) {
                space.stack.push(Value::Pair(i as i32, j as i32));
            }
        }
    }
    space.set_from(base)
}

/// Returns all cells as one object.
pub(super) fn whole(space: &mut Space, grid: GridRef) -> ValueResult {
    let base = push_by_colour(space, grid)?;
    space.sorted_set_of(base, Value::OBJECT_DEPTH)
}

/// Returns one object for each colour, except `but`.
pub(super) fn partition(space: &mut Space, grid: GridRef, but: Option<i8>) -> ValueResult {
    let base = push_by_colour(space, grid)?;
    let end = space.stack.len();
    let but = but.map(i32::from);
    let pushed = push_objects(space, base..end, but, |_, _| Ok(()));
    let objects = pushed.and_then(|()| space.set_from(end));
    space.stack.truncate(base);
    objects
}

/// Pushes an object for each colour of these cells on the stack, except `but`. `charge` charges for
/// the number of cells of an object.
pub(super) fn push_objects(
    space: &mut Space,
    cells: std::ops::Range<usize>,
    but: Option<i32>,
    charge: impl Fn(&mut Space, usize) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let colour = |cell: &Value| match *cell {
        Value::Cell { colour, .. } => colour,
        _ => 0,
    };
    let mut start = cells.start;
    while start < cells.end {
        let own = colour(&space.stack[start]);
        let rest = &space.stack[start..cells.end];
        let count = rest.iter().take_while(|cell| colour(cell) == own).count();
        if but != Some(own) {
            charge(space, count)?;
            let base = space.stack.len();
            space.stack.extend_from_within(start..start + count);
            let object = space.set_from(base)?;
            space.stack.push(object);
        }
        start += count;
    }
    Ok(())
}

/// Pushes all cells in canonical order and returns the index of the first.
fn push_by_colour(space: &mut Space, grid: GridRef) -> Result<usize, Fault> {
    // The cells are charged before they are pushed. The charge is released because they only pass
    // through the stack.
    let held = space.meter.bytes();
    space
        .meter
        .take((grid.area() * size_of::<Value>()) as u64)?;
    space.meter.release_to(held);
    let place = |colour: i8| (i16::from(colour) + 128) as usize;
    let cells = &space.cells[grid.at..grid.at + grid.area()];
    let mut next = [0_usize; 256];
    for cell in cells {
        next[place(*cell)] += 1;
    }
    let base = space.stack.len();
    let mut start = base;
    for count in &mut next {
        start += std::mem::replace(count, start);
    }
    space.stack.resize(start, Value::None);
    for (i, row) in cells.chunks_exact(grid.width).enumerate() {
        for (j, colour) in row.iter().enumerate() {
            let next = &mut next[place(*colour)];
            space.stack[*next] = Value::Cell {
                colour: i32::from(*colour),
                i: i as i32,
                j: j as i32,
            };
            *next += 1;
        }
    }
    Ok(base)
}

/// Returns the rows and columns of one colour, each as an object.
pub(super) fn frontiers(space: &mut Space, grid: GridRef) -> ValueResult {
    let GridRef { at, height, width } = grid;
    let base = space.stack.len();
    let found = (|| {
        for i in 0..height {
            push_line(space, width, |j| (at + i * width + j, i, j))?;
        }
        for j in 0..width {
            push_line(space, height, |i| (at + i * width + j, i, j))?;
        }
        Ok(())
    })();
    if let Err(fault) = found {
        space.stack.truncate(base);
        return Err(fault);
    }
    space.set_from(base)
}

/// Pushes a line as an object if it has one colour. `cell` returns the index, row and column of
/// each of its cells.
fn push_line(
    space: &mut Space,
    len: usize,
    cell: impl Fn(usize) -> (usize, usize, usize),
) -> Result<(), Fault> {
    space.meter.work(len as u64)?;
    let colour = space.cells[cell(0).0];
    if (1..len).any(|k| space.cells[cell(k).0] != colour) {
        return Ok(());
    }
    let base = space.stack.len();
    space.stack.extend((0..len).map(|k| {
        let (_, i, j) = cell(k);
        Value::Cell {
            colour: i32::from(colour),
            i: i as i32,
            j: j as i32,
        }
    }));
    let line = space.set_from(base)?;
    space.stack.push(line);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Budget;
    use crate::plain::{self, Plain};
    use crate::prim::Prim;

    const BUDGET: Budget = Budget {
        steps: 10_000_000,
        bytes: 1 << 26,
        time: None,
    };

    /// Too wide, too high, and both; of several colours, with lines of one colour.
    fn grids() -> Vec<Plain> {
        let sizes = [(3, 129), (2, 300), (256, 1), (256, 4), (257, 130)];
        let patterns: [fn(usize, usize) -> i64; 4] = [
            |_, _| 3,
            |i, j| ((i * j) % 7) as i64 - 3,
            |i, _| i64::from(i % 2 == 0),
            |i, j| i64::from(i == 1 && j < 2),
        ];
        let mut grids = Vec::new();
        for (height, width) in sizes {
            for pattern in patterns {
                let row = |i| Plain::Tuple((0..width).map(|j| Plain::Int(pattern(i, j))).collect());
                grids.push(Plain::Tuple((0..height).map(row).collect()));
            }
        }
        grids
    }

    #[test]
    fn oversized_grids_equal_plain_evaluation() {
        for grid in grids() {
            for prim in [
                Prim::Asobject,
                Prim::Partition,
                Prim::Fgpartition,
                Prim::Frontiers,
                Prim::Asindices,
            ] {
                let mut space = Space::new(BUDGET);
                let value = space.import(&grid).expect("it fits");
                let own = space.called(prim, value);
                let mut meter = crate::meter::Meter::new(BUDGET);
                let wanted = plain::call(prim, std::slice::from_ref(&grid), &mut meter);
                let own = own.and_then(|own| space.export(own));
                assert!(own == wanted, "{prim:?}");
                assert!(
                    space.stack.is_empty(),
                    "{prim:?} leaves the stack as it was"
                );
            }
        }
    }

    #[test]
    fn the_budget_is_checked_before_allocation() {
        let mut space = Space::new(BUDGET);
        let grid = grids().pop().expect("there are some");
        let value = space.import(&grid).expect("it fits");
        space.meter = crate::meter::Meter::new(Budget {
            bytes: 500_000,
            ..BUDGET
        });
        space.stack.shrink_to_fit();
        for prim in [Prim::Asobject, Prim::Partition, Prim::Fgpartition] {
            let result = space.called(prim, value);
            assert!(matches!(result, Err(Fault::Budget(_))), "{prim:?}");
            assert!(space.stack.capacity() < 1_000, "nothing was made");
        }
    }

    impl Space {
        fn called(&mut self, prim: Prim, value: Value) -> ValueResult {
            use super::super::{construct, lines, query};
            match prim {
                Prim::Asobject => construct::asobject(self, value),
                Prim::Frontiers => lines::frontiers(self, value),
                Prim::Asindices => query::asindices(self, value),
                _ => construct::partition(self, prim, value),
            }
        }
    }
}
