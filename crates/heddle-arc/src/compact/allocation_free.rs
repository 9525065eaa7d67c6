//! Primitive calls that allocate nothing.
//!
//! Most calls inside function bodies pick a component, compare or add. They are evaluated here for
//! the usual forms of their arguments. Everything else, and every fault, is left to the primitives
//! themselves.

use crate::prim::Prim;
use crate::value::Value;

/// Whether [`one`] or [`two`] evaluates some calls of a primitive.
pub(super) fn may_apply(prim: Prim) -> bool {
    use Prim::{
        Add, Astuple, Both, Color, Connect, Decrement, Double, Either, Equality, Even, First, Flip,
        Greater, Increment, Invert, Last, Maximum, Minimum, Multiply, Normalize, Positive, Recolor,
        Shift, Sign, Subtract, Toindices, Toivec, Tojvec,
    };
    matches!(
        prim,
        Add | Astuple
            | Both
            | Color
            | Connect
            | Decrement
            | Double
            | Either
            | Equality
            | Even
            | First
            | Flip
            | Greater
            | Increment
            | Invert
            | Last
            | Maximum
            | Minimum
            | Multiply
            | Normalize
            | Positive
            | Recolor
            | Shift
            | Sign
            | Subtract
            | Toindices
            | Toivec
            | Tojvec
    )
}

/// Returns the result, if this module evaluates the call.
#[allow(
    clippy::inline_always,
    reason = "the match on `prim` folds away in loops"
)]
#[inline(always)]
pub(super) fn one(prim: Prim, x: Value) -> Option<Value> {
    match (prim, x) {
        (Prim::First, Value::Cell { colour, .. }) => Some(Value::Int(i64::from(colour))),
        (Prim::First, Value::Pair(i, _)) => Some(Value::Int(i64::from(i))),
        (Prim::Last, Value::Cell { i, j, .. }) => Some(Value::Pair(i, j)),
        (Prim::Last, Value::Pair(_, j)) => Some(Value::Int(i64::from(j))),
        (Prim::Even, Value::Int(n)) => Some(Value::Bool(n % 2 == 0)),
        (Prim::Positive, Value::Int(n)) => Some(Value::Bool(n > 0)),
        (Prim::Flip, value) => Some(Value::Bool(!value.truth())),
        (Prim::Increment, Value::Int(n)) => n.checked_add(1).map(Value::Int),
        (Prim::Decrement, Value::Int(n)) => n.checked_sub(1).map(Value::Int),
        (Prim::Double, Value::Int(n)) => n.checked_mul(2).map(Value::Int),
        (Prim::Invert, Value::Int(n)) => n.checked_neg().map(Value::Int),
        (Prim::Invert, Value::Pair(i, j)) => Some(Value::Pair(i.checked_neg()?, j.checked_neg()?)),
        (Prim::Increment, Value::Pair(i, j)) => {
            Some(Value::Pair(i.checked_add(1)?, j.checked_add(1)?))
        }
        (Prim::Decrement, Value::Pair(i, j)) => {
            Some(Value::Pair(i.checked_sub(1)?, j.checked_sub(1)?))
        }
        (Prim::Toivec, Value::Int(n)) => Some(Value::Pair(i32::try_from(n).ok()?, 0)),
        (Prim::Tojvec, Value::Int(n)) => Some(Value::Pair(0, i32::try_from(n).ok()?)),
        (Prim::Maximum, Value::Pair(i, j)) => Some(Value::Int(i64::from(i.max(j)))),
        (Prim::Minimum, Value::Pair(i, j)) => Some(Value::Int(i64::from(i.min(j)))),
        (Prim::Sign, Value::Pair(i, j)) => Some(Value::Pair(i.signum(), j.signum())),
        (Prim::Color, Value::Object(_, colour)) => Some(Value::Int(i64::from(colour))),
        (Prim::Toindices, _) => x.mask().map(Value::Mask),
        (Prim::Normalize, _) => x.moved(0, 0),
        _ => None,
    }
}

/// Returns the result, if this module evaluates the call.
#[allow(
    clippy::inline_always,
    reason = "the match on `prim` folds away in loops"
)]
#[inline(always)]
pub(super) fn two(prim: Prim, x: Value, y: Value) -> Option<Value> {
    match (prim, x, y) {
        (Prim::Equality, Value::Int(a), Value::Int(b)) => Some(Value::Bool(a == b)),
        (Prim::Equality, Value::Pair(a, b), Value::Pair(c, d)) => {
            Some(Value::Bool(a == c && b == d))
        }
        (Prim::Greater, Value::Int(a), Value::Int(b)) => Some(Value::Bool(a > b)),
        (Prim::Add, Value::Int(a), Value::Int(b)) => a.checked_add(b).map(Value::Int),
        (Prim::Add, Value::Pair(a, b), Value::Pair(c, d)) => {
            Some(Value::Pair(a.checked_add(c)?, b.checked_add(d)?))
        }
        (Prim::Subtract, Value::Int(a), Value::Int(b)) => a.checked_sub(b).map(Value::Int),
        (Prim::Subtract, Value::Pair(a, b), Value::Pair(c, d)) => {
            Some(Value::Pair(a.checked_sub(c)?, b.checked_sub(d)?))
        }
        (Prim::Multiply, Value::Int(a), Value::Int(b)) => a.checked_mul(b).map(Value::Int),
        (Prim::Multiply, Value::Pair(a, b), Value::Pair(c, d)) => {
            Some(Value::Pair(a.checked_mul(c)?, b.checked_mul(d)?))
        }
        (Prim::Both, ..) => Some(if x.truth() { y } else { x }),
        (Prim::Either, ..) => Some(if x.truth() { x } else { y }),
        (Prim::Astuple, Value::Int(a), Value::Int(b)) => {
            Some(Value::Pair(i32::try_from(a).ok()?, i32::try_from(b).ok()?))
        }
        (Prim::Astuple, Value::Int(a), Value::Pair(i, j)) => Some(Value::Cell {
            colour: i32::try_from(a).ok()?,
            i,
            j,
        }),
        (Prim::Recolor, Value::Int(colour), _) => {
            let mask = y.mask()?;
            Some(Value::Object(mask, i8::try_from(colour).ok()?))
        }
        // Not in one row, column or diagonal.
        (Prim::Connect, Value::Pair(a, b), Value::Pair(c, d))
            if a != c && b != d && a.abs_diff(c) != b.abs_diff(d) =>
        {
            Some(Value::EMPTY_SET)
        }
        (Prim::Shift, _, Value::Pair(di, dj)) => {
            let mask = x.mask()?;
            let moved = x.moved(mask.top() + i64::from(di), mask.left() + i64::from(dj))?;
            let mask = moved.mask()?;
            let near = |end: i64| i16::try_from(end).is_ok();
            (near(mask.bottom()) && near(mask.right())).then_some(moved)
        }
        _ => None,
    }
}

/// An operand of a column: one for each element, or one for all.
#[derive(Clone, Copy)]
pub(super) enum ColumnOperand<'a> {
    Each(&'a [Value]),
    Same(Value),
}

/// Fills `results` up to the first element `compute` returns `None` for, and returns its index.
fn until_none(results: &mut [Value], compute: impl Fn(usize) -> Option<Value>) -> usize {
    for (element, result) in results.iter_mut().enumerate() {
        match compute(element) {
            Some(value) => *result = value,
            None => return element,
        }
    }
    results.len()
}

/// Evaluates [`one`] over a column, with a specialised loop for each primitive.
pub(super) fn ones(prim: Prim, values: ColumnOperand<'_>, results: &mut [Value]) -> usize {
    macro_rules! by_primitive {
        ($($known:ident)*) => {
            match (prim, values) {
                $((Prim::$known, ColumnOperand::Each(each)) => {
                    until_none(results, |element| one(Prim::$known, *each.get(element)?))
                })*
                (_, ColumnOperand::Same(value)) => until_none(results, |_| one(prim, value)),
                _ => 0,
            }
        };
    }
    by_primitive!(
        First Last Even Positive Flip Increment Decrement Double Invert Toivec Tojvec Maximum
        Minimum Sign Color Toindices Normalize
    )
}

/// Evaluates [`one`] over elements in place, up to the first it does not handle.
pub(super) fn ones_in_place(prim: Prim, elements: &mut [Value]) -> usize {
    macro_rules! by_primitive {
        ($($known:ident)*) => {
            match prim {
                $(Prim::$known => {
                    let first_other = elements.iter_mut().position(|element| {
                        match one(Prim::$known, *element) {
                            Some(value) => {
                                *element = value;
                                false
                            }
                            None => true,
                        }
                    });
                    first_other.unwrap_or(elements.len())
                })*
                _ => 0,
            }
        };
    }
    by_primitive!(
        First Last Even Positive Flip Increment Decrement Double Invert Toivec Tojvec Maximum
        Minimum Sign Color Toindices Normalize
    )
}

/// Evaluates [`two`] over columns, with a specialised loop for each primitive.
pub(super) fn twos(
    prim: Prim,
    left: ColumnOperand<'_>,
    right: ColumnOperand<'_>,
    results: &mut [Value],
) -> usize {
    macro_rules! by_primitive {
        ($($known:ident)*) => {
            match (prim, left, right) {
                $((Prim::$known, ColumnOperand::Each(x), ColumnOperand::Each(y)) => {
                    until_none(results, |element| {
                        two(Prim::$known, *x.get(element)?, *y.get(element)?)
                    })
                }
                (Prim::$known, ColumnOperand::Each(x), ColumnOperand::Same(y)) => {
                    until_none(results, |element| two(Prim::$known, *x.get(element)?, y))
                }
                (Prim::$known, ColumnOperand::Same(x), ColumnOperand::Each(y)) => {
                    until_none(results, |element| two(Prim::$known, x, *y.get(element)?))
                })*
                (_, ColumnOperand::Same(x), ColumnOperand::Same(y)) => until_none(results, |_| two(prim, x, y)),
                _ => 0,
            }
        };
    }
    by_primitive!(Equality Greater Add Subtract Multiply Both Either Astuple Recolor Shift Connect)
}
