//! Sets of one location or cell each, of a whole column.
//!
//! What a body does to every cell often begins with the set of that cell alone. All of
//! them have the same row of bits, so it is written once; each is charged for its own.

use crate::value::{Value, Window};

/// Writes the set of each value, its row at `row`, if all are locations or cells that fit
/// a mask; otherwise answers `false`.
pub(super) fn all(row: usize, values: &[Value], results: &mut [Value]) -> bool {
    let alone = |i: i32, j: i32| Some(Window::bounded((i, j, i, j))?.mask_at(row));
    let mut both = values.iter().zip(results);
    both.all(|(value, result)| {
        let set = match *value {
            Value::Pair(i, j) => alone(i, j).map(Value::Mask),
            Value::Cell { colour, i, j } => {
                let object = |colour| Some(Value::Object(alone(i, j)?, colour));
                i8::try_from(colour).ok().and_then(object)
            }
            _ => None,
        };
        *result = set.unwrap_or(Value::None);
        set.is_some()
    })
}
