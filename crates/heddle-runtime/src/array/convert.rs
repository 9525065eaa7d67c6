//! Conversions from collections, and comparison.

use super::{Array, Elements};
use crate::dtype::Element;
use crate::shape::Shape;

/// Converts the vector into a flat array: its allocation becomes the host copy, and no element is
/// moved.
impl<T: Element> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self::host_original(Shape::flat(values.len()), Elements::Vector(values))
    }
}

/// Copies these values into a flat array.
impl<T: Element> From<&[T]> for Array<T> {
    fn from(values: &[T]) -> Self {
        Self::from_slice(values)
    }
}

/// Converts these values into a flat array.
impl<T: Element, const N: usize> From<[T; N]> for Array<T> {
    fn from(values: [T; N]) -> Self {
        Self::from_slice(&values)
    }
}

/// Collects the values of the iterator into a flat array.
impl<T: Element> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::from(Vec::from_iter(values))
    }
}

/// Compares shapes and elements as slices do: `-0.0` equals `0.0`, and a NaN equals nothing, itself
/// included.
///
/// Elements that are only on a device are downloaded first, which is counted as a transfer. An
/// array whose device is lost cannot be read and equals nothing.
impl<T: Element> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape()
            && matches!(
                (self.as_slice(), other.as_slice()),
                (Ok(left), Ok(right)) if left == right
            )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_is_taken_over_in_place() {
        for len in [1, 3, 4096, 100_000] {
            let values = vec![2.5_f32; len];
            let address = values.as_ptr();
            let mut array = Array::from(values);
            assert_eq!(array.as_slice().unwrap().as_ptr(), address);
            // The array is not shared, so it is written in place.
            assert_eq!(array.as_mut_slice().unwrap().as_ptr(), address);
            let shared = array.clone();
            assert_ne!(array.as_mut_slice().unwrap().as_ptr(), address);
            assert_eq!(shared.as_slice().unwrap().as_ptr(), address);
        }
    }

    #[test]
    fn comparison_depends_on_shapes_and_special_values() {
        let flat = Array::from([1, 2, 3, 4_i32]);
        assert_ne!(flat, flat.reshape(&[2, 2]).unwrap());
        assert_eq!(Array::from([0.0_f64]), Array::from([-0.0]));
        let nan = Array::from([f32::NAN]);
        assert_ne!(nan, nan);
        assert_eq!(Array::<u8>::from([]), Array::from(Vec::new()));
    }

    proptest! {
        #[test]
        fn every_conversion_holds_the_same_elements(values: Vec<f64>, other: Vec<f64>) {
            let bits = |array: &Array<f64>| -> Vec<u64> {
                array.as_slice().unwrap().iter().map(|value| value.to_bits()).collect()
            };
            let expected: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
            let slice = Array::from(values.as_slice());
            prop_assert_eq!(bits(&slice), expected.clone());
            prop_assert_eq!(bits(&values.iter().copied().collect()), expected.clone());
            prop_assert_eq!(slice == Array::from(other.as_slice()), values == other);
            prop_assert_eq!(bits(&Array::from(values)), expected);
        }
    }
}
