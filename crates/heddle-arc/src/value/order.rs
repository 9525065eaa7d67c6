//! Equality, canonical order and comparison (sections 1 and 2).

use super::{MASK_COLUMNS, Mask, Space, Value};
use crate::fault::Fault;
use std::cmp::Ordering;

impl Space {
    /// Whether two values are equal. Forms are unique, so unlike forms are not.
    pub(crate) fn equal(&self, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::None, Value::None) => true,
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Bool(x), Value::Int(y)) | (Value::Int(y), Value::Bool(x)) => i64::from(x) == y,
            (Value::Bool(x), Value::Bool(y)) => x == y,
            (Value::Pair(a, b), Value::Pair(c, d)) => a == c && b == d,
            (
                Value::Cell { colour, i, j },
                Value::Cell {
                    colour: other,
                    i: k,
                    j: l,
                },
            ) => colour == other && i == k && j == l,
            (Value::Row { at, len }, Value::Row { at: bt, len: m }) => {
                len == m && self.same_cells(at, bt, len as usize)
            }
            (Value::Grid { .. }, Value::Grid { .. }) => match (a.as_grid(), b.as_grid()) {
                (Some(x), Some(y)) => {
                    (x.height, x.width) == (y.height, y.width)
                        && self.same_cells(x.at as u32, y.at as u32, x.area())
                }
                _ => false,
            },
            (Value::Tuple { at, len, .. }, Value::Tuple { at: bt, len: m, .. })
            | (Value::Set { at, len, .. }, Value::Set { at: bt, len: m, .. }) => {
                len == m && self.same_values(at, bt, len)
            }
            (Value::Mask(x), Value::Mask(y)) => self.same_mask(x, y),
            (Value::Object(x, c), Value::Object(y, d)) => c == d && self.same_mask(x, y),
            (Value::Painted { cells, .. }, Value::Painted { cells: other, .. }) => {
                match (a.mask(), b.mask()) {
                    (Some(x), Some(y)) => {
                        let area = usize::from(x.height) * usize::from(x.width);
                        self.same_mask(x, y) && self.same_cells(cells, other, area)
                    }
                    _ => false,
                }
            }
            (Value::Layers { at, len }, Value::Layers { at: bt, len: m }) => {
                len == m && self.same_values(at, bt, u32::from(len))
            }
            (Value::Prim(x), Value::Prim(y)) => x == y,
            (
                Value::Built { prim, at, .. },
                Value::Built {
                    prim: other,
                    at: bt,
                    ..
                },
            ) => prim == other && self.same_values(at, bt, prim.arity() as u32),
            (
                Value::Body {
                    id, at, captures, ..
                },
                Value::Body {
                    id: other, at: bt, ..
                },
            ) => id == other && self.same_values(at, bt, u32::from(captures) + 1),
            _ => false,
        }
    }

    fn same_cells(&self, a: u32, b: u32, len: usize) -> bool {
        let (a, b) = (a as usize, b as usize);
        a == b || self.cells[a..a + len] == self.cells[b..b + len]
    }

    fn same_values(&self, a: u32, b: u32, len: u32) -> bool {
        a == b
            || (0..len)
                .all(|k| self.equal(self.values[(a + k) as usize], self.values[(b + k) as usize]))
    }

    fn same_mask(&self, a: Mask, b: Mask) -> bool {
        (a.i, a.j, a.height, a.width) == (b.i, b.j, b.height, b.width)
            && (a.rows == b.rows || self.words(a) == self.words(b))
    }

    /// The canonical order; equal exactly when [`Space::equal`].
    pub(crate) fn order(&self, a: Value, b: Value) -> Ordering {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => x.cmp(&y),
            (Value::Pair(a, b), Value::Pair(c, d)) => (a, b).cmp(&(c, d)),
            (
                Value::Cell { colour, i, j },
                Value::Cell {
                    colour: other,
                    i: k,
                    j: l,
                },
            ) => (colour, i, j).cmp(&(other, k, l)),
            (Value::Mask(x), Value::Mask(y)) => self.order_masks(x, y),
            (Value::Object(x, c), Value::Object(y, d)) => {
                c.cmp(&d).then_with(|| self.order_masks(x, y))
            }
            (Value::Row { at, len }, Value::Row { at: bt, len: m }) => {
                let cells = |at: u32, len: u32| &self.cells[at as usize..(at + len) as usize];
                cells(at, len).cmp(cells(bt, m))
            }
            (Value::Tuple { at, len, .. }, Value::Tuple { at: bt, len: m, .. })
            | (Value::Set { at, len, .. }, Value::Set { at: bt, len: m, .. }) => {
                let shared = self.order_values(at, bt, len.min(m));
                shared.then_with(|| len.cmp(&m))
            }
            (Value::Prim(x), Value::Prim(y)) => x.name().cmp(y.name()),
            (
                Value::Built { prim, at, .. },
                Value::Built {
                    prim: other,
                    at: bt,
                    ..
                },
            ) => prim
                .name()
                .cmp(other.name())
                .then_with(|| self.order_values(at, bt, prim.arity() as u32)),
            (
                Value::Body {
                    id, at, captures, ..
                },
                Value::Body {
                    id: other, at: bt, ..
                },
            ) => self
                .order_values(at, bt, u32::from(captures) + 1)
                .then_with(|| id.cmp(&other)),
            _ => {
                let ranks = rank(a).cmp(&rank(b));
                if ranks != Ordering::Equal {
                    return ranks;
                }
                if let (Ok(x), Ok(y)) = (a.int(), b.int()) {
                    return x.cmp(&y);
                }
                // Of equal rank and no numbers: both None, or both containers
                // of one kind, whose elements decide one by one.
                self.order_elements(a, b)
            }
        }
    }

    fn order_values(&self, a: u32, b: u32, len: u32) -> Ordering {
        (0..len)
            .map(|k| self.order(self.values[(a + k) as usize], self.values[(b + k) as usize]))
            .find(|decided| *decided != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    }

    /// Masks as ascending lists of locations. Whoever holds the first location
    /// the other lacks is smaller, unless the other has ended there.
    fn order_masks(&self, a: Mask, b: Mask) -> Ordering {
        if a.i != b.i {
            return a.i.cmp(&b.i);
        }
        let first = |mask: Mask| mask.left() + i64::from(self.words(mask)[0].trailing_zeros());
        let columns = first(a).cmp(&first(b));
        if columns != Ordering::Equal {
            return columns;
        }
        let left = a.left().min(b.left());
        if a.right().max(b.right()) - left >= MASK_COLUMNS {
            return self.order_elements(Value::Mask(a), Value::Mask(b));
        }
        let (x, y) = (self.words(a), self.words(b));
        for row in 0..x.len().min(y.len()) {
            let p = x[row] << (a.left() - left);
            let q = y[row] << (b.left() - left);
            let differ = p ^ q;
            if differ == 0 {
                continue;
            }
            let bit = differ & differ.wrapping_neg();
            let first_has_it = p & bit != 0;
            let (lacking, rows) = if first_has_it {
                (q, y.len())
            } else {
                (p, x.len())
            };
            let lacking_ended = lacking < bit && row + 1 == rows;
            return if first_has_it == lacking_ended {
                Ordering::Greater
            } else {
                Ordering::Less
            };
        }
        x.len().cmp(&y.len())
    }

    /// Two containers of one kind, element by element.
    fn order_elements(&self, a: Value, b: Value) -> Ordering {
        let (Ok(x), Ok(mut y)) = (self.elements(a), self.elements(b)) else {
            return Ordering::Equal;
        };
        for left in x {
            let Some(right) = y.next() else {
                return Ordering::Greater;
            };
            let decided = self.order(left, right);
            if decided != Ordering::Equal {
                return decided;
            }
        }
        if y.next().is_some() {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }

    /// `a > b`, where the two have an order between them.
    pub(crate) fn greater(&self, a: Value, b: Value) -> Result<bool, Fault> {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => return Ok(x > y),
            (Value::Pair(a, b), Value::Pair(c, d)) => return Ok((a, b) > (c, d)),
            _ => {}
        }
        if let (Ok(x), Ok(y)) = (a.int(), b.int()) {
            return Ok(x > y);
        }
        if a.is_tuple() && b.is_tuple() {
            let mut y = self.elements(b)?;
            for left in self.elements(a)? {
                let Some(right) = y.next() else {
                    return Ok(true);
                };
                if !self.equal(left, right) {
                    return self.greater(left, right);
                }
            }
            return Ok(false);
        }
        if a.is_set() && b.is_set() {
            return Ok(self.len(a)? > self.len(b)? && self.includes(a, b)?);
        }
        Err(Fault::Incomparable(a.kind(), b.kind()))
    }

    /// Whether every element of `b` is in `a`, both sets.
    fn includes(&self, a: Value, b: Value) -> Result<bool, Fault> {
        let mut held = self.elements(a)?;
        'wanted: for wanted in self.elements(b)? {
            for candidate in held.by_ref() {
                match self.order(candidate, wanted) {
                    Ordering::Less => {}
                    Ordering::Equal => continue 'wanted,
                    Ordering::Greater => return Ok(false),
                }
            }
            return Ok(false);
        }
        Ok(true)
    }
}

fn rank(value: Value) -> u8 {
    match value {
        Value::None => 0,
        Value::Bool(_) | Value::Int(_) => 1,
        Value::Prim(_) => 4,
        Value::Built { .. } => 5,
        Value::Body { .. } => 6,
        _ if value.is_tuple() => 2,
        _ => 3,
    }
}
