//! Constructors that give tuples and sets their unique form.

use super::space::Bits;
use super::{Colours, Mask, Space, Value, Window, lanes};
use crate::fault::{BudgetLimit, Fault, ValueKind};
use crate::meter::MAX_VALUE_DEPTH;

/// Returns a depth one greater than the maximum depth of these values.
pub(crate) fn deeper(values: &[Value]) -> Result<u8, Fault> {
    // Long containers mostly have cells, locations or rows only, all of one depth.
    let one_kind = match values.first() {
        Some(first @ (Value::Cell { .. } | Value::Pair(..) | Value::Row { .. })) => {
            let kind = std::mem::discriminant(first);
            let mut kinds = values.iter().map(std::mem::discriminant);
            kinds.all(|other| other == kind).then(|| first.depth())
        }
        _ => None,
    };
    let depths = || values.iter().map(|value| value.depth()).max();
    let depth = one_kind.or_else(depths).unwrap_or(0);
    if depth >= MAX_VALUE_DEPTH {
        return Err(Fault::Budget(BudgetLimit::Depth));
    }
    Ok(depth + 1)
}

impl Space {
    /// Returns a pair of numbers in its unique form.
    pub(crate) fn pair(&mut self, i: i64, j: i64) -> Result<Value, Fault> {
        if let (Ok(i), Ok(j)) = (i32::try_from(i), i32::try_from(j)) {
            return Ok(Value::Pair(i, j));
        }
        let at = self.new_values(2)?;
        self.values.extend([Value::Int(i), Value::Int(j)]);
        Ok(Value::Tuple {
            at: at as u32,
            len: 2,
            depth: 1,
        })
    }

    /// Returns the tuple of two values.
    pub(crate) fn tuple_of_two(&mut self, a: Value, b: Value) -> Result<Value, Fault> {
        let base = self.stack.len();
        self.stack.extend([a, b]);
        self.tuple_from(base)
    }

    /// Pops everything on the stack from `base` on and returns it as a tuple.
    pub(crate) fn tuple_from(&mut self, base: usize) -> Result<Value, Fault> {
        let tuple = self.tuple_of(base);
        self.stack.truncate(base);
        tuple
    }

    fn tuple_of(&mut self, base: usize) -> Result<Value, Fault> {
        let items = &self.stack[base..];
        self.meter.work(items.len() as u64)?;
        match *items {
            [] => return Ok(Value::EMPTY_TUPLE),
            [a, b] => {
                if let (Ok(i), Ok(j)) = (a.int(), b.int()) {
                    return self.pair(i, j);
                }
                if let (Ok(colour), Value::Pair(i, j)) = (a.int(), b)
                    && let Ok(colour) = i32::try_from(colour)
                {
                    return Ok(Value::Cell { colour, i, j });
                }
            }
            _ => {}
        }
        if let Some(row) = self.row_of(base)? {
            return Ok(row);
        }
        if let Some(grid) = self.grid_of(base)? {
            return Ok(grid);
        }
        let depth = deeper(&self.stack[base..])?;
        let len = self.stack.len() - base;
        let at = self.new_values(len)?;
        self.values.extend_from_slice(&self.stack[base..]);
        Ok(Value::Tuple {
            at: at as u32,
            len: len as u32,
            depth,
        })
    }

    /// Returns the row of the elements, if all are small numbers. A tuple of two never gets here.
    fn row_of(&mut self, base: usize) -> Result<Option<Value>, Fault> {
        let len = self.stack.len() - base;
        if !self.stack[base..].iter().all(|item| item.small().is_some()) {
            return Ok(None);
        }
        let at = self.new_cells(len)?;
        for (index, item) in self.stack[base..].iter().enumerate() {
            self.cells[at + index] = item.small().unwrap_or_default();
        }
        Ok(Some(Value::Row {
            at: at as u32,
            len: len as u32,
        }))
    }

    /// Returns the grid of the elements, if all are equally long rows of small numbers.
    fn grid_of(&mut self, base: usize) -> Result<Option<Value>, Fault> {
        let items = &self.stack[base..];
        let small = |n: i32| i8::try_from(n).is_ok();
        let width = match items[0] {
            Value::Row { len, .. } => len as usize,
            Value::Pair(..) => 2,
            _ => return Ok(None),
        };
        let regular = items.iter().all(|item| match *item {
            Value::Row { len, .. } => len as usize == width,
            Value::Pair(i, j) => width == 2 && small(i) && small(j),
            _ => false,
        });
        if !regular {
            return Ok(None);
        }
        let Some(grid) = self.new_grid(items.len(), width)? else {
            return Ok(None);
        };
        let (old, new) = self.cells.split_at_mut(grid.at);
        for (item, row) in self.stack[base..].iter().zip(new.chunks_exact_mut(width)) {
            match *item {
                Value::Row { at, .. } => {
                    row.copy_from_slice(&old[at as usize..at as usize + width]);
                }
                Value::Pair(i, j) => {
                    row[0] = i as i8;
                    row[1] = j as i8;
                }
                _ => {}
            }
        }
        Ok(Some(grid.into()))
    }

    /// Pops everything on the stack from `base` on and returns it as a set.
    pub(crate) fn set_from(&mut self, base: usize) -> Result<Value, Fault> {
        let set = self.set_of(base);
        self.stack.truncate(base);
        set
    }

    fn set_of(&mut self, base: usize) -> Result<Value, Fault> {
        let count = self.stack.len() - base;
        if count == 0 {
            return Ok(Value::EMPTY_SET);
        }
        self.meter.work(count as u64)?;
        let compact = match self.stack[base] {
            Value::Pair(..) => self.mask_of(base)?,
            Value::Cell { .. } => self.cells_of(base)?,
            _ => None,
        };
        if let Some(set) = compact {
            return Ok(set);
        }
        if self.sort_locations(base) {
            return self.sorted_set(base);
        }
        let count = self.drop_repeated_empties(base);
        self.meter
            .work(count as u64 * u64::from(count.ilog2() + 1))?;
        self.sort_from(base);
        let mut stack = std::mem::take(&mut self.stack);
        let mut kept = base + 1;
        for next in base + 1..stack.len() {
            if !self.equal(stack[kept - 1], stack[next]) {
                stack[kept] = stack[next];
                kept += 1;
            }
        }
        stack.truncate(kept);
        self.stack = stack;
        self.sorted_set(base)
    }

    /// Sorts the values on the stack from `base` on in canonical order. Each object's first cell is
    /// computed once; comparing it nearly always decides.
    pub(crate) fn sort_from(&mut self, base: usize) {
        let mut stack = std::mem::take(&mut self.stack);
        let mut keyed = std::mem::take(&mut self.keyed);
        keyed.clear();
        keyed.extend(stack[base..].iter().map_while(|value| {
            let first = self.first_cell(*value)?;
            Some((first, *value))
        }));
        if keyed.len() == stack.len() - base {
            keyed.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| self.order(*x, *y)));
            for (slot, (_, value)) in stack[base..].iter_mut().zip(&keyed) {
                *slot = *value;
            }
        } else {
            stack[base..].sort_unstable_by(|a, b| self.order(*a, *b));
        }
        self.keyed = keyed;
        self.stack = stack;
    }

    /// Returns the first cell of an object in a compact form.
    fn first_cell(&self, object: Value) -> Option<(i8, i16, i32)> {
        let first_at = |mask: Mask, row: usize, bits: Bits| {
            (
                mask.i + row as i16,
                i32::from(mask.j) + bits.trailing_zeros() as i32,
            )
        };
        match object {
            Value::Object(mask, colour) => {
                let (i, j) = first_at(mask, 0, self.words(mask)[0]);
                Some((colour, i, j))
            }
            Value::Painted { cells, width, .. } => {
                let mask = object.mask()?;
                let colour = self.box_colours(mask, cells as usize).iter().next()?;
                let starts = (cells as usize..).step_by(usize::from(width));
                let mut rows = self.words(mask).iter().zip(starts).enumerate();
                rows.find_map(|(row, (word, start))| {
                    let plane = lanes::of_colour(*word, &self.cells, start, colour);
                    let (i, j) = first_at(mask, row, plane);
                    (plane != 0).then_some((colour, i, j))
                })
            }
            _ => None,
        }
    }

    /// Sorts and deduplicates locations or cells on the stack with a bitmap. Returns `false` and
    /// changes nothing if they are anything else, few, or scattered over a box much larger than
    /// their number.
    fn sort_locations(&mut self, base: usize) -> bool {
        let items = &self.stack[base..];
        if items.len() < 16 {
            return false;
        }
        let mut colours = Colours::default();
        let mut bounds: Option<(i32, i32, i32, i32)> = None;
        let cells = matches!(items[0], Value::Cell { .. });
        for item in items {
            let (i, j) = match *item {
                Value::Pair(i, j) if !cells => (i, j),
                Value::Cell { colour, i, j } if cells => {
                    let Ok(colour) = i8::try_from(colour) else {
                        return false;
                    };
                    colours.add(colour);
                    (i, j)
                }
                _ => return false,
            };
            let (top, left, bottom, right) = bounds.unwrap_or((i, j, i, j));
            bounds = Some((top.min(i), left.min(j), bottom.max(i), right.max(j)));
        }
        let Some((top, left, bottom, right)) = bounds else {
            return false;
        };
        let (height, width) = (
            u64::from(bottom.abs_diff(top)) + 1,
            u64::from(right.abs_diff(left)) + 1,
        );
        let planes = if cells { colours.len() as u64 } else { 1 };
        let words_across = width.div_ceil(64);
        let words = planes.saturating_mul(height).saturating_mul(words_across);
        if words > 4 * items.len() as u64 {
            return false;
        }
        let (height, across) = (height as usize, words_across as usize);
        let mut plane_of_colour = [0_u8; 256];
        for (plane, colour) in colours.iter().enumerate() {
            plane_of_colour[(i16::from(colour) + 128) as usize] = plane as u8;
        }
        self.bitmap.clear();
        self.bitmap.resize(words as usize, 0);
        for item in &self.stack[base..] {
            let (plane, i, j) = match *item {
                Value::Cell { colour, i, j } => (plane_of_colour[(colour + 128) as usize], i, j),
                Value::Pair(i, j) => (0, i, j),
                _ => continue,
            };
            let (row, column) = (i.abs_diff(top) as usize, j.abs_diff(left) as usize);
            let word = (usize::from(plane) * height + row) * across + column / 64;
            self.bitmap[word] |= 1 << (column % 64);
        }
        self.stack.truncate(base);
        let mut colours = colours.iter();
        for plane in self.bitmap.chunks_exact(height * across) {
            let colour = i32::from(colours.next().unwrap_or_default());
            for (i, row) in (top..).zip(plane.chunks_exact(across)) {
                for (block, word) in row.iter().enumerate() {
                    let mut bits = *word;
                    while bits != 0 {
                        let column = block * 64 + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        let j = left + column as i32;
                        self.stack.push(if cells {
                            Value::Cell { colour, i, j }
                        } else {
                            Value::Pair(i, j)
                        });
                    }
                }
            }
        }
        true
    }

    /// Drops all but one of the empty sets on the stack, which unions and products produce in large
    /// numbers. Returns the number of elements left.
    fn drop_repeated_empties(&mut self, base: usize) -> usize {
        let mut seen = false;
        let mut kept = base;
        for index in base..self.stack.len() {
            let element = self.stack[index];
            if matches!(element, Value::Set { len: 0, .. }) {
                if seen {
                    continue;
                }
                seen = true;
            }
            self.stack[kept] = element;
            kept += 1;
        }
        self.stack.truncate(kept);
        kept - base
    }

    /// Pops sorted, distinct elements and returns them as a general set. The caller ensures that no
    /// compact form can hold them.
    pub(crate) fn sorted_set(&mut self, base: usize) -> Result<Value, Fault> {
        let len = self.stack.len() - base;
        if len == 0 {
            return Ok(Value::EMPTY_SET);
        }
        let depth = deeper(&self.stack[base..])?;
        self.sorted_set_of(base, depth)
    }

    /// The same for at least one element and a known depth.
    pub(crate) fn sorted_set_of(&mut self, base: usize, depth: u8) -> Result<Value, Fault> {
        let len = self.stack.len() - base;
        let at = self.new_values(len)?;
        self.values.extend_from_slice(&self.stack[base..]);
        self.stack.truncate(base);
        Ok(Value::Set {
            at: at as u32,
            len: len as u32,
            depth,
        })
    }

    /// Returns the mask of the elements, if all are locations and fit one.
    fn mask_of(&mut self, base: usize) -> Result<Option<Value>, Fault> {
        let mut bounds: Option<(i32, i32, i32, i32)> = None;
        for item in &self.stack[base..] {
            let Value::Pair(i, j) = *item else {
                return Ok(None);
            };
            let (top, left, bottom, right) = bounds.unwrap_or((i, j, i, j));
            bounds = Some((top.min(i), left.min(j), bottom.max(i), right.max(j)));
        }
        let Some(window) = bounds.and_then(Window::bounded) else {
            return Ok(None);
        };
        let at = self.new_window(window)?;
        let narrow = window.width() <= 64;
        for item in &self.stack[base..] {
            if let Value::Pair(i, j) = *item {
                let row = (i64::from(i) - window.top) as usize;
                let by = i64::from(j) - window.left;
                self.rows[at + row] |= if narrow {
                    Bits::from(1_u64 << by)
                } else {
                    1 << by
                };
            }
        }
        Ok(Some(window.tight(at)))
    }

    /// Returns the object of the elements, if all are cells, fit a mask and no location has two
    /// colours.
    fn cells_of(&mut self, base: usize) -> Result<Option<Value>, Fault> {
        let mut bounds: Option<(i32, i32, i32, i32)> = None;
        for item in &self.stack[base..] {
            let Value::Cell { colour, i, j } = *item else {
                return Ok(None);
            };
            if i8::try_from(colour).is_err() {
                return Ok(None);
            }
            let (top, left, bottom, right) = bounds.unwrap_or((i, j, i, j));
            bounds = Some((top.min(i), left.min(j), bottom.max(i), right.max(j)));
        }
        let Some(window) = bounds.and_then(Window::bounded) else {
            return Ok(None);
        };
        let mark = self.mark();
        let at = self.new_window(window)?;
        let cells = self.new_cells(window.height() * window.width())?;
        for item in &self.stack[base..] {
            if let Value::Cell { colour, i, j } = *item {
                let row = (i64::from(i) - window.top) as usize;
                let column = (i64::from(j) - window.left) as usize;
                let cell = &mut self.cells[cells + row * window.width() + column];
                let bit = 1 << column;
                if self.rows[at + row] & bit != 0 && i32::from(*cell) != colour {
                    self.cut(mark);
                    return self.layers_of(base, window).map(Some);
                }
                self.rows[at + row] |= bit;
                *cell = colour as i8;
            }
        }
        Ok(Some(self.finish_cells(at, cells, window)))
    }

    /// Returns the layers of cells that share locations.
    fn layers_of(&mut self, base: usize, window: Window) -> Result<Value, Fault> {
        let mut layering = self.begin_layers(window, {
            let mut colours = Colours::default();
            for item in &self.stack[base..] {
                if let Value::Cell { colour, .. } = *item {
                    colours.add(colour as i8);
                }
            }
            colours
        });
        for item in &self.stack[base..] {
            if let Value::Cell { colour, i, j } = *item {
                let row = (i64::from(i) - window.top) as usize;
                let bit = 1 << (i64::from(j) - window.left);
                layering.add(colour as i8, row, bit);
            }
        }
        self.end_layers(layering)
    }

    /// Pops everything on the stack from `base` on and returns a container of the same kind as
    /// `model`.
    pub(crate) fn like_from(&mut self, model: Value, base: usize) -> Result<Value, Fault> {
        if model.is_tuple() {
            self.tuple_from(base)
        } else if model.is_set() {
            self.set_from(base)
        } else {
            self.stack.truncate(base);
            Err(model.not(ValueKind::Container))
        }
    }

    /// Returns a callable built of `parts`.
    pub(crate) fn built(
        &mut self,
        prim: crate::prim::Prim,
        parts: &[Value],
    ) -> Result<Value, Fault> {
        let depth = deeper(parts)?;
        let at = self.new_values(parts.len())?;
        self.values.extend_from_slice(parts);
        Ok(Value::Built {
            prim,
            at: at as u32,
            depth,
        })
    }

    /// Pops the captured values on the stack from `base` on and returns the function of a body that
    /// captures them.
    pub(crate) fn closure_from(
        &mut self,
        id: u32,
        fingerprint: i64,
        base: usize,
    ) -> Result<Value, Fault> {
        let depth = deeper(&self.stack[base..]);
        let captures = self.stack.len() - base;
        let at = self.new_values(captures + 1)?;
        self.values.push(Value::Int(fingerprint));
        self.values.extend_from_slice(&self.stack[base..]);
        self.stack.truncate(base);
        Ok(Value::Body {
            id,
            at: at as u32,
            captures: captures as u16,
            depth: depth?,
        })
    }
}
