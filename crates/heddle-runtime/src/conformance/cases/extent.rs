//! Sizes and shapes as a verdict names them.

use crate::shape::Shape;

/// So many elements.
pub(super) fn elements(count: usize) -> String {
    match count {
        1 => "1 element".to_owned(),
        _ => format!("{count} elements"),
    }
}

/// Two shapes side by side.
pub(super) fn pair(left: &[usize], right: &[usize]) -> String {
    format!("{} by {}", shape(left), shape(right))
}

/// One shape.
pub(super) fn shape(extents: &[usize]) -> String {
    Shape::new(extents).map_or_else(|_| format!("{extents:?}"), |shape| shape.to_string())
}
