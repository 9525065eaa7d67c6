//! Primitives that depend on their arguments alone, as functions.
//!
//! A column of calls looks its primitive up once. The table omits the primitives of
//! [`allocation_free`](super::allocation_free), so that every call is charged as if it was made
//! alone.

use super::{
    ValueResult, colours, construct as o, containers as c, difference, lines as l, query as q,
};
use crate::prim::Prim;
use crate::value::{Space, Value};

/// Returns the function of a primitive of one argument.
pub(super) fn one(prim: Prim) -> Option<fn(&mut Space, Value) -> ValueResult> {
    Some(match prim {
        Prim::Initset => c::initset,
        Prim::Size => c::size,
        Prim::Vfrontier => |space, x| l::frontier(space, Prim::Vfrontier, x),
        Prim::Hfrontier => |space, x| l::frontier(space, Prim::Hfrontier, x),
        Prim::Neighbors => |space, x| l::around(space, Prim::Neighbors, x),
        Prim::Dneighbors => |space, x| l::around(space, Prim::Dneighbors, x),
        _ => return None,
    })
}

/// Returns the function of a primitive of two arguments.
pub(super) fn two(prim: Prim) -> Option<fn(&mut Space, Value, Value) -> ValueResult> {
    Some(match prim {
        Prim::Manhattan => q::manhattan,
        Prim::Adjacent => q::adjacent,
        Prim::Toobject => o::toobject,
        Prim::Colorcount => colours::colorcount,
        Prim::Combine => c::combine,
        Prim::Difference => difference::difference,
        Prim::Intersection => difference::intersection,
        Prim::Shoot => l::shoot,
        _ => return None,
    })
}
