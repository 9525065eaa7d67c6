//! Whether two results agree: they are equal, or differ by no more than a tolerance; and where
//! they differ.

use crate::array::Array;
use crate::dtype::Element;
use crate::operation::Agreement;

use super::number::Number;

/// Compares elements for equality. A NaN equals a NaN, whatever its payload.
pub(super) fn exact<T: Element>(first: &Array<T>, second: &Array<T>) -> Agreement {
    arrays(first, second, same)
}

/// Compares elements within a tolerance: `relative` of the larger one plus `absolute`.
pub(super) fn within<T: Number>(
    first: &Array<T>,
    second: &Array<T>,
    relative: f64,
    absolute: f64,
) -> Agreement {
    arrays(first, second, |a, b| {
        same(a, b) || close(a.to_f64(), b.to_f64(), relative, absolute)
    })
}

/// Compares two values for equality. A NaN equals a NaN.
pub(super) fn exact_value<T: Element>(first: T, second: T) -> Agreement {
    value(first, second, same(first, second))
}

/// Compares two values within a tolerance: `relative` of the larger one plus `absolute`.
pub(super) fn within_value(first: f64, second: f64, relative: f64, absolute: f64) -> Agreement {
    let agrees = same(first, second) || close(first, second, relative, absolute);
    value(first, second, agrees)
}

/// The agreement of a single value, with both values if they differ.
pub(super) fn value<V: std::fmt::Display>(first: V, second: V, agrees: bool) -> Agreement {
    if agrees {
        Agreement::Same
    } else {
        Agreement::Different(format!("element 0: {first} against {second}"))
    }
}

fn arrays<T: Element>(
    first: &Array<T>,
    second: &Array<T>,
    agrees: impl Fn(T, T) -> bool,
) -> Agreement {
    if first.shape() != second.shape() {
        return Agreement::Different(format!(
            "shape {} against {}",
            first.shape(),
            second.shape()
        ));
    }
    let (left, right) = match (first.as_slice(), second.as_slice()) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(error), _) | (_, Err(error)) => return Agreement::Different(error.to_string()),
    };
    left.iter()
        .zip(right)
        .position(|(&a, &b)| !agrees(a, b))
        .map_or(Agreement::Same, |index| {
            Agreement::Different(format!(
                "element {index}: {} against {}",
                left[index], right[index]
            ))
        })
}

/// Only a NaN is unequal to itself.
#[allow(clippy::eq_op)]
fn same<T: PartialEq + Copy>(a: T, b: T) -> bool {
    a == b || (a != a && b != b)
}

fn close(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs()) + absolute
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_its_index_and_values() {
        let a = Array::from_slice(&[1.0_f32, f32::NAN, 3.0]);
        let b = Array::from_slice(&[1.0_f32, f32::NAN, 3.5]);
        assert_eq!(exact(&a, &a), Agreement::Same);
        assert_eq!(
            exact(&a, &b),
            Agreement::Different("element 2: 3 against 3.5".to_owned())
        );
        assert_eq!(within(&a, &b, 0.2, 0.0), Agreement::Same);
        assert!(matches!(within(&a, &b, 0.1, 0.0), Agreement::Different(_)));
        let infinite = Array::from_slice(&[1.0_f32, f32::INFINITY, 3.0]);
        assert!(matches!(
            within(&a, &infinite, 0.1, 1.0),
            Agreement::Different(_)
        ));
    }
}
