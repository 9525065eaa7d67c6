//! Connected components of a grid, by runs.
//!
//! Each row is cut into runs of cells that belong together; a run joins those
//! it touches in the row above. Grids have far fewer runs than cells, and a run
//! enters its component's mask with one shift.

use super::Outcome;
use super::colours::background;
use super::degenerate::bare_rows;
use super::query::grid_window;
use crate::fault::{Fault, Noun};
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value, Window, full_bits, lanes};

/// Cells `start..=end` of a row that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    row: u16,
    start: u16,
    end: u16,
    colour: i8,
    /// A run of the same component, earlier or itself; its own for the first.
    parent: u32,
    /// For the first run of a component: its box and the place of its rows.
    top: u16,
    bottom: u16,
    left: u16,
    right: u16,
    rows: u32,
}

impl Run {
    /// The box of the component it is the first run of, if a mask holds it.
    fn window(&self) -> Option<Window> {
        Window::fit(
            i64::from(self.top),
            i64::from(self.left),
            i64::from(self.bottom),
            i64::from(self.right),
        )
    }
}

/// How cells connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    pub univalued: bool,
    pub diagonal: bool,
    pub without_background: bool,
}

pub(super) fn objects(space: &mut Space, prim: Prim, args: &[Value], mode: Mode) -> Outcome {
    let Some(grid) = args[0].as_grid() else {
        if bare_rows(space, args[0]).is_some_and(|rows| rows > 0) {
            return if mode.without_background {
                Err(Fault::Empty(Noun::Element))
            } else {
                Ok(Value::EMPTY_SET)
            };
        }
        return space.plainly(prim, args);
    };
    if !mode.univalued && !mode.without_background {
        // Everything connects: the whole grid.
        let Some(window) = grid_window(grid) else {
            return space.plainly(prim, args);
        };
        let whole = super::construct::whole(space, grid, window)?;
        return super::containers::initset(space, whole);
    }
    let mut runs = std::mem::take(&mut space.runs);
    runs.clear();
    space.meter.work(grid.area() as u64 / 4 + 1)?;
    let hidden = mode.without_background.then(|| background(space, grid));
    find_runs(&space.cells, grid, hidden, mode, &mut runs);
    let result = emit(space, grid, mode, &mut runs);
    space.runs = runs;
    result
}

fn find_runs(cells: &[i8], grid: GridRef, hidden: Option<i8>, mode: Mode, runs: &mut Vec<Run>) {
    let reach = u16::from(mode.diagonal);
    let mut above = 0..0;
    for i in 0..grid.height {
        let first = runs.len();
        let row = &cells[grid.row(i)];
        let mut j = 0;
        let mut candidate = above.start;
        while j < row.len() {
            let colour = row[j];
            if Some(colour) == hidden {
                j += 1;
                continue;
            }
            let start = j;
            j += 1;
            while j < row.len()
                && if mode.univalued {
                    row[j] == colour
                } else {
                    Some(row[j]) != hidden
                }
            {
                j += 1;
            }
            let number = runs.len();
            runs.push(Run {
                row: i as u16,
                start: start as u16,
                end: (j - 1) as u16,
                colour,
                parent: number as u32,
                top: i as u16,
                bottom: i as u16,
                left: start as u16,
                right: (j - 1) as u16,
                rows: 0,
            });
            let (start, end) = (start as u16, (j - 1) as u16);
            while candidate < above.end && runs[candidate].end + reach < start {
                candidate += 1;
            }
            let mut other = candidate;
            while other < above.end && runs[other].start <= end + reach {
                if !mode.univalued || runs[other].colour == colour {
                    join(runs, other, number);
                }
                other += 1;
            }
        }
        above = first..runs.len();
    }
}

fn root(runs: &mut [Run], mut run: usize) -> usize {
    while runs[run].parent as usize != run {
        let parent = runs[run].parent as usize;
        runs[run].parent = runs[parent].parent;
        run = parent;
    }
    run
}

/// The earlier root stays, so a component's root is its first run.
fn join(runs: &mut [Run], a: usize, b: usize) {
    let (a, b) = (root(runs, a), root(runs, b));
    if a == b {
        return;
    }
    let (keep, lose) = (a.min(b), a.max(b));
    let lost = runs[lose];
    runs[lose].parent = keep as u32;
    let kept = &mut runs[keep];
    kept.top = kept.top.min(lost.top);
    kept.bottom = kept.bottom.max(lost.bottom);
    kept.left = kept.left.min(lost.left);
    kept.right = kept.right.max(lost.right);
}

/// Writes every component as an object and puts them in canonical order.
fn emit(space: &mut Space, grid: GridRef, mode: Mode, runs: &mut [Run]) -> Outcome {
    let all_fit = grid_window(grid).is_some();
    for number in 0..runs.len() {
        let run = runs[number];
        let first = root(runs, number);
        if first == number && (all_fit || run.window().is_some()) {
            let height = usize::from(run.bottom - run.top) + 1;
            runs[number].rows = space.new_rows(height)? as u32;
        }
        let home = runs[first];
        if !all_fit && home.window().is_none() {
            continue;
        }
        let row = home.rows as usize + usize::from(run.row - home.top);
        let width = usize::from(run.end - run.start) + 1;
        space.rows[row] |= full_bits(width) << (run.start - home.left);
    }
    let base = space.stack.len();
    for (number, run) in runs.iter().enumerate() {
        if run.parent as usize != number {
            continue;
        }
        let Some(window) = run.window() else {
            let object = loose(space, grid, runs, number)?;
            space.stack.push(object);
            continue;
        };
        let object = if mode.univalued {
            Value::Object(window.mask_at(run.rows as usize), run.colour)
        } else {
            many_coloured(space, grid, window, run.rows as usize)?
        };
        space.stack.push(object);
    }
    sorted(space, base)
}

/// A component that fits no mask, as a set of its cells. The parents of all
/// runs point at their roots or below.
fn loose(space: &mut Space, grid: GridRef, runs: &[Run], number: usize) -> Outcome {
    let base = space.stack.len();
    for (other, run) in runs.iter().enumerate().skip(number) {
        let mut first = other;
        while runs[first].parent as usize != first {
            first = runs[first].parent as usize;
        }
        if first != number {
            continue;
        }
        let row = usize::from(run.row);
        for column in run.start..=run.end {
            let colour = space.cells[grid.at + row * grid.width + usize::from(column)];
            space.stack.push(Value::Cell {
                colour: i32::from(colour),
                i: i32::from(run.row),
                j: i32::from(column),
            });
        }
    }
    space.set_from(base)
}

/// An object of a grid's own colours on rows already written.
fn many_coloured(space: &mut Space, grid: GridRef, window: Window, rows: usize) -> Outcome {
    let mask = window.mask_at(rows);
    let width = window.width();
    let cells = space.new_cells(window.height() * width)?;
    let mut one = None;
    let mut many = false;
    for row in 0..window.height() {
        let word = space.rows[rows + row];
        let from = grid.at + (window.top as usize + row) * grid.width + window.left as usize;
        let first = space.cells[from + word.trailing_zeros() as usize];
        let colour = *one.get_or_insert(first);
        many |= !lanes::all_of_colour(word, &space.cells, from, colour);
        lanes::copy_under(word, &mut space.cells, from, cells + row * width);
    }
    match (one, many) {
        (Some(colour), false) => {
            space.cells.truncate(cells);
            Ok(Value::Object(mask, colour))
        }
        _ => Ok(Value::Painted {
            rows: mask.rows,
            cells: cells as u32,
            i: mask.i,
            j: mask.j,
            height: mask.height,
            width: mask.width,
        }),
    }
}

/// Puts distinct objects on the stack in canonical order and makes their set.
pub(super) fn sorted(space: &mut Space, base: usize) -> Result<Value, Fault> {
    space.sort_from(base);
    space.sorted_set(base)
}
