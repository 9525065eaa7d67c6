//! The functions themselves.

use crate::operation::{Kind, WorkUnit};

use super::super::kernel::{Names, names};
use super::super::number::{Float, Number};

/// A function of one element.
pub trait UnaryFunction<T>: Copy + Send + Sync {
    /// The kind of operation it makes.
    fn kind(self) -> &'static Kind;

    /// How many times slower than a copy it is; decides when threads pay.
    fn weight(self) -> u64 {
        1
    }

    /// The kernel that computes it on a GPU. Without one it runs on the processor.
    fn kernel(self) -> Option<&'static str> {
        None
    }

    /// How far apart, relatively, answers of two devices may be.
    fn tolerance(self) -> f64 {
        0.0
    }

    /// Its value.
    fn apply(self, x: T) -> T;
}

/// A function of two elements.
pub trait BinaryFunction<T>: Copy + Send + Sync {
    /// The kind of operation it makes.
    fn kind(self) -> &'static Kind;

    /// The kernel that computes it on a GPU. Without one it runs on the processor.
    fn kernel(self) -> Option<&'static str> {
        None
    }

    /// Whether an integer zero on the right has no answer.
    fn divides(self) -> bool {
        false
    }

    /// Its value.
    fn apply(self, x: T, y: T) -> T;
}

macro_rules! unary {
    ($name:ident, $kind:ident, $text:literal, $bound:ident, $doc:literal,
     kernels $types:ident, weight $weight:expr, tolerance $tolerance:expr,
     |$x:ident| $value:expr) => {
        #[doc = $doc]
        pub static $kind: Kind = Kind::new($text, WorkUnit::Bytes);

        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<T: $bound> UnaryFunction<T> for $name {
            #[inline(always)]
            fn kind(self) -> &'static Kind {
                &$kind
            }
            #[inline(always)]
            fn weight(self) -> u64 {
                $weight
            }
            fn kernel(self) -> Option<&'static str> {
                const KERNELS: Names = names!($text, $types);
                KERNELS.get::<T>()
            }
            #[inline(always)]
            fn tolerance(self) -> f64 {
                $tolerance
            }
            #[inline(always)]
            fn apply(self, $x: T) -> T {
                $value
            }
        }
    };
}

macro_rules! binary {
    ($name:ident, $kind:ident, $text:literal, $doc:literal, divides $divides:literal, $method:ident) => {
        #[doc = $doc]
        pub static $kind: Kind = Kind::new($text, WorkUnit::Bytes);

        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<T: Number> BinaryFunction<T> for $name {
            #[inline(always)]
            fn kind(self) -> &'static Kind {
                &$kind
            }
            fn kernel(self) -> Option<&'static str> {
                const KERNELS: Names = names!($text, all);
                KERNELS.get::<T>()
            }
            #[inline(always)]
            fn divides(self) -> bool {
                $divides
            }
            #[inline(always)]
            fn apply(self, x: T, y: T) -> T {
                x.$method(y)
            }
        }
    };
}

unary!(Square, SQUARE, "square", Number, "The square; integers wrap.",
    kernels all, weight 1, tolerance 0.0, |x| x.times(x));
unary!(Abs, ABS, "abs", Number, "Distance from zero; the least `i32` stays as it is.",
    kernels all, weight 1, tolerance 0.0, |x| x.magnitude());
unary!(Sqrt, SQRT, "sqrt", Float, "The correctly rounded root; NaN below zero.",
    kernels floats, weight 2, tolerance 0.0, |x| x.square_root());
unary!(Exp, EXP, "exp", Float, "e to each power, within 2 ulp; answers may differ by 4.",
    kernels floats, weight 4, tolerance 4.0 * T::EPSILON, |x| x.exponential());

binary!(Add, ADD, "add", "The sum; integers wrap.", divides false, plus);
binary!(Sub, SUB, "sub", "The difference; integers wrap.", divides false, minus);
binary!(Mul, MUL, "mul", "The product; integers wrap.", divides false, times);
binary!(
    Div,
    DIV,
    "div",
    "The quotient; integers truncate and refuse zero.",
    divides true,
    over
);
