//! Repetition and occurrence (section 6.10).

use super::patch::{Location, PlainExtremes, cells, extremes, indices, rows, some_rows};
use super::query::{shape_of, width};
use super::rows::{self, dimensions};
use super::{Plain, PlainResult};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use std::collections::BTreeSet;

pub(super) fn occurrences(value: &Plain, object: &Plain, meter: &mut Meter) -> PlainResult {
    let rows = some_rows(value)?;
    let (height, wide) = dimensions(&rows);
    let (oh, ow) = shape_of(object)?;
    if oh > height || ow > wide {
        return Ok(indices([]));
    }
    let pattern = cells(object)?;
    let (top, left) = match extremes(object) {
        Ok(PlainExtremes { top, left, .. }) => (top, left),
        Err(_) => (0, 0),
    };
    let corner = (top, left);
    rows::occurrences(&rows, &pattern, corner, (oh, ow), meter).map(indices)
}

/// Returns the least period of an object along one axis, vertical if `down`.
pub(super) fn period(object: &Plain, down: bool, meter: &mut Meter) -> PlainResult {
    let (oh, ow) = if object.items()?.is_empty() {
        return Ok(Plain::Int(0));
    } else {
        (super::query::height(object)?, width(object)?)
    };
    let length = if down { oh } else { ow };
    if length <= 1 {
        return Ok(Plain::Int(length));
    }
    let PlainExtremes { top, left, .. } = extremes(object)?;
    let normal: BTreeSet<(Plain, Location)> = cells(object)?
        .into_iter()
        .map(|(colour, (i, j))| (colour, (i - top, j - left)))
        .collect();
    for period in 1..length {
        meter.work(normal.len() as u64)?;
        let repeats = normal.iter().all(|(colour, (i, j))| {
            let earlier = if down {
                (i - period, *j)
            } else {
                (*i, j - period)
            };
            let outside = if down { earlier.0 < 0 } else { earlier.1 < 0 };
            outside || normal.contains(&(colour.clone(), earlier))
        });
        if repeats {
            return Ok(Plain::Int(period));
        }
    }
    Ok(Plain::Int(length))
}

/// Returns the colours of a grid in ascending order.
pub(super) fn colours_ascending(value: &Plain) -> PlainResult {
    let distinct: BTreeSet<Plain> = rows(value)?.into_iter().flatten().collect();
    if distinct.iter().any(|colour| colour.int().is_err()) {
        return Err(Fault::Range(ValueKind::CellThatIsNoColour));
    }
    Ok(Plain::Tuple(distinct.into_iter().collect()))
}
