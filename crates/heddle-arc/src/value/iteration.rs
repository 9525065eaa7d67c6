//! Iteration over a container of any form, in the order of the language.

use super::lanes::each_bit;
use super::{Mask, Space, Value};
use crate::fault::{Fault, ValueKind};

impl Space {
    /// Returns the number of elements of a container.
    pub(crate) fn len(&self, container: Value) -> Result<usize, Fault> {
        Ok(match container {
            Value::Pair(..) | Value::Cell { .. } => 2,
            Value::Row { len, .. } | Value::Tuple { len, .. } | Value::Set { len, .. } => {
                len as usize
            }
            Value::Grid { height, .. } => usize::from(height),
            Value::Layers { .. } => self
                .layers(container)
                .map(|(mask, _)| self.count(mask))
                .sum(),
            _ => match container.mask() {
                Some(mask) => self.count(mask),
                None => return Err(container.not(ValueKind::Container)),
            },
        })
    }

    /// Returns the element of a tuple at an index below its length.
    fn tuple_element(&self, tuple: Value, index: usize) -> Value {
        match tuple {
            Value::Pair(i, j) => Value::Int(i64::from(if index == 0 { i } else { j })),
            Value::Cell { colour, i, j } => {
                if index == 0 {
                    Value::Int(i64::from(colour))
                } else {
                    Value::Pair(i, j)
                }
            }
            Value::Row { at, .. } => Value::Int(i64::from(self.cells[at as usize + index])),
            Value::Grid { at, width, .. } => {
                let start = at as usize + index * usize::from(width);
                self.row_value(start, usize::from(width))
            }
            Value::Tuple { at, .. } | Value::Set { at, .. } => self.values[at as usize + index],
            other => other,
        }
    }

    /// Returns the tuple of `len` cells from `start` on, in its unique form.
    pub(crate) fn row_value(&self, start: usize, len: usize) -> Value {
        if len == 2 {
            let cell = |at: usize| i32::from(self.cells[at]);
            return Value::Pair(cell(start), cell(start + 1));
        }
        Value::Row {
            at: start as u32,
            len: len as u32,
        }
    }

    /// Returns the element at a zero-based index, if there is one.
    pub(crate) fn nth(&self, container: Value, index: usize) -> Result<Option<Value>, Fault> {
        if container.is_tuple() || matches!(container, Value::Set { .. }) {
            let inside = index < self.len(container)?;
            return Ok(inside.then(|| self.tuple_element(container, index)));
        }
        Ok(self.elements(container)?.nth(index))
    }

    /// Returns the last element, if there is one.
    pub(crate) fn last(&self, container: Value) -> Result<Option<Value>, Fault> {
        if let Value::Mask(mask) | Value::Object(mask, _) = container {
            let words = self.words(mask);
            let bit = words[words.len() - 1].ilog2() as i32;
            let (i, j) = (mask.bottom() as i32, i32::from(mask.j) + bit);
            return Ok(Some(match container {
                Value::Object(_, colour) => Value::Cell {
                    colour: i32::from(colour),
                    i,
                    j,
                },
                _ => Value::Pair(i, j),
            }));
        }
        if matches!(container, Value::Painted { .. }) {
            return Ok(self.elements(container)?.last());
        }
        if let Value::Layers { at, len } = container {
            return self.last(self.values[at as usize + usize::from(len) - 1]);
        }
        let length = self.len(container)?;
        Ok((length > 0).then(|| self.tuple_element(container, length - 1)))
    }

    /// Returns the elements in the order of the language.
    pub(crate) fn elements(&self, container: Value) -> Result<Elements<'_>, Fault> {
        let state = match container {
            Value::Mask(mask) => self.walk(mask, ElementColour::None),
            Value::Object(mask, colour) => self.walk(mask, ElementColour::One(colour)),
            Value::Painted { cells, .. } => {
                // Only the forms with a mask are left.
                let Some(mask) = container.mask() else {
                    return Err(container.not(ValueKind::Container));
                };
                let colours = self.box_colours(mask, cells as usize);
                let mut walk = self.walk(mask, ElementColour::Done);
                if let ElementCursor::Mask { paint, .. } = &mut walk {
                    *paint = match colours.iter().next() {
                        Some(first) => ElementColour::Many {
                            cells,
                            colour: first,
                            later: colours,
                        },
                        None => ElementColour::Done,
                    };
                }
                walk
            }
            Value::Layers { at, len } => {
                let paint = ElementColour::Layers {
                    next: at + 1,
                    end: at + u32::from(len),
                    colour: 0,
                };
                // The first element of layers is always an object.
                let Value::Object(mask, own) = self.values[at as usize] else {
                    return Err(container.not(ValueKind::Container));
                };
                let mut walk = self.walk(mask, paint);
                if let ElementCursor::Mask {
                    paint: ElementColour::Layers { colour, .. },
                    ..
                } = &mut walk
                {
                    *colour = own;
                }
                walk
            }
            _ => ElementCursor::List {
                next: 0,
                len: self.len(container)?,
            },
        };
        Ok(Elements {
            space: self,
            container,
            state,
        })
    }

    /// Returns the objects of layers, one for each colour.
    pub(crate) fn layers(&self, value: Value) -> impl Iterator<Item = (Mask, i8)> {
        let range = match value {
            Value::Layers { at, len } => at as usize..at as usize + usize::from(len),
            _ => 0..0,
        };
        self.values[range].iter().filter_map(|layer| match *layer {
            Value::Object(mask, colour) => Some((mask, colour)),
            _ => None,
        })
    }

    fn walk(&self, mask: Mask, paint: ElementColour) -> ElementCursor {
        ElementCursor::Mask {
            mask,
            row: 0,
            left: self.rows[mask.rows as usize],
            paint,
        }
    }

    /// Returns the colours of the cells under a mask.
    pub(crate) fn box_colours(&self, mask: Mask, cells: usize) -> Colours {
        let width = usize::from(mask.width);
        // Nearly all colours are between 0 and 63.
        let (mut few, mut bits) = (0_u64, 0_u8);
        for (row, word) in self.words(mask).iter().enumerate() {
            let own = &self.cells[cells + row * width..][..width];
            each_bit(*word, |bit| {
                let colour = own[bit].cast_unsigned();
                few |= 1 << (colour % 64);
                bits |= colour;
            });
        }
        if bits < 64 {
            return Colours([0, u128::from(few)]);
        }
        let mut found = Colours::default();
        for (row, word) in self.words(mask).iter().enumerate() {
            let own = &self.cells[cells + row * width..][..width];
            each_bit(*word, |bit| found.add(own[bit]));
        }
        found
    }

    /// Pushes all elements on the stack and returns the index of the first.
    pub(crate) fn push_elements(&mut self, container: Value) -> Result<usize, Fault> {
        let base = self.stack.len();
        self.push_elements_uncharged(container)?;
        // Existing elements are charged already; this charges the iteration.
        self.meter.work((self.stack.len() - base) as u64)?;
        Ok(base)
    }

    /// Pushes all elements on the stack and charges nothing.
    pub(crate) fn push_elements_uncharged(&mut self, container: Value) -> Result<(), Fault> {
        match container {
            Value::Tuple { at, len, .. } | Value::Set { at, len, .. } => {
                let range = at as usize..(at + len) as usize;
                self.stack.extend_from_slice(&self.values[range]);
            }
            Value::Mask(mask) => self.push_mask(mask, Value::Pair),
            Value::Object(mask, colour) => self.push_object(mask, colour),
            Value::Layers { at, len } => {
                for index in at as usize..at as usize + usize::from(len) {
                    if let Value::Object(mask, colour) = self.values[index] {
                        self.push_object(mask, colour);
                    }
                }
            }
            Value::Painted { cells, .. } => self.push_painted(container, cells as usize),
            Value::Grid { at, height, width } => {
                let (at, height, width) = (at as usize, usize::from(height), usize::from(width));
                if width == 2 {
                    let (pairs, _) = self.cells[at..at + 2 * height].as_chunks::<2>();
                    let pairs = pairs.iter();
                    self.stack
                        .extend(pairs.map(|[a, b]| Value::Pair(i32::from(*a), i32::from(*b))));
                } else {
                    self.stack.extend((0..height).map(|row| Value::Row {
                        at: (at + row * width) as u32,
                        len: width as u32,
                    }));
                }
            }
            Value::Row { at, len } => {
                let cells = &self.cells[at as usize..][..len as usize];
                let numbers = cells.iter().map(|cell| Value::Int(i64::from(*cell)));
                self.stack.extend(numbers);
            }
            _ => {
                let mut stack = std::mem::take(&mut self.stack);
                let walked = self.elements(container).map(|all| stack.extend(all));
                self.stack = stack;
                walked?;
            }
        }
        Ok(())
    }
}

impl Space {
    /// Pushes the cells of an object of one colour.
    fn push_object(&mut self, mask: Mask, colour: i8) {
        let colour = i32::from(colour);
        self.push_mask(mask, |i, j| Value::Cell { colour, i, j });
    }

    /// Pushes `element(i, j)` for each location of a mask.
    #[inline]
    fn push_mask(&mut self, mask: Mask, element: impl Fn(i32, i32) -> Value) {
        let Space { stack, rows, .. } = self;
        let words = &rows[mask.rows as usize..][..usize::from(mask.height)];
        for (i, word) in (i32::from(mask.i)..).zip(words) {
            each_bit(*word, |bit| {
                stack.push(element(i, i32::from(mask.j) + bit as i32));
            });
        }
    }

    /// Pushes the cells of a many-coloured object in ascending order with a counting sort by
    /// colour.
    fn push_painted(&mut self, object: Value, cells: usize) {
        let Some(mask) = object.mask() else {
            return;
        };
        let width = usize::from(mask.width);
        let area = usize::from(mask.height) * width;
        let own = &self.cells[cells..cells + area];
        let words = &self.rows[mask.rows as usize..][..usize::from(mask.height)];
        let place_of = |colour: i8| usize::from(colour.cast_unsigned() ^ 0x80);
        let mut next = [0_u32; 256];
        let (mut least, mut most) = (255, 0);
        for (word, own) in words.iter().zip(own.chunks_exact(width)) {
            each_bit(*word, |bit| {
                let index = place_of(own[bit]);
                next[index] += 1;
                (least, most) = (index.min(least), index.max(most));
            });
        }
        let mut index = self.stack.len() as u32;
        for slot in &mut next[least..=most] {
            let of_this = *slot;
            *slot = index;
            index += of_this;
        }
        self.stack.resize(index as usize, Value::None);
        let rows = words.iter().zip(own.chunks_exact(width));
        for (i, (word, own)) in (i32::from(mask.i)..).zip(rows) {
            each_bit(*word, |bit| {
                let next = &mut next[place_of(own[bit])];
                self.stack[*next as usize] = Value::Cell {
                    colour: i32::from(own[bit]),
                    i,
                    j: i32::from(mask.j) + bit as i32,
                };
                *next += 1;
            });
        }
    }
}

/// A set of 8-bit colours.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Colours([u128; 2]);

impl Colours {
    pub(crate) fn add(&mut self, colour: i8) {
        let index = (i16::from(colour) + 128) as usize;
        self.0[index / 128] |= 1 << (index % 128);
    }

    pub(crate) fn remove(&mut self, colour: i8) {
        let index = (i16::from(colour) + 128) as usize;
        self.0[index / 128] &= !(1 << (index % 128));
    }

    pub(crate) fn join(&mut self, other: Colours) {
        self.0[0] |= other.0[0];
        self.0[1] |= other.0[1];
    }

    pub(crate) fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// Returns the colours in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = i8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let half = usize::from(left[0] == 0);
            if left[half] == 0 {
                return None;
            }
            let bit = left[half].trailing_zeros() as i16;
            left[half] &= left[half] - 1;
            Some((half as i16 * 128 + bit - 128) as i8)
        })
    }
}

/// The colours of the cells during iteration over a mask.
#[derive(Clone, Copy)]
enum ElementColour {
    /// Locations without colours.
    None,
    One(i8),
    /// The cells of `colour` in this pass, then those of the `later` colours.
    Many {
        cells: u32,
        colour: i8,
        later: Colours,
    },
    /// The cells of `colour`, then the objects from `next` on.
    Layers {
        next: u32,
        end: u32,
        colour: i8,
    },
    Done,
}

enum ElementCursor {
    List {
        next: usize,
        len: usize,
    },
    Mask {
        mask: Mask,
        row: usize,
        left: u128,
        paint: ElementColour,
    },
}

/// An iterator over the elements of a container.
pub(crate) struct Elements<'a> {
    space: &'a Space,
    container: Value,
    state: ElementCursor,
}

impl Iterator for Elements<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match &mut self.state {
            ElementCursor::List { next, len } => {
                if next == len {
                    return None;
                }
                *next += 1;
                Some(self.space.tuple_element(self.container, *next - 1))
            }
            ElementCursor::Mask {
                mask,
                row,
                left,
                paint,
            } => loop {
                if *left == 0 {
                    *row += 1;
                    if *row == usize::from(mask.height) {
                        if let ElementColour::Layers { next, end, colour } = paint
                            && next < end
                            && let Value::Object(later, own) = self.space.values[*next as usize]
                        {
                            *next += 1;
                            *colour = own;
                            *mask = later;
                            *row = 0;
                            *left = self.space.rows[later.rows as usize];
                            continue;
                        }
                        // The next colour starts again at the top row.
                        let ElementColour::Many { colour, later, .. } = paint else {
                            *row -= 1;
                            return None;
                        };
                        later.remove(*colour);
                        if let Some(next) = later.iter().next() {
                            *colour = next;
                        } else {
                            *paint = ElementColour::Done;
                            *row -= 1;
                            return None;
                        }
                        *row = 0;
                    }
                    *left = self.space.rows[mask.rows as usize + *row];
                    continue;
                }
                let bit = left.trailing_zeros();
                *left &= *left - 1;
                let (i, j) = (
                    i32::from(mask.i) + *row as i32,
                    i32::from(mask.j) + bit as i32,
                );
                match paint {
                    ElementColour::Done => return None,
                    ElementColour::None => return Some(Value::Pair(i, j)),
                    ElementColour::One(colour) | ElementColour::Layers { colour, .. } => {
                        let colour = i32::from(*colour);
                        return Some(Value::Cell { colour, i, j });
                    }
                    ElementColour::Many { cells, colour, .. } => {
                        let index = *cells as usize + *row * usize::from(mask.width) + bit as usize;
                        if self.space.cells[index] == *colour {
                            let colour = i32::from(*colour);
                            return Some(Value::Cell { colour, i, j });
                        }
                    }
                }
            },
        }
    }
}
