//! An array's elements on the host: a buffer of its own, a part of one, or the vector
//! it was made from.
//!
//! The answers of a batch are many and small. Making a buffer for each takes longer
//! than computing it, so a few of them share one, which lives as long as any of
//! them. Who writes to such an array gets a buffer of its own first.

use std::sync::Arc;

use super::buffer::HostBuffer;
use crate::dtype::Element;

/// Elements on the host.
pub(super) enum Elements<T: Element> {
    Own(HostBuffer<T>),
    Vector(Vec<T>),
    Part {
        buffer: Arc<HostBuffer<T>>,
        start: usize,
        len: usize,
    },
}

impl<T: Element> Elements<T> {
    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::Own(buffer) => buffer.as_slice(),
            Self::Vector(values) => values,
            Self::Part { buffer, start, len } => &buffer.as_slice()[*start..*start + *len],
        }
    }

    /// The elements for writing, where nobody else may see the buffer.
    pub(super) fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match self {
            Self::Own(buffer) => Some(buffer.as_mut_slice()),
            Self::Vector(values) => Some(values),
            Self::Part { .. } => None,
        }
    }

    /// Whether others have parts of its buffer.
    pub(super) fn is_part(&self) -> bool {
        matches!(self, Self::Part { .. })
    }
}
