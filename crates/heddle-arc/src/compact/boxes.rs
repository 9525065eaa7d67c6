//! Boxes around patches that are too wide for a mask: their outlines and what is inside.

use super::light::{Light, Location, Patch};
use crate::fault::Fault;
use crate::meter::Meter;
use crate::plain::room;
use crate::prim::Prim;
use crate::value::{Extremes, Space, Value};

/// What one of these primitives makes of a patch.
pub(super) fn of_patch(
    space: &mut Space,
    prim: Prim,
    value: Value,
) -> Option<Result<Light, Fault>> {
    let patch = Patch::new(space, value)?;
    let e = patch.extremes();
    let places = match prim {
        Prim::Box => outline(e, &mut space.meter),
        Prim::Inbox => outline(grown(e, -1)?, &mut space.meter),
        Prim::Outbox => outline(grown(e, 1)?, &mut space.meter),
        Prim::Backdrop => backdrop(e, &[], &mut space.meter),
        Prim::Delta if value.is_set() => backdrop(e, &patch.distinct(), &mut space.meter),
        _ => return None,
    };
    Some(places.map(|places| Light::Patch(Patch::Indices(places))))
}

/// A box with its sides so much farther out, turned over if it shrinks past itself;
/// none if that is too far for locations of 32 bits.
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

fn outline(e: Extremes, meter: &mut Meter) -> Result<Vec<Location>, Fault> {
    let around = (e.bottom - e.top) + (e.right - e.left) + 2;
    room(meter, 6 * around)?;
    let sides = (e.top..=e.bottom).flat_map(|i| [(i, e.left), (i, e.right)]);
    let ends = (e.left..=e.right).flat_map(|j| [(e.top, j), (e.bottom, j)]);
    Ok(sides.chain(ends).collect())
}

/// Every location of a box but some, which are in order.
fn backdrop(e: Extremes, but: &[Location], meter: &mut Meter) -> Result<Vec<Location>, Fault> {
    let (height, width) = (e.bottom - e.top + 1, e.right - e.left + 1);
    room(meter, height.saturating_mul(width).saturating_mul(3))?;
    let mut but = but.iter().peekable();
    let places = (e.top..=e.bottom).flat_map(|i| (e.left..=e.right).map(move |j| (i, j)));
    Ok(places.filter(|at| but.next_if_eq(&at).is_none()).collect())
}
