//! Arithmetic for every element type: integers wrap, floats are IEEE.

use crate::dtype::Element;

use super::elementwise::exp;

/// An element type with arithmetic. Integers wrap around; floats follow IEEE 754.
pub trait Number: Element {
    /// Whether division by zero is undefined in this type.
    const IS_INTEGER: bool;
    /// Zero.
    const ZERO: Self;
    /// Sum.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Difference.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Product.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// Quotient, truncated for integers. The divisor of an integer is not zero.
    #[must_use]
    fn over(self, other: Self) -> Self;
    /// Absolute value. The least `i32` has none and is returned unchanged.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The nearest double.
    #[must_use]
    fn to_f64(self) -> f64;
    /// A byte's value, which every type holds exactly.
    #[must_use]
    fn from_u8(value: u8) -> Self;
}

/// An IEEE element type.
pub trait Float: Number {
    /// Distance from one to the next number.
    const EPSILON: f64;
    /// One.
    const ONE: Self;
    /// The correctly rounded root.
    #[must_use]
    fn square_root(self) -> Self;
    /// e to this power, within 2 ulp.
    #[must_use]
    fn exponential(self) -> Self;
    /// `self * factor + offset`, rounded once.
    #[must_use]
    fn fused(self, factor: Self, offset: Self) -> Self;
    /// The nearest number of this type.
    #[must_use]
    fn from_f64(value: f64) -> Self;
}

macro_rules! integer {
    ($type:ty, |$self:ident| $magnitude:expr, |$a:ident, $b:ident| $quotient:expr) => {
        impl Number for $type {
            const IS_INTEGER: bool = true;
            const ZERO: Self = 0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            // No vector unit divides integers; see `quotient`.
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $quotient
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                let $self = self;
                $magnitude
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_u8(value: u8) -> Self {
                Self::from(value)
            }
        }
    };
}

/// The truncated quotient of unsigned numbers, through a float with enough bits.
///
/// `(a + 1/2) / b` is at least `1/(2b)` away from every integer, far more than its rounding
/// error, so subtracting a half and rounding to nearest truncates. The rounding is an addition
/// of `$shift`, whose last mantissa bit is worth one: a cast would check for NaN and saturate,
/// and took three (i32) to five (u8) times as long.
macro_rules! quotient {
    ($float:ident, $shift:literal, $a:expr, $b:expr) => {
        (($float::from($a) + 0.5) / $float::from($b) - 0.5 + $shift).to_bits()
    };
}

// One and a half times two to the mantissa's length.
integer!(u8, |x| x, |a, b| quotient!(f32, 12_582_912.0, a, b) as u8);
integer!(u32, |x| x, |a, b| {
    quotient!(f64, 6_755_399_441_055_744.0, a, b) as u32
});
// Divides magnitudes and restores the sign: the least i32 over -1 wraps.
integer!(i32, |x| x.wrapping_abs(), |a, b| {
    let (dividend, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    let quotient = quotient!(f64, 6_755_399_441_055_744.0, dividend, divisor) as u32;
    let sign = (a ^ b) >> 31;
    (quotient.cast_signed() ^ sign).wrapping_sub(sign)
});

macro_rules! float {
    ($type:ident) => {
        impl Number for $type {
            const IS_INTEGER: bool = false;
            const ZERO: Self = 0.0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_u8(value: u8) -> Self {
                Self::from(value)
            }
        }

        impl Float for $type {
            const EPSILON: f64 = $type::EPSILON as f64;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn square_root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn exponential(self) -> Self {
                exp::$type(self)
            }
            #[inline(always)]
            fn fused(self, factor: Self, offset: Self) -> Self {
                self.mul_add(factor, offset)
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as Self
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
    fn quotients_through_floats_are_exact() {
        for a in 0..=u8::MAX {
            for b in 1..=u8::MAX {
                assert_eq!(a.over(b), a / b);
            }
        }
        let hard = [1, 2, 3, 5, 7, 255, 256, 65_535, 65_537, 0x7fff_ffff];
        for a in hard.into_iter().flat_map(|a: u32| [a, !a, a << 1]) {
            for b in hard.into_iter().flat_map(|b: u32| [b, !b]) {
                // Numerators just below a multiple are the ones that rounding
                // could raise.
                for a in [a, (a / b).wrapping_mul(b).wrapping_sub(1)] {
                    assert_eq!(a.over(b), a / b, "{a} / {b}");
                    let (a, b) = (a.cast_signed(), b.cast_signed());
                    assert_eq!(a.over(b), a.wrapping_div(b), "{a} / {b}");
                }
            }
        }
        assert_eq!(i32::MIN.over(-1), i32::MIN);
    }
}
