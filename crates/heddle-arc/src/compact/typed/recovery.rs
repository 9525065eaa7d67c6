//! What a primitive returns in a soft reading where it fails.
//!
//! A primitive that is built on others goes on with what those return where they fail, so its
//! value is computed again from guarded calls. Any other returns its default.

use super::{Eval, Value, ValueResult};
use crate::fault::{Fault, ValueKind};
use crate::prim::{DefaultResult, Prim};

/// The primitives that give the bottom, top, right and left of a patch.
fn extremes_of(prim: Prim) -> [Prim; 4] {
    match prim {
        Prim::HeightI | Prim::WidthI | Prim::NormalizeI => [
            Prim::LowermostI,
            Prim::UppermostI,
            Prim::RightmostI,
            Prim::LeftmostI,
        ],
        Prim::HeightO | Prim::WidthO | Prim::NormalizeO => [
            Prim::LowermostO,
            Prim::UppermostO,
            Prim::RightmostO,
            Prim::LeftmostO,
        ],
        _ => [
            Prim::Lowermost,
            Prim::Uppermost,
            Prim::Rightmost,
            Prim::Leftmost,
        ],
    }
}

/// The primitives that give height and width, of those built on them.
fn sizes_of(prim: Prim) -> Option<(Prim, Prim)> {
    Some(match prim {
        Prim::ShapeT | Prim::PortraitT => (Prim::HeightT, Prim::WidthT),
        Prim::ShapeF | Prim::PortraitF | Prim::SquareF => (Prim::HeightF, Prim::WidthF),
        Prim::VlineI | Prim::HlineI => (Prim::HeightI, Prim::WidthI),
        Prim::VlineO | Prim::HlineO => (Prim::HeightO, Prim::WidthO),
        _ => return None,
    })
}

pub(super) fn pair(value: Value) -> Result<(i64, i64), Fault> {
    match value {
        Value::Pair(i, j) => Ok((i64::from(i), i64::from(j))),
        _ => Err(value.not(ValueKind::Pair)),
    }
}

fn towards(from: i64, to: i64) -> i32 {
    if from < to { 1 } else { -1 }
}

impl Eval<'_> {
    /// The value of a call that failed.
    pub(super) fn recovered(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        if args.len() == prim.arity() {
            let (stack, depth) = (self.space.stack.len(), self.space.meter.depth());
            match self.rebuilt(prim, args) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(fault) if fault.is_budget() => return Err(fault),
                Err(_) => {
                    self.space.stack.truncate(stack);
                    self.space.meter.return_to(depth);
                }
            }
        }
        Ok(match prim.default_result() {
            DefaultResult::Tuple => Value::EMPTY_TUPLE,
            DefaultResult::Set => Value::EMPTY_SET,
            DefaultResult::Zero => Value::Int(0),
            DefaultResult::False => Value::Bool(false),
            DefaultResult::Function => Value::Prim(Prim::Nothing),
        })
    }

    fn number(&mut self, prim: Prim, value: Value) -> Result<i64, Fault> {
        self.typed(prim, &[value])?.int()
    }

    /// The value of a primitive built on others, from guarded calls of those.
    #[allow(clippy::too_many_lines, reason = "one arm for each primitive")]
    fn rebuilt(&mut self, prim: Prim, args: &[Value]) -> Result<Option<Value>, Fault> {
        let x = args[0];
        let y = args.get(1).copied().unwrap_or(x);
        let z = args.get(2).copied().unwrap_or(x);
        if let Some((height, width)) = sizes_of(prim) {
            let (height, width) = (self.number(height, x)?, self.number(width, x)?);
            return Ok(Some(match prim {
                Prim::ShapeT | Prim::ShapeF => self.space.pair(height, width)?,
                Prim::PortraitT | Prim::PortraitF => Value::Bool(height > width),
                _ => {
                    let base = prim.view().map_or(prim, |view| view.base);
                    let count = self.space.len(x)? as i64;
                    Value::Bool(super::is_filled(base, height, width, count))
                }
            }));
        }
        let [bottom, top, right, left] = extremes_of(prim);
        Ok(Some(match prim {
            Prim::HeightF | Prim::HeightI | Prim::HeightO => {
                self.space.len(x)?;
                Value::Int(self.number(bottom, x)? - self.number(top, x)? + 1)
            }
            Prim::WidthF | Prim::WidthI | Prim::WidthO => {
                self.space.len(x)?;
                Value::Int(self.number(right, x)? - self.number(left, x)? + 1)
            }
            Prim::Normalize | Prim::NormalizeI | Prim::NormalizeO => {
                self.space.len(x)?;
                let (i, j) = (self.number(top, x)?, self.number(left, x)?);
                let offset = self.space.pair(-i, -j)?;
                self.typed(Prim::Shift, &[x, offset])?
            }
            Prim::Center => {
                let (i, j) = (self.number(top, x)?, self.number(left, x)?);
                let height = self.number(Prim::HeightF, x)?;
                let width = self.number(Prim::WidthF, x)?;
                self.space.pair(i + height / 2, j + width / 2)?
            }
            Prim::Bordering => {
                let at_start = self.number(top, x)? == 0 || self.number(left, x)? == 0;
                let (height, width) = (
                    self.number(Prim::HeightT, y)?,
                    self.number(Prim::WidthT, y)?,
                );
                let at_end =
                    self.number(bottom, x)? == height - 1 || self.number(right, x)? == width - 1;
                Value::Bool(at_start || at_end)
            }
            Prim::Inbox | Prim::Outbox => {
                let base = self.space.stack.len();
                for (row, column) in [(top, left), (bottom, right)] {
                    let (i, j) = (self.number(row, x)?, self.number(column, x)?);
                    let corner = self.space.pair(i, j)?;
                    self.space.stack.push(corner);
                }
                let ends = self.space.set_from(base)?;
                self.dispatch(prim, &[ends])?
            }
            Prim::Position => {
                let (a, b) = (
                    self.typed(Prim::Toindices, &[x])?,
                    self.typed(Prim::Toindices, &[y])?,
                );
                let (ai, aj) = pair(self.typed(Prim::Center, &[a])?)?;
                let (bi, bj) = pair(self.typed(Prim::Center, &[b])?)?;
                if ai == bi {
                    Value::Pair(0, towards(aj, bj))
                } else if aj == bj {
                    Value::Pair(towards(ai, bi), 0)
                } else {
                    Value::Pair(towards(ai, bi), towards(aj, bj))
                }
            }
            Prim::Gravitate => {
                let (si, sj) = pair(self.typed(Prim::Center, &[x])?)?;
                let (di, dj) = pair(self.typed(Prim::Center, &[y])?)?;
                let step = if self.typed(Prim::Vmatching, &[x, y])?.truth() {
                    Value::Pair(towards(si, di), 0)
                } else {
                    Value::Pair(0, towards(sj, dj))
                };
                let (mut offset, mut source) = (Value::Pair(0, 0), x);
                for _ in 0..42 {
                    if self.typed(Prim::Adjacent, &[source, y])?.truth() {
                        break;
                    }
                    source = self.typed(Prim::Shift, &[source, step])?;
                    offset = self.dispatch(Prim::Add, &[offset, step])?;
                }
                offset
            }
            // Only elements of three parts are taken for cells.
            Prim::Toindices => match self.space.nth(x, 0)? {
                Some(first) if self.space.len(first)? != 3 => x,
                _ => return Ok(None),
            },
            Prim::Fill | Prim::Underfill => {
                let patch = self.typed(Prim::Toindices, &[z])?;
                if !patch.is_empty_container() {
                    return Ok(None);
                }
                self.dispatch(prim, &[x, y, patch])?
            }
            Prim::Cover => {
                let background = self.typed(Prim::MostcolorT, &[x])?;
                let patch = self.typed(Prim::Toindices, &[y])?;
                self.typed(Prim::Fill, &[x, background, patch])?
            }
            Prim::Move => {
                let covered = self.typed(Prim::Cover, &[x, y])?;
                let moved = self.typed(Prim::Shift, &[y, z])?;
                self.typed(Prim::Paint, &[covered, moved])?
            }
            Prim::Mapply | Prim::MapplyF => {
                let apply = match prim {
                    Prim::Mapply => Prim::Apply,
                    _ => Prim::ApplyF,
                };
                let results = self.typed(apply, &[x, y])?;
                self.typed(Prim::Merge, &[results])?
            }
            Prim::Mfilter => {
                let kept = self.typed(Prim::Sfilter, &[x, y])?;
                self.typed(Prim::Merge, &[kept])?
            }
            Prim::PG if x.is_tuple() || x.is_set() => {
                let colours = self.typed(Prim::PaletteT, &[x])?;
                let base = self.space.push_elements(colours)?;
                let is_number =
                    |colour: &Value| colour.int().is_ok() || matches!(colour, Value::Special(_));
                if !self.space.stack[base..].iter().all(is_number) {
                    return Ok(None);
                }
                self.space.tuple_from(base)?
            }
            Prim::Other => Value::None,
            Prim::OG => Value::EMPTY_SET,
            // The object, which cannot be moved, agrees with the grid everywhere.
            Prim::Occurrences if x.as_grid().is_some() => {
                let (height, width) = pair(self.dispatch(Prim::Shape, &[x])?)?;
                let height = height - self.number(Prim::HeightF, y)? + 1;
                let width = width - self.number(Prim::WidthF, y)? + 1;
                let normal = self.typed(Prim::Normalize, &[y])?;
                if !normal.is_empty_container() {
                    return Ok(None);
                }
                let dims = self.space.pair(height, width)?;
                let places = self.dispatch(Prim::Canvas, &[Value::Int(0), dims])?;
                self.dispatch(Prim::Asindices, &[places])?
            }
            Prim::Cellwise if x.as_grid().is_some() => {
                let base = self.space.push_elements(x)?;
                for i in base..self.space.stack.len() {
                    let row = self.space.stack[i];
                    let from = self.space.push_elements(row)?;
                    for j in from..self.space.stack.len() {
                        let at = self.space.pair((i - base) as i64, (j - from) as i64)?;
                        let other = self.typed(Prim::Index, &[y, at])?;
                        if !self.space.equal(other, self.space.stack[j]) {
                            self.space.stack[j] = z;
                        }
                    }
                    self.space.stack[i] = self.space.tuple_from(from)?;
                }
                self.space.tuple_from(base)?
            }
            Prim::Toivec => self.space.tuple_of_two(x, Value::Int(0))?,
            Prim::Tojvec => self.space.tuple_of_two(Value::Int(0), x)?,
            Prim::Double if !x.is_empty_container() => self.products(x, Value::Int(2))?,
            Prim::Multiply => self.products(x, y)?,
            _ => return Ok(None),
        }))
    }

    /// A product by components, in which a number of times a tuple is the tuple repeated.
    fn products(&mut self, x: Value, y: Value) -> ValueResult {
        let base = self.space.stack.len();
        for index in 0..2 {
            let part = |eval: &Self, value: Value| {
                if value.int().is_ok() {
                    return Ok(value);
                }
                if !value.is_tuple() {
                    return Err(value.not(ValueKind::Tuple));
                }
                let part = eval.space.nth(value, index)?;
                let none = value.is_empty_container().then_some(Value::Int(1));
                part.or(none)
                    .ok_or(Fault::Missing(ValueKind::ElementAtThatPlace))
            };
            let (a, b) = (part(self, x)?, part(self, y)?);
            let product = match (a.int(), b.int()) {
                (Ok(_), Ok(_)) => self.dispatch(Prim::Multiply, &[a, b])?,
                (Ok(times), _) if b.is_tuple() => self.repeated(b, times)?,
                (_, Ok(times)) if a.is_tuple() => self.repeated(a, times)?,
                _ => return Err(a.not(ValueKind::Int)),
            };
            self.space.stack.push(product);
        }
        self.space.tuple_from(base)
    }

    fn repeated(&mut self, tuple: Value, times: i64) -> ValueResult {
        let copies = self.dispatch(Prim::Repeat, &[tuple, Value::Int(times)])?;
        self.dispatch(Prim::Merge, &[copies])
    }
}
