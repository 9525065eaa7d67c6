//! Empty patches and grids, answered without leaving the compact forms.
//!
//! In a search most programs meet an empty set sooner or later. What follows
//! is the same for all of them and needs no plain values.

use crate::fault::{Fault, Noun};
use crate::prim::Prim;
use crate::value::Value;

/// The answer to a call with an empty container among its arguments, where it
/// does not depend on the others.
pub(crate) fn answer(prim: Prim, args: &[Value]) -> Option<Result<Value, Fault>> {
    let no_patch = |place: usize| matches!(args.get(place), Some(Value::Set { len: 0, .. }));
    let no_grid = |place: usize| matches!(args.get(place), Some(Value::Tuple { len: 0, .. }));
    let empty = |noun: Noun| Some(Err(Fault::Empty(noun)));
    match prim {
        Prim::Adjacent | Prim::Manhattan | Prim::Position | Prim::Gravitate
            if no_patch(0) || no_patch(1) =>
        {
            empty(Noun::Patch)
        }
        Prim::Subgrid
        | Prim::Center
        | Prim::Bordering
        | Prim::Hmirror
        | Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Outbox
        | Prim::Inbox
            if no_patch(0) =>
        {
            empty(Noun::Patch)
        }
        Prim::Mostcolor | Prim::Leastcolor if no_patch(0) || no_grid(0) => empty(Noun::Element),
        Prim::Fill
        | Prim::Paint
        | Prim::Underfill
        | Prim::Underpaint
        | Prim::Cover
        | Prim::Move
        | Prim::Objects
        | Prim::Frontiers
        | Prim::Occurrences
        | Prim::Index
        | Prim::Downscale
        | Prim::Cellwise
        | Prim::Fgpartition
            if no_grid(0) =>
        {
            empty(Noun::Grid)
        }
        Prim::Toobject if no_grid(1) => empty(Noun::Grid),
        Prim::Asobject | Prim::Asindices | Prim::Ofcolor | Prim::Partition if no_grid(0) => {
            Some(Ok(Value::EMPTY_SET))
        }
        Prim::Rot90
        | Prim::Rot180
        | Prim::Rot270
        | Prim::Vmirror
        | Prim::Dmirror
        | Prim::Cmirror
        | Prim::Trim
        | Prim::Tophalf
        | Prim::Bottomhalf
        | Prim::Lefthalf
        | Prim::Righthalf
        | Prim::Replace
        | Prim::Switch
        | Prim::Compress
            if no_grid(0) =>
        {
            Some(Ok(Value::EMPTY_TUPLE))
        }
        Prim::Width | Prim::Hperiod | Prim::Vperiod if no_patch(0) || no_grid(0) => {
            Some(Ok(Value::Int(0)))
        }
        Prim::Colorcount if no_patch(0) || no_grid(0) => Some(Ok(Value::Int(0))),
        // The object is painted where it was covered: nowhere.
        Prim::Move if no_patch(1) && args[0].as_grid().is_some() => Some(Ok(args[0])),
        _ => None,
    }
}
