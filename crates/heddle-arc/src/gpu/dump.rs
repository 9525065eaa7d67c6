//! Values that a kernel wrote, read into a [`Space`].
//!
//! A dump is the memory of a warp at the end of an evaluation. It is not trusted: no handle
//! in it makes the reader panic or loop for ever.

use super::image::{value_of, words_of};
use crate::engine::{Evaluation, EvaluationRef};
use crate::meter::Budget;
use crate::plain::Plain;
use crate::value::{Space, Value};
use thiserror::Error;

/// Bytes before the arenas.
const HEAD: usize = 32;

/// An error in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DumpError {
    /// It is shorter than its lengths require.
    #[error("the dump is shorter than what it says it holds")]
    Short,
    /// A value is invalid, or its handle points outside the dump.
    #[error("the dump holds {0:08x?}, which is no value")]
    Value([u32; 4]),
    /// A value is not in its one form.
    #[error("the dump holds {found}, which is not in its one form: {words:08x?}")]
    Form {
        /// The form it has.
        found: &'static str,
        /// The words of the value.
        words: [u32; 4],
    },
}

fn four_words(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// Reads a dump into a space, which is cleared, and returns the value.
pub fn read_dump(dump: &[u8], space: &mut Space) -> Result<Value, DumpError> {
    space.clear();
    let (head, rest) = dump.split_at_checked(HEAD).ok_or(DumpError::Short)?;
    let [cells, rows, values, _] = four_words(&head[16..]).map(|count| count as usize);
    let take = |rest: &mut &[u8], bytes: usize| -> Result<Vec<u8>, DumpError> {
        let (part, left) = rest.split_at_checked(bytes).ok_or(DumpError::Short)?;
        *rest = left;
        Ok(part.to_vec())
    };
    let mut rest = rest;
    let rows = take(&mut rest, 16 * rows)?;
    let values = take(&mut rest, 16 * values)?;
    let cells = take(&mut rest, cells)?;
    let rows = rows.as_chunks().0.iter();
    space.rows.extend(rows.map(|row| u128::from_le_bytes(*row)));
    space.cells.extend(cells.iter().map(|cell| *cell as i8));
    for (place, bytes) in values.as_chunks::<16>().0.iter().enumerate() {
        // What nothing refers to may be anything.
        let value = value_of(four_words(bytes)).filter(|value| is_within(space, *value, place));
        space.values.push(value.unwrap_or(Value::None));
    }
    let words = four_words(head);
    let value = value_of(words).ok_or(DumpError::Value(words))?;
    if !is_within(space, value, space.values.len()) {
        return Err(DumpError::Value(words));
    }
    Ok(value)
}

/// Whether the parts of a value are there, those that are values before place
/// `end`: parts are made before what they are part of, so nothing is part of
/// itself.
fn is_within(space: &Space, value: Value, end: usize) -> bool {
    let within = |at: u32, len: usize, of: usize| at as usize + len <= of;
    let rows = |height: u8, at: u32| within(at, usize::from(height), space.rows.len());
    match value {
        Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Special(_)
        | Value::Pair(..)
        | Value::Cell { .. }
        | Value::Prim(_) => true,
        Value::Row { at, len } => within(at, len as usize, space.cells.len()),
        Value::Grid { at, height, width } => {
            let area = usize::from(height) * usize::from(width);
            within(at, area, space.cells.len())
        }
        Value::Tuple { at, len, .. } | Value::Set { at, len, .. } => {
            len == 0 || within(at, len as usize, end)
        }
        Value::Layers { at, len } => {
            let objects = at as usize..at as usize + usize::from(len);
            within(at, usize::from(len), end)
                && space.values[objects]
                    .iter()
                    .all(|value| matches!(value, Value::Object(..)))
        }
        Value::Mask(mask) | Value::Object(mask, _) => rows(mask.height, mask.rows),
        Value::Painted {
            rows: at,
            cells,
            height,
            width,
            ..
        } => {
            let area = usize::from(height) * usize::from(width);
            rows(height, at) && within(cells, area, space.cells.len())
        }
        Value::Built { prim, at, .. } => within(at, prim.arity(), end),
        Value::Body { at, captures, .. } => within(at, usize::from(captures) + 1, end),
    }
}

/// For what was made under a budget already.
pub(super) fn unbound() -> Budget {
    Budget {
        steps: u64::MAX,
        bytes: u64::MAX,
        time: None,
    }
}

/// What a dump holds, on its own, and in the one form it has.
pub(super) fn defined(dump: &[u8]) -> Result<Evaluation, DumpError> {
    let mut space = Space::new(unbound());
    let value = read_dump(dump, &mut space)?;
    let evaluation = EvaluationRef::Defined {
        value,
        space: &space,
        steps: 0,
    };
    let evaluation = evaluation.to_evaluation();
    if let Evaluation::Defined(plain) = &evaluation {
        check_form(&space, value, plain)?;
    }
    Ok(evaluation)
}

/// Whether a value that reads as `plain` is in the one form it has: the form the
/// processor's engine gives it.
pub(super) fn check_form(space: &Space, value: Value, plain: &Plain) -> Result<(), DumpError> {
    let mut own = Space::new(unbound());
    match own.import(plain) {
        Ok(right) => same_form(space, value, &own, right),
        // Deeper than values nest: the comparison of answers has to find that.
        Err(_) => Ok(()),
    }
}

fn same_form(space: &Space, value: Value, own: &Space, right: Value) -> Result<(), DumpError> {
    let mut words = words_of(value);
    let mut others = words_of(right);
    let differs = DumpError::Form {
        found: form(value),
        words,
    };
    // Places may differ.
    let has_place = !matches!(
        value,
        Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Special(_)
            | Value::Pair(..)
            | Value::Cell { .. }
            | Value::Prim(_)
    );
    if has_place {
        (words[0], others[0]) = (0, 0);
    }
    if matches!(value, Value::Painted { .. }) {
        (words[2], others[2]) = (0, 0);
    }
    if words != others {
        return Err(differs);
    }
    if let (Some(mask), Some(other)) = (value.mask(), right.mask())
        && space.words(mask) != own.words(other)
    {
        return Err(differs);
    }
    let colours = |space: &Space, value: Value| match value {
        Value::Painted {
            cells,
            height,
            width,
            ..
        } => {
            let at = cells as usize;
            space.cells[at..at + usize::from(height) * usize::from(width)].to_vec()
        }
        _ => Vec::new(),
    };
    if colours(space, value) != colours(own, right) {
        return Err(differs);
    }
    let children = |space: &Space, value: Value| -> Vec<Value> {
        let (at, len) = match value {
            Value::Tuple { at, len, .. } | Value::Set { at, len, .. } => (at, len as usize),
            Value::Layers { at, len } => (at, usize::from(len)),
            Value::Built { prim, at, .. } => (at, prim.arity()),
            _ => return Vec::new(),
        };
        let at = at as usize;
        space.values[at..at + len].to_vec()
    };
    let pairs = children(space, value).into_iter().zip(children(own, right));
    for (child, other) in pairs {
        same_form(space, child, own, other)?;
    }
    Ok(())
}

fn form(value: Value) -> &'static str {
    match value {
        Value::None => "None",
        Value::Bool(_) => "a Bool",
        Value::Int(_) => "an Int",
        Value::Special(_) => "a Special",
        Value::Pair(..) => "a Pair",
        Value::Cell { .. } => "a Cell",
        Value::Row { .. } => "a Row",
        Value::Grid { .. } => "a Grid",
        Value::Tuple { .. } => "a Tuple",
        Value::Set { .. } => "a Set",
        Value::Mask(_) => "a Mask",
        Value::Object(..) => "an Object",
        Value::Painted { .. } => "a Painted",
        Value::Layers { .. } => "Layers",
        Value::Prim(_) => "a Prim",
        Value::Built { .. } => "a Built",
        Value::Body { .. } => "a Body",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::golden;
    use std::path::Path;

    /// A dump as the kernel writes it.
    pub(in crate::gpu) fn dumped(space: &Space, value: Value) -> Vec<u8> {
        let mut dump = Vec::new();
        let lens = [
            space.cells.len() as u32,
            space.rows.len() as u32,
            space.values.len() as u32,
            0,
        ];
        for word in words_of(value).into_iter().chain(lens) {
            dump.extend(word.to_le_bytes());
        }
        for row in &space.rows {
            dump.extend(row.to_le_bytes());
        }
        for value in &space.values {
            for word in words_of(*value) {
                dump.extend(word.to_le_bytes());
            }
        }
        dump.extend(space.cells.iter().map(|cell| *cell as u8));
        dump
    }

    #[test]
    fn what_is_dumped_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden");
        let mut space = Space::new(Budget::default());
        let mut repeated = Space::new(Budget::default());
        for vector in golden::read(&folder).unwrap() {
            space.clear();
            for plain in vector.args.iter().chain(&vector.expected) {
                let value = space.import(plain).unwrap();
                let read = read_dump(&dumped(&space, value), &mut repeated).unwrap();
                assert_eq!(&repeated.export(read).unwrap(), plain);
                assert_eq!(check_form(&repeated, read, plain), Ok(()));
            }
        }
    }

    #[test]
    fn a_loose_box_is_not_the_one_form() {
        let mut space = Space::new(Budget::default());
        space.rows.extend([0b01_u128, 0b10, 0]);
        let mask = crate::value::Mask {
            rows: 0,
            i: 0,
            j: 0,
            height: 3,
            width: 2,
        };
        let value = Value::Mask(mask);
        let plain = space.export(value).unwrap();
        assert!(check_form(&space, value, &plain).is_err());
        let tight = Value::Mask(crate::value::Mask { height: 2, ..mask });
        assert_eq!(check_form(&space, tight, &plain), Ok(()));
    }

    #[test]
    fn no_bytes_are_trusted() {
        let mut space = Space::new(Budget::default());
        assert_eq!(
            read_dump(&[0; 31], &mut space).err(),
            Some(DumpError::Short)
        );
        let mut rng = crate::rng::Rng::new(3);
        for _ in 0..20_000 {
            let mut dump = vec![0_u8; 160];
            for byte in &mut dump {
                *byte = rng.below(18) as u8;
            }
            dump[16..32].fill(0);
            (dump[16], dump[20], dump[24]) = (32, 2, 4);
            if let Ok(value) = read_dump(&dump, &mut space) {
                let _ = space.export(value);
            }
        }
    }
}
