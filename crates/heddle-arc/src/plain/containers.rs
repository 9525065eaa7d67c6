//! Tuples and sets of any elements (section 6.2, and its additions in section 10).

use super::arithmetic::greater;
use super::{Plain, PlainResult, apply, charge_elements, set_of};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn contained(value: &Plain, container: &Plain) -> PlainResult {
    Ok(Plain::Bool(container.items()?.contains(&value)))
}

pub(super) fn combine(a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    let (left, right) = (a.items()?, b.items()?);
    charge_elements(meter, (left.len() + right.len()) as i64)?;
    a.like(left.into_iter().chain(right).cloned())
}

pub(super) fn intersection(a: &Plain, b: &Plain) -> PlainResult {
    Ok(Plain::Set(a.set()? & b.set()?))
}

pub(super) fn difference(a: &Plain, b: &Plain) -> PlainResult {
    let drop: BTreeSet<&Plain> = b.items()?.into_iter().collect();
    let kept = a.items()?.into_iter().filter(|item| !drop.contains(item));
    a.like(kept.cloned())
}

pub(super) fn dedupe(tuple: &Plain) -> PlainResult {
    if matches!(tuple, Plain::Set(items) if items.is_empty()) {
        return Ok(Plain::Tuple(Vec::new()));
    }
    let mut seen = BTreeSet::new();
    let fresh = tuple.tuple()?.iter().filter(|item| seen.insert(*item));
    Ok(Plain::Tuple(fresh.cloned().collect()))
}

pub(super) fn order(container: &Plain, key: &Plain, meter: &mut Meter) -> PlainResult {
    let mut keyed = Vec::new();
    for item in container.items()? {
        keyed.push((apply(key, std::slice::from_ref(item), meter)?, item));
    }
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    // The canonical order sorts anything; keys without a defined order are detected afterwards.
    for neighbours in keyed.windows(2) {
        greater(&neighbours[0].0, &neighbours[1].0)?;
    }
    Ok(Plain::Tuple(
        keyed.into_iter().map(|(_, item)| item.clone()).collect(),
    ))
}

pub(super) fn repeat(item: &Plain, count: &Plain, meter: &mut Meter) -> PlainResult {
    let count = count.int()?.max(0);
    charge_elements(meter, count)?;
    Ok(Plain::Tuple(vec![item.clone(); count as usize]))
}

pub(super) fn size(container: &Plain) -> PlainResult {
    Ok(Plain::Int(container.items()?.len() as i64))
}

pub(super) fn merge(containers: &Plain, meter: &mut Meter) -> PlainResult {
    let mut all = Vec::new();
    for inner in containers.items()? {
        let items = inner.items()?;
        charge_elements(meter, items.len() as i64)?;
        all.extend(items.into_iter().cloned());
    }
    containers.like(all)
}

/// Selection by the scan rule: returns the earliest element that no later one is strictly better
/// than, or `None` of an empty container.
fn scan<'a>(
    container: &'a Plain,
    key: Option<&Plain>,
    largest: bool,
    meter: &mut Meter,
) -> Result<Option<&'a Plain>, Fault> {
    let mut best: Option<(&Plain, Plain)> = None;
    for item in container.items()? {
        let value = match key {
            Some(key) => apply(key, std::slice::from_ref(item), meter)?,
            None => item.clone(),
        };
        let better = match &best {
            None => true,
            Some((_, held)) if largest => greater(&value, held)?,
            Some((_, held)) => greater(held, &value)?,
        };
        if better {
            best = Some((item, value));
        }
    }
    Ok(best.map(|(item, _)| item))
}

pub(super) fn extreme(container: &Plain, largest: bool, meter: &mut Meter) -> PlainResult {
    Ok(scan(container, None, largest, meter)?.map_or(Plain::Int(0), Plain::clone))
}

pub(super) fn arg(container: &Plain, key: &Plain, largest: bool, meter: &mut Meter) -> PlainResult {
    scan(container, Some(key), largest, meter)?
        .cloned()
        .ok_or(Fault::Empty(ValueKind::Container))
}

pub(super) fn val(container: &Plain, key: &Plain, largest: bool, meter: &mut Meter) -> PlainResult {
    let chosen = scan(container, Some(key), largest, meter)?.map_or(Plain::Int(0), Plain::clone);
    apply(key, &[chosen], meter)
}

pub(super) fn common(container: &Plain, most: bool) -> PlainResult {
    let mut counts: BTreeMap<&Plain, i64> = BTreeMap::new();
    for item in container.tuple()? {
        *counts.entry(item).or_default() += 1;
    }
    // The order is ascending and only a strictly higher count replaces the best.
    let mut best: Option<(&Plain, i64)> = None;
    for (item, count) in counts {
        if best.is_none_or(|(_, held)| if most { count > held } else { count < held }) {
            best = Some((item, count));
        }
    }
    best.map(|(item, _)| item.clone())
        .ok_or(Fault::Empty(ValueKind::Tuple))
}

pub(super) fn insert(value: &Plain, container: &Plain) -> PlainResult {
    let mut set = container.set()?.clone();
    set.insert(value.clone());
    Ok(Plain::Set(set))
}

pub(super) fn remove(value: &Plain, container: &Plain) -> PlainResult {
    let kept = container.items()?.into_iter().filter(|item| *item != value);
    container.like(kept.cloned())
}

pub(super) fn other(container: &Plain, value: &Plain) -> PlainResult {
    nth(&remove(value, container)?, 0)
}

/// Returns the `n`-th element, counted from the end when negative.
pub(super) fn nth(container: &Plain, n: i64) -> PlainResult {
    let items = container.items()?;
    let length = items.len() as i64;
    let index = if n < 0 { n.saturating_add(length) } else { n };
    usize::try_from(index)
        .ok()
        .and_then(|index| items.get(index))
        .map(|item| (*item).clone())
        .ok_or(Fault::Missing(ValueKind::ElementAtThatPlace))
}

pub(super) fn totuple(container: &Plain) -> PlainResult {
    Ok(Plain::Tuple(
        container.items()?.into_iter().cloned().collect(),
    ))
}

pub(super) fn interval(
    start: &Plain,
    stop: &Plain,
    step: &Plain,
    meter: &mut Meter,
) -> PlainResult {
    let (start, stop, step) = (start.int()?, stop.int()?, step.int()?);
    if step == 0 {
        return Err(Fault::Range(ValueKind::StepOfZero));
    }
    let mut numbers = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        charge_elements(meter, 1)?;
        numbers.push(Plain::Int(at));
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(Plain::Tuple(numbers))
}

pub(super) fn product(a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    let (left, right) = (a.items()?, b.items()?);
    charge_elements(
        meter,
        (left.len() as i64).saturating_mul(3 * right.len() as i64),
    )?;
    Ok(set_of(left.iter().flat_map(|x| {
        right
            .iter()
            .map(|y| Plain::Tuple(vec![(*x).clone(), (*y).clone()]))
    })))
}

pub(super) fn pair(a: &Plain, b: &Plain) -> PlainResult {
    let zipped = a.items()?.into_iter().zip(b.items()?);
    Ok(Plain::Tuple(
        zipped
            .map(|(x, y)| Plain::Tuple(vec![x.clone(), y.clone()]))
            .collect(),
    ))
}

pub(super) fn difference_tuple(a: &Plain, b: &Plain) -> PlainResult {
    a.tuple()?;
    difference(a, b)
}
