//! Equality, canonical order and comparison (sections 1 and 2).

use super::lanes::{self, each_bit};
use super::space::Bits;
use super::{MASK_COLUMNS, Mask, Space, Value};
use crate::fault::Fault;
use crate::plain::Special;
use std::cmp::Ordering;

impl Space {
    /// Whether two values are equal. Forms are unique, so values of different forms are not.
    pub(crate) fn equal(&self, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::None, Value::None) => true,
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Bool(x), Value::Int(y)) | (Value::Int(y), Value::Bool(x)) => i64::from(x) == y,
            (Value::Bool(x), Value::Bool(y)) => x == y,
            (Value::Special(x), Value::Special(y)) => x == y,
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

    /// Returns the canonical order, which is equal exactly when [`Space::equal`] is true.
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
            (Value::Painted { cells, .. }, Value::Painted { cells: other, .. }) => {
                match (a.mask(), b.mask()) {
                    (Some(x), Some(y)) if near(x, y) => self.order_painted((x, cells), (y, other)),
                    _ => self.order_elements(a, b),
                }
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
                if let (Value::Special(x), Value::Special(y)) = (a, b) {
                    return x.cmp(&y);
                }
                // Of equal rank and not numbers: both are `None`, or both are containers of one
                // kind, and the first unequal elements decide.
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

    /// Compares masks as ascending lists of locations. The mask with the first location that the
    /// other lacks is smaller, unless the other has no later location.
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
        if !near(a, b) {
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

    /// Compares many-coloured objects that are [`near`] each other, each a mask and the index of
    /// its first colour, as ascending lists of cells. The object with the first cell that the other
    /// lacks is smaller, unless the other has no later cell.
    fn order_painted(&self, a: (Mask, u32), b: (Mask, u32)) -> Ordering {
        let ((x, cells), (y, other)) = (a, b);
        let area = usize::from(x.height) * usize::from(x.width);
        if self.same_mask(x, y) && self.same_cells(cells, other, area) {
            return Ordering::Equal;
        }
        let left = x.left().min(y.left());
        let mut colours = self.box_colours(x, cells as usize);
        colours.join(self.box_colours(y, other as usize));
        for colour in colours.iter() {
            for i in x.top().min(y.top())..=x.bottom().max(y.bottom()) {
                let (p, q) = (
                    self.plane_at(a, colour, i) << (x.left() - left),
                    self.plane_at(b, colour, i) << (y.left() - left),
                );
                let differ = p ^ q;
                if differ == 0 {
                    continue;
                }
                let bit = differ.trailing_zeros();
                let first = (colour, i, left + i64::from(bit));
                let (holder, lacking) = match p >> bit & 1 {
                    0 => (Ordering::Greater, a),
                    _ => (Ordering::Less, b),
                };
                return if self.has_later_cell(lacking, first) {
                    holder
                } else {
                    holder.reverse()
                };
            }
        }
        Ordering::Equal
    }

    /// Returns the columns of an object's row that have a colour, with bit 0 at its left column.
    fn plane_at(&self, (mask, cells): (Mask, u32), colour: i8, i: i64) -> Bits {
        let word = self.word_at(mask, i, mask.left());
        if word == 0 {
            return 0;
        }
        let row = (i - mask.top()) as usize * usize::from(mask.width);
        lanes::of_colour(word, &self.cells, cells as usize + row, colour)
    }

    /// Whether an object has a cell after this one.
    fn has_later_cell(&self, (mask, cells): (Mask, u32), cell: (i8, i64, i64)) -> bool {
        let mut rows = self.words(mask).iter().zip(mask.top()..).enumerate();
        rows.any(|(row, (word, i))| {
            let start = cells as usize + row * usize::from(mask.width);
            let mut beyond = false;
            each_bit(*word, |bit| {
                let found = (self.cells[start + bit], i, mask.left() + bit as i64);
                beyond |= found > cell;
            });
            beyond
        })
    }

    /// Compares two containers of one kind element by element.
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

    /// Returns `a > b`, where the two have a defined order.
    pub(crate) fn greater(&self, a: Value, b: Value) -> Result<bool, Fault> {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => return Ok(x > y),
            (Value::Pair(a, b), Value::Pair(c, d)) => return Ok((a, b) > (c, d)),
            _ => {}
        }
        if let (Ok(x), Ok(y)) = (a.int(), b.int()) {
            return Ok(x > y);
        }
        if let (Value::Row { at, len }, Value::Row { at: bt, len: m }) = (a, b) {
            let cells = |at: u32, len: u32| &self.cells[at as usize..(at + len) as usize];
            return Ok(cells(at, len) > cells(bt, m));
        }
        if let (Some(x), Some(y)) = (sign(a), sign(b)) {
            return Ok(x > y);
        }
        if let (
            Value::Cell { colour, i, j },
            Value::Cell {
                colour: other,
                i: k,
                j: l,
            },
        ) = (a, b)
            && self.reading.sees_triples()
        {
            return Ok((i, j, colour) > (k, l, other));
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

    /// Whether a mask contains all locations of another.
    fn mask_includes(&self, a: Mask, b: Mask) -> bool {
        let is_inside = b.top() >= a.top()
            && b.bottom() <= a.bottom()
            && b.left() >= a.left()
            && b.right() <= a.right();
        is_inside && {
            let own = self.words(a)[(b.top() - a.top()) as usize..].iter();
            let by = b.left() - a.left();
            let mut rows = self.words(b).iter().zip(own);
            rows.all(|(row, own)| row << by & !own == 0)
        }
    }

    /// Whether every element of `b` is in `a`, both sets.
    fn includes(&self, a: Value, b: Value) -> Result<bool, Fault> {
        if let (Some(x), Some(y)) = (a.mask(), b.mask()) {
            let are_locations = (matches!(a, Value::Mask(_)), matches!(b, Value::Mask(_)));
            if are_locations.0 != are_locations.1 || !self.mask_includes(x, y) {
                return Ok(false);
            }
            match (a, b) {
                (Value::Mask(_), _) => return Ok(true),
                (Value::Object(_, own), Value::Object(_, other)) => return Ok(own == other),
                _ => {}
            }
        }
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

/// Whether the columns of both masks fit one word.
fn near(a: Mask, b: Mask) -> bool {
    a.right().max(b.right()) - a.left().min(b.left()) < MASK_COLUMNS
}

/// Returns a number that compares with infinite numbers as `value` does.
fn sign(value: Value) -> Option<f64> {
    match value {
        Value::Bool(_) | Value::Int(_) => Some(0.0),
        Value::Special(Special::NegInf) => Some(f64::NEG_INFINITY),
        Value::Special(Special::Inf) => Some(f64::INFINITY),
        Value::Special(Special::Nan) => Some(f64::NAN),
        _ => None,
    }
}

fn rank(value: Value) -> u8 {
    match value {
        Value::None => 0,
        Value::Bool(_) | Value::Int(_) => 1,
        Value::Special(_) => 2,
        Value::Prim(_) => 5,
        Value::Built { .. } => 6,
        Value::Body { .. } => 7,
        _ if value.is_tuple() => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Budget;
    use crate::rng::Rng;

    /// Cells of up to three colours in a small box, sparse or dense.
    fn object(rng: &mut Rng, space: &mut Space) -> Value {
        let base = space.stack.len();
        let (height, width) = (rng.between(1, 5), rng.between(1, 5));
        let (top, left) = (rng.below(3) as i32 - 1, rng.below(3) as i32 - 1);
        let dense = rng.between(1, 3);
        for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
            if rng.one_in(dense) {
                space.stack.push(Value::Cell {
                    colour: rng.below(3) as i32 - 1,
                    i: top + i as i32,
                    j: left + j as i32,
                });
            }
        }
        space.set_from(base).unwrap()
    }

    /// The same object with a cell added, removed or recoloured.
    fn changed(rng: &mut Rng, space: &mut Space, object: Value) -> Value {
        let base = space.stack.len();
        space.push_elements(object).unwrap();
        let index = base + rng.below(space.stack.len() - base);
        match (rng.below(3), space.stack[index]) {
            (0, Value::Cell { i, j, .. }) => {
                let colour = rng.below(4) as i32;
                space.stack[index] = Value::Cell { colour, i, j };
            }
            (1, _) => {
                space.stack.remove(index);
            }
            _ => {
                let (i, j) = (rng.below(7) as i32 - 2, rng.below(7) as i32 - 2);
                space.stack.push(Value::Cell { colour: 1, i, j });
            }
        }
        space.set_from(base).unwrap()
    }

    #[test]
    fn an_object_is_greater_than_its_parts() {
        let mut counts = [0; 2];
        for seed in 0..4_000 {
            let mut rng = Rng::new(seed);
            let mut space = Space::new(Budget::default());
            let a = object(&mut rng, &mut space);
            let base = space.stack.len();
            space.push_elements(a).unwrap();
            let keep = rng.between(1, 4);
            let kept: Vec<Value> = space.stack.drain(base..).collect();
            // Sometimes cells of one colour, or locations alone.
            let plain = rng.below(3);
            let b = kept.into_iter().filter(|_| !rng.one_in(keep));
            let b: Vec<Value> = b.collect();
            space.stack.extend(b.into_iter().map(|cell| match cell {
                Value::Cell { i, j, .. } if plain == 0 => Value::Pair(i, j),
                cell => cell,
            }));
            let b = space.set_from(base).unwrap();
            let b = match rng.below(3) {
                0 if !b.is_empty_container() => changed(&mut rng, &mut space, b),
                _ => b,
            };
            for (a, b) in [(a, b), (b, a), (a, a)] {
                let args = [a, b].map(|value| space.export(value).unwrap());
                let mut meter = crate::meter::Meter::new(Budget::default());
                let wanted = crate::plain::call(crate::prim::Prim::Greater, &args, &mut meter);
                let own = space.greater(a, b).map(crate::plain::Plain::Bool);
                assert_eq!(own, wanted, "{args:?}");
                counts[usize::from(own.is_ok_and(|own| own.truth()))] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
    }

    #[test]
    fn many_coloured_objects_are_ordered_as_their_cells_are() {
        let (mut compared, mut ended) = (0, 0);
        let mut orders = [0; 3];
        for seed in 0..6_000 {
            let mut rng = Rng::new(seed);
            let mut space = Space::new(Budget::default());
            let a = object(&mut rng, &mut space);
            let b = match rng.below(4) {
                0 => object(&mut rng, &mut space),
                1 => {
                    let mut copied = a;
                    for _ in 0..rng.below(3) {
                        if space.len(copied).unwrap() > 0 {
                            copied = changed(&mut rng, &mut space, copied);
                        }
                    }
                    copied
                }
                _ if space.len(a).unwrap() > 0 => changed(&mut rng, &mut space, a),
                _ => a,
            };
            let painted = |value: Value| matches!(value, Value::Painted { .. });
            if !painted(a) || !painted(b) {
                continue;
            }
            let wanted = space.order_elements(a, b);
            assert_eq!(space.order(a, b), wanted, "seed {seed}");
            assert_eq!(space.order(b, a), wanted.reverse(), "seed {seed}");
            compared += 1;
            orders[(wanted as i8 + 1) as usize] += 1;
            let ends = |a: Value, b: Value| space.includes(a, b).unwrap() && !space.equal(a, b);
            ended += usize::from(ends(a, b) || ends(b, a));
        }
        assert!(compared > 2_000 && ended > 500, "{compared}, {ended}");
        assert!(orders.iter().all(|count| *count > 100), "{orders:?}");
    }
}
