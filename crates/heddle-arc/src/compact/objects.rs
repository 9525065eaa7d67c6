//! Connected components of a grid, by runs.
//!
//! Each row is split into runs of connected cells, and a run is joined with those it touches in the
//! row above. Grids have far fewer runs than cells, and a run is added to its component's mask with
//! one shift.

use super::ValueResult;
use super::colours::background;
use super::query::grid_window;
use super::zero_width::zero_width_rows;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::{GridRef, Space, Value, Window, full_bits, lanes};

/// Connected cells `start..=end` of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellRun {
    row: u16,
    start: u16,
    end: u16,
    colour: i8,
    /// The index of an earlier run of the same component. The first run is its own parent.
    parent: u32,
    /// For the first run of a component: the component's box and the index of its rows.
    top: u16,
    bottom: u16,
    left: u16,
    right: u16,
    rows: u32,
}

impl CellRun {
    /// Returns the box of the component this is the first run of, if it fits a mask.
    fn window(&self) -> Option<Window> {
        Window::fit(
            i64::from(self.top),
            i64::from(self.left),
            i64::from(self.bottom),
            i64::from(self.right),
        )
    }
}

/// The rules by which cells connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connectivity {
    pub univalued: bool,
    pub diagonal: bool,
    pub without_background: bool,
}

pub(super) fn objects(
    space: &mut Space,
    prim: Prim,
    args: &[Value],
    mode: Connectivity,
) -> ValueResult {
    let Some(grid) = args[0].as_grid() else {
        if zero_width_rows(space, args[0]).is_some_and(|rows| rows > 0) {
            return if mode.without_background {
                Err(Fault::Empty(ValueKind::Element))
            } else {
                Ok(Value::EMPTY_SET)
            };
        }
        return space.evaluate_irregular(prim, args);
    };
    if !mode.univalued && !mode.without_background {
        // All cells are connected: the whole grid is the only object.
        let whole = super::construct::asobject(space, args[0])?;
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

fn find_runs(
    cells: &[i8],
    grid: GridRef,
    hidden: Option<i8>,
    mode: Connectivity,
    runs: &mut Vec<CellRun>,
) {
    let mut above = 0..0;
    for i in 0..grid.height {
        let first = runs.len();
        if grid.width <= 64 {
            cut_narrow(cells, grid, i, hidden, mode, runs);
        } else {
            cut(cells, grid, i, hidden, mode, runs);
        }
        join_row(runs, above, first, mode);
        above = first..runs.len();
    }
}

/// Returns a run that is a component by itself.
fn run(number: usize, row: usize, start: usize, end: usize, colour: i8) -> CellRun {
    let (row, start, end) = (row as u16, start as u16, end as u16);
    CellRun {
        row,
        start,
        end,
        colour,
        parent: number as u32,
        top: row,
        bottom: row,
        left: start,
        right: end,
        rows: 0,
    }
}

/// Splits a row into runs cell by cell.
fn cut(
    cells: &[i8],
    grid: GridRef,
    i: usize,
    hidden: Option<i8>,
    mode: Connectivity,
    runs: &mut Vec<CellRun>,
) {
    let row = &cells[grid.row(i)];
    let mut j = 0;
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
        runs.push(run(runs.len(), i, start, j - 1, colour));
    }
}

/// Splits a row of at most 64 cells into runs by the bits at which they begin and end.
fn cut_narrow(
    cells: &[i8],
    grid: GridRef,
    i: usize,
    hidden: Option<i8>,
    mode: Connectivity,
    runs: &mut Vec<CellRun>,
) {
    let (at, width) = (grid.row(i).start, grid.width);
    let all = full_bits(width) as u64;
    let seen = hidden.map_or(all, |hidden| {
        all & !lanes::narrow_colour_bits(cells, at, width, hidden)
    });
    let (mut starts, mut ends) = if mode.univalued {
        let same = lanes::narrow_repeats(cells, at, width);
        (seen & !(same << 1), seen & !same)
    } else {
        (seen & !(seen << 1), seen & !(seen >> 1))
    };
    while starts != 0 {
        let (start, end) = (starts.trailing_zeros(), ends.trailing_zeros());
        starts &= starts - 1;
        ends &= ends - 1;
        let (start, end) = (start as usize, end as usize);
        runs.push(run(runs.len(), i, start, end, cells[at + start]));
    }
}

/// Joins the runs of a row, from `first` on, with those of the row above.
fn join_row(runs: &mut [CellRun], above: std::ops::Range<usize>, first: usize, mode: Connectivity) {
    let reach = u16::from(mode.diagonal);
    let mut candidate = above.start;
    for number in first..runs.len() {
        let CellRun {
            start, end, colour, ..
        } = runs[number];
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
}

fn root(runs: &mut [CellRun], mut run: usize) -> usize {
    while runs[run].parent as usize != run {
        let parent = runs[run].parent as usize;
        runs[run].parent = runs[parent].parent;
        run = parent;
    }
    run
}

/// Joins two components. The earlier root stays, so that the root is the first run.
fn join(runs: &mut [CellRun], a: usize, b: usize) {
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

/// Builds every component as an object and returns their set.
fn emit(space: &mut Space, grid: GridRef, mode: Connectivity, runs: &mut [CellRun]) -> ValueResult {
    let all_fit = grid_window(grid).is_some();
    for number in 0..runs.len() {
        let run = runs[number];
        // Earlier runs already point at their root.
        let first = runs[run.parent as usize].parent as usize;
        runs[number].parent = first as u32;
        if first == number && (all_fit || run.window().is_some()) {
            let height = usize::from(run.bottom - run.top) + 1;
            runs[number].rows = space.new_rows(height)? as u32;
        }
        let root = runs[first];
        if !all_fit && root.window().is_none() {
            continue;
        }
        let row = root.rows as usize + usize::from(run.row - root.top);
        let width = usize::from(run.end - run.start) + 1;
        space.rows[row] |= full_bits(width) << (run.start - root.left);
    }
    let base = space.stack.len();
    if mode.univalued && all_fit && by_colour(space, runs) {
        if space.stack.len() == base {
            return Ok(Value::EMPTY_SET);
        }
        return space.sorted_set_of(base, Value::OBJECT_DEPTH + 1);
    }
    for (number, run) in runs.iter().enumerate() {
        if run.parent as usize != number {
            continue;
        }
        let Some(window) = run.window() else {
            let object = irregular(space, grid, runs, number)?;
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

/// Pushes components of one colour each in canonical order: by colour, then by first cell, which is
/// the order of the runs. Returns `false` and pushes nothing if there are colours other than 0 to
/// 15.
fn by_colour(space: &mut Space, runs: &[CellRun]) -> bool {
    let mut next = [0_usize; 16];
    for (number, run) in runs.iter().enumerate() {
        let first = usize::from(run.parent as usize == number);
        match next.get_mut(usize::from(run.colour.cast_unsigned())) {
            Some(count) => *count += first,
            None => return false,
        }
    }
    let mut index = space.stack.len();
    for slot in &mut next {
        let count = *slot;
        *slot = index;
        index += count;
    }
    space.stack.resize(index, Value::None);
    for (number, run) in runs.iter().enumerate() {
        if run.parent as usize == number {
            let next = &mut next[usize::from(run.colour.cast_unsigned())];
            let window = Window {
                top: i64::from(run.top),
                left: i64::from(run.left),
                bottom: i64::from(run.bottom),
                right: i64::from(run.right),
            };
            space.stack[*next] = Value::Object(window.mask_at(run.rows as usize), run.colour);
            *next += 1;
        }
    }
    true
}

/// Returns a component that fits no mask as a set of its cells. The parents of later runs may not
/// point at their root yet.
fn irregular(space: &mut Space, grid: GridRef, runs: &[CellRun], number: usize) -> ValueResult {
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

/// Returns the object of a grid's colours on existing mask rows.
fn many_coloured(space: &mut Space, grid: GridRef, window: Window, rows: usize) -> ValueResult {
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

/// Pops distinct objects from the stack and returns their set.
pub(super) fn sorted(space: &mut Space, base: usize) -> Result<Value, Fault> {
    space.sort_from(base);
    space.sorted_set(base)
}
