//! The constants of bytecode, each once.

use super::image::words_of;
use crate::prim::Prim;
use crate::value::Value;

/// Numbers from here on have a place in a table of constants.
const MIN_NUMBER: i64 = -16;
const NUMBERS: usize = 32;

/// Constants by value; those of the language are found without looking.
#[derive(Debug)]
pub(super) struct Constants {
    words: Vec<[u32; 4]>,
    primitives: [u16; Prim::COUNT],
    numbers: [u16; NUMBERS],
    truths: [u16; 2],
    pairs: Vec<(i32, i32, u16)>,
}

/// Not among the constants yet.
const NEW: u16 = u16::MAX;

impl Constants {
    pub(super) fn new() -> Self {
        Constants {
            words: Vec::new(),
            primitives: [NEW; Prim::COUNT],
            numbers: [NEW; NUMBERS],
            truths: [NEW; 2],
            pairs: Vec::new(),
        }
    }

    /// The number of a value, new or known.
    pub(super) fn number(&mut self, value: Value) -> u32 {
        let next = self.words.len() as u32;
        let known = match value {
            Value::Prim(prim) => Some(&mut self.primitives[prim as usize]),
            Value::Bool(truth) => Some(&mut self.truths[usize::from(truth)]),
            Value::Int(number) => usize::try_from(number - MIN_NUMBER)
                .ok()
                .and_then(|place| self.numbers.get_mut(place)),
            Value::Pair(i, j) => {
                let place = self
                    .pairs
                    .iter()
                    .position(|pair| (pair.0, pair.1) == (i, j));
                let place = place.unwrap_or_else(|| {
                    self.pairs.push((i, j, NEW));
                    self.pairs.len() - 1
                });
                self.pairs.get_mut(place).map(|pair| &mut pair.2)
            }
            _ => None,
        };
        match known {
            Some(known) if *known != NEW => u32::from(*known),
            known => {
                if let (Some(known), Ok(next)) = (known, u16::try_from(next)) {
                    *known = next;
                }
                self.words.push(words_of(value));
                next
            }
        }
    }

    /// The words of each, in the order of their numbers.
    pub(super) fn words(&self) -> impl Iterator<Item = &[u32; 4]> {
        self.words.iter()
    }
}
