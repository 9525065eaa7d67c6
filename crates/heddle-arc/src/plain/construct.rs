//! Making objects and patches (section 6.8).

use super::patch::{
    Location, PlainExtremes, PlainPatch, extremes, indices, is_empty, locations, patch, relocate,
    rows, some_rows,
};
use super::query::{color, mostcolor};
use super::rows::{at, dimensions};
use super::{Plain, PlainResult, charge_elements, set_of};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use std::collections::{BTreeMap, BTreeSet};

const SIDES: [Location; 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const DIAGONALS: [Location; 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

pub(super) fn objects(
    grid: &Plain,
    univalued: bool,
    diagonal: bool,
    without_background: bool,
) -> PlainResult {
    let rows = some_rows(grid)?;
    let background = if without_background {
        Some(mostcolor(grid, true)?)
    } else {
        None
    };
    let (height, width) = dimensions(&rows);
    let mut steps = SIDES.to_vec();
    if diagonal {
        steps.extend(DIAGONALS);
    }
    let mut waiting: BTreeMap<Location, &Plain> = BTreeMap::new();
    for i in 0..height {
        for j in 0..width {
            let colour = at(&rows, (i, j))?.ok_or(Fault::Missing(ValueKind::Cell))?;
            if Some(colour) != background.as_ref() {
                waiting.insert((i, j), colour);
            }
        }
    }
    let mut found = BTreeSet::new();
    while let Some((start, colour)) = waiting.pop_first() {
        let mut object = BTreeSet::new();
        let mut front = vec![(start, colour)];
        while let Some(((i, j), colour)) = front.pop() {
            object.insert(Plain::cell(colour.clone(), i, j));
            for (di, dj) in &steps {
                let next = (i + di, j + dj);
                if waiting
                    .get(&next)
                    .is_some_and(|other| !univalued || *other == colour)
                    && let Some(other) = waiting.remove(&next)
                {
                    front.push((next, other));
                }
            }
        }
        found.insert(Plain::Set(object));
    }
    Ok(Plain::Set(found))
}

pub(super) fn o_g(grid: &Plain, r: &Plain) -> PlainResult {
    match r.int()? {
        r @ 0..=7 => objects(grid, r & 4 != 0, r & 2 != 0, r & 1 != 0),
        _ => Err(Fault::Range(ValueKind::ModeBeyond07)),
    }
}

/// Returns one object for each colour, except `but`.
pub(super) fn partition(grid: &Plain, but: Option<&Plain>) -> PlainResult {
    let mut by_colour: BTreeMap<Plain, BTreeSet<Plain>> = BTreeMap::new();
    for (i, row) in rows(grid)?.into_iter().enumerate() {
        for (j, colour) in row.into_iter().enumerate() {
            if Some(&colour) != but {
                let cell = Plain::cell(colour.clone(), i as i64, j as i64);
                by_colour.entry(colour).or_default().insert(cell);
            }
        }
    }
    Ok(set_of(by_colour.into_values().map(Plain::Set)))
}

pub(super) fn fgpartition(grid: &Plain) -> PlainResult {
    partition(grid, Some(&mostcolor(grid, true)?))
}

pub(super) fn colorfilter(objects: &Plain, value: &Plain) -> PlainResult {
    let mut kept = Vec::new();
    for object in objects.items()? {
        if color(object)? == *value {
            kept.push(object.clone());
        }
    }
    Ok(set_of(kept))
}

pub(super) fn toindices(value: &Plain) -> PlainResult {
    match patch(value)? {
        PlainPatch::Empty => Ok(set_of([])),
        PlainPatch::Indices(_) => Ok(value.clone()),
        PlainPatch::Object(cells) => Ok(indices(cells.into_iter().map(|(_, at)| at))),
    }
}

pub(super) fn recolor(colour: &Plain, patch: &Plain) -> PlainResult {
    let places = locations(patch)?.into_iter();
    Ok(set_of(
        places.map(|(i, j)| Plain::cell(colour.clone(), i, j)),
    ))
}

pub(super) fn shift(value: &Plain, offset: &Plain) -> PlainResult {
    if is_empty(value)? {
        return Ok(value.clone());
    }
    let (di, dj) = offset.as_pair()?;
    relocate(value, |(i, j)| {
        match (i.checked_add(di), j.checked_add(dj)) {
            (Some(i), Some(j)) => Ok((i, j)),
            _ => Err(Fault::Overflow),
        }
    })
}

pub(super) fn normalize(value: &Plain) -> PlainResult {
    if is_empty(value)? {
        return Ok(value.clone());
    }
    let PlainExtremes { top, left, .. } = extremes(value)?;
    relocate(value, |(i, j)| {
        match (i.checked_sub(top), j.checked_sub(left)) {
            (Some(i), Some(j)) => Ok((i, j)),
            _ => Err(Fault::Overflow),
        }
    })
}

pub(super) fn toobject(patch: &Plain, grid: &Plain) -> PlainResult {
    let rows = some_rows(grid)?;
    let mut cells = Vec::new();
    for (i, j) in locations(patch)? {
        if let Some(colour) = at(&rows, (i, j))? {
            cells.push(Plain::cell(colour.clone(), i, j));
        }
    }
    Ok(set_of(cells))
}

pub(super) fn asobject(grid: &Plain) -> PlainResult {
    let mut cells = Vec::new();
    for (i, row) in rows(grid)?.into_iter().enumerate() {
        for (j, colour) in row.into_iter().enumerate() {
            cells.push(Plain::cell(colour, i as i64, j as i64));
        }
    }
    Ok(set_of(cells))
}

pub(super) fn backdrop(patch: &Plain, meter: &mut Meter) -> PlainResult {
    if is_empty(patch)? {
        return Ok(set_of([]));
    }
    let e = extremes(patch)?;
    let area = (e.bottom.saturating_sub(e.top).saturating_add(1))
        .saturating_mul(e.right.saturating_sub(e.left).saturating_add(1));
    charge_elements(meter, area.saturating_mul(3))?;
    Ok(indices(
        (e.top..=e.bottom).flat_map(|i| (e.left..=e.right).map(move |j| (i, j))),
    ))
}

pub(super) fn delta(value: &Plain, meter: &mut Meter) -> PlainResult {
    if is_empty(value)? {
        return Ok(set_of([]));
    }
    let held = toindices(value)?;
    // A tuple of locations stays a tuple, which cannot be taken from a set.
    let held = held.set()?;
    Ok(Plain::Set(backdrop(value, meter)?.set()? - held))
}
