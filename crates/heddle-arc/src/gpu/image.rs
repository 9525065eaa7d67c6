//! Values and examples in the kernel's memory layout.
//!
//! A value is sixteen bytes, with the fields of `value.cuh`. The parts of an example's
//! inputs are three arenas whose handles count from their own start; a warp copies them to
//! the start of its memory.

use crate::engine::{Example, Grid};
use crate::fault::{BudgetLimit, Fault};
use crate::meter::Budget;
use crate::prim::Prim;
use crate::value::{Mask, Space, Value};

/// Words of an example's record.
const RECORD_WORDS: usize = 32;
/// Bytes of an example's record.
const RECORD_BYTES: usize = 4 * RECORD_WORDS;
/// The word of a record at which its inputs begin.
const INPUTS_AT: usize = 16;
/// Inputs an example has room for.
pub(super) const INPUTS: usize = 4;
/// What offsets of arenas are multiples of.
const ALIGNMENT: usize = 16;

/// Words of a record that are offsets into the data.
const OFFSETS: [usize; 4] = [0, 3, 5, 7];

mod tag {
    pub(super) const NONE: u32 = 0;
    pub(super) const BOOL: u32 = 1;
    pub(super) const INT: u32 = 2;
    pub(super) const PAIR: u32 = 3;
    pub(super) const CELL: u32 = 4;
    pub(super) const ROW: u32 = 5;
    pub(super) const GRID: u32 = 6;
    pub(super) const TUPLE: u32 = 7;
    pub(super) const SET: u32 = 8;
    pub(super) const MASK: u32 = 9;
    pub(super) const OBJECT: u32 = 10;
    pub(super) const PAINTED: u32 = 11;
    pub(super) const LAYERS: u32 = 12;
    pub(super) const PRIM: u32 = 13;
    pub(super) const BUILT: u32 = 14;
    pub(super) const BODY: u32 = 15;
}

fn last_word(tag: u32, depth: u8, small: u16) -> u32 {
    tag << 24 | u32::from(depth) << 16 | u32::from(small)
}

fn origin(i: i16, j: i16) -> u32 {
    u32::from(i as u16) | u32::from(j as u16) << 16
}

fn extent(height: u8, width: u8) -> u16 {
    u16::from(height) | u16::from(width) << 8
}

/// A value in four words.
pub(crate) fn words_of(value: Value) -> [u32; 4] {
    let plain = |tag: u32, x: u32, y: u32, z: u32| [x, y, z, last_word(tag, 0, 0)];
    let masked = |tag: u32, mask: Mask, z: u32| {
        let last = last_word(tag, 0, extent(mask.height, mask.width));
        [mask.rows, origin(mask.i, mask.j), z, last]
    };
    match value {
        // Special numbers are of readings that no kernel has.
        Value::None | Value::Special(_) => plain(tag::NONE, 0, 0, 0),
        Value::Bool(truth) => plain(tag::BOOL, u32::from(truth), 0, 0),
        Value::Int(number) => plain(tag::INT, number as u32, (number >> 32) as u32, 0),
        Value::Pair(i, j) => plain(tag::PAIR, i as u32, j as u32, 0),
        Value::Cell { colour, i, j } => plain(tag::CELL, i as u32, j as u32, colour as u32),
        Value::Row { at, len } => plain(tag::ROW, at, len, 0),
        Value::Grid { at, height, width } => {
            plain(tag::GRID, at, u32::from(height), u32::from(width))
        }
        Value::Tuple { at, len, depth } => [at, len, 0, last_word(tag::TUPLE, depth, 0)],
        Value::Set { at, len, depth } => [at, len, 0, last_word(tag::SET, depth, 0)],
        Value::Mask(mask) => masked(tag::MASK, mask, 0),
        Value::Object(mask, colour) => masked(tag::OBJECT, mask, i32::from(colour) as u32),
        Value::Painted {
            rows,
            cells,
            i,
            j,
            height,
            width,
        } => {
            let mask = Mask {
                rows,
                i,
                j,
                height,
                width,
            };
            masked(tag::PAINTED, mask, cells)
        }
        Value::Layers { at, len } => plain(tag::LAYERS, at, u32::from(len), 0),
        Value::Prim(prim) => plain(tag::PRIM, prim as u32, 0, 0),
        Value::Built { prim, at, depth } => [at, 0, prim as u32, last_word(tag::BUILT, depth, 0)],
        Value::Body {
            id,
            at,
            captures,
            depth,
        } => [at, id, 0, last_word(tag::BODY, depth, captures)],
    }
}

/// The value four words are; nothing where they are none.
pub(crate) fn value_of([x, y, z, last]: [u32; 4]) -> Option<Value> {
    let small = last as u16;
    let depth = (last >> 16) as u8;
    let prim = |number: u32| Prim::ALL.get(number as usize).copied();
    let mask = Mask {
        rows: x,
        i: y as i16,
        j: (y >> 16) as i16,
        height: small as u8,
        width: (small >> 8) as u8,
    };
    let masked = |value: Value| (mask.height > 0 && mask.width > 0).then_some(value);
    let side = |side: u32| u16::try_from(side).ok().filter(|side| *side > 0);
    match last >> 24 {
        tag::NONE => Some(Value::None),
        tag::BOOL if x <= 1 => Some(Value::Bool(x == 1)),
        tag::INT => Some(Value::Int((u64::from(y) << 32 | u64::from(x)) as i64)),
        tag::PAIR => Some(Value::Pair(x as i32, y as i32)),
        tag::CELL => Some(Value::Cell {
            colour: z as i32,
            i: x as i32,
            j: y as i32,
        }),
        tag::ROW => Some(Value::Row { at: x, len: y }),
        tag::GRID => Some(Value::Grid {
            at: x,
            height: side(y)?,
            width: side(z)?,
        }),
        tag::TUPLE => Some(Value::Tuple {
            at: x,
            len: y,
            depth,
        }),
        tag::SET => Some(Value::Set {
            at: x,
            len: y,
            depth,
        }),
        tag::MASK => masked(Value::Mask(mask)),
        tag::OBJECT => {
            let colour = i8::try_from(z as i32).ok()?;
            masked(Value::Object(mask, colour))
        }
        tag::PAINTED => masked(Value::Painted {
            rows: x,
            cells: z,
            i: mask.i,
            j: mask.j,
            height: mask.height,
            width: mask.width,
        }),
        tag::LAYERS => Some(Value::Layers {
            at: x,
            len: u16::try_from(y).ok()?,
        }),
        tag::PRIM => prim(x).map(Value::Prim),
        tag::BUILT => prim(z).map(|prim| Value::Built { prim, at: x, depth }),
        tag::BODY => Some(Value::Body {
            id: y,
            at: x,
            captures: small,
            depth,
        }),
        _ => None,
    }
}

/// The images of examples: a record for each, then the parts of all.
#[derive(Debug)]
pub struct Examples {
    records: Vec<[u32; RECORD_WORDS]>,
    parts: Vec<u8>,
    space: Space,
}

impl Examples {
    /// An empty set of images. Examples that exceed the budget of their evaluations are
    /// refused.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Examples {
            records: Vec::new(),
            parts: Vec::new(),
            space: Space::new(budget),
        }
    }

    /// The number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no examples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds an example with its wanted grid and returns its number.
    pub fn push(&mut self, example: &Example<'_>, wanted: Option<&Grid>) -> Result<u32, Fault> {
        let mut space = std::mem::replace(&mut self.space, Space::new(Budget::default()));
        space.clear();
        let inputs = take_in(&mut space, example);
        let number = inputs.and_then(|inputs| {
            self.push_values(&space, inputs, example.input.cells().len(), wanted)
        });
        self.space = space;
        number
    }

    /// Adds values and their parts as an example; its number. The first
    /// `own_cells` cells are those of the first value, if it is a grid.
    pub(super) fn push_values(
        &mut self,
        space: &Space,
        inputs: [Value; INPUTS],
        own_cells: usize,
        wanted: Option<&Grid>,
    ) -> Result<u32, Fault> {
        let mut record = [0_u32; RECORD_WORDS];
        record[0] = self.part()?;
        record[1] = space.cells.len() as u32;
        record[2] = own_cells as u32;
        self.parts
            .extend(space.cells.iter().map(|cell| *cell as u8));
        record[3] = self.part()?;
        record[4] = space.rows.len() as u32;
        for row in &space.rows {
            self.parts.extend_from_slice(&row.to_le_bytes());
        }
        record[5] = self.part()?;
        record[6] = space.values.len() as u32;
        for value in &space.values {
            for word in words_of(*value) {
                self.parts.extend_from_slice(&word.to_le_bytes());
            }
        }
        record[7] = self.part()?;
        if let Some(wanted) = wanted {
            record[8] = wanted.height() as u32;
            record[9] = wanted.width() as u32;
            self.parts
                .extend(wanted.cells().iter().map(|cell| *cell as u8));
        }
        // The end of the last part has to be within reach too.
        self.part()?;
        for (place, input) in inputs.into_iter().enumerate() {
            let at = INPUTS_AT + 4 * place;
            record[at..at + 4].copy_from_slice(&words_of(input));
        }
        self.records.push(record);
        Ok(self.records.len() as u32 - 1)
    }

    /// Where the next part begins.
    fn part(&mut self) -> Result<u32, Fault> {
        let at = self.parts.len().next_multiple_of(ALIGNMENT);
        self.parts.resize(at, 0);
        // Records lie before the parts.
        let records = (self.records.len() + 1) * RECORD_BYTES;
        match u32::try_from(at + records) {
            Ok(_) => Ok(at as u32),
            Err(_) => Err(Fault::Budget(BudgetLimit::Bytes)),
        }
    }

    /// The bytes the kernel reads.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let base = self.records.len() * RECORD_BYTES;
        let mut bytes = Vec::with_capacity(base + self.parts.len());
        for record in &self.records {
            let mut record = *record;
            for place in OFFSETS {
                record[place] += base as u32;
            }
            for word in record {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&self.parts);
        bytes
    }
}

/// The inputs of an example, the grid first: its cells are those a program that
/// looks at nothing else needs.
fn take_in(space: &mut Space, example: &Example<'_>) -> Result<[Value; INPUTS], Fault> {
    let input = space.import_grid(example.input)?;
    let pairs = space.import_pairs(example.pairs)?;
    let candidate = match example.candidate {
        Some(candidate) => space.import_grid(candidate)?,
        None => Value::EMPTY_TUPLE,
    };
    Ok([input, pairs, candidate, Value::None])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use std::path::Path;

    #[test]
    fn every_value_of_the_vectors_comes_back() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden");
        let mut space = Space::new(Budget::default());
        for vector in golden::read(&folder).unwrap() {
            space.clear();
            for plain in vector.args.iter().chain(&vector.expected) {
                let value = space.import(plain).unwrap();
                let repeated = value_of(words_of(value)).unwrap();
                assert_eq!(words_of(repeated), words_of(value));
                assert_eq!(&space.export(repeated).unwrap(), plain);
            }
        }
    }

    #[test]
    fn words_that_are_no_value_are_refused() {
        assert!(value_of([0, 0, 0, 16 << 24]).is_none());
        assert!(value_of([167, 0, 0, tag::PRIM << 24]).is_none());
        assert!(value_of([2, 0, 0, tag::BOOL << 24]).is_none());
        assert!(value_of([0, 0, 1, tag::GRID << 24]).is_none());
        assert!(value_of([0, 0, 0, tag::MASK << 24]).is_none());
        assert!(value_of([0, 0, 200, tag::OBJECT << 24 | 0x0101]).is_none());
    }

    #[test]
    fn a_record_says_where_things_are() {
        let input = Grid::new(&[[1, 2, 3], [4, 5, 6]]).unwrap();
        let output = Grid::new(&[[7]]).unwrap();
        let pairs = [(input.clone(), output.clone())];
        let example = Example {
            input: &input,
            pairs: &pairs,
            candidate: None,
        };
        let mut examples = Examples::new(Budget::default());
        assert_eq!(examples.push(&Example::new(&output), None), Ok(0));
        assert_eq!(examples.push(&example, Some(&output)), Ok(1));
        let bytes = examples.to_bytes();
        let word = |at: usize| {
            let bytes: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
            u32::from_le_bytes(bytes) as usize
        };
        let at = RECORD_BYTES;
        let cells = word(at);
        assert_eq!((word(at + 4), word(at + 8)), (13, 6));
        assert_eq!(bytes[cells..cells + 6], [1, 2, 3, 4, 5, 6]);
        assert_eq!(bytes[word(at + 28)], 7);
        assert_eq!((word(at + 32), word(at + 36)), (1, 1));
        // A couple of grids, and the tuple of that couple.
        assert_eq!(word(at + 24), 3);
        assert_eq!(word(at + 20) % 16, 0);
        assert_eq!(bytes[at + 64 + 15], tag::GRID as u8);
        assert_eq!(bytes[at + 80 + 15], tag::TUPLE as u8);
        assert_eq!(word(at + 80 + 4), 1);
    }
}
