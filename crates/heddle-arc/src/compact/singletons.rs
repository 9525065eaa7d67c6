//! Sets of one location or cell each, for a whole column.
//!
//! A body applied to cells often begins with the set of its cell. All these sets have the same mask
//! row, which is written once. Each set is charged as if it had its own.

use crate::value::{Value, Window};

/// Writes the set of each value, with its mask row at `row`. Returns `false` if a value is neither
/// a location nor a cell that fits a mask.
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
