//! Bounding boxes of patches that are too wide for a mask: their outlines and interiors.

use super::ValueResult;
use super::irregular::ragged::{charge_plain, charged};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Extremes, Space, Value};

/// Returns the result of a call, if it is one of these. Its cost equals that of plain copies. The
/// tests are those of `irregular`.
pub(super) fn evaluated(space: &mut Space, prim: Prim, args: &[Value]) -> Option<ValueResult> {
    match (prim, args) {
        (Prim::Box | Prim::Inbox | Prim::Outbox, &[patch]) => {
            let by = match prim {
                Prim::Inbox => -1,
                Prim::Outbox => 1,
                _ => 0,
            };
            let extremes = grown(irregular_extremes(space, patch)?, by)?;
            Some(charged(space, args).and_then(|held| outline(space, extremes, held)))
        }
        (Prim::Backdrop, &[patch]) => {
            let extremes = irregular_extremes(space, patch)?;
            let charged = charged(space, args);
            Some(charged.and_then(|held| backdrop(space, extremes, None, held)))
        }
        (Prim::Delta, &[patch @ Value::Set { .. }]) => {
            let extremes = irregular_extremes(space, patch)?;
            let charged = charged(space, args);
            Some(charged.and_then(|held| backdrop(space, extremes, Some(patch), held)))
        }
        _ => None,
    }
}

/// Returns the bounds of locations or cells, found one by one.
fn irregular_extremes(space: &Space, patch: Value) -> Option<Extremes> {
    let mut found: Option<Extremes> = None;
    let mut of_cells: Option<bool> = None;
    for element in space.elements(patch).ok()? {
        let (i, j) = match element {
            Value::Pair(i, j) if of_cells != Some(true) => (i, j),
            Value::Cell { i, j, .. } if of_cells != Some(false) => (i, j),
            _ => return None,
        };
        of_cells = Some(matches!(element, Value::Cell { .. }));
        let (i, j) = (i64::from(i), i64::from(j));
        let e = found.get_or_insert(Extremes {
            top: i,
            left: j,
            bottom: i,
            right: j,
        });
        (e.top, e.bottom) = (e.top.min(i), e.bottom.max(i));
        (e.left, e.right) = (e.left.min(j), e.right.max(j));
    }
    found
}

/// Returns a box grown by `by` on every side. The sides of a box that shrinks past itself swap.
/// Returns `None` if a location exceeds 32 bits.
fn grown(e: Extremes, by: i64) -> Option<Extremes> {
    let (top, bottom) = (e.top - by, e.bottom + by);
    let (left, right) = (e.left - by, e.right + by);
    let is_near = |at: &i64| i32::try_from(*at).is_ok();
    let all_near = [top, bottom, left, right].iter().all(is_near);
    all_near.then(|| Extremes {
        top: top.min(bottom),
        left: left.min(right),
        bottom: top.max(bottom),
        right: left.max(right),
    })
}

fn outline(space: &mut Space, e: Extremes, held: u64) -> ValueResult {
    let around = (e.bottom - e.top) + (e.right - e.left) + 2;
    charge_plain(space, 6 * around as u64)?;
    space.meter.release_to(held);
    let base = space.stack.len();
    let place = |i: i64, j: i64| Value::Pair(i as i32, j as i32);
    for i in e.top..=e.bottom {
        if i == e.top || i == e.bottom {
            space.stack.extend((e.left..=e.right).map(|j| place(i, j)));
        } else if e.left == e.right {
            space.stack.push(place(i, e.left));
        } else {
            space.stack.extend([place(i, e.left), place(i, e.right)]);
        }
    }
    let count = space.stack.len() - base;
    space.meter.work(2 * count as u64)?;
    space.set_from(base)
}

/// Returns every location of a box, except those of a patch.
fn backdrop(space: &mut Space, e: Extremes, but: Option<Value>, held: u64) -> ValueResult {
    let (height, width) = (e.bottom - e.top + 1, e.right - e.left + 1);
    charge_plain(space, height.saturating_mul(width).saturating_mul(3) as u64)?;
    space.meter.release_to(held);
    let taken = match but {
        Some(patch) => locations(space, patch)?,
        None => Vec::new(),
    };
    let mut taken = taken.into_iter().peekable();
    let base = space.stack.len();
    space.stack.reserve((height * width) as usize);
    for i in e.top as i32..=e.bottom as i32 {
        for j in e.left as i32..=e.right as i32 {
            if taken.next_if_eq(&(i, j)).is_none() {
                space.stack.push(Value::Pair(i, j));
            }
        }
    }
    let count = space.stack.len() - base;
    if let Err(fault) = space.meter.work(2 * count as u64) {
        space.stack.truncate(base);
        return Err(fault);
    }
    space.set_from(base)
}

/// Returns the locations of a patch without a mask, once each and in order.
fn locations(space: &Space, patch: Value) -> Result<Vec<(i32, i32)>, Fault> {
    let location = |element| match element {
        Value::Pair(i, j) | Value::Cell { i, j, .. } => Some((i, j)),
        _ => None,
    };
    let mut locations: Vec<(i32, i32)> = space.elements(patch)?.filter_map(location).collect();
    locations.sort_unstable();
    locations.dedup();
    Ok(locations)
}
