//! Sizes and shapes as a report names them.

use crate::shape::Shape;

/// The text of a number of elements.
pub(super) fn elements(count: usize) -> String {
    match count {
        1 => "1 element".to_owned(),
        _ => format!("{count} elements"),
    }
}

/// The text of two shapes.
pub(super) fn pair(left: &[usize], right: &[usize]) -> String {
    format!("{} by {}", shape(left), shape(right))
}

/// The text of one shape.
pub(super) fn shape(extents: &[usize]) -> String {
    Shape::new(extents).map_or_else(|_| format!("{extents:?}"), |shape| shape.to_string())
}
