//! The maximum, the minimum and the most and least common element of a container.

use super::ValueResult;
use super::call::Eval;
use crate::fault::{Fault, ValueKind};
use crate::value::{Space, Value};

/// Selects by the scan rule, without a key.
pub(super) fn extreme(space: &mut Space, container: Value, largest: bool) -> ValueResult {
    let count = space.len(container)?;
    space.meter.work(count as u64)?;
    let known = match container {
        Value::Painted { .. } | Value::Layers { .. } if space.reading.sees_triples() => None,
        Value::Row { at, len } => {
            let cells = space.cells[at as usize..(at + len) as usize].iter();
            let best = if largest { cells.max() } else { cells.min() };
            best.map(|cell| Value::Int(i64::from(*cell)))
        }
        // The canonical order of locations and cells is their comparison order.
        Value::Mask(_) | Value::Object(..) | Value::Painted { .. } | Value::Layers { .. } => {
            if largest {
                space.last(container)?
            } else {
                space.nth(container, 0)?
            }
        }
        _ => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    let mut best = None;
    for element in space.elements(container)? {
        let better = match best {
            None => true,
            Some(held) if largest => space.greater(element, held)?,
            Some(held) => space.greater(held, element)?,
        };
        if better {
            best = Some(element);
        }
    }
    Ok(best.unwrap_or(Value::Int(0)))
}

/// Selects by the scan rule with a key. Returns the element and its key.
fn scan(
    eval: &mut Eval<'_>,
    container: Value,
    key: Value,
    largest: bool,
) -> Result<Option<(Value, Value)>, Fault> {
    let base = eval.space.push_elements(container)?;
    let end = eval.space.stack.len();
    eval.space.stack.extend_from_within(base..end);
    eval.replace_each(key, end, end + end - base)?;
    let mut best: Option<(Value, Value)> = None;
    for index in base..end {
        let element = eval.space.stack[index];
        let value = eval.space.stack[index + end - base];
        let better = match best {
            None => true,
            Some((_, held)) if largest => eval.space.greater(value, held)?,
            Some((_, held)) => eval.space.greater(held, value)?,
        };
        if better {
            best = Some((element, value));
        }
    }
    eval.space.stack.truncate(base);
    Ok(best)
}

pub(super) fn arg(eval: &mut Eval<'_>, container: Value, key: Value, largest: bool) -> ValueResult {
    let chosen = scan(eval, container, key, largest)?;
    chosen
        .map(|(element, _)| element)
        .ok_or(Fault::Empty(ValueKind::Container))
}

pub(super) fn val(eval: &mut Eval<'_>, container: Value, key: Value, largest: bool) -> ValueResult {
    match scan(eval, container, key, largest)? {
        Some((_, value)) => Ok(value),
        None => eval.call(key, &[Value::Int(0)]),
    }
}

pub(super) fn common(space: &mut Space, container: Value, most: bool) -> ValueResult {
    if !container.is_tuple() {
        return Err(container.not(ValueKind::Tuple));
    }
    let base = space.push_elements(container)?;
    let count = space.stack.len() - base;
    space
        .meter
        .work(count as u64 * u64::from(count.max(1).ilog2() + 1))?;
    let mut stack = std::mem::take(&mut space.stack);
    stack[base..].sort_unstable_by(|a, b| space.order(*a, *b));
    // Equal values are adjacent and ascending. Only a strictly better count replaces the best, so
    // ties go to the smallest.
    let mut best: Option<(Value, usize)> = None;
    for group in stack[base..].chunk_by(|a, b| space.equal(*a, *b)) {
        let better = best.is_none_or(|(_, held)| {
            if most {
                group.len() > held
            } else {
                group.len() < held
            }
        });
        if better {
            best = Some((group[0], group.len()));
        }
    }
    stack.truncate(base);
    space.stack = stack;
    best.map(|(value, _)| value)
        .ok_or(Fault::Empty(ValueKind::Tuple))
}
