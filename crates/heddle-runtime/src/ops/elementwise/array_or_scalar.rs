//! An operand of a binary function: an array, or one value for all elements.

use crate::array::Array;
use crate::dtype::Element;
use crate::error::Error;
use crate::shape::Shape;

/// An operand: an array, or a scalar used with every element.
#[derive(Clone, Debug)]
pub enum ArrayOrScalar<T: Element> {
    /// One value per element.
    Array(Array<T>),
    /// The same value for every element.
    Scalar(T),
}

impl<T: Element> ArrayOrScalar<T> {
    /// Returns the shape of the result of two operands: their common shape, or that of the
    /// only array. Two scalars give a scalar.
    pub(super) fn common_shape(
        operation: &'static str,
        left: &Self,
        right: &Self,
    ) -> Result<Shape, Error> {
        match (left, right) {
            (Self::Array(left), Self::Array(right)) if left.shape() != right.shape() => {
                Err(Error::ShapeMismatch {
                    operation,
                    expected: "two arrays of one shape",
                    left: left.shape().clone().into(),
                    right: right.shape().clone().into(),
                })
            }
            (Self::Array(array), _) | (_, Self::Array(array)) => Ok(array.shape().clone()),
            (Self::Scalar(_), Self::Scalar(_)) => Shape::new(&[]),
        }
    }
}

impl<T: Element> From<&Array<T>> for ArrayOrScalar<T> {
    fn from(array: &Array<T>) -> Self {
        Self::Array(array.clone())
    }
}

impl<T: Element> From<Array<T>> for ArrayOrScalar<T> {
    fn from(array: Array<T>) -> Self {
        Self::Array(array)
    }
}

impl<T: Element> From<T> for ArrayOrScalar<T> {
    fn from(value: T) -> Self {
        Self::Scalar(value)
    }
}
