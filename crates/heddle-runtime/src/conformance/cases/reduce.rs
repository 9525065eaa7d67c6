//! Many elements to one value: signs that cancel, an offset that swallows what is
//! added to it, a single NaN, and nothing at all.

use super::super::case::{Case, Finding};
use super::super::sample::Sample;
use super::super::sizes::Depth;
use super::super::trial::Trial;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Kind;
use crate::ops::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};

pub(super) fn cases(all: &mut Vec<Case>, depth: Depth) {
    of::<u8>(all, depth);
    of::<i32>(all, depth);
    of::<u32>(all, depth);
    of::<f32>(all, depth);
    of::<f64>(all, depth);
}

fn of<T: Sample + Summable>(all: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(all, depth, &SUM, |trial, input| {
        trial.check(|side| Sum::new(&side.place(0, input)?))
    });
    reduction::<T>(all, depth, &MEAN, |trial, input| {
        trial.check(|side| Mean::new(&side.place(0, input)?))
    });
    reduction::<T>(all, depth, &STD, |trial, input| {
        trial.check(|side| Std::new(&side.place(0, input)?))
    });
    reduction::<T>(all, depth, &MIN, |trial, input| {
        trial.check(|side| Min::new(&side.place(0, input)?))
    });
    reduction::<T>(all, depth, &MAX, |trial, input| {
        trial.check(|side| Max::new(&side.place(0, input)?))
    });
}

fn reduction<T: Sample>(
    all: &mut Vec<Case>,
    depth: Depth,
    kind: &'static Kind,
    ask: fn(&Trial<'_>, &Array<T>) -> Finding,
) {
    // Nothing is among the lengths: its sum is zero, the rest refuse it.
    for length in depth.lengths::<T>() {
        all.push(Case::new(kind, T::DTYPE, elements(length), move |trial| {
            Ok(ask(trial, &trial.near::<T>(0, &[length])?))
        }));
    }
    all.push(Case::new(
        kind,
        T::DTYPE,
        "10007 elements, many magnitudes",
        move |trial| Ok(ask(trial, &trial.wide::<T>(0, &[10_007])?)),
    ));
    all.push(Case::new(
        kind,
        T::DTYPE,
        "4097 elements, a constant",
        move |trial| Ok(ask(trial, &Array::from_slice(&[T::from_u8(3); 4097]))),
    ));
    all.push(Case::new(
        kind,
        T::DTYPE,
        "10007 elements beside a large offset",
        move |trial| Ok(ask(trial, &offset(trial)?)),
    ));
    all.push(Case::new(
        kind,
        T::DTYPE,
        "a matrix of 63x65",
        move |trial| Ok(ask(trial, &trial.near::<T>(0, &[63, 65])?)),
    ));
    all.push(Case::new(
        kind,
        T::DTYPE,
        "the extreme is last",
        move |trial| {
            let mut input = trial.near::<T>(0, &[4097])?;
            let end = *T::EDGES
                .iter()
                .find(|&&edge| edge > T::from_u8(100))
                .unwrap_or(&T::ZERO);
            input.as_mut_slice()?[4096] = end;
            Ok(ask(trial, &input))
        },
    ));
    if !T::IS_INTEGER {
        all.push(Case::new(
            kind,
            T::DTYPE,
            "edges, NaN among them",
            move |trial| Ok(ask(trial, &Array::from_slice(T::EDGES))),
        ));
        all.push(Case::new(
            kind,
            T::DTYPE,
            "one NaN in 10007",
            move |trial| {
                let mut input = trial.near::<T>(0, &[10_007])?;
                let nan = T::EDGES
                    .iter()
                    .copied()
                    .find(|value| value.to_f64().is_nan());
                input.as_mut_slice()?[5003] = nan.unwrap_or_default();
                Ok(ask(trial, &input))
            },
        ));
    }
}

/// Small differences around a large value.
fn offset<T: Sample>(trial: &Trial<'_>) -> Result<Array<T>, Error> {
    let mut input = trial.near::<T>(0, &[10_007])?;
    let thousand = T::from_u8(100).times(T::from_u8(10));
    for value in input.as_mut_slice()? {
        *value = value.plus(thousand);
    }
    Ok(input)
}
