//! Properties of grids and patches (section 6.7).

use super::ValueResult;
use super::arithmetic::location;
use super::oversized_grids;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::lanes::colour_bits;
use crate::value::{Extremes, GridRef, MASK_COLUMNS, Mask, Patch, Space, Value, Window};

/// Returns the height and width of a grid or patch, or `None` where only the plain primitive
/// applies.
pub(super) fn shape_of(space: &mut Space, piece: Value) -> Result<Option<(i64, i64)>, Fault> {
    if let Some(grid) = piece.as_grid() {
        return Ok(Some((grid.height as i64, grid.width as i64)));
    }
    if piece.is_tuple() {
        let height = space.len(piece)? as i64;
        return match space.nth(piece, 0)? {
            Some(row) => Ok(Some((height, space.len(row)? as i64))),
            None => Ok(Some((0, 0))),
        };
    }
    if piece.is_empty_container() {
        return Ok(Some((0, 0)));
    }
    Ok(space
        .extremes(piece)?
        .map(|e| (e.bottom - e.top + 1, e.right - e.left + 1)))
}

pub(super) fn height(space: &mut Space, piece: Value) -> ValueResult {
    if piece.is_tuple() {
        return space.len(piece).map(|rows| Value::Int(rows as i64));
    }
    match shape_of(space, piece)? {
        Some((height, _)) => Ok(Value::Int(height)),
        None => space.evaluate_irregular(Prim::Height, &[piece]),
    }
}

/// Evaluates a primitive that depends on height and width alone.
pub(super) fn by_shape(
    space: &mut Space,
    prim: Prim,
    piece: Value,
    to_result: fn((i64, i64), i64) -> Value,
) -> ValueResult {
    match shape_of(space, piece)? {
        Some(shape) if !(prim == Prim::Square && piece.is_tuple()) => {
            let count = if matches!(prim, Prim::Square | Prim::Vline | Prim::Hline) {
                space.len(piece)? as i64
            } else {
                0
            };
            Ok(to_result(shape, count))
        }
        Some(_) if piece.is_empty_container() => Err(Fault::Empty(ValueKind::Grid)),
        Some((height, width)) => Ok(Value::Bool(height == width)),
        None => space.evaluate_irregular(prim, &[piece]),
    }
}

pub(super) fn by_extremes(
    space: &mut Space,
    prim: Prim,
    patch: Value,
    to_result: fn(Extremes) -> Value,
) -> ValueResult {
    let corner = matches!(
        prim,
        Prim::Ulcorner | Prim::Urcorner | Prim::Llcorner | Prim::Lrcorner
    );
    if corner && patch.is_empty_container() {
        return Ok(Value::EMPTY_TUPLE);
    }
    match space.extremes(patch)? {
        Some(extremes) => Ok(to_result(extremes)),
        None => space.evaluate_irregular(prim, &[patch]),
    }
}

/// Returns a pair of numbers known to fit 32 bits: locations and sizes of patches.
pub(super) fn place(i: i64, j: i64) -> Value {
    Value::Pair(i as i32, j as i32)
}

fn middle(mask: Mask) -> (i64, i64) {
    (
        mask.top() + i64::from(mask.height) / 2,
        mask.left() + i64::from(mask.width) / 2,
    )
}

pub(super) fn center(space: &mut Space, patch: Value) -> ValueResult {
    match patch.mask() {
        Some(mask) => {
            let (i, j) = middle(mask);
            Ok(place(i, j))
        }
        None => space.evaluate_irregular(Prim::Center, &[patch]),
    }
}

pub(super) fn centerofmass(space: &mut Space, patch: Value) -> ValueResult {
    if patch.is_empty_container() {
        return Ok(Value::EMPTY_TUPLE);
    }
    let Some(mask) = patch.mask() else {
        return space.evaluate_irregular(Prim::Centerofmass, &[patch]);
    };
    let (mut rows, mut columns, mut count) = (0_i64, 0_i64, 0_i64);
    for (row, word) in space.words(mask).iter().enumerate() {
        let cells = i64::from(word.count_ones());
        count += cells;
        rows += cells * row as i64;
        let mut bits = *word;
        while bits != 0 {
            columns += i64::from(bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
    rows += count * mask.top();
    columns += count * mask.left();
    Ok(place(rows.div_euclid(count), columns.div_euclid(count)))
}

pub(super) fn matching(space: &mut Space, prim: Prim, a: Value, b: Value) -> ValueResult {
    if let (Patch::Empty, Patch::Empty | Patch::Compact(_)) | (Patch::Compact(_), Patch::Empty) =
        (a.patch()?, b.patch()?)
    {
        return Ok(Value::Bool(false));
    }
    let (Some(x), Some(y)) = (a.mask(), b.mask()) else {
        return space.evaluate_irregular(prim, &[a, b]);
    };
    if prim == Prim::Hmatching {
        let top = x.top().max(y.top());
        let bottom = x.bottom().min(y.bottom());
        return Ok(Value::Bool((top..=bottom).any(|i| {
            space.word_at(x, i, x.left()) != 0 && space.word_at(y, i, y.left()) != 0
        })));
    }
    let all = |mask: Mask| space.words(mask).iter().fold(0, |all, word| all | word);
    let shift = y.left() - x.left();
    let (first, second) = (all(x), all(y));
    Ok(Value::Bool(
        first & crate::value::moved_bits(second, shift) != 0,
    ))
}

/// Returns the least distance between a column of `x` and one of `y`, both non-zero.
fn across(x: u128, y: u128) -> i64 {
    if x & y != 0 {
        return 0;
    }
    let (few, many) = if x.count_ones() <= y.count_ones() {
        (x, y)
    } else {
        (y, x)
    };
    let mut least = i64::MAX;
    let mut bits = few;
    while bits != 0 {
        let bit = bits.trailing_zeros();
        bits &= bits - 1;
        // The nearest column to the right, then to the left.
        let above = many >> bit;
        if above != 0 {
            least = least.min(i64::from(above.trailing_zeros()));
        }
        let below = many & ((1 << bit) - 1);
        if below != 0 {
            least = least.min(i64::from(bit - below.ilog2()));
        }
    }
    least
}

/// Returns the least Manhattan distance from a location to a mask.
fn distance_from(space: &Space, i: i64, j: i64, mask: Mask) -> i64 {
    let words = space.words(mask);
    let bit = j - mask.left();
    // The rows at and below the location downwards, then those above it upwards.
    let split = (i - mask.top()).clamp(0, words.len() as i64) as usize;
    let (above, below) = words.split_at(split);
    let first = mask.top() + split as i64 - i;
    let nearest = |word: u128| {
        if mask.width <= 64 {
            nearest_of_few(word as u64, bit)
        } else {
            nearest(word, bit)
        }
    };
    let mut best = i64::MAX;
    for (down, word) in (first..).zip(below) {
        if down >= best {
            break;
        }
        best = best.min(down + nearest(*word));
    }
    for (up, word) in (1 - first..).zip(above.iter().rev()) {
        if up >= best {
            break;
        }
        best = best.min(up + nearest(*word));
    }
    best
}

/// The distance of a row without set columns, greater than that of any column.
const FAR: i64 = 1 << 32;

/// The same as [`nearest`] for a word of at most 64 columns.
fn nearest_of_few(word: u64, bit: i64) -> i64 {
    if word == 0 {
        return FAR;
    }
    match bit {
        0..64 => {
            // At least one of the two is not empty, and an empty one gives 64.
            let right = (word >> bit).trailing_zeros();
            let left = (word << (63 - bit)).leading_zeros();
            i64::from(left.min(right))
        }
        ..0 => i64::from(word.trailing_zeros()) - bit,
        _ => bit - i64::from(word.ilog2()),
    }
}

/// Returns the distance of a column from the nearest set column of a word with the same origin, or
/// [`FAR`] if there is none.
fn nearest(word: u128, bit: i64) -> i64 {
    if word == 0 {
        return FAR;
    }
    let (low, high) = (i64::from(word.trailing_zeros()), i64::from(word.ilog2()));
    if bit <= low {
        return low - bit;
    }
    if bit >= high {
        return bit - high;
    }
    let right = i64::from((word >> bit).trailing_zeros());
    let left = bit - i64::from((word & ((1 << bit) - 1)).ilog2());
    left.min(right)
}

/// Returns the least Manhattan distance between two masks, if their columns fit one word.
fn distance(space: &mut Space, a: Mask, b: Mask) -> Result<Option<i64>, Fault> {
    let left = a.left().min(b.left());
    let right = a.right().max(b.right());
    if right - left >= MASK_COLUMNS {
        return Ok(None);
    }
    space
        .meter
        .work(u64::from(a.height) * u64::from(b.height))?;
    let (few, many) = if a.height <= b.height { (a, b) } else { (b, a) };
    if few.height == 1 && few.width == 1 {
        return Ok(Some(distance_from(space, few.top(), few.left(), many)));
    }
    let mut best = i64::MAX;
    for i in few.top()..=few.bottom() {
        let x = space.word_at(few, i, left);
        if x == 0 {
            continue;
        }
        // Rows are visited outwards from the nearest, so the loop can stop at the best distance.
        let nearest = i.clamp(many.top(), many.bottom());
        let gap = (i - nearest).abs();
        for by in 0..i64::from(many.height) {
            if gap + by >= best {
                break;
            }
            let rows = [nearest - by, nearest + by];
            for k in &rows[usize::from(by == 0)..] {
                let y = space.word_at(many, *k, left);
                if y != 0 {
                    best = best.min(gap + by + across(x, y));
                }
            }
        }
    }
    Ok(Some(best))
}

pub(super) fn manhattan(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if let (Some(x), Some(y)) = (a.mask(), b.mask())
        && let Some(steps) = distance(space, x, y)?
    {
        return Ok(Value::Int(steps));
    }
    space.evaluate_irregular(Prim::Manhattan, &[a, b])
}

/// Whether two masks are at distance one, or `None` if `b` is too wide.
fn touching(space: &Space, a: Mask, b: Mask) -> Option<bool> {
    if i64::from(b.width) > MASK_COLUMNS - 2 {
        return None;
    }
    // One spare column on the left keeps left neighbours in the word.
    let left = b.left() - 1;
    let mut beside = false;
    let top = a.top().max(b.top() - 1);
    let bottom = a.bottom().min(b.bottom() + 1);
    for i in top..=bottom {
        let word = space.word_at(a, i, left);
        // Cells of `a` beyond the spare columns touch nothing.
        let here = space.word_at(b, i, left);
        if word & here != 0 {
            return Some(false);
        }
        let around = space.word_at(b, i - 1, left) | space.word_at(b, i + 1, left);
        beside |= (word << 1 | word >> 1) & here != 0 || word & around != 0;
    }
    Some(beside)
}

pub(super) fn adjacent(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if let (Some(x), Some(y)) = (a.mask(), b.mask())
        && let Some(touching) = touching(space, x, y)
    {
        space.meter.work(u64::from(x.height.min(y.height)))?;
        return Ok(Value::Bool(touching));
    }
    space.evaluate_irregular(Prim::Adjacent, &[a, b])
}

pub(super) fn bordering(space: &mut Space, patch: Value, grid: Value) -> ValueResult {
    if let (Some(mask), Some(grid)) = (patch.mask(), grid.as_grid()) {
        return Ok(Value::Bool(
            mask.top() == 0
                || mask.left() == 0
                || mask.bottom() == grid.height as i64 - 1
                || mask.right() == grid.width as i64 - 1,
        ));
    }
    space.evaluate_irregular(Prim::Bordering, &[patch, grid])
}

pub(super) fn position(space: &mut Space, a: Value, b: Value) -> ValueResult {
    let (Some(x), Some(y)) = (a.mask(), b.mask()) else {
        return space.evaluate_irregular(Prim::Position, &[a, b]);
    };
    let ((ai, aj), (bi, bj)) = (middle(x), middle(y));
    let towards = |from: i64, to: i64| if from < to { 1 } else { -1 };
    Ok(if ai == bi {
        Value::Pair(0, towards(aj, bj))
    } else if aj == bj {
        Value::Pair(towards(ai, bi), 0)
    } else {
        Value::Pair(towards(ai, bi), towards(aj, bj))
    })
}

pub(super) fn gravitate(space: &mut Space, source: Value, destination: Value) -> ValueResult {
    let (Some(from), Some(to)) = (source.mask(), destination.mask()) else {
        return space.evaluate_irregular(Prim::Gravitate, &[source, destination]);
    };
    let near = |mask: Mask| {
        Window::fit(
            mask.top() - 42,
            mask.left() - 42,
            mask.bottom() + 42,
            mask.right().min(mask.left() + 40) + 42,
        )
        .is_some()
    };
    if !near(from) {
        return space.evaluate_irregular(Prim::Gravitate, &[source, destination]);
    }
    let ((si, sj), (di, dj)) = (middle(from), middle(to));
    let shared_column = matching(space, Prim::Vmatching, source, destination)?.truth();
    let step = if shared_column {
        (if si < di { 1 } else { -1 }, 0)
    } else {
        (0, if sj < dj { 1 } else { -1 })
    };
    for count in 0..=42_i32 {
        let here = Mask {
            i: from.i + (count * step.0) as i16,
            j: from.j + (count * step.1) as i16,
            ..from
        };
        space.meter.work(u64::from(from.height))?;
        match touching(space, here, to) {
            Some(false) if count < 42 => {}
            Some(_) => return Ok(Value::Pair(count * step.0, count * step.1)),
            None => break,
        }
    }
    space.evaluate_irregular(Prim::Gravitate, &[source, destination])
}

pub(super) fn index(space: &mut Space, value: Value, at: Value) -> ValueResult {
    let Some(grid) = value.as_grid() else {
        return space.evaluate_irregular(Prim::Index, &[value, at]);
    };
    let (i, j) = location(space, at)?;
    let inside = i >= 0 && j >= 0 && i < grid.height as i64 && j < grid.width as i64;
    if !inside {
        return Ok(Value::None);
    }
    let cell = space.cells[grid.at + i as usize * grid.width + j as usize];
    Ok(Value::Int(i64::from(cell)))
}

/// Returns the window of a whole grid, if masks can hold it.
pub(super) fn grid_window(grid: GridRef) -> Option<Window> {
    Window::fit(0, 0, grid.height as i64 - 1, grid.width as i64 - 1)
}

pub(super) fn asindices(space: &mut Space, value: Value) -> ValueResult {
    match (value.as_grid(), value.as_grid().and_then(grid_window)) {
        (_, Some(window)) => space.rectangle(window),
        (Some(grid), None) => oversized_grids::indices(space, grid, |_| true),
        (None, None) => space.evaluate_irregular(Prim::Asindices, &[value]),
    }
}

pub(super) fn ofcolor(space: &mut Space, value: Value, colour: Value) -> ValueResult {
    if let Some(grid) = value.as_grid()
        && let Some(window) = grid_window(grid)
    {
        let Some(colour) = colour.small() else {
            return Ok(Value::EMPTY_SET);
        };
        let at = space.new_window(window)?;
        for i in 0..grid.height {
            space.rows[at + i] = colour_bits(&space.cells, grid.row(i).start, grid.width, colour);
        }
        return Ok(space.finish_mask(at, window));
    }
    if let (Some(grid), Some(colour)) = (value.as_grid(), colour.small()) {
        return oversized_grids::indices(space, grid, |cell| cell == colour);
    }
    space.evaluate_irregular(Prim::Ofcolor, &[value, colour])
}
