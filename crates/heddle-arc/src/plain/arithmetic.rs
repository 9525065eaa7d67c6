//! Numbers, comparison and truth values (section 6.1).

use super::{Plain, PlainResult};
use crate::fault::{Fault, ValueKind};

/// Applies `operation` to two numbers, or to the components of pairs.
pub(super) fn lift(
    a: &Plain,
    b: &Plain,
    operation: fn(i64, i64) -> Result<i64, Fault>,
) -> PlainResult {
    if let (Ok(a), Ok(b)) = (a.int(), b.int()) {
        return operation(a, b).map(Plain::Int);
    }
    let ((ai, aj), (bi, bj)) = (both_components(a)?, both_components(b)?);
    Ok(Plain::pair(operation(ai, bi)?, operation(aj, bj)?))
}

/// Applies `operation` to a number, or to the components of a pair.
pub(super) fn lift_one(n: &Plain, operation: fn(i64) -> Result<i64, Fault>) -> PlainResult {
    if let Ok(n) = n.int() {
        return operation(n).map(Plain::Int);
    }
    let (i, j) = both_components(n)?;
    Ok(Plain::pair(operation(i)?, operation(j)?))
}

fn both_components(n: &Plain) -> Result<(i64, i64), Fault> {
    match n {
        Plain::Tuple(parts) if parts.len() >= 2 => Ok((parts[0].int()?, parts[1].int()?)),
        Plain::Tuple(_) => Err(n.not(ValueKind::Pair)),
        _ => n.int().map(|n| (n, n)),
    }
}

/// Returns `a > b`, where the two have a defined order.
pub(super) fn greater(a: &Plain, b: &Plain) -> Result<bool, Fault> {
    match (a, b) {
        (Plain::Tuple(x), Plain::Tuple(y)) => match x.iter().zip(y).find(|(x, y)| x != y) {
            Some((x, y)) => greater(x, y),
            None => Ok(x.len() > y.len()),
        },
        (Plain::Set(x), Plain::Set(y)) => Ok(x.len() > y.len() && y.is_subset(x)),
        _ => match (a.int(), b.int()) {
            (Ok(a), Ok(b)) => Ok(a > b),
            _ => Err(Fault::Incomparable(a.kind(), b.kind())),
        },
    }
}

/// Integer operations with the language's rules for overflow, rounding and signs.
pub(crate) mod number {
    use crate::fault::Fault;

    pub(crate) fn add(a: i64, b: i64) -> Result<i64, Fault> {
        a.checked_add(b).ok_or(Fault::Overflow)
    }

    pub(crate) fn subtract(a: i64, b: i64) -> Result<i64, Fault> {
        a.checked_sub(b).ok_or(Fault::Overflow)
    }

    pub(crate) fn multiply(a: i64, b: i64) -> Result<i64, Fault> {
        a.checked_mul(b).ok_or(Fault::Overflow)
    }

    /// Divides and rounds towards minus infinity.
    pub(crate) fn divide(a: i64, b: i64) -> Result<i64, Fault> {
        if b == 0 {
            return Err(Fault::DivideByZero);
        }
        let quotient = a.checked_div(b).ok_or(Fault::Overflow)?;
        let rounded_up = a % b != 0 && (a < 0) != (b < 0);
        Ok(if rounded_up { quotient - 1 } else { quotient })
    }

    pub(crate) fn invert(n: i64) -> Result<i64, Fault> {
        n.checked_neg().ok_or(Fault::Overflow)
    }

    pub(crate) fn double(n: i64) -> Result<i64, Fault> {
        multiply(n, 2)
    }

    pub(crate) fn halve(n: i64) -> Result<i64, Fault> {
        divide(n, 2)
    }

    pub(crate) fn increment(n: i64) -> Result<i64, Fault> {
        add(n, 1)
    }

    pub(crate) fn decrement(n: i64) -> Result<i64, Fault> {
        subtract(n, 1)
    }

    pub(crate) fn changed_by_one(n: i64) -> Result<i64, Fault> {
        add(n, n.signum())
    }

    #[allow(clippy::unnecessary_wraps, reason = "one shape for all of them")]
    pub(crate) fn sign(n: i64) -> Result<i64, Fault> {
        Ok(n.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn division_floors_for_every_pair_of_signs() {
        let cases = [
            (7, 2, 3),
            (-7, 2, -4),
            (7, -2, -4),
            (-7, -2, 3),
            (-6, 3, -2),
        ];
        for (a, b, expected) in cases {
            assert_eq!(number::divide(a, b), Ok(expected), "{a} div {b}");
        }
        assert!(number::divide(i64::MIN, -1).is_err());
        assert!(number::divide(1, 0).is_err());
    }
}
