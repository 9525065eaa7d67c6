//! Higher-order functions (section 6.3).

use super::ValueResult;
use super::call::Eval;
use super::color_filter::by_colour;
use super::containers::merge_stacked;
use super::lines::dilated;
use super::location_pairs;
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::{Space, Value};

pub(super) fn build(eval: &mut Eval<'_>, builder: Prim, parts: &[Value]) -> ValueResult {
    match builder {
        Prim::Lbind | Prim::Rbind if !parts[0].is_function() => {
            return Err(parts[0].not(ValueKind::Function));
        }
        Prim::Power => match parts[1].int()? {
            ..=0 => return Err(Fault::Range(ValueKind::PowerBelowOne)),
            1 => return Ok(parts[0]),
            _ => {}
        },
        _ => {}
    }
    eval.space.built(builder, parts)
}

/// Pushes the elements that satisfy a condition. Returns the index of the first of them, and the
/// index at which all elements would end.
fn filtered(
    eval: &mut Eval<'_>,
    container: Value,
    condition: Value,
) -> Result<(usize, usize), Fault> {
    let base = eval.space.push_elements(container)?;
    let end = eval.space.stack.len();
    eval.space.stack.extend_from_within(base..end);
    eval.replace_each(condition, end, end + end - base)?;
    let (elements, conditions) = eval.space.stack[base..].split_at_mut(end - base);
    let mut kept = 0;
    for (index, result) in conditions.iter().enumerate() {
        // A write without a branch, because the condition's result is unpredictable.
        elements[kept] = elements[index];
        kept += usize::from(result.truth());
    }
    eval.space.stack.truncate(base + kept);
    Ok((base, end))
}

pub(super) fn sfilter(eval: &mut Eval<'_>, container: Value, condition: Value) -> ValueResult {
    match by_colour(eval, container, condition)? {
        Some(kept) => Ok(kept),
        None => sfilter_listed(eval, container, condition),
    }
}

/// Filters element by element.
pub(super) fn sfilter_listed(
    eval: &mut Eval<'_>,
    container: Value,
    condition: Value,
) -> ValueResult {
    let (base, end) = filtered(eval, container, condition)?;
    if eval.space.stack.len() == end {
        eval.space.stack.truncate(base);
        return Ok(container);
    }
    if matches!(container, Value::Set { .. }) && !may_be_compact(&eval.space.stack[base..]) {
        return eval.space.sorted_set(base);
    }
    eval.space.like_from(container, base)
}

/// Whether a subset of a general set could fit a compact form.
fn may_be_compact(elements: &[Value]) -> bool {
    matches!(
        elements.first(),
        None | Some(Value::Pair(..) | Value::Cell { .. })
    )
}

pub(super) fn mfilter(eval: &mut Eval<'_>, container: Value, condition: Value) -> ValueResult {
    let (base, _) = filtered(eval, container, condition)?;
    merge_stacked(eval.space, container, base)
}

pub(super) fn extract(eval: &mut Eval<'_>, container: Value, condition: Value) -> ValueResult {
    let base = eval.space.push_elements(container)?;
    let end = eval.space.stack.len();
    for index in base..end {
        let element = eval.space.stack[index];
        if eval.call(condition, &[element])?.truth() {
            eval.space.stack.truncate(base);
            return Ok(element);
        }
    }
    Err(Fault::Missing(ValueKind::ElementConditionHoldsFor))
}

/// Pushes the results of `function` for all elements and returns the index of the first.
fn mapped(eval: &mut Eval<'_>, function: Value, container: Value) -> Result<usize, Fault> {
    let base = eval.space.push_elements(container)?;
    let end = eval.space.stack.len();
    eval.replace_each(function, base, end)?;
    Ok(base)
}

pub(super) fn map(eval: &mut Eval<'_>, function: Value, container: Value) -> ValueResult {
    let base = mapped(eval, function, container)?;
    eval.space.like_from(container, base)
}

pub(super) fn mapply(eval: &mut Eval<'_>, function: Value, container: Value) -> ValueResult {
    if let (Value::Prim(prim), Value::Mask(mask)) = (function, container)
        && let Some(grown) = dilated(eval.space, prim, mask)?
    {
        return Ok(grown);
    }
    let base = mapped(eval, function, container)?;
    merge_stacked(eval.space, container, base)
}

pub(super) fn rapply(eval: &mut Eval<'_>, functions: Value, value: Value) -> ValueResult {
    let base = eval.space.push_elements(functions)?;
    let end = eval.space.stack.len();
    for index in base..end {
        let function = eval.space.stack[index];
        eval.space.stack[index] = eval.call(function, &[value])?;
    }
    eval.space.like_from(functions, base)
}

/// Pushes the results of `function` for pairs of elements. Returns the index to truncate the stack
/// to, and the index of the first result.
fn zipped(
    eval: &mut Eval<'_>,
    function: Value,
    a: Value,
    b: Value,
) -> Result<(usize, usize), Fault> {
    let left = eval.space.push_elements(a)?;
    let right = eval.space.push_elements(b)?;
    let end = eval.space.stack.len();
    for index in 0..(right - left).min(end - right) {
        let args = [
            eval.space.stack[left + index],
            eval.space.stack[right + index],
        ];
        let result = eval.call(function, &args)?;
        eval.space.stack.push(result);
    }
    Ok((left, end))
}

pub(super) fn papply(eval: &mut Eval<'_>, function: Value, a: Value, b: Value) -> ValueResult {
    let (base, results) = zipped(eval, function, a, b)?;
    let tuple = eval.space.tuple_from(results);
    eval.space.stack.truncate(base);
    tuple
}

pub(super) fn mpapply(eval: &mut Eval<'_>, function: Value, a: Value, b: Value) -> ValueResult {
    let (base, results) = zipped(eval, function, a, b)?;
    let tuple = merge_stacked(eval.space, Value::EMPTY_TUPLE, results);
    eval.space.stack.truncate(base);
    tuple
}

pub(super) fn prapply(eval: &mut Eval<'_>, function: Value, a: Value, b: Value) -> ValueResult {
    if let (Value::Prim(prim), Value::Mask(x), Value::Mask(y)) = (function, a, b) {
        let known = match prim {
            Prim::Add => location_pairs::sums(eval.space, x, y)?,
            Prim::Connect if x == y => location_pairs::segments(eval.space, x)?,
            _ => None,
        };
        if let Some(set) = known {
            return Ok(set);
        }
    }
    let left = eval.space.push_elements(a)?;
    let right = eval.space.push_elements(b)?;
    let end = eval.space.stack.len();
    let mut seen_empty = false;
    for x in left..right {
        for y in right..end {
            let args = [eval.space.stack[x], eval.space.stack[y]];
            let result = eval.call(function, &args)?;
            // Most pairs of a product have nothing in common.
            if matches!(result, Value::Set { len: 0, .. }) {
                if seen_empty {
                    continue;
                }
                seen_empty = true;
            }
            eval.space.stack.push(result);
        }
    }
    let set = eval.space.set_from(end);
    eval.space.stack.truncate(left);
    set
}

pub(super) fn sizefilter(space: &mut Space, container: Value, n: Value) -> ValueResult {
    let n = n.int()?;
    let base = space.push_elements(container)?;
    let mut kept = base;
    for index in base..space.stack.len() {
        let element = space.stack[index];
        if space.len(element)? as i64 == n {
            space.stack[kept] = element;
            kept += 1;
        }
    }
    space.stack.truncate(kept);
    space.set_from(base)
}
