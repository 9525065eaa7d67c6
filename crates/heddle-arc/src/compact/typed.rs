//! Primitives in the readings of the typed dialect (`docs/dialects.md`).
//!
//! A primitive of the dialect is a [`View`] of a classic one: an argument is restricted, an empty
//! one has a result of its own, and the classic primitive does the rest. Shared primitives differ
//! from the classic ones in few calls, which [`Eval::shared`] lists. Regular values pass both
//! without a copy. In a soft reading a primitive that fails is left to `recovery`.

mod own;
mod rank;
mod recovery;
mod shared;
mod tuple_objects;

use super::call::Eval;
use super::{ValueResult, allocation_free};
use crate::fault::{Fault, ValueKind};
use crate::plain::Special;
use crate::prim::{Empty, Prim, Takes, View};
use crate::reading::Cells;
use crate::value::{Space, Value};

/// The arguments that are values to a primitive, as bits: a cell stays a cell there. Any other
/// parameter sees the parts `(i, j, colour)` of a cell.
fn values_of(prim: Prim) -> u8 {
    match prim {
        Prim::Contained
        | Prim::Remove
        | Prim::RemoveF
        | Prim::RemoveT
        | Prim::Insert
        | Prim::Initset
        | Prim::Identity
        | Prim::NormalizeT
        | Prim::ToindicesI
        | Prim::IsNoGrid
        | Prim::Toij
        | Prim::Flip
        | Prim::Repeat => 0b1,
        Prim::Other
        | Prim::OtherT
        | Prim::OtherF
        | Prim::Matcher
        | Prim::Lbind
        | Prim::Rbind
        | Prim::Rapply
        | Prim::RapplyF
        | Prim::RapplyT => 0b10,
        Prim::Astuple | Prim::Equality | Prim::Greater | Prim::Both | Prim::Either => 0b11,
        Prim::Branch => 0b111,
        _ => 0,
    }
}

/// Whether a primitive takes a cell for its location.
fn takes_location(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Dneighbors
            | Prim::Ineighbors
            | Prim::Neighbors
            | Prim::Hfrontier
            | Prim::Vfrontier
            | Prim::Crop
            | Prim::Canvas
            | Prim::Ascell
    )
}

/// Returns a special number where the reading has them, else a fault.
pub(super) fn special(space: &Space, number: Special) -> ValueResult {
    if space.reading.is_soft() {
        Ok(Value::Special(number))
    } else {
        Err(Fault::Empty(ValueKind::Patch))
    }
}

/// Whether an element of a container is a cell, of any colour.
fn is_cell(space: &Space, element: Value) -> bool {
    match element {
        Value::Cell { .. } => true,
        Value::Tuple { at, len: 2, .. } => {
            matches!(space.values[at as usize + 1], Value::Pair(..))
        }
        _ => false,
    }
}

/// Returns a part of a triple that a primitive asks for, without making the triple.
fn part_of(prim: Prim, args: &[Value]) -> Option<Value> {
    let Value::Cell { colour, i, j } = args[0] else {
        return None;
    };
    let part = match (prim, args) {
        (Prim::First | Prim::FirstT | Prim::FirstF, _)
        | (Prim::GetNthT | Prim::GetNthF, [_, Value::Int(0 | -3)]) => i,
        (Prim::Second, _) | (Prim::GetNthT | Prim::GetNthF, [_, Value::Int(1 | -2)]) => j,
        (Prim::Last | Prim::LastT | Prim::LastF, _)
        | (Prim::GetNthT | Prim::GetNthF, [_, Value::Int(2 | -1)]) => colour,
        _ => return None,
    };
    Some(Value::Int(i64::from(part)))
}

/// Returns a cell as the tuple of its row, column and colour.
pub(super) fn triple(space: &mut Space, cell: Value) -> ValueResult {
    let Value::Cell { colour, i, j } = cell else {
        return Ok(cell);
    };
    let base = space.stack.len();
    let parts = [i, j, colour].map(|part| Value::Int(i64::from(part)));
    space.stack.extend(parts);
    space.tuple_from(base)
}

/// Returns the set of a container's elements.
fn set_of(space: &mut Space, container: Value) -> ValueResult {
    if container.is_set() {
        return Ok(container);
    }
    let base = space.push_elements(container)?;
    space.set_from(base)
}

/// Returns the set of a tuple of cells or locations, and anything else as it is.
fn patch_of(space: &mut Space, value: Value) -> ValueResult {
    if !value.is_tuple() || value.is_empty_container() {
        return Ok(value);
    }
    let mut elements = space.elements(value)?;
    if elements.all(|element| matches!(element, Value::Pair(..)) || is_cell(space, element)) {
        return set_of(space, value);
    }
    Ok(value)
}

/// Checks the patch or grid of a view.
fn restricted(space: &mut Space, takes: Takes, value: Value) -> ValueResult {
    let kind = match takes {
        Takes::Any => return Ok(value),
        Takes::Grid if value.is_tuple() => return Ok(value),
        Takes::Grid => return Err(value.not(ValueKind::Grid)),
        Takes::Patch => ValueKind::Patch,
        Takes::Locations => ValueKind::Pair,
        _ => ValueKind::Cell,
    };
    let fits = match value {
        Value::Mask(_) => takes != Takes::Cells,
        Value::Object(..) | Value::Painted { .. } | Value::Layers { .. } => {
            takes != Takes::Locations
        }
        _ => space.elements(value)?.all(|element| match element {
            Value::Pair(..) => takes != Takes::Cells,
            _ => takes != Takes::Locations && is_cell(space, element),
        }),
    };
    if fits {
        set_of(space, value)
    } else {
        Err(value.not(kind))
    }
}

/// Returns the colours of a container of rows or cells as a grid of one row. Grids and objects of
/// compact form are returned as they are, if the view takes them.
fn coloured(space: &mut Space, view: View, value: Value) -> ValueResult {
    let either = space.reading.cells() == Some(Cells::Classic);
    let by_rows = match value {
        Value::Grid { .. } if view.takes == Takes::Rows || either => return Ok(value),
        Value::Object(..) | Value::Painted { .. } | Value::Layers { .. }
            if view.takes == Takes::Colours || either =>
        {
            return Ok(value);
        }
        _ if either => value.is_tuple(),
        _ => view.takes == Takes::Rows,
    };
    let from = space.push_elements(value)?;
    let end = space.stack.len();
    for index in from..end {
        let element = space.stack[index];
        if by_rows {
            if view.base == Prim::Colorcount && !element.is_tuple() {
                return Err(element.not(ValueKind::Tuple));
            }
            let row = triple(space, element)?;
            space.push_elements(row)?;
        } else if is_cell(space, element) {
            let colour = space.nth(element, 0)?.unwrap_or(Value::None);
            space.stack.push(colour);
        } else {
            return Err(element.not(ValueKind::Cell));
        }
    }
    let empty = space.stack.len() == end;
    let row = space.tuple_from(end)?;
    space.stack.truncate(from);
    if empty {
        return Ok(Value::EMPTY_SET);
    }
    space.stack.push(row);
    space.tuple_from(from)
}

/// Whether a primitive compares an extent with the number of elements of its argument.
fn counts_elements(base: Prim) -> bool {
    matches!(base, Prim::Square | Prim::Vline | Prim::Hline)
}

/// What such a primitive says of a patch of that extent and so many elements.
fn is_filled(base: Prim, height: i64, width: i64, count: i64) -> bool {
    match base {
        Prim::Square => height == width && height * width == count,
        Prim::Vline => height == count && width == 1,
        _ => width == count && height == 1,
    }
}

impl Eval<'_> {
    /// Calls a primitive of the dialect.
    #[inline(never)]
    pub(super) fn typed(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        if !self.space.reading.is_soft() {
            let result = self.typed_call(prim, args);
            return self.with_primitive(prim, result);
        }
        let space = &*self.space;
        let (stack, frame, depth) = (space.stack.len(), space.frame.len(), space.meter.depth());
        let (mark, failed) = (space.mark(), space.failed_primitive);
        let result = self.typed_call(prim, args);
        match result {
            Err(fault) if !fault.is_budget() => {
                let space = &mut *self.space;
                space.stack.truncate(stack);
                space.frame.truncate(frame);
                space.meter.return_to(depth);
                space.failed_primitive = failed;
                space.cut(mark);
                self.recovered(prim, args)
            }
            result => self.with_primitive(prim, result),
        }
    }

    fn typed_call(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        if args.len() != prim.arity() {
            if let (Prim::GetNthByKeyT | Prim::GetNthByKeyF, &[container, n]) = (prim, args) {
                return self.typed_call(prim, &[container, n, Value::Prim(Prim::Identity)]);
            }
            return Err(Fault::Arity {
                takes: prim.arity() as u8,
                given: args.len() as u8,
            });
        }
        let mut seen = [Value::None; 4];
        let mut args = args;
        let of_cell = args.iter().any(|arg| matches!(arg, Value::Cell { .. }));
        if of_cell && self.space.reading.sees_triples() {
            if let Some(part) = part_of(prim, args) {
                self.space.meter.work(1)?;
                return Ok(part);
            }
            let values = values_of(prim);
            for (place, (seen, arg)) in seen.iter_mut().zip(args).enumerate() {
                *seen = match *arg {
                    value if values >> place & 1 == 1 => value,
                    Value::Cell { i, j, .. } if takes_location(prim) => Value::Pair(i, j),
                    value => triple(self.space, value)?,
                };
            }
            args = &seen[..args.len()];
        }
        let known = match *args {
            [x] => allocation_free::one(prim, x),
            [x, y] => allocation_free::two(prim, x, y),
            _ => None,
        };
        if let Some(value) = known {
            self.space.meter.work(1)?;
            return Ok(value);
        }
        match prim.view() {
            None => self.shared(prim, args),
            Some(view) if view.base != prim => self.viewed(view, args),
            Some(_) => {
                self.space.meter.work(1)?;
                self.own(prim, args)
            }
        }
    }

    /// Calls the base of a view.
    fn viewed(&mut self, view: View, args: &[Value]) -> ValueResult {
        if view.takes == Takes::Any {
            return self.shared(view.base, args);
        }
        let place = usize::from(view.base == Prim::Recolor);
        let mut passed = [Value::None; 2];
        passed[..args.len()].copy_from_slice(args);
        let value = args[place];
        let mut empty = value.is_empty_container()
            && !(view.takes == Takes::Grid && value.is_set() && view.empty == Empty::Base);
        empty |= view.empty == Empty::Nan && view.takes != Takes::Rows && !value.truth();
        if view.base == Prim::Toindices && !value.is_tuple() && !value.is_set() {
            return Ok(Value::EMPTY_SET);
        }
        if !empty {
            passed[place] = if matches!(view.takes, Takes::Rows | Takes::Colours) {
                coloured(self.space, view, value)?
            } else {
                restricted(self.space, view.takes, value)?
            };
            empty = passed[place].is_empty_container();
        }
        if empty {
            match view.empty {
                Empty::Base => {}
                Empty::Fail => return Err(Fault::Empty(ValueKind::Patch)),
                Empty::Same => return Ok(value),
                Empty::Zero => return Ok(Value::Int(0)),
                Empty::Zeros => return Ok(Value::Pair(0, 0)),
                Empty::Tuple => return Ok(Value::EMPTY_TUPLE),
                Empty::Set => return Ok(Value::EMPTY_SET),
                Empty::False => return Ok(Value::Bool(false)),
                Empty::True => return Ok(Value::Bool(true)),
                Empty::Nan => return special(self.space, Special::Nan),
            }
        }
        if value.is_tuple() && passed[place].is_set() && counts_elements(view.base) {
            let measured = self.dispatch(Prim::Shape, &passed[..1])?;
            let (height, width) = recovery::pair(measured)?;
            let count = self.space.len(value)? as i64;
            return Ok(Value::Bool(is_filled(view.base, height, width, count)));
        }
        self.dispatch(view.base, &passed[..args.len()])
    }
}
