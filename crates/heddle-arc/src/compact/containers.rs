//! Tuples and sets of any elements (section 6.2, and its additions in section 10).

use super::ValueResult;
use super::call::Eval;
use super::union::union_from;
use crate::fault::{Fault, ValueKind};
use crate::value::{Mask, Space, Value, Window, deeper};

/// Whether some element equals `value`.
pub(super) fn holds(space: &mut Space, container: Value, value: Value) -> Result<bool, Fault> {
    match (container, value) {
        (Value::Mask(mask), Value::Pair(i, j)) => Ok(space.holds(mask, i64::from(i), i64::from(j))),
        (Value::Object(mask, own), Value::Cell { colour, i, j }) => {
            Ok(i32::from(own) == colour && space.holds(mask, i64::from(i), i64::from(j)))
        }
        (Value::Painted { cells, .. }, Value::Cell { colour, i, j }) => {
            let Some(mask) = container.mask() else {
                return Ok(false);
            };
            let (i, j) = (i64::from(i), i64::from(j));
            if !space.holds(mask, i, j) {
                return Ok(false);
            }
            let row = (i - mask.top()) as usize * usize::from(mask.width);
            let index = cells as usize + row + (j - mask.left()) as usize;
            Ok(i32::from(space.cells[index]) == colour)
        }
        (Value::Layers { .. }, Value::Cell { colour, i, j }) => {
            let (i, j) = (i64::from(i), i64::from(j));
            let mut layers = space.layers(container);
            Ok(layers.any(|(mask, own)| i32::from(own) == colour && space.holds(mask, i, j)))
        }
        (Value::Mask(_) | Value::Object(..) | Value::Painted { .. } | Value::Layers { .. }, _) => {
            Ok(false)
        }
        (Value::Set { at, len, .. }, _) => {
            let elements = &space.values[at as usize..(at + len) as usize];
            Ok(elements
                .binary_search_by(|probe| space.order(*probe, value))
                .is_ok())
        }
        _ => {
            let count = space.len(container)?;
            space.meter.work(count as u64)?;
            let mut elements = space.elements(container)?;
            Ok(elements.any(|element| space.equal(element, value)))
        }
    }
}

/// Keeps the elements on the stack from `base` on that satisfy `wanted`.
pub(super) fn keep(
    space: &mut Space,
    base: usize,
    wanted: impl Fn(&mut Space, Value) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let mut kept = base;
    for index in base..space.stack.len() {
        let element = space.stack[index];
        if wanted(space, element)? {
            space.stack[kept] = element;
            kept += 1;
        }
    }
    space.stack.truncate(kept);
    Ok(())
}

pub(super) fn size(space: &mut Space, container: Value) -> ValueResult {
    space.len(container).map(|count| Value::Int(count as i64))
}

pub(super) fn combine(space: &mut Space, a: Value, b: Value) -> ValueResult {
    if a.is_set() && b.is_set() {
        if a.is_empty_container() {
            return Ok(b);
        }
        if b.is_empty_container() {
            return Ok(a);
        }
        let base = space.stack.len();
        space.stack.extend([a, b]);
        return union_from(space, base);
    }
    if let (Value::Tuple { at, len, depth }, Value::Tuple { .. }) = (a, b)
        && let Some(joined) = joined(space, (at, len, depth), b)?
    {
        return Ok(joined);
    }
    let base = space.push_elements(a)?;
    space.push_elements(b)?;
    space.like_from(a, base)
}

/// Concatenates two general tuples with one copy: whatever rules out the row and grid forms for one
/// of them rules them out for the result. Returns `None` if the result could be a pair.
fn joined(
    space: &mut Space,
    (at, len, depth): (u32, u32, u8),
    b: Value,
) -> Result<Option<Value>, Fault> {
    let Value::Tuple {
        at: other_at,
        len: other_len,
        depth: other_depth,
    } = b
    else {
        return Ok(None);
    };
    if len == 0 || other_len == 0 || len + other_len < 3 {
        return Ok(None);
    }
    // The cost of iterating over each, and of building the whole.
    space.meter.work(u64::from(len))?;
    space.meter.work(u64::from(other_len))?;
    space.meter.work(u64::from(len) + u64::from(other_len))?;
    let start = space.new_values((len + other_len) as usize)?;
    for (at, len) in [(at, len), (other_at, other_len)] {
        let own = at as usize..(at + len) as usize;
        space.values.extend_from_within(own);
    }
    Ok(Some(Value::Tuple {
        at: start as u32,
        len: len + other_len,
        depth: depth.max(other_depth),
    }))
}

pub(super) fn dedupe(space: &mut Space, tuple: Value) -> ValueResult {
    if tuple.is_empty_container() {
        return Ok(Value::EMPTY_TUPLE);
    }
    if !tuple.is_tuple() {
        return Err(tuple.not(ValueKind::Tuple));
    }
    let base = space.push_elements(tuple)?;
    let end = space.stack.len();
    let mut kept = base;
    for index in base..end {
        space.meter.work((kept - base) as u64)?;
        let element = space.stack[index];
        let fresh = (base..kept).all(|held| !space.equal(space.stack[held], element));
        if fresh {
            space.stack[kept] = element;
            kept += 1;
        }
    }
    space.stack.truncate(kept);
    space.tuple_from(base)
}

pub(super) fn order(eval: &mut Eval<'_>, container: Value, key: Value) -> ValueResult {
    let base = eval.space.stack.len();
    let count = sorted(eval, container, Some(key), false)?;
    eval.space.stack.truncate(base + count);
    eval.space.tuple_from(base)
}

/// Pushes the elements of a container, sorted by their keys or themselves, then the keys in the
/// same order. Elements of equal keys keep theirs. Returns their number.
pub(super) fn sorted(
    eval: &mut Eval<'_>,
    container: Value,
    key: Option<Value>,
    descending: bool,
) -> Result<usize, Fault> {
    let base = eval.space.push_elements(container)?;
    let count = eval.space.stack.len() - base;
    eval.space.stack.extend_from_within(base..);
    if let Some(key) = key {
        eval.replace_each(key, base + count, base + 2 * count)?;
    }
    if eval.space.reading.sees_triples() {
        for index in base + count..base + 2 * count {
            let key = eval.space.stack[index];
            eval.space.stack[index] = super::typed::triple(eval.space, key)?;
        }
    }
    let keyed = eval.space.stack.len();
    for index in base..base + count {
        let (element, value) = (eval.space.stack[index], eval.space.stack[index + count]);
        let entry = [value, Value::Int(index as i64), element];
        eval.space.stack.extend(entry);
    }
    let space = &mut *eval.space;
    space
        .meter
        .work(count as u64 * u64::from(count.max(1).ilog2() + 1))?;
    let mut stack = std::mem::take(&mut space.stack);
    let (entries, _) = stack[keyed..].as_chunks_mut::<3>();
    // The index makes the unstable sort stable.
    entries.sort_unstable_by(|a, b| {
        let by_key = space.order(a[0], b[0]);
        let by_key = if descending { by_key.reverse() } else { by_key };
        by_key.then_with(|| space.order(a[1], b[1]))
    });
    let mut comparable = Ok(());
    for neighbours in entries.windows(2) {
        if let Err(fault) = space.greater(neighbours[0][0], neighbours[1][0]) {
            comparable = Err(fault);
            break;
        }
    }
    for index in 0..count {
        stack[base + index] = stack[keyed + 3 * index + 2];
        stack[base + count + index] = stack[keyed + 3 * index];
    }
    stack.truncate(base + 2 * count);
    space.stack = stack;
    comparable?;
    Ok(count)
}

pub(super) fn repeat(space: &mut Space, item: Value, count: Value) -> ValueResult {
    let count = count.int()?.max(0) as u64;
    space
        .meter
        .take(count.saturating_mul(size_of::<Value>() as u64))?;
    let count = count as usize;
    // The result is neither row nor grid, so its elements need no check.
    if count > 2 && !matches!(item, Value::Row { .. } | Value::Pair(..)) && item.int().is_err() {
        space.meter.work(count as u64)?;
        let depth = deeper(&[item])?;
        let at = space.new_values(count)?;
        space.values.extend(std::iter::repeat_n(item, count));
        return Ok(Value::Tuple {
            at: at as u32,
            len: count as u32,
            depth,
        });
    }
    let base = space.stack.len();
    space.stack.extend(std::iter::repeat_n(item, count));
    space.tuple_from(base)
}

pub(super) fn merge(space: &mut Space, containers: Value) -> ValueResult {
    if let Some(grid) = containers.as_grid() {
        return Ok(space.row_value(grid.at, grid.area()));
    }
    let base = space.push_elements(containers)?;
    merge_stacked(space, containers, base)
}

/// Pops the containers on the stack from `base` on and merges them into one of the same kind as
/// `outer`.
pub(super) fn merge_stacked(space: &mut Space, outer: Value, base: usize) -> ValueResult {
    if outer.is_set() {
        return union_from(space, base);
    }
    if let Some(grid) = stacked(space, base)? {
        space.stack.truncate(base);
        return Ok(grid);
    }
    let end = space.stack.len();
    for index in base..end {
        let inner = space.stack[index];
        let from = space.stack.len();
        space.push_elements_uncharged(inner)?;
        let count = (space.stack.len() - from) as u64;
        space.meter.take(count * size_of::<Value>() as u64)?;
        space.meter.work(count)?;
    }
    let merged = space.like_from(outer, end);
    space.stack.truncate(base);
    merged
}

/// Returns the grids on the stack from `base` on, stacked vertically, if all elements are grids of
/// equal width.
fn stacked(space: &mut Space, base: usize) -> Result<Option<Value>, Fault> {
    let mut height = 0;
    let mut width = None;
    for item in &space.stack[base..] {
        let Some(grid) = item.as_grid() else {
            return Ok(None);
        };
        height += grid.height;
        if *width.get_or_insert(grid.width) != grid.width {
            return Ok(None);
        }
    }
    let Some(width) = width else {
        return Ok(None);
    };
    let Some(all) = space.new_grid(height, width)? else {
        return Ok(None);
    };
    let (old, new) = space.cells.split_at_mut(all.at);
    let mut at = 0;
    let grids = || space.stack[base..].iter().filter_map(|item| item.as_grid());
    let mut rest = grids();
    while let Some(grid) = rest.next() {
        let (area, first) = (grid.area(), at);
        new[at..at + area].copy_from_slice(&old[grid.at..grid.at + area]);
        at += area;
        // A repeated grid: each copy doubles the length of the next.
        let again = rest.clone().take_while(|other| *other == grid).count();
        let end = at + again * area;
        while at < end {
            let length = (at - first).min(end - at);
            new.copy_within(first..first + length, at);
            at += length;
        }
        if again > 0 {
            rest.nth(again - 1);
        }
    }
    Ok(Some(all.into()))
}

pub(super) fn initset(space: &mut Space, value: Value) -> ValueResult {
    let alone = |space: &mut Space, i: i32, j: i32| -> Result<Option<Mask>, Fault> {
        let (i, j) = (i64::from(i), i64::from(j));
        let Some(window) = Window::fit(i, j, i, j) else {
            return Ok(None);
        };
        let at = space.new_window(window)?;
        space.rows[at] = 1;
        Ok(Some(window.mask_at(at)))
    };
    match value {
        Value::Pair(i, j) => {
            if let Some(mask) = alone(space, i, j)? {
                return Ok(Value::Mask(mask));
            }
        }
        Value::Cell { colour, i, j } => {
            if let Ok(colour) = i8::try_from(colour)
                && let Some(mask) = alone(space, i, j)?
            {
                return Ok(Value::Object(mask, colour));
            }
        }
        _ => {}
    }
    let base = space.stack.len();
    space.stack.push(value);
    space.set_from(base)
}

pub(super) fn insert(space: &mut Space, value: Value, container: Value) -> ValueResult {
    if !container.is_set() {
        return Err(container.not(ValueKind::Set));
    }
    if holds(space, container, value)? {
        return Ok(container);
    }
    let base = space.push_elements(container)?;
    space.stack.push(value);
    space.set_from(base)
}

pub(super) fn remove(space: &mut Space, value: Value, container: Value) -> ValueResult {
    if container.is_set() && !holds(space, container, value)? {
        return Ok(container);
    }
    let base = space.push_elements(container)?;
    keep(space, base, |space, element| {
        Ok(!space.equal(element, value))
    })?;
    space.like_from(container, base)
}

pub(super) fn other(space: &mut Space, container: Value, value: Value) -> ValueResult {
    let count = space.len(container)?;
    space.meter.work(count as u64)?;
    let mut elements = space.elements(container)?;
    elements
        .find(|element| !space.equal(*element, value))
        .ok_or(Fault::Missing(ValueKind::OtherElement))
}

pub(super) fn first(space: &Space, container: Value) -> ValueResult {
    space
        .nth(container, 0)?
        .ok_or(Fault::Empty(ValueKind::Container))
}

pub(super) fn last(space: &Space, container: Value) -> ValueResult {
    space
        .last(container)?
        .ok_or(Fault::Empty(ValueKind::Container))
}

/// Returns the `n`-th element, counted from the end when negative.
pub(super) fn nth(space: &Space, container: Value, n: i64) -> ValueResult {
    let length = space.len(container)? as i64;
    let index = if n < 0 { n.saturating_add(length) } else { n };
    match usize::try_from(index) {
        Ok(index) => space.nth(container, index)?,
        Err(_) => None,
    }
    .ok_or(Fault::Missing(ValueKind::ElementAtThatPlace))
}

pub(super) fn totuple(space: &mut Space, container: Value) -> ValueResult {
    if container.is_tuple() {
        return Ok(container);
    }
    let base = space.push_elements(container)?;
    space.tuple_from(base)
}

pub(super) fn interval(space: &mut Space, start: Value, stop: Value, step: Value) -> ValueResult {
    let (start, stop, step) = (start.int()?, stop.int()?, step.int()?);
    if step == 0 {
        return Err(Fault::Range(ValueKind::StepOfZero));
    }
    let distance = if step > 0 {
        i128::from(stop) - i128::from(start)
    } else {
        i128::from(start) - i128::from(stop)
    };
    let count = if distance <= 0 {
        0
    } else {
        (distance - 1) / i128::from(step.unsigned_abs()) + 1
    };
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    space
        .meter
        .take(count.saturating_mul(size_of::<Value>() as u64))?;
    let base = space.stack.len();
    // Every number lies between start and stop, so nothing overflows.
    let numbers = (0..count as i64).map(|k| Value::Int(start + k * step));
    space.stack.extend(numbers);
    space.tuple_from(base)
}

pub(super) fn product(space: &mut Space, a: Value, b: Value) -> ValueResult {
    let left = space.push_elements(a)?;
    let right = space.push_elements(b)?;
    let end = space.stack.len();
    let location_pairs = ((right - left) as u64).saturating_mul((end - right) as u64);
    space
        .meter
        .take(location_pairs.saturating_mul(size_of::<Value>() as u64))?;
    for x in left..right {
        for y in right..end {
            let (x, y) = (space.stack[x], space.stack[y]);
            let tuple_of_two = space.tuple_of_two(x, y)?;
            space.stack.push(tuple_of_two);
        }
    }
    let set = space.set_from(end);
    space.stack.truncate(left);
    set
}

pub(super) fn pair(space: &mut Space, a: Value, b: Value) -> ValueResult {
    let left = space.push_elements(a)?;
    let right = space.push_elements(b)?;
    let end = space.stack.len();
    let count = (right - left).min(end - right);
    for index in 0..count {
        let (x, y) = (space.stack[left + index], space.stack[right + index]);
        let tuple_of_two = space.tuple_of_two(x, y)?;
        space.stack.push(tuple_of_two);
    }
    let tuple = space.tuple_from(end);
    space.stack.truncate(left);
    tuple
}
