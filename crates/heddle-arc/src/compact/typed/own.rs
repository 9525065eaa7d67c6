//! Primitives of the dialect with a body of their own.

use super::shared::is_no_grid;
use super::{Empty, Eval, Takes, Value, ValueResult, View, is_cell, set_of};
use crate::compact::{containers as c, extremes as e, higher as h};
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::Space;

/// Returns the elements from `base` on the stack that satisfy `wanted`, as a tuple.
fn kept(
    space: &mut Space,
    base: usize,
    wanted: impl Fn(&mut Space, Value) -> Result<bool, Fault>,
) -> ValueResult {
    c::keep(space, base, wanted)?;
    space.tuple_from(base)
}

/// Returns the first or last element; nothing for anything false.
fn end(space: &Space, container: Value, last: bool, nothing: Value) -> ValueResult {
    if !container.truth() {
        return Ok(nothing);
    }
    if last {
        c::last(space, container)
    } else {
        c::first(space, container)
    }
}

impl Eval<'_> {
    #[allow(clippy::too_many_lines, reason = "one arm for each primitive")]
    pub(super) fn own(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        let space = &mut *self.space;
        let x = args[0];
        let y = args.get(1).copied().unwrap_or(x);
        let z = args.get(2).copied().unwrap_or(x);
        match prim {
            Prim::ApplyT | Prim::MapplyT => {
                let list = c::totuple(space, y)?;
                let base = match prim {
                    Prim::ApplyT => Prim::Apply,
                    _ => Prim::Mapply,
                };
                self.shared(base, &[x, list])
            }
            Prim::RapplyT => {
                let list = c::totuple(space, x)?;
                h::rapply(self, list, y)
            }
            Prim::SfilterT => {
                let list = c::totuple(space, x)?;
                h::sfilter(self, list, y)
            }
            Prim::RemoveT => {
                let list = c::totuple(space, y)?;
                c::remove(space, x, list)
            }
            Prim::SizefilterT => {
                let n = y.int()?;
                let base = space.push_elements(x)?;
                kept(space, base, |space, element| {
                    let element = super::triple(space, element)?;
                    Ok(space.len(element)? as i64 == n)
                })
            }
            Prim::SfilterF | Prim::MfilterT => {
                let set = set_of(space, x)?;
                h::sfilter(self, set, y)
            }
            Prim::CombineT if !x.is_tuple() || !y.is_tuple() => Err(x.not(ValueKind::Tuple)),
            Prim::CombineF if !x.is_set() || !y.is_set() => Err(x.not(ValueKind::Set)),
            Prim::CombineT | Prim::CombineF => c::combine(space, x, y),
            Prim::ColorfilterT => {
                let base = space.push_elements(x)?;
                kept(space, base, |space, element| {
                    if !element.is_tuple() {
                        return Err(element.not(ValueKind::Tuple));
                    }
                    let cell = c::first(space, element)?;
                    if !is_cell(space, cell) {
                        return Err(cell.not(ValueKind::Cell));
                    }
                    let colour = c::first(space, cell)?;
                    Ok(space.equal(colour, y))
                })
            }
            Prim::Celltuple => {
                let base = space.push_elements(x)?;
                let middle = space.push_elements(y)?;
                let end = space.stack.len();
                for k in 0..(middle - base).min(end - middle) {
                    let (at, colour) = (space.stack[base + k], space.stack[middle + k]);
                    if !matches!(at, Value::Pair(..)) {
                        return Err(at.not(ValueKind::Pair));
                    }
                    let cell = space.tuple_of_two(colour, at)?;
                    space.stack.push(cell);
                }
                let cells = space.tuple_from(end);
                space.stack.truncate(base);
                cells
            }
            Prim::FirstT | Prim::LastT if x.is_set() && x.truth() => Err(x.not(ValueKind::Tuple)),
            Prim::FirstT | Prim::LastT => end(space, x, prim == Prim::LastT, Value::EMPTY_TUPLE),
            Prim::FirstF | Prim::LastF => end(space, x, prim == Prim::LastF, Value::EMPTY_SET),
            Prim::OtherT => match c::other(space, x, y) {
                Err(Fault::Missing(_)) => Ok(Value::EMPTY_TUPLE),
                result => result,
            },
            Prim::OtherF => {
                let left = self.typed(Prim::RemoveF, &[y, x])?;
                end(self.space, left, false, Value::EMPTY_SET)
            }
            Prim::MostcommonF | Prim::LeastcommonF => {
                let list = c::totuple(space, x)?;
                e::common(space, list, prim == Prim::MostcommonF)
            }
            Prim::GetRank
            | Prim::GetArgRank
            | Prim::GetArgRankT
            | Prim::GetArgRankF
            | Prim::GetValRank
            | Prim::GetCommonRank
            | Prim::GetCommonRankF
            | Prim::GetColorRankT
            | Prim::GetColorRankF
            | Prim::GetNthByKeyT
            | Prim::GetNthByKeyF => self.ranked(prim, args),
            Prim::PO => {
                let palette = View {
                    base: Prim::Palette,
                    takes: Takes::Colours,
                    empty: Empty::Set,
                };
                let colours = self.viewed(palette, &[x])?;
                c::totuple(self.space, colours)
            }
            Prim::ColRow => {
                let extremes = [
                    Prim::Lowermost,
                    Prim::Uppermost,
                    Prim::Leftmost,
                    Prim::Rightmost,
                ];
                self.one_of(&extremes, y, x).unwrap_or(Ok(Value::None))
            }
            Prim::Corner => {
                let corners = [
                    Prim::Ulcorner,
                    Prim::Urcorner,
                    Prim::Llcorner,
                    Prim::Lrcorner,
                ];
                match self.one_of(&corners, y, x) {
                    Some(result) => result,
                    None => self.typed(Prim::Ulcorner, &[x]),
                }
            }
            Prim::MirRotF => {
                let mirrors = [
                    Prim::HmirrorF,
                    Prim::DmirrorF,
                    Prim::VmirrorF,
                    Prim::CmirrorF,
                ];
                self.one_of(&mirrors, y, x).unwrap_or(Ok(x))
            }
            Prim::Ascell => {
                let at = self.shared(Prim::Add, &[x, Value::Pair(0, 0)])?;
                self.space.tuple_of_two(y, at)
            }
            Prim::Astriple => {
                let at = space.tuple_of_two(x, y)?;
                space.tuple_of_two(z, at)
            }
            Prim::Toij if is_cell(space, x) => c::nth(space, x, 1),
            Prim::Toij => {
                if !x.is_tuple() {
                    return Err(x.not(ValueKind::Tuple));
                }
                let (i, j) = (c::nth(space, x, 0)?, c::nth(space, x, 1)?);
                space.tuple_of_two(i, j)
            }
            Prim::IsNoGrid => Ok(Value::Bool(is_no_grid(space, x))),
            Prim::ObjectsT => self.objects_as_tuples(&[x, y, z, args[3]]),
            Prim::OGT => match y.int()? {
                r @ 0..8 => {
                    let bit = |bit: i64| Value::Bool(r & bit != 0);
                    self.typed(Prim::ObjectsT, &[x, bit(4), bit(2), bit(1)])
                }
                _ => Ok(Value::None),
            },
            Prim::CIz | Prim::CZo | Prim::CIzN | Prim::CZoN => self.changed(prim, args),
            Prim::AMr => self.mirror_of(x),
            Prim::DedupePairTuple => {
                let base = space.push_elements(x)?;
                kept(space, base, |space, pair| {
                    let (a, b) = (c::nth(space, pair, 0)?, c::nth(space, pair, 1)?);
                    Ok(!space.equal(a, b))
                })
            }
            // Only `Nothing` is left.
            _ => Ok(Value::EMPTY_TUPLE),
        }
    }

    /// Calls the `k`-th of these primitives, if there is one.
    fn one_of(&mut self, prims: &[Prim], k: Value, value: Value) -> Option<ValueResult> {
        let place = usize::try_from(k.int().ok()?).ok()?;
        let prim = *prims.get(place)?;
        Some(self.typed(prim, &[value]))
    }

    /// The values of a function on the inputs of samples that do not occur on the outputs, or the
    /// reverse.
    fn changed(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        let of_inputs = matches!(prim, Prim::CIz | Prim::CIzN);
        let mut values = [Value::None; 2];
        for (part, value) in [Prim::First, Prim::Second].into_iter().zip(&mut values) {
            let grids = self.typed(Prim::Apply, &[Value::Prim(part), args[0]])?;
            let found = self.typed(Prim::MapplyT, &[args[1], grids])?;
            *value = self.typed(Prim::Dedupe, &[found])?;
        }
        let [inputs, outputs] = values;
        let (all, without) = if of_inputs {
            (inputs, outputs)
        } else {
            (outputs, inputs)
        };
        let changed = self.typed(Prim::DifferenceTuple, &[all, without])?;
        match args.get(2) {
            Some(pick) => self.call(*pick, &[changed]),
            None => Ok(changed),
        }
    }

    /// The least symmetry that maps the input of every sample to its output.
    fn mirror_of(&mut self, samples: Value) -> ValueResult {
        let base = self.space.push_elements(samples)?;
        let end = self.space.stack.len();
        for k in 0..8 {
            let mut all = true;
            for index in base..end {
                let pair = self.space.stack[index];
                let input = c::nth(self.space, pair, 0)?;
                let output = c::nth(self.space, pair, 1)?;
                let mark = self.space.mark();
                let moved = self.typed(Prim::MirRotT, &[input, Value::Int(k)])?;
                all &= self.space.equal(moved, output);
                self.space.cut(mark);
                if !all {
                    break;
                }
            }
            if all {
                self.space.stack.truncate(base);
                return Ok(Value::Int(k));
            }
        }
        self.space.stack.truncate(base);
        Ok(Value::None)
    }
}
