//! The table of elementwise functions.
//!
//! A row generates the kind, the type, the method of [`Runtime`], the kinds of merged work, the
//! probes and the conformance cases. Not in a row: the implementation of a function that
//! [`Number`] or [`Float`] lacks, and the kernels, which are named `<name>_<element type>`.

use crate::array::Array;
use crate::batch::{MergedKinds, merged_kinds};
use crate::conformance::cases;
use crate::conformance::cases::Domain;
use crate::device::Kernel;
use crate::error::Error;
use crate::operation::{Kind, WorkUnit};
use crate::runtime::Runtime;

use super::super::kernel::{Kernels, kernels};
use super::super::number::{Float, Number};
use super::super::probes;
use super::super::table::{Entry, each_type};
use super::{ArrayOrScalar, Binary, BinaryFunction, Unary, UnaryFunction};

macro_rules! elementwise {
    (
        unary {$(
            $(#[$unary_doc:meta])*
            $unary:ident $unary_text:literal $Unary:ident $UNARY:ident: $types:ident $bound:ident,
            weight $weight:expr, tolerance $tolerance:expr, domain $domain:expr,
            |$x:ident| $value:expr;
        )*}
        binary {$(
            $(#[$binary_doc:meta])*
            $binary:ident $binary_text:literal $Binary:ident $BINARY:ident:
            divides $divides:literal, |$left:ident, $right:ident| $binary_value:expr;
        )*}
    ) => {
        $(
            $(#[$unary_doc])*
            pub static $UNARY: Kind = Kind::new($unary_text, WorkUnit::Bytes);

            $(#[$unary_doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $Unary;

            impl<T: $bound> UnaryFunction<T> for $Unary {
                #[inline(always)]
                fn kind(self) -> &'static Kind {
                    &$UNARY
                }
                #[inline(always)]
                fn weight(self) -> u64 {
                    $weight
                }
                fn kernel(self) -> Option<&'static Kernel> {
                    const KERNELS: Kernels = kernels!($unary_text, $types);
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

            impl Runtime {
                $(#[$unary_doc])*
                #[track_caller]
                pub fn $unary<T: $bound>(&self, input: &Array<T>) -> Result<Array<T>, Error> {
                    self.run(Unary::new($Unary, input))
                }
            }
        )*

        $(
            $(#[$binary_doc])*
            pub static $BINARY: Kind = Kind::new($binary_text, WorkUnit::Bytes);

            $(#[$binary_doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $Binary;

            impl<T: Number> BinaryFunction<T> for $Binary {
                #[inline(always)]
                fn kind(self) -> &'static Kind {
                    &$BINARY
                }
                fn kernel(self) -> Option<&'static Kernel> {
                    const KERNELS: Kernels = kernels!($binary_text, all);
                    KERNELS.get::<T>()
                }
                #[inline(always)]
                fn divides(self) -> bool {
                    $divides
                }
                #[inline(always)]
                fn apply(self, $left: T, $right: T) -> T {
                    $binary_value
                }
            }

            impl Runtime {
                $(#[$binary_doc])*
                #[track_caller]
                pub fn $binary<T: Number>(
                    &self,
                    left: impl Into<ArrayOrScalar<T>>,
                    right: impl Into<ArrayOrScalar<T>>,
                ) -> Result<Array<T>, Error> {
                    self.run(Binary::new($Binary, left, right)?)
                }
            }
        )*

        /// The elementwise functions in the table of operations.
        pub(crate) static ELEMENTWISE: &[Entry] = &[
            $({
                static MERGED: MergedKinds = merged_kinds!($binary_text, WorkUnit::Bytes);
                Entry {
                    kind: &$BINARY,
                    merged: Some(&MERGED),
                    probes: |list| {
                        each_type!(all, T => probes::binary::<T, _>(list, $Binary));
                        probes::batched::binary(list, $Binary);
                    },
                    cases: |list, depth| {
                        each_type!(all, T => cases::binary::<T, _>(list, depth, $Binary));
                    },
                }
            },)*
            $({
                static MERGED: MergedKinds = merged_kinds!($unary_text, WorkUnit::Bytes);
                Entry {
                    kind: &$UNARY,
                    merged: Some(&MERGED),
                    probes: |list| {
                        each_type!($types, T => probes::unary::<T, _>(list, $Unary));
                        probes::batched::unary(list, $Unary);
                    },
                    cases: |list, depth| {
                        each_type!($types, T => cases::unary::<T, _>(list, depth, $Unary, $domain));
                    },
                }
            },)*
        ];
    };
}

elementwise! {
    unary {
        /// The square of every element; integers wrap.
        square "square" Square SQUARE: all Number,
        weight 1, tolerance 0.0, domain Domain::All, |x| x.times(x);

        /// The absolute value of every element; the least `i32` is unchanged.
        abs "abs" Abs ABS: all Number,
        weight 1, tolerance 0.0, domain Domain::All, |x| x.magnitude();

        /// The correctly rounded square root of every element; NaN below zero.
        sqrt "sqrt" Sqrt SQRT: floats Float,
        weight 2, tolerance 0.0, domain Domain::All, |x| x.square_root();

        /// e to the power of every element, within 2 ulp; two devices may differ by 4.
        exp "exp" Exp EXP: floats Float,
        // An ulp of a subnormal result exceeds the tolerance.
        weight 4, tolerance 4.0 * T::EPSILON, domain Domain::Within(80), |x| x.exponential();
    }
    binary {
        /// `left + right`; integers wrap. Either may be a scalar.
        add "add" Add ADD: divides false, |left, right| left.plus(right);

        /// `left - right`; integers wrap. Either may be a scalar.
        sub "sub" Sub SUB: divides false, |left, right| left.minus(right);

        /// `left * right`, element by element; integers wrap. Either may be a scalar.
        mul "mul" Mul MUL: divides false, |left, right| left.times(right);

        /// `left / right`; integers truncate, and a zero on their right is an error.
        /// Either may be a scalar.
        div "div" Div DIV: divides true, |left, right| left.over(right);
    }
}
