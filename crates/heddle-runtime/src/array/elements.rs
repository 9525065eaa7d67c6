//! The elements of an array on the host: its own buffer, a part of one, or the vector it was
//! created from.
//!
//! The results of a batch are many and small. Allocating a buffer for each takes longer than
//! computing it, so several share one, which lives until the last of them is dropped. Writing to
//! such an array first copies it to its own buffer.

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

    /// The elements for writing, if no other array refers to the buffer.
    pub(super) fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match self {
            Self::Own(buffer) => Some(buffer.as_mut_slice()),
            Self::Vector(values) => Some(values),
            Self::Part { .. } => None,
        }
    }

    /// Whether the array is a part of a shared buffer.
    pub(super) fn is_part(&self) -> bool {
        matches!(self, Self::Part { .. })
    }
}
