//! Values to test with, derived from random ones.

use crate::ops::{Number, RandomElement};

/// An element type that test values can be drawn for.
///
/// Integers are drawn from their whole range, so products and sums wrap. Floats are drawn from [0,
/// 1) and mapped to a wider range.
pub trait SampleElement: Number + RandomElement {
    /// Values at the limits of the type's range and at its special cases.
    const EDGES: &'static [Self];

    /// Maps a drawn float close to zero, of either sign. An integer is returned unchanged.
    #[must_use]
    fn near_zero(drawn: Self) -> Self;

    /// Maps a drawn value to a magnitude chosen by the second draw.
    #[must_use]
    fn wide_range(drawn: Self, magnitude: u8) -> Self;
}

macro_rules! integer {
    ($type:ty, [$($edge:expr),*]) => {
        impl SampleElement for $type {
            const EDGES: &'static [Self] = &[$($edge),*];
            fn near_zero(drawn: Self) -> Self {
                drawn
            }
            /// Includes small integers: division by an integer larger than the dividend always
            /// gives zero.
            fn wide_range(drawn: Self, magnitude: u8) -> Self {
                drawn >> (u32::from(magnitude) % Self::BITS)
            }
        }
    };
}

integer!(u8, [0, 1, 2, 127, 128, 254, 255]);
integer!(u32, [0, 1, 2, 65_535, 65_536, 1 << 31, u32::MAX]);
integer!(i32, [0, 1, -1, 2, 65_536, -65_537, i32::MAX, i32::MIN]);

macro_rules! float {
    ($type:ident) => {
        impl SampleElement for $type {
            const EDGES: &'static [Self] = &[
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.1,
                -2.5,
                $type::EPSILON,
                $type::MIN_POSITIVE,
                // The least positive number, which only exists with subnormals.
                $type::from_bits(1),
                $type::MAX,
                $type::MIN,
                $type::INFINITY,
                $type::NEG_INFINITY,
                $type::NAN,
            ];
            fn near_zero(drawn: Self) -> Self {
                drawn * 8.0 - 4.0
            }
            fn wide_range(drawn: Self, magnitude: u8) -> Self {
                (drawn - 0.5) * $type::powi(2.0, i32::from(magnitude) % 61 - 30)
            }
        }
    };
}

float!(f32);
float!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_both_signs_and_many_magnitudes() {
        assert!(f32::near_zero(0.0) < 0.0 && f32::near_zero(0.99) > 3.0);
        assert!(f64::wide_range(0.9, 60) > 1e8 && f64::wide_range(0.1, 0).abs() < 1e-9);
        assert_eq!(u8::wide_range(0xFF, 4), 0x0F);
    }
}
