//! Higher-order functions (section 6.3).

use super::containers::merge;
use super::{Plain, PlainResult, apply, set_of};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use crate::prim::Prim;
use std::slice::from_ref;

/// Returns the number of arguments a callable takes.
pub(super) fn arity(function: &Plain) -> Result<usize, Fault> {
    match function {
        Plain::Prim(prim) => Ok(prim.arity()),
        Plain::Built(Prim::Lbind | Prim::Rbind, parts) => Ok(arity_when_bound(arity(&parts[0])?)),
        Plain::Built(..) => Ok(1),
        _ => Err(function.not(ValueKind::Function)),
    }
}

/// Returns the arity after one argument is bound, for arities 2, 3 and 4. A function of one
/// argument can be bound, but never called.
pub(crate) fn arity_when_bound(arity: usize) -> usize {
    match arity {
        2 => 1,
        3 => 2,
        _ => 3,
    }
}

pub(super) fn build(builder: Prim, parts: &[Plain]) -> PlainResult {
    let functions = match builder {
        Prim::Compose => 2,
        Prim::Chain | Prim::Fork => 3,
        _ => 1,
    };
    // In the reference a part that is no function fails at the call, except where the builder
    // inspects the part in order to bind it.
    if matches!(builder, Prim::Lbind | Prim::Rbind) {
        for part in &parts[..functions] {
            arity(part)?;
        }
    }
    if builder == Prim::Power {
        match parts[1].int()? {
            ..=0 => return Err(Fault::Range(ValueKind::PowerBelowOne)),
            1 => return Ok(parts[0].clone()),
            _ => {}
        }
    }
    Ok(Plain::Built(builder, parts.to_vec()))
}

pub(super) fn run_built(
    builder: Prim,
    parts: &[Plain],
    args: &[Plain],
    meter: &mut Meter,
) -> PlainResult {
    match builder {
        Prim::Compose => {
            let inner = apply(&parts[1], args, meter)?;
            apply(&parts[0], &[inner], meter)
        }
        Prim::Chain => {
            let innermost = apply(&parts[2], args, meter)?;
            let inner = apply(&parts[1], &[innermost], meter)?;
            apply(&parts[0], &[inner], meter)
        }
        Prim::Matcher => Ok(Plain::Bool(apply(&parts[0], args, meter)? == parts[1])),
        Prim::Fork => {
            let a = apply(&parts[1], args, meter)?;
            let b = apply(&parts[2], args, meter)?;
            apply(&parts[0], &[a, b], meter)
        }
        Prim::Lbind => {
            let mut all = vec![parts[1].clone()];
            all.extend_from_slice(args);
            apply(&parts[0], &all, meter)
        }
        Prim::Rbind => {
            let mut all = args.to_vec();
            all.push(parts[1].clone());
            apply(&parts[0], &all, meter)
        }
        _ => {
            let mut value = args[0].clone();
            for _ in 0..parts[1].int()? {
                meter.work(1)?;
                value = apply(&parts[0], &[value], meter)?;
            }
            Ok(value)
        }
    }
}

pub(super) fn sfilter(container: &Plain, condition: &Plain, meter: &mut Meter) -> PlainResult {
    let mut kept = Vec::new();
    for item in container.items()? {
        if apply(condition, from_ref(item), meter)?.truth() {
            kept.push(item.clone());
        }
    }
    container.like(kept)
}

pub(super) fn extract(container: &Plain, condition: &Plain, meter: &mut Meter) -> PlainResult {
    for item in container.items()? {
        if apply(condition, from_ref(item), meter)?.truth() {
            return Ok(item.clone());
        }
    }
    Err(Fault::Missing(ValueKind::ElementConditionHoldsFor))
}

pub(super) fn map(function: &Plain, container: &Plain, meter: &mut Meter) -> PlainResult {
    let mut results = Vec::new();
    for item in container.items()? {
        results.push(apply(function, from_ref(item), meter)?);
    }
    container.like(results)
}

pub(super) fn rapply(functions: &Plain, value: &Plain, meter: &mut Meter) -> PlainResult {
    let mut results = Vec::new();
    for function in functions.items()? {
        results.push(apply(function, from_ref(value), meter)?);
    }
    functions.like(results)
}

pub(super) fn mapply(function: &Plain, container: &Plain, meter: &mut Meter) -> PlainResult {
    let mapped = map(function, container, meter)?;
    merge(&mapped, meter)
}

pub(super) fn papply(function: &Plain, a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    let mut results = Vec::new();
    for (x, y) in a.items()?.into_iter().zip(b.items()?) {
        results.push(apply(function, &[x.clone(), y.clone()], meter)?);
    }
    Ok(Plain::Tuple(results))
}

pub(super) fn prapply(function: &Plain, a: &Plain, b: &Plain, meter: &mut Meter) -> PlainResult {
    let right = b.items()?;
    let mut results = Vec::new();
    for x in a.items()? {
        for y in &right {
            results.push(apply(function, &[x.clone(), (*y).clone()], meter)?);
        }
    }
    Ok(set_of(results))
}

pub(super) fn sizefilter(container: &Plain, n: &Plain) -> PlainResult {
    let n = n.int()?;
    let mut kept = Vec::new();
    for item in container.items()? {
        if item.items()?.len() as i64 == n {
            kept.push(item.clone());
        }
    }
    Ok(set_of(kept))
}
