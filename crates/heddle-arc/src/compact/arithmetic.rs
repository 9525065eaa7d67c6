//! Numbers (section 6.1).

use super::ValueResult;
use crate::fault::{Fault, ValueKind};
use crate::value::{Space, Value};

pub(super) fn lift(
    space: &mut Space,
    a: Value,
    b: Value,
    operation: fn(i64, i64) -> Result<i64, Fault>,
) -> ValueResult {
    if let (Ok(a), Ok(b)) = (a.int(), b.int()) {
        return operation(a, b).map(Value::Int);
    }
    let (ai, aj) = components(space, a)?;
    let (bi, bj) = components(space, b)?;
    space.pair(operation(ai, bi)?, operation(aj, bj)?)
}

pub(super) fn lift_one(
    space: &mut Space,
    n: Value,
    operation: fn(i64) -> Result<i64, Fault>,
) -> ValueResult {
    if let Ok(n) = n.int() {
        return operation(n).map(Value::Int);
    }
    let (i, j) = components(space, n)?;
    space.pair(operation(i)?, operation(j)?)
}

fn components(space: &Space, n: Value) -> Result<(i64, i64), Fault> {
    if let Value::Pair(i, j) = n {
        return Ok((i64::from(i), i64::from(j)));
    }
    if n.is_tuple() {
        return match (space.nth(n, 0)?, space.nth(n, 1)?) {
            (Some(i), Some(j)) => Ok((i.int()?, j.int()?)),
            _ => Err(n.not(ValueKind::Pair)),
        };
    }
    n.int().map(|n| (n, n))
}

/// Returns a location or direction: a tuple of exactly two numbers.
pub(super) fn location(space: &Space, value: Value) -> Result<(i64, i64), Fault> {
    match value {
        Value::Pair(i, j) => Ok((i64::from(i), i64::from(j))),
        Value::Tuple { len: 2, .. } => components(space, value),
        _ => Err(value.not(ValueKind::Pair)),
    }
}
