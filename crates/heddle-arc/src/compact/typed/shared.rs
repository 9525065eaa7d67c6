//! Shared primitives that differ from the classic ones in some calls.

use super::{Eval, Special, Value, ValueResult, patch_of, set_of, special};
use crate::compact::{containers as c, geometry as g};
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::Space;

fn is_container(value: Value) -> bool {
    value.is_tuple() || value.is_set()
}

fn is_unit(value: Value) -> bool {
    matches!(value, Value::Tuple { len: 0, .. })
}

/// Whether a value is no tuple of tuples of numbers.
pub(super) fn is_no_grid(space: &Space, value: Value) -> bool {
    let is_row = |row: Value| {
        row.is_tuple()
            && space
                .elements(row)
                .is_ok_and(|mut cells| cells.all(|cell| cell.int().is_ok()))
    };
    !value.is_tuple() || !space.elements(value).is_ok_and(|mut rows| rows.all(is_row))
}

/// Whether a grid has rows of several lengths.
fn is_ragged(space: &Space, grid: Value) -> bool {
    let Value::Tuple { at, len, .. } = grid else {
        return false;
    };
    let rows = &space.values[at as usize..(at + len) as usize];
    let length = |row: &Value| space.len(*row).ok();
    rows.windows(2)
        .any(|rows| length(&rows[0]) != length(&rows[1]))
}

/// Whether a grid has no cells.
fn is_blank(space: &Space, grid: Value) -> bool {
    grid.is_tuple()
        && !matches!(grid, Value::Grid { .. })
        && space
            .elements(grid)
            .is_ok_and(|mut rows| rows.all(Value::is_empty_container))
}

/// Whether the locations of a value are the empty set: of no container, and of one whose first
/// element is none.
fn has_no_locations(space: &Space, value: Value) -> Result<bool, Fault> {
    if !is_container(value) {
        return Ok(true);
    }
    let first = space.nth(value, 0)?;
    Ok(first.is_some_and(|first| !is_container(first)))
}

impl Eval<'_> {
    /// Calls a classic primitive as the dialect understands it.
    #[allow(clippy::too_many_lines, reason = "one arm for each difference")]
    pub(super) fn shared(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        let space = &mut *self.space;
        let x = args[0];
        let y = args.get(1).copied().unwrap_or(x);
        let empty = |value: Value| value.is_empty_container();
        match prim {
            Prim::Add | Prim::Subtract | Prim::Multiply | Prim::Divide
                if is_unit(x) || is_unit(y) =>
            {
                let neutral = Value::Int(i64::from(matches!(prim, Prim::Multiply | Prim::Divide)));
                let number = |value: Value| if is_unit(value) { neutral } else { value };
                return self.dispatch(prim, &[number(x), number(y)]);
            }
            Prim::Equality if matches!(x, Value::Special(Special::Nan)) => {
                return Ok(Value::Bool(false));
            }
            Prim::First if empty(x) => return Ok(Value::None),
            Prim::Last | Prim::Center | Prim::Subgrid if empty(x) => {
                return Ok(Value::EMPTY_TUPLE);
            }
            Prim::Second if is_container(x) && space.len(x)? == 1 => return Ok(Value::None),
            Prim::Other | Prim::Extract => {
                return match self.dispatch(prim, args) {
                    Err(Fault::Missing(
                        ValueKind::OtherElement | ValueKind::ElementConditionHoldsFor,
                    )) => Ok(match prim {
                        Prim::Other => Value::None,
                        _ => Value::EMPTY_SET,
                    }),
                    result => result,
                };
            }
            Prim::Sizefilter
                if matches!(
                    x,
                    Value::Object(..) | Value::Painted { .. } | Value::Layers { .. }
                ) =>
            {
                let kept = self.typed(Prim::SizefilterT, args)?;
                return set_of(self.space, kept);
            }
            Prim::GetNthF => {
                let n = y.int()?;
                return match c::nth(space, x, n) {
                    Err(Fault::Missing(_)) => Ok(Value::EMPTY_SET),
                    result => result,
                };
            }
            Prim::GetNthT => {
                if x.is_tuple()
                    && let Ok(value) = c::nth(space, x, y.int()?)
                {
                    return Ok(value);
                }
                return special(space, Special::Nan);
            }
            Prim::DifferenceTuple => return self.dispatch(Prim::Difference, args),
            Prim::Uppermost | Prim::Lowermost | Prim::Leftmost | Prim::Rightmost if !x.truth() => {
                return special(space, Special::Nan);
            }
            Prim::Center => {
                let patch = patch_of(space, x)?;
                return self.dispatch(prim, &[patch]);
            }
            Prim::Bordering if empty(x) => return Ok(Value::Bool(false)),
            Prim::Adjacent if empty(x) || empty(y) => return Ok(Value::Bool(false)),
            Prim::Adjacent if !is_container(x) || !is_container(y) => {
                return Ok(Value::Bool(false));
            }
            Prim::Manhattan if empty(x) || empty(y) => return special(space, Special::Inf),
            Prim::Manhattan if !is_container(x) || !is_container(y) => {
                return special(space, Special::Inf);
            }
            Prim::Gravitate if empty(y) => return Ok(x),
            Prim::Gravitate | Prim::Position => {
                let patches = [patch_of(space, x)?, patch_of(space, y)?];
                return self.dispatch(prim, &patches);
            }
            Prim::Occurrences => {
                let patch = patch_of(space, y)?;
                return self.dispatch(prim, &[x, patch]);
            }
            Prim::Inbox | Prim::Outbox | Prim::Box if empty(x) => return Ok(Value::EMPTY_SET),
            Prim::Shift if !x.truth() => return Ok(Value::EMPTY_SET),
            Prim::Shift if is_unit(y) => return Ok(x),
            Prim::Crop if is_unit(x) => return Ok(x),
            Prim::Crop => return self.crop(args),
            Prim::Subgrid => {
                let patch = patch_of(space, x)?;
                let start = self.dispatch(Prim::Ulcorner, &[patch])?;
                let dims = self.dispatch(Prim::Shape, &[patch])?;
                return self.crop(&[y, start, dims]);
            }
            Prim::Hsplit | Prim::Vsplit => return self.pieces(prim, x, y),
            Prim::Index if is_unit(y) => return special(space, Special::NegInf),
            Prim::Index => {
                let found = self.dispatch(prim, args)?;
                return match found {
                    Value::None => special(self.space, Special::NegInf),
                    found => Ok(found),
                };
            }
            Prim::Cellwise => return self.cellwise(args),
            Prim::Color if is_container(x) => {
                return match space.nth(x, 0)? {
                    Some(Value::Cell { colour, .. }) => Ok(Value::Int(i64::from(colour))),
                    Some(first) if first.is_tuple() => c::nth(space, first, 2),
                    _ => special(space, Special::NegInf),
                };
            }
            Prim::Hperiod | Prim::Vperiod if x.is_tuple() && !empty(x) => {
                let patch = patch_of(space, x)?;
                if !patch.is_set() {
                    return Err(x.not(ValueKind::Patch));
                }
                return self.dispatch(prim, &[patch]);
            }
            Prim::Frontiers if is_ragged(space, x) => return Err(x.not(ValueKind::Grid)),
            Prim::Objects | Prim::Fgpartition if is_blank(space, x) => {
                return Ok(Value::EMPTY_SET);
            }
            Prim::OG if !y.int().is_ok_and(|r| (0..8).contains(&r)) => return Ok(Value::None),
            Prim::OG if is_blank(space, x) => return Ok(Value::EMPTY_SET),
            Prim::MirRotT if !y.int().is_ok_and(|k| (0..8).contains(&k)) => return Ok(x),
            Prim::Dneighbors | Prim::Ineighbors | Prim::Neighbors if empty(x) || !x.is_tuple() => {
                return Ok(Value::EMPTY_SET);
            }
            Prim::Hfrontier if is_unit(x) => return Ok(Value::EMPTY_SET),
            Prim::Connect if is_unit(x) || is_unit(y) => return Ok(Value::EMPTY_SET),
            Prim::Shoot if is_unit(x) || empty(y) => return Ok(Value::EMPTY_SET),
            Prim::Backdrop | Prim::Delta if !is_container(x) => return Ok(Value::EMPTY_SET),
            Prim::Toindices | Prim::Toobject if has_no_locations(space, x)? => {
                return Ok(Value::EMPTY_SET);
            }
            Prim::Fill | Prim::Underfill if has_no_locations(space, args[2])? => {
                return self.dispatch(prim, &[x, y, Value::EMPTY_SET]);
            }
            Prim::Cover if has_no_locations(space, y)? => {
                return self.dispatch(prim, &[x, Value::EMPTY_SET]);
            }
            Prim::Asobject if is_no_grid(space, x) => return Ok(Value::EMPTY_SET),
            _ => {}
        }
        self.dispatch(prim, args)
    }

    /// Cuts out a part that is inside the grid; anything else is `()`.
    fn crop(&mut self, args: &[Value]) -> ValueResult {
        let (grid, start, dims) = (args[0], args[1], args[2]);
        let whole = self.dispatch(Prim::Shape, &[grid])?;
        let add = |eval: &mut Self, a, b| eval.dispatch(Prim::Add, &[a, b]);
        let (Value::Pair(i, j), Value::Pair(h, w)) = (add(self, start, Value::Int(0))?, whole)
        else {
            return Err(start.not(ValueKind::Pair));
        };
        let Value::Pair(bottom, right) = add(self, start, dims)? else {
            return Err(dims.not(ValueKind::Pair));
        };
        if i < 0 || j < 0 || i >= h || j >= w || bottom > h || right > w {
            return Ok(Value::EMPTY_TUPLE);
        }
        g::crop(self.space, grid, start, dims)
    }

    /// The pieces of a split; one that is not whole is `()`.
    fn pieces(&mut self, prim: Prim, grid: Value, n: Value) -> ValueResult {
        let pieces = self.dispatch(prim, &[grid, n])?;
        let (Value::Tuple { at, len, .. }, Some(whole)) = (pieces, grid.as_grid()) else {
            return Ok(pieces);
        };
        let n = n.int()?;
        let across = prim == Prim::Hsplit;
        let side = if across { whole.width } else { whole.height } as i64;
        let (length, skipped) = (side / n, i64::from(side % n != 0));
        let is_whole = |k: i64| {
            let start = k * (length + skipped);
            start < side && start + length <= side
        };
        if (0..n).all(is_whole) {
            return Ok(pieces);
        }
        let base = self.space.stack.len();
        for k in 0..len {
            let piece = self.space.values[(at + k) as usize];
            let kept = is_whole(i64::from(k));
            self.space
                .stack
                .push(if kept { piece } else { Value::EMPTY_TUPLE });
        }
        self.space.tuple_from(base)
    }

    /// Compares grids; a cell that the second lacks becomes the fallback.
    fn cellwise(&mut self, args: &[Value]) -> ValueResult {
        match self.dispatch(Prim::Cellwise, args) {
            // Nothing can be read from a grid without rows, so that call fails.
            Err(Fault::Missing(ValueKind::CellToCompareWith))
                if args[0].as_grid().is_some() && !args[1].is_empty_container() => {}
            result => return result,
        }
        let (a, b, fallback) = (args[0], args[1], args[2]);
        let base = self.space.push_elements(a)?;
        let end = self.space.stack.len();
        for i in base..end {
            let row = self.space.stack[i];
            let other = self.space.nth(b, i - base)?;
            let from = self.space.push_elements(row)?;
            for j in from..self.space.stack.len() {
                let cell = match other {
                    Some(other) => self.space.nth(other, j - from)?,
                    None => None,
                };
                if !cell.is_some_and(|cell| self.space.equal(cell, self.space.stack[j])) {
                    self.space.stack[j] = fallback;
                }
            }
            self.space.stack[i] = self.space.tuple_from(from)?;
        }
        self.space.tuple_from(base)
    }
}
